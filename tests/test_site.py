"""The built site in a real Chromium, with no way out of this machine.

The tiny book shows every piece of the machinery; the book itself is visited page by
page, so a new page is tested as soon as it is built. Each page is opened once for each
kind of reader, and the tests ask what was seen.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
READERS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"},
    "dark": {
        "viewport": {"width": 1280, "height": 800},
        "color_scheme": "dark",
        "reduced_motion": "reduce",
    },
    "phone": {"viewport": {"width": 390, "height": 844}},
    "small phone": {"viewport": {"width": 320, "height": 568}},
}

UNTYPESET = """() => [...document.querySelectorAll(".math")]
    .filter(found => !found.querySelector("mjx-container")
        || found.querySelector("mjx-merror"))
    .map(found => found.textContent)"""

FIGURES = """() => [...document.querySelectorAll(".book-figure")].map(drawing => {
    const box = drawing.getBoundingClientRect();
    const label = drawing.getAttribute("aria-labelledby");
    const panel = getComputedStyle(drawing.closest(".text_html") ?? drawing);
    return {
        width: box.width,
        height: box.height,
        role: drawing.getAttribute("role"),
        description: drawing.getAttribute("aria-label") ?? label?.split(" ")
            .map(id => document.getElementById(id)?.textContent).join(),
        background: panel.backgroundColor,
        filter: panel.filter,
        black: panel.color === getComputedStyle(document.body).color,
    };
})"""

TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return ["the page"].concat([...document.querySelectorAll("body *")]
        .filter(found => found.getBoundingClientRect().right > width + 1)
        .slice(0, 5).map(found => found.outerHTML.slice(0, 80)));
}"""

VIOLATIONS = """async () => (await axe.run({preload: false})).violations.map(
    rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 160))])"""

FOCUS = """() => {
    const found = document.activeElement;
    const style = getComputedStyle(found);
    const line = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const seen = found === document.body || line || style.boxShadow !== "none";
    return seen ? null : found.outerHTML.slice(0, 120);
}"""

STILL_FOLDED = """() => [...document.querySelectorAll(
        "details.hide > :not(summary), details.sd-dropdown > :not(summary), "
        + ".admonition.dropdown > :not(.admonition-title):not(button)")]
    .filter(found => found.getBoundingClientRect().height < 8
        || getComputedStyle(found).visibility === "hidden")
    .map(found => found.outerHTML.slice(0, 120))"""

LONGEST_TRANSITION = """() => Math.max(...[...document.querySelectorAll("*")].map(
    found => parseFloat(getComputedStyle(found).transitionDuration) || 0))"""


def page_names(site: Path) -> list[str]:
    """Return the address of every page of a site, the searching page included."""
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    # index.html only leads to the first page; it has a test of its own.
    return [name for name in names if not name.startswith(("_", "index"))]


class Reader:
    """A browser window that lets nothing out and remembers what went wrong."""

    def __init__(self, browser: Any, address: str, **options: Any) -> None:
        self.address = address
        self.context = browser.new_context(**options)
        self.context.route("**/*", self.guard)
        self.page = self.context.new_page()
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.listen)
        self.page.on("response", self.check)

    def guard(self, route: Any) -> None:
        if route.request.url.startswith((self.address, "data:", "blob:")):
            route.continue_()
        else:
            self.outside.append(route.request.url)
            route.abort()

    def listen(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def check(self, response: Any) -> None:
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def open(self, name: str) -> Any:
        """Go to a page, wait for its equations, return it."""
        self.page.goto(self.address + name, wait_until="load")
        self.page.wait_for_function("() => !window.MathJax || MathJax.startup?.promise")
        self.page.evaluate("() => window.MathJax?.startup?.promise.then(() => null)")
        return self.page


def look_at(page: Any, kind: str) -> dict[str, Any]:
    """Return what one kind of reader sees on the page that is open."""
    seen = {"too wide": page.evaluate(TOO_WIDE), "figures": page.evaluate(FIGURES)}
    if kind in ("light", "dark"):
        page.evaluate(AXE)
        seen["axe"] = page.evaluate(VIOLATIONS)
    if kind == "light":
        seen["untypeset"] = page.evaluate(UNTYPESET)
        seen["transition"] = page.evaluate(LONGEST_TRANSITION)
        unseen = []
        for _ in range(15):
            page.keyboard.press("Tab")
            unseen.append(page.evaluate(FOCUS))
        seen["unseen focus"] = list(filter(None, unseen))
        page.emulate_media(media="print")
        seen["folded"] = page.evaluate(STILL_FOLDED)
        page.emulate_media(media="screen")
    return seen


Seen = dict[str, dict[str, Any]]


@pytest.fixture(scope="session", params=["tiny book", "book"])
def site(request: pytest.FixtureRequest) -> Path:
    """Return the built pages of the tiny book, then of the book."""
    if request.param == "book":
        return request.getfixturevalue("book_site")
    return request.getfixturevalue("built_tiny_book").folder / "_build" / "html"


@pytest.fixture(scope="session")
def visits(
    browser: Any, serve_folder: Callable[[Path], str]
) -> Callable[[Path, str], tuple[Reader, Seen]]:
    """Return a function that opens every page of a site once for a kind of reader."""

    @functools.cache
    def visit(site: Path, kind: str) -> tuple[Reader, Seen]:
        reader = Reader(browser, serve_folder(site), **READERS[kind])
        pages = {name: look_at(reader.open(name), kind) for name in page_names(site)}
        reader.context.close()
        return reader, pages

    return visit


@pytest.fixture
def seen(
    visits: Callable[[Path, str], tuple[Reader, Seen]], site: Path
) -> Callable[[str], tuple[Reader, Seen]]:
    """Return a function that tells what a kind of reader saw on the site."""
    return functools.partial(visits, site)


def nothing_but(pages: Seen, question: str) -> dict[str, Any]:
    """Return the pages with anything to report on a question."""
    return {name: page[question] for name, page in pages.items() if page[question]}


@pytest.mark.parametrize("kind", READERS)
def test_no_page_asks_anything_of_another_machine(seen, kind):
    reader, pages = seen(kind)
    assert pages
    assert reader.outside == []


@pytest.mark.parametrize("kind", READERS)
def test_no_page_complains_in_the_console(seen, kind):
    reader, _ = seen(kind)
    assert reader.errors == []


def test_every_equation_is_typeset(seen):
    _, pages = seen("light")
    assert nothing_but(pages, "untypeset") == {}


@pytest.mark.parametrize("kind", READERS)
def test_every_figure_is_drawn_and_described(seen, kind):
    _, pages = seen(kind)
    for name, page in pages.items():
        for figure in page["figures"]:
            assert figure["width"] > 200, (name, figure)
            assert figure["height"] > 50, (name, figure)
            assert figure["role"] == "img", (name, figure)
            assert len(figure["description"] or "") > 10, (name, figure)


def test_the_tiny_book_has_figures_to_look_at(seen, site, built_tiny_book):
    if site.is_relative_to(built_tiny_book.folder):
        _, pages = seen("light")
        assert len(pages["chapter11/one.html"]["figures"]) == 2


@pytest.mark.parametrize("kind", ["light", "dark"])
def test_a_figure_has_the_colours_it_was_drawn_in(seen, kind):
    _, pages = seen(kind)
    for name, page in pages.items():
        for figure in page["figures"]:
            assert figure["background"] == "rgba(0, 0, 0, 0)", (name, figure)
            assert figure["filter"] == "none", (name, figure)
            assert figure["black"], (name, figure)


@pytest.mark.parametrize("kind", READERS)
def test_no_page_scrolls_sideways(seen, kind):
    _, pages = seen(kind)
    assert nothing_but(pages, "too wide") == {}


@pytest.mark.parametrize("kind", ["light", "dark"])
def test_axe_finds_nothing(seen, kind):
    _, pages = seen(kind)
    assert nothing_but(pages, "axe") == {}


def test_the_keyboard_goes_where_one_can_see_it(seen):
    _, pages = seen("light")
    assert nothing_but(pages, "unseen focus") == {}


def test_paper_shows_what_the_screen_folds(seen):
    _, pages = seen("light")
    assert nothing_but(pages, "folded") == {}


def test_motion_stops_for_who_asked_for_it(seen):
    _, pages = seen("light")
    # Not a short time but none: book.css says why.
    assert all(page["transition"] == 0 for page in pages.values())


@pytest.fixture
def window(browser, site, serve_folder):
    """Return a fresh window on the site."""
    reader = Reader(browser, serve_folder(site), **READERS["light"])
    yield reader
    reader.context.close()


def test_searching_finds_a_page(window):
    page = window.open("search.html?q=reference")
    page.wait_for_selector("ul.search li a", timeout=10_000)
    assert window.errors == []
    assert window.outside == []


def test_the_front_door_leads_to_the_first_page(window):
    window.page.goto(window.address + "index.html")
    window.page.wait_for_url("**/chapter11/index.html")


def test_there_is_one_search_box(window, site):
    page = window.open(page_names(site)[0])
    boxes = page.locator("button.search-button-field, form.bd-search").all()
    assert len([box for box in boxes if box.is_visible()]) == 1


def test_printing_opens_what_is_folded_and_folds_it_again(window, site):
    page = window.open(page_names(site)[-1])
    page.evaluate(
        """() => document.body.append(Object.assign(document.createElement("details"),
            {id: "folded", textContent: "inside"}))"""
    )
    is_open = "() => document.getElementById('folded').open"
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(is_open)
    page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
    assert not page.evaluate(is_open)


def test_a_citation_shows_its_reference_to_mouse_and_keyboard(window):
    page = window.open("chapter11/index.html")
    citation = page.locator(".bibtex-citation a").first
    card = page.locator("#citation-card")
    assert not card.is_visible()
    citation.hover()
    assert card.is_visible()
    assert card.inner_text() == citation.get_attribute("data-reference")
    assert "2025" in card.inner_text() or "2026" in card.inner_text()
    page.mouse.move(0, 0)
    assert not card.is_visible()
    citation.focus()
    assert card.is_visible()
    assert citation.get_attribute("aria-describedby") == "citation-card"
    page.keyboard.press("Escape")
    assert not card.is_visible()
    assert window.errors == []
