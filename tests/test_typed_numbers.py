from pathlib import Path

import pytest
from conftest import ROOT

from tools.references import Book
from tools.typed_numbers import LISTED, listed, tomllib, typed_numbers

CHAPTER = ROOT / "chapter11"
PAGES = {path.stem: path for path in Book().sources() if CHAPTER in path.parents}


def test_every_page_has_a_name_of_its_own():
    names = [path.stem for path in Book().sources() if CHAPTER in path.parents]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("page", PAGES)
def test_a_number_in_a_sentence_is_computed_cited_or_listed(page):
    typed = list(typed_numbers(PAGES[page]))
    assert [pair for pair in typed if pair[0] not in listed(page)] == []


def test_the_list_holds_no_number_that_is_not_there():
    on_pages = tomllib.loads(LISTED.read_text())
    for page, numbers in on_pages.items():
        typed = typed_numbers(PAGES[page])
        assert numbers.keys() <= {number for number, _ in typed}, page
    assert all(
        len(why) > 10 for numbers in on_pages.values() for why in numbers.values()
    )


def numbers_in(tmp_path: Path, text: str) -> list[str]:
    page = tmp_path / "page.md"
    page.write_text(text)
    return [number for number, _ in typed_numbers(page)]


@pytest.mark.parametrize(
    "sentence",
    [
        "It rises to 0.57 here.",
        "It rises to .57.",
        "- a bullet, 0.57",
        "a cell | 0.57 | of a table",
        "At $p = 0.57$ it turns.",
        "About 57% of them.",
        "Only 5.7e-3 is left.",
        ":::{admonition} Solution\n:class: dropdown\nIt is 0.57.\n:::",
        "It was cited {cite}`somebody2025`. But this is 0.57 by itself.",
        "```{code-cell} ipython3\n---\nmystnb:\n  figure:\n    caption: |\n"
        "      It rises to 0.57.\n---\nx = 1\n```",
    ],
)
def test_a_typed_result_is_found(tmp_path, sentence):
    assert len(numbers_in(tmp_path, f"# 11.1 A page\n\n{sentence}\n")) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "It rises to {glue:text}`there`, see section 11.2 and Figure 11.1.2.",
        "They report 0.57 {cite}`somebody2025`.",
        "```{code-cell} ipython3\nx = 0.57\n```\n\nAt 0.57, or 57%, it turns.",
        "Write `x = 0.57` or\n\n```\npython -m toolkit --x 0.57\n```",
        "$$\nx = 0.57\n$$ (eq-x)\n\nNotes (arXiv 2506.14245), CC BY 4.0.",
        "There are 625 of 1,000 in version 3.11.2.",
    ],
)
def test_what_is_computed_cited_or_set_is_let_pass(tmp_path, sentence):
    assert numbers_in(tmp_path, f"# 11.1 A page\n\n{sentence}\n") == []
