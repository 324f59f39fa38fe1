r"""Run the pages and store their results under ``tests/references``.

The pages are MyST text and hold no results. The notebooks stored beside the tests do,
and the tests compare a fresh run with them, output by output::

    python -m tools.references                 # every page of the book
    python -m tools.references sharpening      # one page
    python -m tools.references --check         # write nothing; fail if any would change

What changed is printed, page by page and cell by cell. By hand, the comparison is::

    pytest -p no:randomly -W ignore --nbval --nbval-current-env \
        --nbval-sanitize-with tests/references/sanitize.cfg tests/references
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, NbvalKernelspecManager
from nbval.plugin import get_sanitize_patterns

from tools.book import ROOT

STORED = ROOT / "tests" / "references"
SANITIZE = STORED / "sanitize.cfg"
GLUED = "application/papermill.record/"  # how a number for the prose is handed over
NEVER_COMPARED = {"image/png", "image/jpeg"}  # nbval leaves these out
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


class PageError(Exception):
    """A page that cannot be stored; the message names page and cell."""


@dataclass(frozen=True)
class Book:
    """Where the pages are and where their results are stored."""

    source: Path = ROOT
    stored: Path = STORED

    def sources(self) -> list[Path]:
        """Return every page of the table of contents."""
        contents = yaml.safe_load((self.source / "_toc.yml").read_text())
        return [self.source / f"{file}.md" for file in _files(contents)]

    def pages(self) -> dict[str, Path]:
        """Return the pages of the table of contents that run code, by name."""
        return {path.stem: path for path in self.sources() if code_cells(path)}

    def reference(self, page: str) -> Path:
        """Return where the results of a page are stored."""
        return self.stored / f"{page}.ipynb"

    def orphans(self) -> list[Path]:
        """Return stored notebooks that belong to no page."""
        pages = self.pages()
        return [p for p in sorted(self.stored.glob("*.ipynb")) if p.stem not in pages]


def _files(contents: Any) -> Iterator[str]:
    """Yield every file that a table of contents names, at any depth."""
    if isinstance(contents, list):
        for entry in contents:
            yield from _files(entry)
    elif isinstance(contents, dict):
        for key, value in contents.items():
            if key in ("root", "file"):
                yield value
            else:
                yield from _files(value)


def code_cells(notebook: Path) -> list[NotebookNode]:
    """Return the code cells of a page or of a stored notebook."""
    if notebook.suffix == ".md":
        cells = jupytext.read(notebook, fmt="md:myst").cells
    else:
        cells = nbformat.read(notebook, as_version=4).cells
    return [cell for cell in cells if cell.cell_type == "code"]


def run(page: Path) -> str:
    """Run a page and return the notebook to store: its code and what is compared."""
    notebook = new_notebook(cells=code_cells(page))
    with tempfile.TemporaryDirectory() as settings:  # nobody's own
        _execute(notebook, page, {"IPYTHONDIR": settings})
    cells = []
    for number, cell in enumerate(notebook.cells):
        where = f"{page.stem}: cell {number}"
        outputs = [_stored(output, where) for output in cell.outputs]
        cells.append(
            new_code_cell(
                cell.source,
                id=f"cell-{number}",
                execution_count=number + 1,  # nbval compares no cell without one
                outputs=outputs,
            )
        )
    return nbformat.writes(new_notebook(cells=cells, metadata={"kernelspec": KERNEL}))


def _execute(notebook: NotebookNode, page: Path, settings: dict[str, str]) -> None:
    kernel = AsyncKernelManager(
        kernel_name=CURRENT_ENV_KERNEL_NAME,
        kernel_spec_manager=NbvalKernelspecManager(),
    )
    client = NotebookClient(notebook, km=kernel, timeout=600)
    start = {"cwd": str(page.parent), "env": os.environ | ONE_THREAD | settings}
    start["stderr"] = subprocess.DEVNULL  # the kernel's own talk; a cell's is caught
    with client.setup_kernel(cleanup_kc=True, **start):
        for number, cell in enumerate(notebook.cells):
            try:
                client.execute_cell(cell, number, store_history=False)  # as in nbval
            except CellExecutionError as error:
                raise PageError(f"{page.stem}: cell {number}\n{error}") from None


def _stored(output: NotebookNode, where: str) -> NotebookNode:
    """Return an output without what is not compared; refuse what never would be."""
    if output.get("name") == "stderr":
        raise PageError(f"{where} writes to stderr:\n{output.text}")
    if images := NEVER_COMPARED & set(output.get("data", ())):
        raise PageError(f"{where} shows {', '.join(images)}, which nothing compares")
    output = NotebookNode(output)
    if output.output_type == "stream":
        output.text = sanitize(output.text)
        return output
    output.data = {kind: sanitize(text) for kind, text in output.data.items()}
    if output.output_type == "execute_result":
        output.execution_count = None
    return output


def sanitize(text: Any) -> Any:
    """Return a text without what the rules beside the stored notebooks take out."""
    for pattern, replacement in get_sanitize_patterns(SANITIZE.read_text()):
        text = re.sub(pattern, replacement, text) if isinstance(text, str) else text
    return text


def shown(cell: NotebookNode, *, html: bool = False) -> list[str]:
    """Return code and outputs of a cell as lines, to read what changed."""
    lines = [f"  {line}" for line in cell.source.splitlines()]
    for output in cell.outputs:
        data = output.get("data") or {"stdout": output.get("text")}
        for kind, text in sorted(data.items()):
            if kind.startswith(GLUED):
                lines.append(f"{output.metadata.scrapbook.name} = {text}")
            elif kind != "text/html":
                lines += str(text).splitlines()
            elif html:
                lines += re.sub(">(?=<)", ">\n", text).splitlines()
    return lines


def differences(old: list[NotebookNode], new: list[NotebookNode]) -> list[str]:
    """Return what changed between two stored runs of a page, cell by cell."""
    before, after = ([cell.source for cell in cells] for cells in (old, new))
    match = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    lines = []
    for _, i, i_end, j, j_end in match.get_opcodes():
        cells = zip_longest(old[i:i_end], new[j:j_end])
        for number, (a, b) in enumerate(cells, start=j):
            if a != b:
                lines += [f"  cell {number}", *_cell_difference(a, b)]
    return lines


def _cell_difference(a: NotebookNode | None, b: NotebookNode | None) -> list[str]:
    for html in (False, True):  # the text form says the same and is easier to read
        texts = [shown(cell, html=html) if cell else [] for cell in (a, b)]
        if found := list(difflib.unified_diff(*texts, lineterm="", n=0))[2:]:
            return [f"    {line}" for line in found if not line.startswith("@@")]
    return ["    (what the text form does not show)"]


def renew(name: str, book: Book, *, check: bool) -> bool:
    """Run a page, say what changed, and store it; return whether it changed."""
    page, reference = book.pages()[name], book.reference(name)
    start = time.perf_counter()
    text = run(page)
    took = f"({time.perf_counter() - start:.1f} s)"
    old = reference.read_text() if reference.exists() else None
    if text == old:
        print(f"{name}: unchanged {took}", flush=True)
        return False
    new = nbformat.reads(text, as_version=4).cells
    if old is None:
        print(f"{name}: new, {len(new)} cells {took}", flush=True)
    else:
        print(
            f"{name}: changed {took}",
            *differences(code_cells(reference), new),
            sep="\n",
        )
    if not check:
        reference.write_text(text)
    return True


def main(arguments: list[str] | None = None, book: Book | None = None) -> int:
    """Renew the stored results, or with ``--check`` say whether they would change."""
    book = book or Book()
    known = book.pages()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", metavar="page", help=", ".join(known))
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    names = [Path(page).stem for page in options.pages] or list(known)
    if unknown := set(names) - set(known):
        parser.error(f"no page that runs code: {', '.join(sorted(unknown))}")
    changed = False
    try:
        for name in names:
            changed |= renew(name, book, check=options.check)
    except PageError as error:
        print(error, file=sys.stderr)
        return 1
    for orphan in [] if options.pages else book.orphans():
        print(f"{orphan.stem}: removed, for it has no page")
        changed = True
        if not options.check:
            orphan.unlink()
    return int(options.check and changed)


if __name__ == "__main__":
    sys.exit(main())
