"""How soon a page's charts are drawn and how fast a slider moves them, in Chromium.

Opens what ``python -m tools.book`` has built, each page with an empty cache. A step is
measured from the new value to the redrawn chart; a screen shows a frame every 16.7 ms.
"""

from pathlib import Path
from statistics import median
from typing import Any

from tools.book import ROOT
from tools.browser import open_browser, serving

SITE = ROOT / "_build" / "html"
MARK = 'class="book-chart"'
NOTE_WHEN_DRAWN = """new MutationObserver(changes => changes.forEach(({target}) => {
    if (target.dataset?.state === "drawn") target.dataset.after = performance.now();
})).observe(document, {subtree: true, attributeFilter: ["data-state"]})"""
ALL_DRAWN = "n => document.querySelectorAll('.book-chart[data-after]').length === n"
STEPS = """async box => {
    const took = [];
    const sliders = [...box.querySelectorAll("input[type=range]")];
    for (const [index, slider] of sliders.entries()) {
        for (let to = 0; to <= Number(slider.max); to++) {
            const start = performance.now();
            await bookCharts.move(box, index, to);
            took.push(performance.now() - start);
        }
    }
    return took;
}"""


def pages_with_charts(site: Path) -> dict[str, int]:
    """Return how many charts each page has that has any."""
    pages = {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8").count(MARK)
        for path in sorted(site.rglob("*.html"))
    }
    return {page: n_charts for page, n_charts in pages.items() if n_charts}


def measure(browser: Any, address: str, n_charts: int) -> dict[str, tuple[float, ...]]:
    """Return, by chart, milliseconds to its drawing, a median and a longest step."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    window = context.new_page()
    window.add_init_script(NOTE_WHEN_DRAWN)
    window.goto(address)
    window.wait_for_function(ALL_DRAWN, arg=n_charts)
    found = {}
    for box in window.locator(".book-chart").all():
        took = box.evaluate(STEPS)
        after = float(box.get_attribute("data-after"))
        found[box.get_attribute("id")] = (after, median(took), max(took))
    context.close()
    return found


def main() -> None:
    """Print a row for each chart of the built book."""
    pages = pages_with_charts(SITE)
    if not pages:
        print("charts: there is no built book with charts; run make book first")
        return
    print(f"{'charts, ms':42}{'drawn after':>12}{'median step':>12}{'longest':>9}")
    with open_browser() as browser, serving(SITE) as address:
        for page, n_charts in pages.items():
            measured = measure(browser, address + page, n_charts)
            for chart, (after, middle, longest) in measured.items():
                name = f"{Path(page).stem}: {chart.removeprefix('chart-')}"
                print(f"{name:42}{after:12.0f}{middle:12.1f}{longest:9.1f}")


if __name__ == "__main__":
    main()
