"""Every link inside the site leads somewhere; links to elsewhere are only listed."""

import functools
import html
import re
import sys
import urllib.error
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tools import links

TARGET = re.compile(r'<[a-zA-Z][^>]*?\s(?:href|src|action)="([^"]*)"')
ANCHOR = re.compile(r'\s(?:id|name)="([^"]*)"')


@functools.cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page."""
    return {html.unescape(name) for name in ANCHOR.findall(page.read_text())}


def broken(site: Path) -> list[str]:
    """Return the links of a site that lead nowhere in it."""
    found = []
    for page in sorted(site.rglob("*.html")):
        if "_static" in page.parts:
            continue
        for target in dict.fromkeys(TARGET.findall(page.read_text())):
            address = urlsplit(html.unescape(target))
            if address.scheme or address.netloc:
                continue
            path = page.parent / unquote(address.path) if address.path else page
            anchor = unquote(address.fragment)
            there = path.is_file()
            if there and anchor and path.suffix == ".html":
                there = anchor in anchors(path)
            if not there:
                found.append(f"{page.relative_to(site)}: {target}")
    return found


@pytest.mark.slow
def test_every_link_inside_the_book_leads_somewhere(book_site):
    assert broken(book_site) == []


@pytest.mark.slow
def test_every_link_inside_the_tiny_book_leads_somewhere(built_tiny_book):
    assert broken(built_tiny_book.folder / "_build" / "html") == []


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("two.html#there", True),
        ("two.html#missing", False),
        ("three.html", False),
        ("#here", True),
        ("#gone", False),
        ("data.csv", True),
        ("../data.csv", False),
        ("https://example.org/gone", True),
    ],
)
def test_a_link_to_nothing_is_found(tmp_path, link, leads):
    anchors.cache_clear()
    (tmp_path / "data.csv").write_text("x")
    (tmp_path / "two.html").write_text('<p id="there">x</p>')
    (tmp_path / "one.html").write_text(f'<p id="here"><a class="x" href="{link}">y</a>')
    assert (broken(tmp_path) == []) is leads


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a site with two links to elsewhere, and a table beside it."""
    monkeypatch.setattr(links, "SITE", tmp_path)
    monkeypatch.setattr(links, "TABLE", tmp_path / "links.csv")
    (tmp_path / "index.html").write_text(
        '<a href="https://a.example/x?y=1&amp;z=2#part">a</a>'
        '<a class="c" href="https://b.example/">b</a><a href="here.html">c</a>'
    )
    return tmp_path


def run(monkeypatch, *arguments):
    """Run the command."""
    monkeypatch.setattr(sys, "argv", ["links", *arguments])
    return links.main()


def test_links_to_elsewhere_are_listed_with_their_last_state(site, monkeypatch, capsys):
    assert run(monkeypatch) == 0
    assert "never asked" in capsys.readouterr().out
    monkeypatch.setattr(links, "ask", lambda address: "ok")
    assert run(monkeypatch, "--check") == 0
    shown = capsys.readouterr().out
    assert "https://a.example/x?y=1&z=2  (index)" in shown
    assert "2 addresses, 2 known to answer" in shown


def test_without_a_network_the_table_keeps_what_it_knew(site, monkeypatch, capsys):
    answers = {"https://b.example/": "ok"}
    monkeypatch.setattr(links, "ask", lambda a: answers.get(a, links.UNREACHABLE))
    assert run(monkeypatch, "--check") == 0
    before = (site / "links.csv").read_text()
    answers.clear()
    assert run(monkeypatch, "--check") == 0
    assert (site / "links.csv").read_text() == before
    shown = capsys.readouterr().out
    assert links.UNREACHABLE in shown


@pytest.mark.parametrize(
    ("code", "word"), [(404, "error 404"), (403, "refused"), (None, links.UNREACHABLE)]
)
def test_an_answer_is_put_into_a_word(monkeypatch, code, word):
    def refuse(request, timeout):
        if code is None:
            raise urllib.error.URLError("no network")
        raise urllib.error.HTTPError(request.full_url, code, "", {}, None)

    monkeypatch.setattr(links.urllib.request, "urlopen", refuse)
    assert links.ask("https://a.example/") == word
