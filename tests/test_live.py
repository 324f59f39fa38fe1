"""Cells edited and run in the page, in a real Chromium.

The book is served by ``tools.live`` as a reader starts it; what leaves this machine is
refused, and no page may complain.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from live_pages import (
    RESET_CELLS,
    WARNS,
    LivePage,
    Results,
    address_of,
    chosen,
    close,
    nightly,
    run_pages,
)
from test_site import AXE, READERS, TOO_WIDE, VIOLATIONS, Reader

from tools.references import Book

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGE = "book/chapter11/toy-language.html"  # quick, with tables and a figure
PAGES = Book().pages()
# The same code by the same Python is compared for every page in test_notebooks.py.
QUICK = {"disagreements", "evidence", "index", "toy-language"}


@pytest.fixture(scope="module")
def live(book_site, tmp_path_factory) -> Iterator[str]:
    """Start the server as a reader does and return the address that it prints."""
    own = {"HOME": str(tmp_path_factory.mktemp("home"))}
    command = [sys.executable, "-m", "tools.live", "--no-browser"]
    server = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | own, stdout=subprocess.PIPE, text=True
    )
    found = re.search(r"http\S+", server.stdout.readline())
    yield found[0]
    kernels = kernel_processes(server.pid)
    server.send_signal(signal.SIGINT)
    with server:
        assert server.wait(20) == 0
    assert not [pid for pid in kernels if Path(f"/proc/{pid}").exists()]


def kernel_processes(parent: int) -> list[int]:
    """Return the processes that another has started."""
    done = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True
    )
    return [int(pid) for pid in done.stdout.split()]


@pytest.fixture
def root(live) -> str:
    return live.partition("book/")[0]


def token(live: str) -> str:
    return live.partition("token=")[2]


def window(browser: Any, live: str, kind: str = "light") -> Reader:
    """Return a window that has opened the printed address."""
    reader = Reader(browser, live.partition("book/")[0], **READERS[kind])
    reader.page.goto(live)
    return reader


@pytest.fixture
def reader(browser, live) -> Iterator[Reader]:
    """Return a window of its own for one test."""
    reader = window(browser, live)
    yield reader
    close(reader)


@pytest.fixture(scope="module")
def armed(browser, live) -> Iterator[LivePage]:
    """Return a page with live cells that several tests use in turn."""
    reader = window(browser, live)
    yield LivePage(reader, PAGE).arm()
    close(reader)


@pytest.fixture
def page(armed) -> Iterator[LivePage]:
    """Return that page; what was changed is reset afterwards, the kernel stays."""
    yield armed
    armed.page.evaluate(RESET_CELLS)
    assert armed.reader.errors == []


def ask(url: str, method: str = "GET", **headers: str) -> int:
    """Return the status of an answer."""
    data = b"{}" if method == "POST" else None
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def kernels(live: str) -> list[Any]:
    url = live.partition("book/")[0] + "api/kernels"
    asked = urllib.request.Request(
        url, headers={"Authorization": f"token {token(live)}"}
    )
    with urllib.request.urlopen(asked) as answer:
        return json.load(answer)


def is_gone(live: str, kernel: str) -> bool:
    """Wait until a Python is gone; say whether that came true."""
    for _ in range(100):
        if kernel not in {found["id"] for found in kernels(live)}:
            return True
        time.sleep(0.1)
    return False


def test_an_edited_cell_runs_with_what_it_needs(page):
    shown = page.run(2, page.editor(2).input_value() + "\nprint('sum', 40 + 2)")
    assert "sum 42" in shown
    assert page.status().startswith("2 cells ran in")
    assert page.cell(2).locator(".live-state").inner_text().startswith("changed by you")


def test_the_books_results_stand_until_a_cell_is_run(page):
    assert page.page.locator(".live-output").count() == 0
    book = page.cell(2).locator("table").inner_text()
    page.run(2)
    assert page.cell(2).locator("table").inner_text() == book
    assert page.cell(2).locator("table").count() == 1


def test_a_changed_parameter_reaches_the_figure_below(page):
    figure = page.cell(5).locator("figure")
    label = "[role=img]"
    before = figure.locator(label).get_attribute("aria-label")
    page.editor(1).fill("seed = 2")
    page.run(5)
    assert figure.locator(label).count() == 1
    assert figure.locator(label).get_attribute("aria-label") != before
    assert figure.locator("svg").first.bounding_box()["width"] > 200
    assert "Figure 11.0.1" in figure.locator("figcaption").inner_text()


def test_the_numbers_in_the_sentences_follow(page):
    first = page.page.locator(".glued-p_1")
    book = first.inner_text()
    page.editor(1).fill("seed = 2")
    page.until_done(lambda: page.press("Run cell 6"))
    assert first.inner_text() != book
    assert first.get_attribute("title") == f"in the book: {book}"
    page.press("Reset cell 1")
    page.until_done(lambda: page.press("Run cell 6"))
    assert first.inner_text() == book
    assert first.get_attribute("title") is None
    page.editor(1).fill("seed = 2")
    page.until_done(lambda: page.press("Run cell 6"))
    page.press("Reset cell 6")
    assert first.inner_text() == book
    assert page.page.locator(".live-number").count() == 0


def test_matplotlib_text_and_errors_are_shown(page):
    shown = page.run(
        1,
        "import sys\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n"
        "print('out')\nprint('err', file=sys.stderr)\n{'answer': 42}",
    )
    assert shown.split("\n\n") == ["out", "err", "{'answer': 42}"]
    image = page.cell(1).locator(".live-output img")
    assert image.evaluate("image => image.naturalWidth") > 100
    assert image.get_attribute("alt") == "Drawn by cell 1"


def test_an_error_is_trimmed_to_the_readers_cell(page):
    shown = page.run(1, "def half(x):\n    return x / 0\n\nhalf(1)")
    assert shown.splitlines() == [
        "Cell 1, line 4",
        "----> 4 half(1)",
        "Cell 1, line 2, in half(x)",
        "----> 2     return x / 0",
        "ZeroDivisionError: division by zero",
    ]
    shown = page.run(
        1, "from toolkit.optima import tilted_policy\ntilted_policy(1, 1, -1)"
    )
    assert shown.startswith("Cell 1, line 2\n----> 2 tilted_policy(1, 1, -1)")
    assert "toolkit/" not in shown
    assert page.run(1, "x = = 1").startswith("Cell 1, line 1\n")
    assert "nothing after it was run" in page.status()


def test_stop_interrupts_and_keeps_the_variables(page):
    page.editor(1).fill("kept = 41\nprint('begun')\nwhile True: pass")
    page.editor(1).press("Shift+Enter")
    page.page.wait_for_selector("text=begun")
    page.press("Stop")
    page.wait("Stopped. The variables are still there.")
    assert "KeyboardInterrupt" in page.shown(1)
    assert page.run(1, "kept + 1").strip() == "42"


def test_what_was_asked_for_before_a_stop_is_not_run_after_it(page):
    page.editor(1).fill("print('begun')\nwhile True: pass")
    page.editor(1).press("Shift+Enter")
    page.page.wait_for_selector("text=begun")
    page.press("Run cell 3")
    page.press("Stop")
    page.wait("Stopped")
    assert page.shown(3) == ""


def test_reset_brings_the_books_code_and_results_back(reader):
    page = LivePage(reader, PAGE)
    book = page.cell(2).locator(".cell_output").inner_html().strip()
    page.arm()
    code = page.editor(2).input_value()
    page.run(2, "print('mine')")
    assert page.cell(2).locator("table").count() == 0
    page.press("Reset cell 2")
    assert page.editor(2).input_value() == code
    assert page.cell(2).locator(".cell_output").inner_html().strip() == book
    page.run(3, "print(1)")
    page.run(2, "print(2)")
    page.press("Reset all")
    page.wait("Every cell is the book's again.")
    assert page.page.locator(".live-output, .live-changed").count() == 0
    assert "cells=" not in page.page.url


def test_a_changed_cell_renews_what_ran_below_it(page):
    page.run(1, "n = 1")
    assert page.run(2, "m = n + 1\nprint(m)").strip() == "2"
    page.editor(1).fill("n = 10")
    assert page.run(3, "print(m)").strip() == "11"
    assert page.status().startswith("3 cells ran")
    page.run(3)
    assert page.status().startswith("Cell 3 ran")


def test_run_all_above_leaves_the_cell_itself(page):
    page.editor(1).fill("n = 1")
    page.editor(2).fill("print('two')")
    page.press("Run all above cell 3")
    page.wait("2 cells ran")
    assert page.shown(2).strip() == "two"
    assert page.shown(3) == ""


def test_a_link_holds_the_changed_cells_and_runs_nothing(page, browser, live):
    before = {kernel["id"] for kernel in kernels(live)}
    page.editor(2).fill("print('from a link', 'ünï')")
    link = page.saved()
    other = window(browser, live)
    shared = LivePage(other, link.removeprefix(other.address))
    shared.wait("This link changed cell 2. Somebody wrote that code")
    assert shared.editor(2).input_value() == "print('from a link', 'ünï')"
    assert "changed by the link" in shared.cell(2).locator(".live-state").inner_text()
    assert other.page.locator(".live-output").count() == 0

    shared.editor(1).fill("seed = 4")
    shared.editor(2).press("End")
    shared.editor(2).press_sequentially("  # seen")
    shared.saved()
    other.page.reload()  # does not make the reader's what a link has brought
    shared.wait("This link changed cells 1 and 2. Somebody wrote that code")

    asked = []
    other.page.once("dialog", lambda box: (asked.append(box.message), box.dismiss()))
    shared.press("Run cell 3")
    shared.wait("Nothing was run.")
    assert "The link you opened changed cells 1 and 2" in asked[0]
    assert {kernel["id"] for kernel in kernels(live)} <= before
    other.page.once("dialog", lambda box: box.accept())
    assert shared.run(2).strip() == "from a link ünï"
    close(other)


def test_changes_survive_a_reload_and_a_visit_to_a_heading(reader):
    page = LivePage(reader, PAGE).arm()
    page.editor(1).fill("seed = 3")
    assert "#cells=" in page.saved()
    page.page.evaluate("() => { location.hash = '#training'; }")
    page.page.wait_for_url("**#training&cells=*")
    page.page.reload()
    page.wait("Your changes to cell 1 are back.")
    assert page.editor(1).input_value() == "seed = 3"
    assert page.page.evaluate("scrollY") > 500
    page.press("Reset all")
    page.wait("Every cell is the book's again.")
    assert page.editor(1).input_value() != "seed = 3"
    page.page.go_back()
    page.wait("Your changes to cell 1 are back.")
    assert page.editor(1).input_value() == "seed = 3"


def test_leaving_warns_only_while_a_change_is_not_in_the_address(page):
    page.saved()
    page.editor(1).fill("seed = 3")
    assert page.page.evaluate(WARNS)
    assert "#cells=" in page.saved()


@pytest.mark.parametrize(
    "packed", ["cells=", "cells=%20", "cells=AAAA", "cells=q1YqyU4tVrJSMjJQqgUA"]
)
def test_a_broken_link_leaves_the_page_as_it_is(reader, packed):
    page = LivePage(reader, f"{PAGE}#{packed}")
    if packed != "cells=":
        page.wait("could not be read")
    assert page.page.locator(".live-changed").count() == 0


def test_a_closed_page_leaves_no_python(browser, live):
    before = {kernel["id"] for kernel in kernels(live)}
    reader = window(browser, live)
    LivePage(reader, PAGE).arm()
    (own,) = {kernel["id"] for kernel in kernels(live)} - before
    reader.context.unroute("**/*")  # a guard cannot let pass what a closed page asks
    reader.page.close()
    assert is_gone(live, own)
    close(reader)


def test_python_works_in_the_pages_own_folder(page):
    shown = page.run(1, "import os, toolkit\nprint(os.getcwd(), toolkit.__file__)")
    assert shown.split() == [str(ROOT / "chapter11"), str(ROOT / "toolkit/__init__.py")]


def test_the_keyboard_indents_and_leaves(page):
    editor = page.editor(1)
    editor.fill("")
    editor.press_sequentially("if True:")
    editor.press("Enter")
    editor.press_sequentially("x = 1")
    assert editor.input_value() == "if True:\n    x = 1"
    editor.press("Control+]")
    assert editor.input_value() == "if True:\n        x = 1"
    editor.press("Control+[")
    editor.press("Control+[")
    assert editor.input_value() == "if True:\nx = 1"
    editor.press("Control+z")
    assert editor.input_value() == "if True:\n    x = 1"
    editor.press("Escape")
    focused = "() => document.activeElement.getAttribute('aria-label')"
    assert page.page.evaluate(focused) == "Run cell 1"
    editor.focus()
    page.page.keyboard.press("Tab")
    assert page.page.evaluate(focused) == "Run cell 1"


@pytest.mark.parametrize("kind", ["light", "dark", "small phone"])
def test_live_cells_are_accessible_and_fit(browser, live, kind):
    reader = window(browser, live, kind)
    page = LivePage(reader, PAGE)
    page.page.get_by_role("button", name="Run this page's code").first.click()
    page.run(1, "1 / 0")
    page.run(1, "print('a long line ' * 40)")
    page.page.evaluate(AXE)
    assert page.page.evaluate(VIOLATIONS) == []
    assert page.page.evaluate(TOO_WIDE) == []
    page.page.emulate_media(media="print")
    for hidden in (".live-bar", ".live-cell-bar"):
        assert not page.page.locator(hidden).first.is_visible()
    close(reader)


def test_a_page_without_code_offers_nothing(reader):
    page = reader.open("book/chapter11/glossary.html")
    assert page.locator(".live-bar").count() == 0


def test_who_has_no_token_gets_nothing(live, root):
    page = f"{root}{PAGE}"
    wrong = "x" * len(token(live))
    for status in (
        ask(page),
        ask(f"{page}?token={wrong}"),
        ask(f"{root}book/_static/book.css"),
        ask(f"{root}api/kernels"),
        ask(f"{root}api/kernels", "POST"),
        ask(f"{root}api/kernels", "POST", Authorization=f"token {wrong}"),
    ):
        assert status == 403
    assert ask(page, Authorization=f"token {token(live)}") == 200


def test_no_other_name_for_this_machine_is_answered(live, root):
    allowed = f"token {token(live)}"
    assert ask(f"{root}{PAGE}", Host="evil.example", Authorization=allowed) == 403


def test_what_is_not_of_the_book_is_not_served(live, root):
    allowed = {"Authorization": f"token {token(live)}"}
    for path in ("book/../../pyproject.toml", "book/%2e%2e/%2e%2e/pyproject.toml"):
        assert ask(root + path, **allowed) in (403, 404)
    for path in ("api/contents", "files/pyproject.toml", "api/terminals", "tree"):
        assert ask(root + path, **allowed) == 404


TRY_FROM_ELSEWHERE = """async root => {
    const tried = {};
    const options = {method: "POST", credentials: "include", body: "{}"};
    tried.read = await fetch(root + "book/index.html", {credentials: "include"})
        .then(answer => answer.text(), error => error.name);
    tried.start = await fetch(root + "api/kernels", {...options, mode: "no-cors"})
        .then(answer => answer.type, error => error.name);
    const socket = new WebSocket(
        root.replace("http", "ws") + "api/kernels/KERNEL/channels");
    tried.socket = await new Promise(done => {
        socket.onopen = () => done("open");
        socket.onerror = () => done("refused");
    });
    return tried;
}"""


def test_another_site_can_do_nothing(reader, live, root, serve_folder, tmp_path):
    LivePage(reader, PAGE).arm()
    before = kernels(live)
    (tmp_path / "evil.html").write_text("<!DOCTYPE html><title>evil</title>")
    reader.context.unroute("**/*")
    other = reader.context.new_page()  # the same browser, with its cookie
    other.goto(serve_folder(tmp_path) + "evil.html")
    script = TRY_FROM_ELSEWHERE.replace("KERNEL", before[-1]["id"])
    tried = other.evaluate(script, root)
    assert tried == {"read": "TypeError", "start": "opaque", "socket": "refused"}
    ids = [{kernel["id"] for kernel in found} for found in (before, kernels(live))]
    assert ids[1] <= ids[0]
    other.set_content(f'<iframe src="{root}{PAGE}"></iframe>')
    other.wait_for_timeout(300)
    assert all("live-bar" not in frame.content() for frame in other.frames)


@pytest.fixture(scope="module")
def ran(request, browser, live) -> Results:
    """Run the pages that the chosen tests are about."""

    def open_page(name: str) -> LivePage:
        address = f"book/{address_of(name)}"
        return LivePage(window(browser, live), address).arm()

    return run_pages(open_page, chosen(request))


@pytest.mark.parametrize("name", nightly(PAGES, PAGES.keys() - QUICK))
def test_every_page_runs_and_gives_the_stored_numbers(ran, name):
    status, shown, stored = ran[name]
    assert "ran in" in status
    assert shown == stored
