"""Say what a first visit to each page costs, compressed as a server would send it.

Every page of ``_build/html`` is opened in Chromium with an empty cache. What it asks
for is counted: the page itself, the theme, the equations' typesetter, what draws charts
(only on pages that have one), the book's own.
"""

import argparse
import gzip
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tools.book import ROOT
from tools.browser import open_browser, page_names, serving

SITE = ROOT / "_build" / "html"
PARTS = ("page", "theme", "equations", "charts", "book")
COMPRESSED = {".woff", ".woff2", ".png", ".jpg", ".gz", ".whl", ".zip"}


def part_of(path: str, own: Iterable[str]) -> str:
    """Return which part of a visit a file belongs to.

    >>> part_of("/_static/book.css", ["book.css"])
    'book'
    """
    name = path.rpartition("/")[2]
    if path.startswith("/_static/mathjax/"):
        return "equations"
    if path.startswith("/charts/"):
        return "charts"
    if path.startswith("/_static/"):
        return "book" if name in own else "theme"
    return "page"


def sent(path: str, body: bytes) -> int:
    """Return how many bytes a server would send for a file."""
    if Path(path).suffix in COMPRESSED:
        return len(body)
    return len(gzip.compress(body, 9, mtime=0))


def visit(browser: Any, address: str, page: str, own: Iterable[str]) -> dict[str, int]:
    """Return the bytes of a first visit to a page, by part."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    window = context.new_page()
    answers: list[Any] = []
    window.on("response", lambda answer: answers.append(answer))
    window.goto(address + page, wait_until="networkidle")
    bodies = {urlsplit(a.url).path: a.body() for a in answers if a.status == 200}
    context.close()
    found = dict.fromkeys(PARTS, 0)
    for path, body in bodies.items():
        found[part_of(path, own)] += sent(path, body)
    return found


def weigh(browser: Any, site: Path) -> dict[str, dict[str, int]]:
    """Return the bytes of a first visit to every page of a site, by part."""
    own = [path.name for path in (ROOT / "_static").iterdir()]
    with serving(site) as address:
        return {page: visit(browser, address, page, own) for page in page_names(site)}


def main() -> int:
    """Print a table, in kB."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    if not (SITE / "index.html").exists():
        print("There is no built book; run make book first.", file=sys.stderr)
        return 2
    try:
        with open_browser() as browser:
            pages = weigh(browser, SITE)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{'kB, compressed':34}" + "".join(f"{part:>10}" for part in (*PARTS, "all")))
    for page, parts in pages.items():
        values = [*parts.values(), sum(parts.values())]
        print(f"{page:34}" + "".join(f"{value / 1000:10.0f}" for value in values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
