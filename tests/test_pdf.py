"""The chapter as one PDF: whole, numbered, with its fonts, and without what failed."""

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from pypdf import PdfReader

from tools.pdf import chapter_pages, make_pdf
from tools.print_page import long_page, read_section

PAGE = """<title>One &#8212; Book</title><article class="bd-article">
<section id="top"><h1>One<a class="headerlink" href="#top">#</a></h1>
<section id="first"><h2>First</h2>
<a href="#first">here</a> <a href="two.html#x">there</a>
<a href="../api/three.html">code</a>
<a href="https://example.org/paper">a paper</a>
<a href="https://arxiv.org/abs/1">arXiv 1</a>
<svg><clipPath id="c"/><use xlink:href="#c"/><g clip-path="url(#c)"/></svg>
<details class="figure-block">files</details><details><p>folded</p></details>
</section></section></article>"""


@pytest.fixture
def section(tmp_path):
    """Return a small page, read for printing."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "one.html").write_text(PAGE)
    return read_section(tmp_path, "book/one", {"book/one": "one", "book/two": "two"})


def test_links_of_a_printed_page_stay_inside_the_long_one(section):
    assert (
        '<a href="#one-first">here</a> <a href="#two-x">there</a>\ncode' in section.body
    )
    assert 'xlink:href="#one-c"' in section.body
    assert "url(#one-c)" in section.body
    assert 'id="one-first"' in section.body


def test_an_address_that_the_text_does_not_show_is_listed(section):
    assert 'a paper</a><sup class="address">1</sup>' in section.body
    assert section.body.count("<li>") == 1
    assert "<li>https://example.org/paper</li>" in section.body


def test_a_printed_page_is_unfolded_and_has_no_file_links(section):
    assert "<details open><p>folded" in section.body
    assert "files" not in section.body
    assert section.title == "One"
    assert section.headings == [("one-first", "First")]


def test_the_long_page_is_light_and_lists_its_parts(tmp_path, section):
    (tmp_path / "book").mkdir(exist_ok=True)
    (tmp_path / "book" / "one.html").write_text(PAGE)
    page = long_page(tmp_path, ["book/one"], "front", "", {"one": 3, "one-first": 4})
    assert 'data-theme="light"' in page
    assert '<a href="#one-first"><span>First</span><span>4</span></a>' in page


@pytest.fixture(scope="module")
def printed(browser: Any, book_site: Path) -> PdfReader:
    """Return the book, printed."""
    return PdfReader(io.BytesIO(make_pdf(browser, book_site, chapter_pages(), "Front")))


def words(text: str) -> str:
    """Return a text with one space between words."""
    return " ".join(text.replace("’", "'").split())


def fonts(page: Any) -> dict[str, Any]:
    """Return the fonts of a PDF's page by name."""
    found = {}
    for name, font in page["/Resources"].get("/Font", {}).items():
        font = font.get_object()
        for part in font.get("/DescendantFonts", [font]):
            found[font.get("/BaseFont", name)] = part.get_object()
    return found


@pytest.mark.slow
@pytest.mark.browser
def test_the_pdf_is_the_whole_chapter(printed):
    pages = [words(page.extract_text()) for page in printed.pages]
    assert len(pages) > 30
    text = " ".join(pages)
    for path in chapter_pages():
        source = (ROOT / f"{path}.md").read_text()
        title = re.search(r"^# (.*)$", source, re.MULTILINE)[1]
        assert words(title) in text, path
    assert "Figure 11.1 " in text
    assert not re.search(r"Traceback|\bError:|\?\?", text)
    assert "\\(" not in text
    for number, page in enumerate(pages[1:], start=2):
        assert page.endswith(str(number)) or page.startswith(str(number)), number


@pytest.mark.slow
@pytest.mark.browser
def test_the_contents_say_the_right_sheets(printed):
    contents = words(" ".join(page.extract_text() for page in printed.pages[1:5]))
    outline = [entry for entry in printed.outline if not isinstance(entry, list)]
    assert len(outline) >= len(chapter_pages())
    sharpening = next(
        number
        for number, page in enumerate(printed.pages, start=1)
        if words(page.extract_text()).startswith(f"{number} 11.1 Sharpening")
    )
    assert re.search(rf"11\.1 Sharpening or new capability\? {sharpening}\b", contents)


@pytest.mark.slow
@pytest.mark.browser
def test_the_fonts_are_in_the_pdf_and_the_figures_are_drawings(printed):
    for page in printed.pages:
        for name, font in fonts(page).items():
            kind = font["/Subtype"]
            inside = kind == "/Type3" or any(
                key.startswith("/FontFile") for key in font["/FontDescriptor"]
            )
            assert inside, name
        objects = page["/Resources"].get("/XObject", {}).values()
        assert all(found.get_object()["/Subtype"] != "/Image" for found in objects)


def test_without_a_built_book_nothing_is_printed(tmp_path, monkeypatch, capsys):
    from tools import pdf

    monkeypatch.setattr(pdf, "SITE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["pdf", "--output", str(tmp_path / "x.pdf")])
    assert pdf.main() == 2
    assert "make book" in capsys.readouterr().err
    assert not (tmp_path / "x.pdf").exists()


def test_without_a_browser_nothing_is_printed(tmp_path, monkeypatch, capsys):
    from tools import browser, pdf

    (tmp_path / "index.html").write_text("")
    monkeypatch.setattr(pdf, "SITE", tmp_path)
    monkeypatch.setattr(browser, "find_browser", lambda: None)
    monkeypatch.setattr(sys, "argv", ["pdf", "--output", str(tmp_path / "x.pdf")])
    assert pdf.main() == 2
    assert "apt install chromium" in capsys.readouterr().err
