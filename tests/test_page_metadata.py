"""What a page tells reference managers, search engines and messengers."""

import html
import importlib
import re
from pathlib import Path

import pytest
import yaml
from conftest import ROOT
from docutils import nodes

TAG = re.compile(r'<meta (?:name|property)="((?!viewport)[^"]*)" content="([^"]*)" />')
AUTHOR = "The companion's maintainers"


def tags(page: str) -> dict[str, str]:
    """Return a page's tags."""
    found = TAG.findall(page)
    assert len(dict(found)) == len(found), "a tag is there twice"
    return {name: html.unescape(content) for name, content in found}


@pytest.mark.slow
def test_every_page_says_who_wrote_what_and_when(book_site: Path):
    book = yaml.safe_load((ROOT / "_config.yml").read_text())["title"]
    pages = [*book_site.glob("chapter11/**/*.html"), *book_site.glob("api/*.html")]
    assert len(pages) > 15
    descriptions = set()
    for path in pages:
        page = path.read_text()
        found = tags(page)
        heading = re.search(r'<h1>([^\n]*?)<a class="headerlink"', page)
        title = html.unescape(re.sub(r"<[^>]*>", "", heading[1])).strip()
        assert found["citation_title"] == found["og:title"] == title
        assert found["citation_inbook_title"] == found["og:site_name"] == book
        assert found["citation_author"] == AUTHOR
        assert found["citation_publication_date"] == "2026"
        assert found["description"] == found["og:description"]
        assert not re.search(r"[\\{}<>$]", found["description"]), found["description"]
        assert len(found["description"]) > 15, path
        descriptions.add(found["description"])
    assert len(descriptions) == len(pages)


@pytest.mark.slow
def test_a_page_has_an_address_only_when_the_site_has_one(tiny_book):
    tiny_book.set_urls('Documentation = "https://somebody.example/book"')
    assert tiny_book.build(execute=False).returncode == 0
    found = tags(tiny_book.html())
    address = "https://somebody.example/book/chapter11/one.html"
    assert found["citation_public_url"] == found["og:url"] == address
    tiny_book.set_urls("")
    assert tiny_book.build(execute=False).returncode == 0
    assert not {"citation_public_url", "og:url"}.intersection(tags(tiny_book.html()))


@pytest.mark.parametrize(
    ("tex", "words"),
    [
        ("k", "k"),
        (r"\beta \le 1", "β ≤ 1"),
        (r"\mathrm{KL}(\pi \Vert \pi_{\text{ref}})", "KL(π ‖ π_ref)"),
    ],
)
def test_a_description_has_equations_in_plain_letters(monkeypatch, tex, words):
    monkeypatch.syspath_prepend(str(ROOT / "_ext"))
    metadata = importlib.import_module("page_metadata")
    found = metadata.in_words(nodes.paragraph("", "", nodes.math("", tex)))
    assert found.strip() == words
