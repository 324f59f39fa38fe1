"""Pages whose cells are live, as a test sees and uses them."""

import re
from collections.abc import Callable, Container, Iterable
from typing import Any

import pytest
from conftest import ROOT
from test_site import Reader

from tools.references import Book, code_cells

AT_ONCE = 2  # pages
PATIENCE = 120_000  # ms, on a machine with other things to do

# What each cell shows of its own run: its text, and what drawings say of themselves.
SHOWN = """outputs => outputs.map(html => {
    const box = document.createElement("div");
    box.innerHTML = html.replace("<script/>", "");  // as charts are stored
    box.querySelectorAll("svg").forEach(drawing => drawing.remove());
    box.querySelectorAll(".book-chart").forEach(chart => chart.replaceWith(
        ...chart.querySelectorAll(".book-chart-title, .book-chart-numbers tbody")));
    box.querySelectorAll("td, th, p, li").forEach(part => part.append(" "));
    const said = [...box.querySelectorAll("[aria-label]")];
    return [box.textContent, ...said.map(one => one.getAttribute("aria-label"))]
        .map(text => text.trim()).join("\\n");
})"""
OUTPUTS = """() => [...document.querySelectorAll(".bd-article div.cell")].map(
    cell => [...cell.querySelectorAll(".live-output > .output")]
        .map(output => output.innerHTML))"""

WARNS = "() => !dispatchEvent(new Event('beforeunload', {cancelable: true}))"
FORGET_STATUS = """() => {
    document.querySelector(".live-status").textContent = "";
}"""
IS_DONE = """() => document.body.dataset.live === "armed"
    && /ran in|error|Nothing|Stopped/
        .test(document.querySelector(".live-status").textContent)"""
RESET_CELLS = """() => document.querySelectorAll("[aria-label^='Reset cell']:enabled")
    .forEach(button => button.click())"""


class LivePage:
    """A page of the book whose cells are live."""

    def __init__(self, reader: Reader, name: str) -> None:
        self.reader = reader
        self.page = reader.open(name)

    def arm(self) -> "LivePage":
        self.page.get_by_role("button", name="Run this page's code").first.click()
        self.wait("Ready")
        return self

    def status(self) -> str:
        return self.page.locator(".live-status").inner_text()

    def wait(self, text: str) -> None:
        """Wait until the status line says something."""
        self.page.wait_for_function(
            "text => document.querySelector('.live-status').textContent.includes(text)",
            arg=text,
            timeout=PATIENCE,
        )

    def until_done(self, ask: Callable[[], object]) -> None:
        """Ask for a run and wait until it is over."""
        self.page.evaluate(FORGET_STATUS)
        ask()
        self.page.wait_for_function(IS_DONE, timeout=PATIENCE)

    def cell(self, number: int) -> Any:
        return self.page.locator(".bd-article div.cell").nth(number - 1)

    def editor(self, number: int) -> Any:
        return self.cell(number).get_by_role("textbox")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def run(self, number: int, code: str | None = None) -> str:
        """Run a cell, with other code in it or as it is; return what it shows."""
        if code is not None:
            self.editor(number).fill(code)
        self.until_done(lambda: self.editor(number).press("Shift+Enter"))
        return self.shown(number)

    def saved(self) -> str:
        """Wait until every change is in the address; return it."""
        self.page.wait_for_function(f"!({WARNS})()")
        return self.page.url

    def shown(self, number: int) -> str:
        output = self.cell(number).locator(".live-output")
        return output.inner_text() if output.count() else ""

    def run_all(self) -> list[list[str]]:
        """Run every cell and return what each shows."""
        self.until_done(lambda: self.press("Run all"))
        return self.results()

    def results(self) -> list[list[str]]:
        """Return what each cell shows of its own run."""
        outputs = self.page.evaluate(OUTPUTS)
        return [self.page.evaluate(SHOWN, cell) for cell in outputs]

    def stored(self, name: str) -> list[list[str]]:
        """Return what the stored notebook of a page shows, cell by cell."""
        cells = [
            list(map(_html, c.outputs)) for c in code_cells(Book().reference(name))
        ]
        return [
            self.page.evaluate(SHOWN, [html for html in cell if html is not None])
            for cell in cells
        ]


def _html(output: Any) -> str | None:
    """Return the markup that stands for a stored output, None for an invisible one."""
    if output.output_type == "stream":
        return _escaped(output.text)
    if "text/html" in output.data:
        return output.data["text/html"]
    return _escaped(output.data["text/plain"]) if "text/plain" in output.data else None


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def address_of(name: str) -> str:
    """Return where on the site a page is."""
    page = Book().pages()[name].relative_to(ROOT)
    return page.with_suffix(".html").as_posix()


def close(reader: Reader) -> None:
    """Close a window, in which nothing may have gone wrong."""
    reader.page.close()
    reader.context.close()
    assert reader.errors == []
    assert reader.outside == []


def nightly(names: Iterable[str], late: Container[str]) -> list[Any]:
    """Return pages as parameters of a test, some of them for the nightly run only."""
    return [
        pytest.param(name, marks=[pytest.mark.nightly] if name in late else [])
        for name in names
    ]


def chosen(request: pytest.FixtureRequest) -> list[str]:
    """Return the pages that the chosen tests of a module are about."""
    return [
        item.callspec.params["name"]
        for item in request.session.items
        if getattr(item, "module", None) is request.module  # doctests have none
        and "ran" in item.fixturenames
    ]


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def agree(shown: str, stored: str) -> bool:
    """Return whether two texts differ in numbers only, and in those hardly.

    By one unit of the last digit, or by half a percent: the browser's mathematical
    functions round differently, and a sampled run can turn on the last bit.
    """
    if NUMBER.sub("#", shown) != NUMBER.sub("#", stored):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(stored), strict=True)
    return all(a == b or _is_close(a, b) for a, b in pairs)


def _is_close(a: str, b: str) -> bool:
    (x, unit), (y, other) = _value_and_unit(a), _value_and_unit(b)
    return abs(x - y) <= max(1.001 * unit, 1.001 * other, 0.005 * y)


def _value_and_unit(number: str) -> tuple[float, float]:
    digits, _, exponent = number.replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    power = int(exponent or 0)
    return float(digits) * 10.0**power, 10.0 ** (power - decimals)


Results = dict[str, tuple[str, list[list[str]], list[list[str]]]]


def run_pages(open_page: Callable[[str], LivePage], names: Iterable[str]) -> Results:
    """Run all cells of several pages, two at a time; return what each showed.

    ``open_page`` opens a page in a window of its own.
    """
    waiting, running, found = list(names), {}, {}
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            name = waiting.pop(0)
            running[name] = page = open_page(name)
            page.page.evaluate(FORGET_STATUS)
            page.press("Run all")
        for name, page in list(running.items()):
            page.page.wait_for_timeout(100)
            if page.page.evaluate(IS_DONE):
                found[name] = (page.status(), page.results(), page.stored(name))
                close(page.reader)
                del running[name]
    return found
