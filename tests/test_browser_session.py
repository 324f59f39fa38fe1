"""The Python side of live cells in the browser, run in this Python."""

import base64
import importlib.util
import json
import sys
from types import ModuleType
from typing import Any

import pytest
from conftest import ROOT


def load() -> ModuleType:
    path = ROOT / "_ext" / "live" / "session.py"
    spec = importlib.util.spec_from_file_location("session", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


session = load()


class Page:
    """What a session has handed over."""

    def __init__(self, *can_load: str) -> None:
        self.outputs: list[dict[str, Any]] = []
        keep = lambda output: self.outputs.append(json.loads(output))  # noqa: E731
        self.session = session.Session(keep, can_load)

    def run(self, code: str, number: int = 1) -> bool:
        self.outputs.clear()
        return self.session.run(code, number)

    def text(self) -> list[str]:
        """Return the text of every output."""
        return [o.get("text") or o["data"]["text/plain"] for o in self.outputs]


@pytest.fixture
def page() -> Page:
    return Page("sleepy")


def test_the_last_expression_is_shown(page):
    assert page.run("x = 20\nx + 1")
    assert page.text() == ["21"]
    assert page.run("_ * 2")
    assert page.text() == ["42"]


@pytest.mark.parametrize("code", ["x = 1", "1;", "None", "", "# nothing"])
def test_what_has_no_value_shows_nothing(page, code):
    assert page.run(code)
    assert page.outputs == []


def test_a_value_is_shown_in_its_richest_form(page):
    page.run(
        "class Both:\n"
        "    def _repr_html_(self): return '<b>1</b>'\n"
        "    def __repr__(self): return 'one'\n"
        "Both()"
    )
    assert page.outputs[0]["data"] == {"text/html": "<b>1</b>", "text/plain": "one"}


def test_the_books_tables_and_numbers_for_the_prose(page):
    page.run("from toolkit.display import BookTable\nBookTable(columns={'a': [1]})")
    assert "<td class=number>1</td>" in page.outputs[0]["data"]["text/html"]
    page.run("display({'application/papermill.record/text/plain': '1'}, raw=True)")
    assert page.outputs[0]["data"] == {"application/papermill.record/text/plain": "1"}


def test_a_drawing_is_shown_once_and_closed(page):
    page.run("import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])")
    (output,) = page.outputs
    assert base64.b64decode(output["data"]["image/png"]).startswith(b"\x89PNG")
    page.run("plt.get_fignums()")
    assert page.text() == ["[]"]


def test_show_shows_where_it_is_called(page):
    page.run("plt = __import__('matplotlib.pyplot').pyplot")
    page.run("plt.plot([1])\nplt.show()\ndisplay('after')")
    assert ["image/png" in o["data"] for o in page.outputs] == [True, False]


def test_an_error_names_the_lines_of_cells_only(page):
    page.run("def inner(x):\n    return int(x)\n\ndef outer(f): return f('a')", 3)
    assert not page.run(
        "from functools import reduce\nreduce(lambda f, _: outer(f), [inner, 1])", 4
    )
    assert page.text()[0].splitlines() == [
        "Cell 4, line 2",
        "----> 2 reduce(lambda f, _: outer(f), [inner, 1])",
        "Cell 4, line 2, in <lambda>",
        "----> 2 reduce(lambda f, _: outer(f), [inner, 1])",
        "Cell 3, line 4, in outer",
        "----> 4 def outer(f): return f('a')",
        "Cell 3, line 2, in inner",
        "----> 2 return int(x)",
        "ValueError: invalid literal for int() with base 10: 'a'",
    ]


def test_an_error_of_the_toolkit_says_where_the_reader_called_it(page):
    assert not page.run("from toolkit import passk\npassk.k_grid(-1)")
    first, second, *message = page.text()[0].splitlines()
    assert (first, second) == ("Cell 1, line 2", "----> 2 passk.k_grid(-1)")
    assert "toolkit" not in "".join(message)


def test_a_mistake_in_the_grammar_is_shown_with_its_place(page):
    assert not page.run("x = = 1", 2)
    lines = page.text()[0].splitlines()
    assert lines[0] == "Cell 2, line 1"
    assert lines[-1].startswith("SyntaxError: ")


def test_variables_stay_between_cells_and_after_an_error(page):
    page.run("x = 1")
    assert not page.run("x = 2\n1 / 0")
    page.run("x")
    assert page.text() == ["2"]


def test_leaving_python_does_not_end_the_page(page):
    assert not page.run("raise SystemExit('bye')")
    assert "SystemExit: bye" in page.text()[0]


def test_imports_name_what_must_be_loaded_once(page):
    assert page.session.prepare("import json\nfrom sleepy.part import x") == "sleepy"
    assert page.session.prepare("import sleepy") is None  # asked for: now an error
    assert page.session.prepare("import nowhere") is None
    assert page.session.prepare("x = = 1") is None
    assert page.session.prepare("from json import nothing") is None


def test_a_module_missed_while_running_is_named_and_no_error_is_shown(page):
    assert not page.run("def late():\n    import sleepy\n\nlate()")
    assert page.session.wanted == "sleepy"
    assert page.outputs == []
    assert not page.run("late()")
    assert page.session.wanted is None
    assert "ModuleNotFoundError" in page.text()[0]


@pytest.fixture
def installed(page, monkeypatch):
    """Return a function that installs a session until the test ends."""

    def install() -> Page:
        for stream in ("stdout", "stderr"):
            monkeypatch.setattr(sys, stream, getattr(sys, stream))
        monkeypatch.setattr("builtins.input", input)
        monkeypatch.setattr("builtins.display", None, raising=False)
        monkeypatch.setenv("MPLBACKEND", "agg")
        for name in ("IPython", "IPython.display"):
            monkeypatch.setitem(sys.modules, name, None)
        page.session.install()
        return page

    return install


def test_what_is_printed_comes_in_order_with_what_is_shown(installed):
    page = installed()
    page.run(
        "import sys\nprint('a', end='')\ndisplay('b')\nprint('c')\n"
        "print('d', file=sys.stderr)\nprint('e', end='')"
    )
    assert page.text() == ["a", "'b'", "c\n", "d\n", "e"]
    names = [output.get("name") for output in page.outputs]
    assert names == ["stdout", None, "stdout", "stderr", "stdout"]


def test_a_long_text_without_an_end_is_not_kept(installed):
    page = installed()
    page.run("for _ in range(3): print('x' * 5000, end='')")
    assert [len(text) for text in page.text()] == [10_000, 5_000]


def test_glue_finds_the_display_of_the_session(installed):
    page = installed()
    page.run("from toolkit.display import glue_numbers\nglue_numbers(p='0.5')")
    (output,) = page.outputs
    assert output["data"] == {"application/papermill.record/text/plain": "'0.5'"}
    assert output["metadata"]["scrapbook"]["name"] == "p"


def test_input_has_nobody_to_ask(installed):
    page = installed()
    assert not page.run("input('name? ')")
    assert "nobody to ask" in page.text()[0]
