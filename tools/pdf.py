"""Print the whole chapter into one PDF, with the machine's Chromium.

Prints what ``python -m tools.book`` has built::

    python -m tools.pdf          # text, equations, tables and figures
    python -m tools.pdf --code   # with code, and the evidence table's small print
    python -m tools.pdf --output chapter.pdf --paper Letter
"""

import argparse
import io
import sys
import time
from pathlib import Path
from typing import Any

from tools.book import ROOT
from tools.browser import open_browser, serving
from tools.print_page import long_page
from tools.references import Book

SITE = ROOT / "_build" / "html"
OUTPUT = ROOT / "_build" / "pdf" / "what-rl-does.pdf"
STYLE = Path(__file__).with_name("print.css")
PAPERS = ("A4", "Letter")
FRONT = """\
<h1>{title}</h1>
<p>An executable companion to chapter 11 of Ioannis Antoniadis,
<em>Reinforcement Learning for Language Models, from First Principles</em> (2026).
Cite the chapter first.</p>
<p>{author}<br>Version {version}</p>
<p>{licence}</p>
<p class="left-out">Left out here: the code, and the small print of the evidence table.
Both are on the book's pages.</p>
"""
SHRINK = """() => {
    for (const equation of document.querySelectorAll('mjx-container[display="true"]')) {
        const room = equation.parentElement.clientWidth;
        const inner = equation.querySelector("mjx-math");
        const width = inner ? inner.getBoundingClientRect().width : 0;
        if (width > room) equation.style.fontSize = `${Math.floor(98 * room / width)}%`;
    }
}"""
PRINTED_WIDTH = 643  # CSS pixels between the margins of A4


def chapter_pages() -> list[str]:
    """Return the chapter's pages in reading order, without the toolkit's reference."""
    pages = [path.relative_to(ROOT).with_suffix("") for path in Book().sources()]
    return [page.as_posix() for page in pages if page.parts[0] == "chapter11"]


def front(version: str) -> str:
    """Return the title page."""
    import yaml

    settings = yaml.safe_load((ROOT / "_config.yml").read_text())
    return FRONT.format(
        title=settings["title"].partition(":")[0],
        author=settings["author"],
        version=version,
        licence=f"© {settings['copyright']}.",
    )


def print_page(browser: Any, address: str, page: str, paper: str) -> bytes:
    """Return a page of HTML as a PDF; its links are relative to ``address``."""
    window = browser.new_page(
        viewport={"width": PRINTED_WIDTH, "height": 900}, color_scheme="light"
    )
    window.emulate_media(media="print", color_scheme="light")
    window.route(
        "**/print", lambda route: route.fulfill(body=page, content_type="text/html")
    )
    window.goto(f"{address}print", wait_until="load")
    window.evaluate("() => window.MathJax?.startup?.promise.then(() => null)")
    window.evaluate(SHRINK)
    made = window.pdf(
        format=paper,
        prefer_css_page_size=False,
        print_background=True,
        outline=True,
        tagged=True,
    )
    window.close()
    return made


def sheets(pdf: bytes) -> dict[str, int]:
    """Return the sheet that each anchor of a PDF is on, from 1."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(pdf))
    found = {}
    for name, target in reader.named_destinations.items():
        number = reader.get_destination_page_number(target)
        if number is not None:
            found[name.lstrip("/")] = number + 1
    return found


def make_pdf(
    browser: Any,
    site: Path,
    pages: list[str],
    title: str,
    *,
    code: bool = False,
    paper: str = "A4",
) -> bytes:
    """Return pages of a built site as one PDF.

    It is printed twice: the first time shows on which sheet everything is, and the
    table of contents of the second says so.
    """
    style = STYLE.read_text().replace("size: A4", f"size: {paper}")
    numbers: dict[str, int] = {}
    with serving(site) as address:
        for _ in range(2):
            page = long_page(site, pages, title, style, numbers)
            if code:
                page = page.replace("<html ", '<html class="with-code" ', 1)
            made = print_page(browser, address, page, paper)
            numbers = sheets(made)
    return made


def main() -> int:
    """Print the book and say where the PDF is."""
    from toolkit.catalogue.citation import version

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--code", action="store_true", help="print the code and the small print as well"
    )
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--paper", choices=PAPERS, default="A4")
    options = parser.parse_args()
    start = time.perf_counter()
    if not (SITE / "index.html").exists():
        print("There is no built book; run make book first.", file=sys.stderr)
        return 2
    try:
        with open_browser() as browser:
            made = make_pdf(
                browser,
                SITE,
                chapter_pages(),
                front(version()),
                code=options.code,
                paper=options.paper,
            )
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_bytes(made)
    except OSError as error:
        print(f"No PDF was made: {error}", file=sys.stderr)
        return 2
    seconds = time.perf_counter() - start
    print(f"Printed in {seconds:.0f} s: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
