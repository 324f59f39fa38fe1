"""What a reader finds who searches the book, and how the results read."""

import re
from urllib.parse import quote

import pytest

from toolkit.catalogue import find_recipe

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RESULTS = """() => [...document.querySelectorAll("ul.search li")].map(found =>
    [found.querySelector("a").getAttribute("href"), found.innerText])"""
DONE = "() => /finished|did not match/.test(document.querySelector('.search-summary')"
DONE += "?.innerText)"
MARKUP = re.compile(r"\\[a-zA-Z(\[]|\$|</?\w|import numpy|stroke")


@pytest.fixture(scope="module")
def search(browser, serve_folder, book_site):
    """Return a function that gives the results of a search: address and text."""
    window = browser.new_page()

    def find(words: str) -> list[tuple[str, str]]:
        window.goto(f"{serve_folder(book_site)}search.html?q={quote(words)}")
        window.wait_for_function(DONE)
        window.wait_for_load_state("networkidle")
        return [tuple(result) for result in window.evaluate(RESULTS)]

    yield find
    window.close()


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("pass@k", "chapter11/glossary.html#term-pass-k"),
        ("pass@k", "chapter11/sharpening.html"),
        ("pass_at_k", "api/measures.html#toolkit.passk.pass_at_k"),
        ("KL", "api/measures.html#toolkit.divergences.kl"),
        ("KL", "chapter11/diversity.html"),
        ("mean_pass_at_k", "chapter11/sharpening.html"),
        ("Figure 11.1", "chapter11/sharpening.html#fig-11-1"),
        ("Figure 11.1.2", "chapter11/sharpening.html#fig-11-1-2"),
        ("no such words anywhere", ""),
    ],
)
def test_the_search_finds(search, words, page):
    found = [address for address, _ in search(words)]
    assert page in found if page else found == []


def test_the_search_finds_a_figure_by_its_title(search):
    recipe = find_recipe("11.1.4")
    addresses = [address for address, _ in search(recipe.title)]
    assert f"{recipe.page}.html#{recipe.label}" in addresses


@pytest.mark.parametrize("words", ["pass@k", "KL", "beta", "optimum", "entropy"])
def test_results_show_no_markup(search, words):
    results = search(words)
    assert len(results) > 3
    for address, text in results:
        assert not MARKUP.search(text), (address, text)
