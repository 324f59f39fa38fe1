"""Stored notebooks compared with a fresh run by nbval, as they are and altered."""

import ast
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from tools.references import ONE_THREAD, SANITIZE, Book

PLUGINS = ["-p", "nbval.plugin"]  # and none that shuffles cells or slows the start


@dataclass(frozen=True)
class Comparison:
    """What nbval said.

    Attributes
    ----------
    same
        Number of cells that gave what is stored.
    differ
        What nbval says about each cell that gave something else.
    broke
        What it says about each cell that failed or could not be run.
    """

    same: int
    differ: list[str] = field(default_factory=list)
    broke: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n\n".join([*self.broke, *self.differ, f"{self.same} cells agree"])


def compare(notebook: Path, package: Path | None = None, *flags: str) -> Comparison:
    """Compare a stored notebook with a fresh run of the code in it.

    ``package`` is a folder whose toolkit is used instead of the book's; ``flags`` are
    further arguments of pytest.
    """
    folder = notebook.parent
    (folder / "pytest.ini").write_text("[pytest]\n")  # not the book's own
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env"]
    command += [f"--nbval-sanitize-with={SANITIZE}", "--color=no", *PLUGINS, *flags]
    command += ["-q", "--junitxml=report.xml", notebook.name]
    settings = ONE_THREAD | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    settings |= {"IPYTHONDIR": str(folder / "ipython")}
    if package:
        settings["PYTHONPATH"] = str(package)
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    report = folder / "report.xml"
    cells = list(ET.parse(report).iter("testcase")) if report.exists() else []
    said = ["".join(part.text or "" for part in cell) for cell in cells]
    failed = [text for text, cell in zip(said, cells, strict=True) if len(cell)]
    if bool(failed) != bool(done.returncode):  # it is not the cells that failed
        return Comparison(same=0, broke=[done.stdout])
    return Comparison(
        same=len(said) - len(failed),
        differ=[text for text in failed if "Cell outputs differ" in text],
        broke=[text for text in failed if "Cell outputs differ" not in text],
    )


def stored_copy(page: str, folder: Path) -> Path:
    """Copy the stored notebook of a page into a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(Book().reference(page), folder))


@dataclass(frozen=True, order=True)
class Change:
    """One constant in the code of a notebook, and what to write there instead."""

    rank: int  # lowest first
    cell: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"cell {self.cell}: {self.old} became {self.new}"

    def make(self, notebook: Path) -> None:
        """Write it into a stored notebook, whose results stay as they are."""
        stored = nbformat.read(notebook, as_version=4)
        code = stored.cells[self.cell].source.encode()
        code = code[: self.start] + self.new.encode() + code[self.end :]
        stored.cells[self.cell].source = code.decode()
        nbformat.write(stored, notebook)


def changes(cells: list[nbformat.NotebookNode]) -> list[Change]:
    """Return the constants of a page that could be changed, most telling first.

    First come the numbers of the cell tagged ``parameters``, then numbers that are
    given a name, then other numbers, then words that are kept, looked up or compared
    with, last numbers that pick one of several.
    """
    found = []
    for number, cell in enumerate(cells):
        code = cell.source.encode()
        starts = [0, *(i + 1 for i, byte in enumerate(code) if byte == ord("\n"))]
        is_parameter = "parameters" in cell.metadata.get("tags", [])
        for rank, node in _constants(ast.parse(code)):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            old = code[start:end].decode()
            if not _reads(old, node.value):
                continue  # inside an f-string, where Python 3.11 knows no place
            rank = 0 if is_parameter and rank < 3 else rank
            found.append(Change(rank, number, start, end, old, _other(node.value)))
    return sorted(found)


def _constants(tree: ast.Module) -> Iterator[tuple[int, ast.Constant]]:
    nodes = list(ast.walk(tree))
    named = {n for a in nodes if isinstance(a, ast.Assign) for n in ast.walk(a.value)}
    places = [n.slice for n in nodes if isinstance(n, ast.Subscript)]
    picks = {n for place in places for n in ast.walk(place)}
    compared = {c for n in nodes if isinstance(n, ast.Compare) for c in n.comparators}
    kept = {n.value for n in nodes if isinstance(n, ast.Assign)}
    for node in nodes:
        if isinstance(node, ast.Constant):
            if type(node.value) in (int, float):
                yield (4 if node in picks else 1 if node in named else 2), node
            elif type(node.value) is str and node in picks | compared | kept:
                yield 3, node


def _reads(text: str, value: Any) -> bool:
    try:
        return ast.literal_eval(text) == value
    except (SyntaxError, ValueError):
        return False


def _other(value: Any) -> str:
    if isinstance(value, str):
        return repr(f"not {value}")
    if isinstance(value, int):
        return repr(value + 1)
    return repr(float(f"{0.9 * value or 0.1:.12g}"))
