"""Storing what the pages show, and the ways in which comparing it checks nothing.

A small page stands for all. The ways are: results that are not stored, a comparison
that is lax or switched off, images, and stored code that is no longer the page's.
"""

import re
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_output
from nbval_runs import Comparison, compare

from tools.references import SANITIZE, Book, get_sanitize_patterns, main, run, sanitize
from tools.unchecked import unchecked

CONTENTS = """
root: chapter11/index
parts:
  - chapters:
      - file: chapter11/prose
        sections:
          - file: chapter11/small
"""
PAGE = """# A small page

```{code-cell} ipython3
:tags: [parameters]

n = 3
```

```{code-cell} ipython3
n / 7
```

```{code-cell} ipython3
:tags: [hide-input]

from toolkit.display import glue_numbers

glue_numbers(double=str(2 * n))
```
"""


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Return a book of one page that runs code, with nothing stored."""
    (tmp_path / "stored").mkdir()
    (tmp_path / "chapter11").mkdir()
    (tmp_path / "_toc.yml").write_text(CONTENTS)
    for page in ("index", "prose"):
        (tmp_path / "chapter11" / f"{page}.md").write_text("# No code here\n")
    (tmp_path / "chapter11" / "small.md").write_text(PAGE)
    return Book(tmp_path, tmp_path / "stored")


@pytest.fixture(scope="session")
def small_notebook(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Run the small page once and return the notebook to store."""
    page = tmp_path_factory.mktemp("small") / "small.md"
    page.write_text(PAGE)
    return run(page)


@pytest.fixture
def stored_book(book: Book, small_notebook: str) -> Book:
    """Return the book with its page's results stored."""
    book.reference("small").write_text(small_notebook)
    return book


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    file.write_text(text.replace(old, new))


def edit_page(book: Book, old: str, new: str) -> None:
    edit(book.pages()["small"], old, new)


def edit_stored(book: Book, number: int = 1, **change: object) -> None:
    """Change a cell, by default the one with a result, of the stored notebook."""
    notebook = nbformat.read(book.reference("small"), as_version=4)
    notebook.cells[number].update(change)
    nbformat.write(notebook, book.reference("small"))


def compared(book: Book, *flags: str) -> Comparison:
    return compare(book.reference("small"), None, *flags)


# Storing


def test_pages_are_found_at_any_depth_and_only_those_with_code(book):
    assert [page.stem for page in book.sources()] == ["index", "prose", "small"]
    assert list(book.pages()) == ["small"]


def test_two_runs_store_the_same_bytes(stored_book, capsys):
    assert main(["--check"], stored_book) == 0
    assert capsys.readouterr().out.startswith("small: unchanged")


def test_nothing_is_stored_that_changes_without_the_page(small_notebook):
    assert not re.search(r"timestamp|language_info|date|\d{4}-\d\d-", small_notebook)
    cells = nbformat.reads(small_notebook, as_version=4).cells
    assert [cell.id for cell in cells] == ["cell-0", "cell-1", "cell-2"]
    assert [cell.execution_count for cell in cells] == [1, 2, 3]


def test_renewing_shows_what_changed(stored_book, capsys):
    edit_page(stored_book, "n / 7", "n / 8")
    assert main(["small"], stored_book) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("small: changed")
    assert [line.strip() for line in lines[1:]] == [
        "cell 1",
        "-  n / 7",
        "-0.42857142857142855",
        "+  n / 8",
        "+0.375",
    ]
    assert "0.375" in stored_book.reference("small").read_text()


def test_a_number_for_the_prose_is_shown_by_its_name(stored_book, capsys):
    edit_page(stored_book, "n = 3", "n = 4")
    assert main(["--check"], stored_book) == 1
    assert "-double = '6'\n    +double = '8'" in capsys.readouterr().out


def test_check_writes_nothing_and_fails_if_something_would_change(
    stored_book, small_notebook
):
    edit_page(stored_book, "n / 7", "n / 8")
    assert main(["--check"], stored_book) == 1
    assert stored_book.reference("small").read_text() == small_notebook


def test_results_of_a_page_that_is_gone_are_removed(
    stored_book, small_notebook, monkeypatch
):
    monkeypatch.setattr("tools.references.run", lambda page: small_notebook)
    gone = stored_book.reference("gone")
    gone.write_text(small_notebook)
    assert main(["--check"], stored_book) == 1
    assert gone.exists()
    assert main([], stored_book) == 0
    assert not gone.exists()


def test_an_unknown_page_is_refused(book, capsys):
    with pytest.raises(SystemExit):
        main(["smal"], book)
    assert "no page that runs code: smal" in capsys.readouterr().err


def test_a_page_is_run_as_it_is_when_it_is_compared(book):
    # nbval shows a value in spite of a semicolon; Jupyter does not
    edit_page(book, "n / 7", "n / 7;")
    assert main([], book) == 0
    assert compared(book) == Comparison(same=3)


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import warnings; warnings.warn('look out')", "writes to stderr"),
        ("import matplotlib.pyplot as plt; _ = plt.plot([1])", "shows image/png"),
    ],
    ids=["an error", "a warning", "an image"],
)
def test_what_cannot_be_compared_is_refused(stored_book, capsys, code, complaint):
    before = stored_book.reference("small").read_text()
    edit_page(stored_book, "n / 7", code)
    assert main(["small"], stored_book) == 1
    said = capsys.readouterr().err
    assert "small: cell 1" in said
    assert complaint in said
    assert stored_book.reference("small").read_text() == before


# Ways to check nothing: nbval passes them, so ``unchecked`` must name them


def test_the_small_page_is_compared_and_nothing_escapes(stored_book):
    assert compared(stored_book) == Comparison(same=3)
    assert unchecked(stored_book) == []


def test_another_result_is_noticed_but_not_by_a_lax_comparison(stored_book):
    edit_stored(stored_book, source="n / 8")
    assert len(compared(stored_book).differ) == 1
    assert compared(stored_book, "--nbval-lax") == Comparison(same=3)


def test_cells_stored_without_a_run_pass_and_are_named(stored_book):
    edit_stored(stored_book, source="n / 8", outputs=[], execution_count=None)
    assert compared(stored_book) == Comparison(same=3)
    edit_stored(stored_book, source="n / 7")
    assert unchecked(stored_book) == ["small: cell 1 was stored without being run"]


def test_results_that_were_taken_out_are_noticed(stored_book):
    edit_stored(stored_book, outputs=[])
    assert len(compared(stored_book).differ) == 1
    names = "small: cell 1 should show something, but nothing is stored"
    assert unchecked(stored_book) == [names]


def test_a_page_that_changed_since_is_named(stored_book):
    edit_page(stored_book, "n / 7", "n / 8")
    assert unchecked(stored_book) == ["small: cell 1 is not the stored one"]


def test_a_cell_that_switches_the_comparison_off_is_named(stored_book):
    edit_page(stored_book, "n / 7", "# NBVAL_IGNORE_OUTPUT\nn / 7")
    edit_stored(stored_book, source="# NBVAL_IGNORE_OUTPUT\nn / 7")
    assert unchecked(stored_book) == ["small: cell 1 says NBVAL_IGNORE_OUTPUT"]


def test_nbval_finds_nothing_to_compare_in_a_page_itself(stored_book):
    found = compare(stored_book.pages()["small"])
    assert found.same == 0
    assert "not found" in found.broke[0]


def test_an_image_stands_for_no_number_and_is_named(stored_book):
    text = "<Figure size 640x480 with 1 Axes>"
    image = new_output("display_data", data={"text/plain": text})
    edit_stored(stored_book, outputs=[image])
    names = "small: cell 1 shows an image, which nothing compares"
    assert unchecked(stored_book) == [names]


def test_a_page_without_a_stored_notebook_is_named(book):
    assert unchecked(book) == ["small: no stored notebook"]


def test_a_stored_notebook_without_a_page_is_named(stored_book, small_notebook):
    stored_book.reference("gone").write_text(small_notebook)
    assert unchecked(stored_book) == ["gone: stored, but no page"]


def test_a_book_without_pages_that_run_is_named(book):
    (book.source / "chapter11" / "small.md").write_text("# No code\n")
    assert unchecked(book) == ["no page of the table of contents runs code"]


def test_a_cell_that_is_not_stored_is_named(stored_book):
    edit_page(stored_book, "# A small page", "```{code-cell} ipython3\nm = 1\n```")
    assert unchecked(stored_book)[0] == "small: 4 code cells, 3 stored"


@pytest.mark.parametrize("tag", ["remove-input", "remove-cell", "nbval-skip"])
def test_a_cell_that_readers_do_not_see_or_nbval_skips_is_named(stored_book, tag):
    edit_page(stored_book, "hide-input", tag)
    assert unchecked(stored_book) == [f"small: cell 2 is tagged {tag}"]


@pytest.mark.parametrize(
    "text",
    [
        "/tmp/ipykernel_123/45.py:1: UserWarning: look out",
        "<function f at 0x7f00deadbeef>",
        "read from /home/somebody/book/toolkit/data",
    ],
)
def test_a_result_that_belongs_to_one_machine_is_named(stored_book, text):
    stream = new_output("stream", name="stdout", text=text)
    edit_stored(stored_book, outputs=[stream])
    names = "small: cell 1 shows what belongs to one machine or one run"
    assert unchecked(stored_book) == [names]


def test_a_figure_without_numbers_is_named(stored_book):
    metadata = "---\nmystnb:\n  figure:\n    name: fig-11-9\n---\nn / 7"
    edit_page(stored_book, "n / 7", metadata)
    html = new_output("execute_result", data={"text/html": "<div><svg/></div>"})
    edit_stored(stored_book, outputs=[html])
    names = "small: cell 1 is a figure, but its numbers are not stored"
    assert unchecked(stored_book) == [names]


def test_a_cell_whose_numbers_for_the_prose_are_not_stored_is_named(stored_book):
    edit_stored(stored_book, 2, outputs=[new_output("stream", text="6")])
    names = "small: cell 2 hands numbers to the prose, but none is stored"
    assert unchecked(stored_book) == [names]


def test_a_page_that_shows_nothing_is_named(stored_book):
    stored_book.pages()["small"].write_text("```{code-cell} ipython3\nn = 3\n```\n")
    notebook = nbformat.read(stored_book.reference("small"), as_version=4)
    notebook.cells = notebook.cells[:1]
    nbformat.write(notebook, stored_book.reference("small"))
    assert unchecked(stored_book) == ["small: the stored notebook shows nothing"]


# What is left out


def test_only_drawings_and_the_data_of_charts_are_left_out():
    patterns = [find for find, _ in get_sanitize_patterns(SANITIZE.read_text())]
    data = '(?s)<script type="application/json">.*?</script>'
    assert patterns == ["(?s)<svg .*?</svg>", data]


@given(st.text())
def test_nothing_else_is_left_out(text):
    assert sanitize(text) == text or "<svg " in text or "<script " in text


@given(st.text(), st.text(), st.text())
def test_what_stands_around_a_drawing_stays(before, drawing, after):
    words = (before, drawing, after)
    before, drawing, after = (word.replace("<", "&lt;") for word in words)
    page = f'{before}<svg viewBox="0 0 1 1"><text>{drawing}</text></svg>{after}'
    assert sanitize(page + page) == f"{before}<svg/>{after}" * 2
