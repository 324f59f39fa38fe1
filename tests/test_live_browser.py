"""Cells run by the browser's own Python, on the site as any static host serves it.

Nothing outside this machine is reachable, and no page may complain.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_pages import (
    RESET_CELLS,
    LivePage,
    Results,
    address_of,
    agree,
    chosen,
    close,
    nightly,
    run_pages,
)
from test_site import READERS, Reader

from tools.references import Book

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGE = "chapter11/toy-language.html"
PAGES = Book().pages()
# Their cells take a browser more than 25 seconds each.
HEAVY = {"agents", "diversity", "forgetting", "generalization", "sharpening"}
UNSEEN = {"your-evaluation"}  # has not been seen to run there from top to end
FILES = """() => performance.getEntriesByType("resource").map(
    entry => entry.name.split("/").at(-1).split("-")[0])"""


@pytest.fixture(scope="module")
def address(site_with_python, serve_folder) -> str:
    return serve_folder(site_with_python)


@pytest.fixture(scope="module")
def armed(browser, address) -> Iterator[LivePage]:
    """Return a page with live cells that several tests use in turn."""
    reader = Reader(browser, address, **READERS["light"])
    yield LivePage(reader, PAGE).arm()
    close(reader)


@pytest.fixture
def page(armed) -> Iterator[LivePage]:
    """Return that page; what was changed is reset afterwards, Python stays."""
    yield armed
    armed.page.evaluate(RESET_CELLS)
    assert armed.reader.errors == []


def loaded(page: LivePage) -> set[str]:
    """Return the first words of the names of all files that Python has asked for."""
    (worker,) = page.page.workers
    return set(worker.evaluate(FILES))


def test_packages_are_loaded_when_a_cell_imports_them(page):
    assert page.run(1, "1 + 1").strip() == "2"
    assert "pyodide.asm.wasm" in loaded(page)
    assert not {"numpy", "scipy", "matplotlib"} & loaded(page)
    assert page.run(1, "import numpy as np\nprint(np.arange(9).sum())").strip() == "36"
    assert "numpy" in loaded(page)
    assert (
        page.run(1, "from scipy.special import expit\nprint(expit(0))").strip() == "0.5"
    )
    assert "matplotlib" not in loaded(page)
    page.run(1, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    image = page.cell(1).locator(".live-output img")
    assert image.evaluate("image => image.naturalWidth") > 100


def test_a_changed_parameter_reaches_the_figure_below(page):
    figure = page.cell(5).locator("figure [role=img]")
    before = figure.get_attribute("aria-label")
    page.editor(1).fill("seed = 2")
    page.run(5)
    assert figure.count() == 1
    assert figure.get_attribute("aria-label") != before


def test_an_error_is_trimmed_to_the_readers_cell(page):
    shown = page.run(1, "from toolkit import passk\n\npassk.k_grid(-1)")
    assert shown.startswith("Cell 1, line 3\n----> 3 passk.k_grid(-1)\nValueError: ")
    assert "toolkit/" not in shown


def test_what_the_browser_lacks_is_said_and_not_run(browser, address):
    reader = Reader(browser, address, **READERS["light"])
    page = LivePage(reader, PAGE)
    mark = "cell => cell.classList.add('tag_local-only')"
    page.cell(3).evaluate(mark)
    page.page.get_by_role("button", name="Run this page's code").first.click()
    page.page.wait_for_selector(".live-armed")
    state = page.cell(3).locator(".live-state").inner_text()
    assert state == "runs only with “make live”"
    assert page.run(3, "print('here')") == ""
    assert "1 cell left out: a browser lacks what they need" in page.status()
    close(reader)


def test_stop_ends_python_and_says_what_is_lost(browser, address):
    reader = Reader(browser, address, **READERS["light"])
    page = LivePage(reader, PAGE).arm()
    page.editor(1).fill("kept = 1\nprint('begun')\nwhile True: pass")
    page.editor(1).press("Shift+Enter")
    page.page.wait_for_selector("text=begun")
    page.press("Stop")
    page.wait("Stopped. The variables are gone")
    assert "NameError" in page.run(1, "kept")
    close(reader)


def test_a_copy_without_python_says_how_to_get_one(
    browser, built_tiny_book, serve_folder
):
    site = built_tiny_book.folder / "_build" / "html"
    reader = Reader(browser, serve_folder(site), **READERS["light"])
    page = reader.open("chapter11/one.html")
    page.get_by_role("button", name="Run this page's code").first.click()
    status = page.locator(".live-status").inner_text()
    assert "carries no Python" in status
    assert "make live" in status
    assert "make browser-python" in status
    close(reader)


def test_a_page_opened_from_a_file_says_what_to_do(browser, book_site: Path):
    reader = Reader(browser, f"{book_site.as_uri()}/", **READERS["light"])
    page = reader.open(PAGE)
    page.get_by_role("button", name="Run this page's code").first.click()
    status = page.locator(".live-status").inner_text()
    assert "opened from a file" in status
    assert "make live" in status
    assert reader.outside == []
    reader.context.close()


@pytest.fixture(scope="module")
def ran(request, browser, address) -> Results:
    """Run the pages that the chosen tests are about."""

    def open_page(name: str) -> LivePage:
        reader = Reader(browser, address, **READERS["light"])
        return LivePage(reader, address_of(name)).arm()

    return run_pages(open_page, chosen(request))


@pytest.mark.parametrize("name", nightly(PAGES, HEAVY | UNSEEN))
def test_every_page_runs_and_gives_the_stored_numbers(ran, name):
    status, shown, stored = ran[name]
    assert "ran in" in status
    cells = zip(shown, stored, strict=True)
    differ = [
        (number, a, b)
        for number, (ours, theirs) in enumerate(cells, start=1)
        for a, b in itertools.zip_longest(ours, theirs, fillvalue="")
        if not agree(a, b)
    ]
    assert differ == []


@pytest.mark.parametrize(
    ("shown", "stored", "same"),
    [
        ("p = 0.55, n 3", "p = 0.55, n 3", True),
        ("p = 0.55", "p = 0.56", True),
        ("p = 0.55", "p = 0.57", False),
        ("545.625 steps", "544.375 steps", True),
        ("545.625 steps", "541.375 steps", False),
        ("1,999 of 3", "2,000 of 3", True),
        ("2.1e-03", "2.3e-03", False),
        ("p 0.5", "q 0.5", False),
        ("1 2", "1", False),
    ],
)
def test_numbers_agree_up_to_the_last_digit_or_half_a_percent(shown, stored, same):
    assert agree(shown, stored) is same
