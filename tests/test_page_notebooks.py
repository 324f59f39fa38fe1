"""The pages as notebooks, as the site offers them.

That their code gives the stored results in an empty folder, with the toolkit installed
from the wheel beside them, is tested in ``test_notebooks.py``.
"""

import sys

import nbformat
import pytest
from conftest import ROOT

from tools.references import Book, code_cells

sys.path.insert(0, str(ROOT / "_ext"))
from notebooks import notebook, runs_code

PAGES = Book().pages()


@pytest.mark.slow
def test_every_page_with_code_is_offered_with_the_wheel(book_site):
    folder = book_site / "notebooks"
    offered = {path.stem for path in folder.glob("*.ipynb")}
    assert offered == PAGES.keys()
    (wheel,) = folder.glob("*.whl")
    for name, page in PAGES.items():
        html = (book_site / page.relative_to(ROOT)).with_suffix(".html").read_text()
        assert f"notebooks/{name}.ipynb" in html
        assert f"notebooks/{wheel.name}" in html
        assert wheel.name in (folder / f"{name}.ipynb").read_text()


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_has_the_pages_code_and_no_results(name):
    text = notebook(PAGES[name], "note")
    assert notebook(PAGES[name], "note") == text
    found = nbformat.reads(text, as_version=4)
    nbformat.validate(found)
    assert found.cells[0].source == "note"
    code = [cell for cell in found.cells if cell.cell_type == "code"]
    assert [cell.source for cell in code] == [c.source for c in code_cells(PAGES[name])]
    assert all(cell.outputs == [] for cell in code)


def test_what_has_no_code_is_no_notebook():
    assert runs_code(PAGES["toy-language"])
    assert not runs_code(ROOT / "chapter11" / "glossary.md")
    assert not runs_code(ROOT / "api" / "index.md")
