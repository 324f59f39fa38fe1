"""Run a page's cells in the browser's Python: what ``worker.js`` calls.

It does for a page what IPython does for a notebook: one namespace, the value of a
cell's last expression shown, drawings shown at the end, errors trimmed to the reader's
cell. Nothing here needs a browser, so it is tested without one.
"""

import ast
import base64
import builtins
import io
import json
import linecache
import logging
import os
import pprint
import sys
import traceback
import types
from collections.abc import Callable, Container
from typing import Any

CELL = "<cell {}>"
KINDS = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
}
NOBODY = "input() has nobody to ask on a page; write the answer into the cell"


class Session:
    """The variables of a page, and where its results go.

    Parameters
    ----------
    emit
        Is called with each result, as JSON: an object with a ``kind`` (``"stream"``,
        ``"show"`` or ``"error"``) and what there is to show.
    can_load
        Names of modules that are not installed but can be.
    """

    def __init__(self, emit: Callable[[str], Any], can_load: Container[str]) -> None:
        self._send = emit
        self._can_load = can_load
        self._asked: set[str] = set()
        self.names: dict[str, Any] = {"__name__": "__main__", "display": self.display}
        self.wanted: str | None = None

    def emit(self, kind: str, **content: Any) -> None:
        """Hand a result over."""
        self._send(json.dumps({"kind": kind, **content}))

    def install(self) -> None:
        """Take over what a notebook's Python would: output, display, drawings."""
        sys.stdout, sys.stderr = Stream(self, "stdout"), Stream(self, "stderr")
        builtins.input = _no_input
        builtins.display = self.display  # type: ignore[attr-defined]
        package = types.ModuleType("IPython")
        module = types.ModuleType("IPython.display")
        module.display = self.display  # type: ignore[attr-defined]
        package.display = module  # type: ignore[attr-defined]
        package.get_ipython = lambda: None  # type: ignore[attr-defined]
        sys.modules |= {"IPython": package, "IPython.display": module}
        os.environ["MPLBACKEND"] = "agg"
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

    def prepare(self, code: str) -> str | None:
        """Import what a cell imports; return the first module that must be loaded.

        The caller loads it and asks again. Any mistake is left for :meth:`run`.
        """
        try:
            body = ast.parse(code).body
        except SyntaxError:
            return None
        for node in body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                alone = compile(ast.Module([node], []), "<imports>", "exec")
                try:
                    exec(alone, {"__name__": "__main__"})
                except ModuleNotFoundError as error:
                    return self._loadable(error)
                except Exception:
                    return None
        return None

    def run(self, code: str, number: int) -> bool:
        """Run a cell; return whether it ran without an error.

        When a module must be loaded first, :attr:`wanted` is its name: load it and run
        the cell again. Else it is None.
        """
        self.wanted = None
        name = CELL.format(number)
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.show = lambda *_, **__: self._show_drawings()
        try:
            value = self._execute(code, name)
            if value is not None:
                self.names["_"] = value
                self.display(value)
            self._show_drawings()
        except BaseException as error:
            if isinstance(error, ModuleNotFoundError):
                self.wanted = self._loadable(error)
            if self.wanted is None:
                self.emit("error", text=trimmed(error))
            return False
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
        return True

    def display(
        self, *values: Any, raw: bool = False, metadata: dict[str, Any] | None = None
    ) -> None:
        """Show values as IPython's function of this name does."""
        sys.stdout.flush()
        for value in values:
            data = value if raw else described(value)
            self.emit("show", data=data, metadata=metadata or {})

    def _execute(self, code: str, name: str) -> Any:
        """Run a cell and return the value of its last expression."""
        tree = ast.parse(code, name)
        last = None
        shown = not code.rstrip().endswith(";")
        if shown and tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        exec(compile(tree, name, "exec"), self.names)
        return None if last is None else eval(compile(last, name, "eval"), self.names)

    def _show_drawings(self) -> None:
        """Show what is drawn with pyplot and still open."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        for number in pyplot.get_fignums():
            self.display(pyplot.figure(number))
        pyplot.close("all")

    def _loadable(self, error: ModuleNotFoundError) -> str | None:
        """Return the name of a missing module, once, if it can be loaded."""
        name = (error.name or "").partition(".")[0]
        if name in self._asked or name not in self._can_load:
            return None
        self._asked.add(name)
        return name


class Stream(io.TextIOBase):
    """What is printed: handed over line by line, or in large pieces."""

    LONG = 8192

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name
        self._kept = ""

    def write(self, text: str) -> int:
        """Keep a text, and hand over what is due."""
        self._kept += text
        if "\n" in text or len(self._kept) > self.LONG:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Hand over what is kept."""
        text, self._kept = self._kept, ""
        if text:
            self._session.emit("stream", name=self._name, text=text)


def described(value: Any) -> dict[str, str]:
    """Return a value in every form that a page could show.

    >>> described([1, 2])
    {'text/plain': '[1, 2]'}
    """
    if hasattr(type(value), "_repr_mimebundle_"):
        bundle = value._repr_mimebundle_()
        return bundle[0] if isinstance(bundle, tuple) else bundle
    found = {"text/plain": pprint.pformat(value, width=79, sort_dicts=False)}
    for kind, method in KINDS.items():
        if hasattr(type(value), method) and (content := getattr(value, method)()):
            found[kind] = content
    if type(value).__module__ == "matplotlib.figure":
        found["image/png"] = _png(value)
    elif isinstance(found.get("image/png"), bytes):
        found["image/png"] = base64.b64encode(found["image/png"]).decode()
    return found


def _png(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, bbox_inches="tight")
    return base64.b64encode(buffer.getvalue()).decode()


def trimmed(error: BaseException) -> str:
    """Return an error's message with the places in cells that led to it.

    >>> try:
    ...     exec(compile("1 / 0", "<cell 3>", "exec"))
    ... except ZeroDivisionError as error:
    ...     print(trimmed(error))
    Cell 3, line 1
    ZeroDivisionError: division by zero
    """
    message = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, SyntaxError) and (error.filename or "").startswith("<cell"):
        _, _, rest = message.partition("\n")
        return f"{_place(error.filename or '', error.lineno)}\n{rest}"
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.startswith("<cell"):
            inside = "" if frame.name == "<module>" else f", in {frame.name}"
            lines.append(f"{_place(frame.filename, frame.lineno)}{inside}")
            lines += [f"----> {frame.lineno} {frame.line}"] if frame.line else []
    return "\n".join([*lines, message])


def _place(filename: str, line: int | None) -> str:
    return f"{filename.strip('<>').capitalize()}, line {line}"


def _no_input(*_: object) -> None:
    raise RuntimeError(NOBODY)
