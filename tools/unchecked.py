"""What the comparison with the stored notebooks would let pass.

nbval goes through the notebooks it finds, runs the cells stored in them and compares
what it compares. A page without a stored notebook, a cell that changed since, a cell
stored without having been run: all pass. ``python -m tools.unchecked`` names them.
"""

import ast
import re
import sys

from nbformat import NotebookNode
from nbval.plugin import comment_markers, metadata_tags

from tools.references import GLUED, Book, code_cells

HIDDEN = {"remove-cell", "remove-input", "skip-execution", "raises-exception"}
MACHINE = re.compile(  # what is different on another machine or in another run
    r"ipykernel|Warning\b|\bat 0x[0-9a-f]{6}|(?<![\w.])/(?:home|root|tmp|usr|work)/"
)
IMAGE = re.compile(r"<Figure size|<Axes[:\w ]*>|<matplotlib\.")


def unchecked(book: Book | None = None) -> list[str]:
    """Return what the comparison would not notice, one sentence each."""
    book = book or Book()
    pages = book.pages()
    found = [] if pages else ["no page of the table of contents runs code"]
    found += [f"{orphan.stem}: stored, but no page" for orphan in book.orphans()]
    for name, page in pages.items():
        reference = book.reference(name)
        if not reference.exists():
            found.append(f"{name}: no stored notebook")
            continue
        cells, stored = code_cells(page), code_cells(reference)
        found += [f"{name}: {problem}" for problem in _stale(cells, stored)]
        for number, (cell, kept) in enumerate(zip(cells, stored, strict=False)):
            problems = [*_switched_off(cell), *_nothing_stored(cell, kept)]
            found += [f"{name}: cell {number} {problem}" for problem in problems]
        if not any(cell.outputs for cell in stored):
            found.append(f"{name}: the stored notebook shows nothing")
    return found


def _stale(cells: list[NotebookNode], stored: list[NotebookNode]) -> list[str]:
    """Say where page and stored notebook have different code."""
    if len(cells) != len(stored):
        return [f"{len(cells)} code cells, {len(stored)} stored"]
    pairs = enumerate(zip(cells, stored, strict=True))
    return [
        f"cell {i} is not the stored one" for i, (a, b) in pairs if a.source != b.source
    ]


def _switched_off(cell: NotebookNode) -> list[str]:
    """Say what in a page's cell hides it from its reader or from nbval."""
    off = HIDDEN | metadata_tags.keys()
    found = [f"is tagged {tag}" for tag in cell.metadata.get("tags", []) if tag in off]
    return found + [f"says {mark}" for mark in comment_markers if mark in cell.source]


def _nothing_stored(cell: NotebookNode, stored: NotebookNode) -> list[str]:
    """Say why what a cell shows would not be compared."""
    if stored.execution_count is None:
        return ["was stored without being run"]
    texts = [
        str(text) for out in stored.outputs for text in out.get("data", out).values()
    ]
    kinds = {kind for out in stored.outputs for kind in out.get("data", ())}
    found = ["shows an image, which nothing compares"] * any(map(IMAGE.search, texts))
    if any(map(MACHINE.search, texts)):
        found.append("shows what belongs to one machine or one run")
    if _shows(cell) and not stored.outputs:
        found.append("should show something, but nothing is stored")
    if "figure" in cell.metadata.get("mystnb", {}) and "text/plain" not in kinds:
        found.append("is a figure, but its numbers are not stored")
    if "glue_numbers(" in cell.source and not any(k.startswith(GLUED) for k in kinds):
        found.append("hands numbers to the prose, but none is stored")
    return found


def _shows(cell: NotebookNode) -> bool:
    """Whether a cell ends in a value; a call of ``assert_...`` has none."""
    statements = ast.parse(cell.source).body
    if not statements or not isinstance(statements[-1], ast.Expr):
        return False
    return "assert_" not in ast.unparse(statements[-1])


if __name__ == "__main__":
    for problem in (problems := unchecked()):
        print(problem)
    sys.exit(bool(problems))
