"""Say how long a reader waits for an edited cell's first result, and what it weighs.

Chromium opens a page of ``_build/html`` with an empty cache, asks for live cells, and
edits and runs a cell at once; the clock runs from the click on “Run this page's code”
to the result. Served from this machine, so a network's time comes on top of it.
"""

import argparse
import contextlib
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tools.book import ROOT
from tools.browser import open_browser, serving
from tools.read import SITE
from tools.weight import sent

PAGE = "chapter11/toy-language.html"
FIRST, FIGURE = 1, 5  # cells
EDITS = {
    "plain Python": (FIRST, "print('made', 6 * 7)"),
    "NumPy": (FIRST, "import numpy as np\nprint('made', np.arange(9).sum())"),
    "the toolkit, a figure": (FIGURE, None),
}
SHOWN = """number => {
    const cell = document.querySelectorAll(".bd-article div.cell")[number - 1];
    return cell.querySelector(".live-output")?.childElementCount > 0;
}"""
ASKED = "() => performance.getEntriesByType('resource').map(entry => entry.name)"


def first_result(
    browser: Any, address: str, cell: int, code: str | None
) -> tuple[float, set[str]]:
    """Return the seconds to a cell's result, and what was asked for on the way."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    window = context.new_page()
    window.goto(address, wait_until="networkidle")
    before = set(window.evaluate(ASKED))
    editor = window.locator(".bd-article div.cell").nth(cell - 1).get_by_role("textbox")
    begun = time.perf_counter()
    window.get_by_role("button", name="Run this page's code").first.click()
    if code is not None:
        editor.fill(code)
    editor.press("Shift+Enter")
    window.wait_for_function(SHOWN, arg=cell, polling=20, timeout=120_000)
    took = time.perf_counter() - begun
    asked = set(window.evaluate(ASKED)) - before
    for worker in window.workers:
        asked |= set(worker.evaluate(ASKED))
    context.close()
    return took, asked


def weight(urls: set[str]) -> int:
    """Return the bytes of files of the site, compressed as a server would send them."""
    paths = {path for url in urls if "/live/" in (path := urlsplit(url).path)}
    files = {path: SITE / path.lstrip("/").removeprefix("book/") for path in paths}
    return sum(
        sent(path, file.read_bytes()) for path, file in files.items() if file.is_file()
    )


@contextlib.contextmanager
def local_kernel() -> Iterator[str]:
    """Start what ``make live`` starts; give the address, with its token."""
    command = [sys.executable, "-m", "tools.live", "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as live:
        try:
            found = re.search(r"http\S+", live.stdout.readline() if live.stdout else "")
            if found is None:
                raise SystemExit("tools.live did not start")
            yield found[0].replace("index.html", PAGE)
        finally:
            live.terminate()


def main() -> int:
    """Measure both Pythons and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3, help="default: 3")
    repeat = parser.parse_args().repeat
    if not Path(SITE, PAGE).exists():
        print("There is no built book; run make book first.", file=sys.stderr)
        return 1
    pythons = {"local kernel": local_kernel()}
    if (SITE / "live" / "python").exists():
        pythons["browser"] = _static_site()
    print(f"{'Python':14}{'what the cell needs':24}{'seconds':>9}{'MB sent':>9}")
    for python, served in pythons.items():
        with served as address, open_browser() as browser:
            for what, (cell, code) in EDITS.items():
                runs = [
                    first_result(browser, address, cell, code) for _ in range(repeat)
                ]
                seconds = statistics.median(took for took, _ in runs)
                megabytes = weight(runs[0][1]) / 1e6
                print(f"{python:14}{what:24}{seconds:9.1f}{megabytes:9.2f}", flush=True)
    return 0


@contextlib.contextmanager
def _static_site() -> Iterator[str]:
    with serving(SITE) as address:
        yield address + PAGE


if __name__ == "__main__":
    sys.exit(main())
