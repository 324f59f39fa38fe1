"""What a first visit to a page costs, and the icons that make it cheap."""

import importlib
import io
from types import SimpleNamespace

import pytest
from conftest import ROOT
from fontTools.ttLib import TTFont

from tools.browser import serving
from tools.weight import part_of, sent, weigh

BUDGET = 500_000  # of a visit, drawings and charts apart
DRAWINGS = 100_000
CHARTS = 308_000  # the scripts that draw charts, on the pages that have one
ICONS = """() => [...document.querySelectorAll("*")].flatMap(found =>
    ["::before", "::after"].map(part => getComputedStyle(found, part))
    .filter(style => /Font Awesome/.test(style.fontFamily))
    .map(style => style.content.replaceAll('"', ""))
    .filter(content => content !== "none" && content !== "normal"))"""
FONT = "_static/vendor/fontawesome/*/webfonts/fa-solid-900.woff2"


@pytest.mark.slow
@pytest.mark.browser
def test_a_first_visit_stays_below_the_budget(browser, book_site):
    pages = weigh(browser, book_site)
    assert len(pages) > 15
    for page, parts in pages.items():
        assert parts["page"] > 1000
        assert parts["theme"] > 10_000
        assert parts["charts"] in (0, pytest.approx(CHARTS, rel=0.05)), page
        visit = sum(parts.values()) - parts["charts"]
        assert visit < BUDGET + DRAWINGS, (page, parts)
        assert visit - parts["page"] < BUDGET - DRAWINGS / 2, page
    assert any(parts["charts"] for parts in pages.values())


@pytest.mark.slow
@pytest.mark.browser
def test_every_icon_that_a_page_shows_is_in_the_font(browser, book_site):
    kept = set(TTFont(next(book_site.glob(FONT))).getBestCmap())
    window = browser.new_page()
    shown = set()
    with serving(book_site) as address:
        for page in ("chapter11/sharpening.html", "chapter11/cite.html", "search.html"):
            window.goto(address + page, wait_until="load")
            shown |= set("".join(window.evaluate(ICONS)))
    window.close()
    assert len(shown) > 5
    assert {character for character in shown if ord(character) not in kept} == set()


@pytest.fixture
def icons(monkeypatch):
    """Return the extension that reduces the icons' font."""
    monkeypatch.syspath_prepend(str(ROOT / "_ext"))
    return importlib.import_module("icon_font")


SHEET = '.fa-plus:before,.fa-add:before{content:"\\2b"}.fa-up:before{content:"\\f062"}'


def test_icons_are_found_by_class_and_by_character(icons):
    names = icons.characters_by_name(SHEET)
    assert names == {"plus": 0x2B, "add": 0x2B, "up": 0xF062}
    assert icons.characters_shown('<i class="fa-solid fa-up">', names) == {0xF062}
    assert icons.characters_shown('a::after {content: "\\f0c1"}', names) == {0xF0C1}
    assert icons.characters_shown("&#xf0c1; \uf0c2", names) == {0xF0C1, 0xF0C2}
    assert icons.characters_shown("upwards fa-nothing", names) == set()


@pytest.mark.slow
def test_the_reduced_font_has_these_icons_and_is_the_same_twice(icons, built_tiny_book):
    site = built_tiny_book.folder / "_build" / "html"
    whole = next(site.glob(FONT)).with_suffix(".ttf")
    made = icons.reduced(whole, {0xF062, 0xF00D})
    assert made == icons.reduced(whole, {0xF062, 0xF00D})
    assert set(TTFont(io.BytesIO(made)).getBestCmap()) == {0xF062, 0xF00D}


def test_a_failed_build_leaves_the_font_alone(icons, tmp_path):
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    icons.reduce_icons(app, ValueError("failed"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/_static/mathjax/core.js", "equations"),
        ("/_static/book.css", "book"),
        ("/charts/vega.js", "charts"),
        ("/_static/styles/bootstrap.css", "theme"),
        ("/chapter11/index.html", "page"),
    ],
)
def test_a_file_belongs_to_a_part(path, part):
    assert part_of(path, ["book.css"]) == part


def test_text_is_counted_compressed_and_fonts_as_they_are():
    assert sent("/a.html", b"x" * 10_000) < 100
    assert sent("/a.woff2", b"x" * 10_000) == 10_000
