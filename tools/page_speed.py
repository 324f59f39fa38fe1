"""Say how fast each page of the built book appears, in the figures Lighthouse reports.

Every page of ``_build/html`` is opened in Chromium with an empty cache, from this
machine, so no network is in the times. ``--slower 4`` slows the processor down as
Lighthouse does for its phone. Printed are, by page, the median of some visits of

- FCP, first contentful paint: when anything is drawn,
- LCP, largest contentful paint: when the largest piece on the first screen is,
- CLS, cumulative layout shift: how much moves while loading; below 0.1 is good,
- TBT, total blocking time: the sum of what tasks after FCP take above 50 ms each.
"""

import argparse
import statistics
import sys
from typing import Any

from tools.book import ROOT
from tools.browser import open_browser, page_names, serving

SITE = ROOT / "_build" / "html"
SCREENS = {
    "desktop": {"width": 1350, "height": 940},
    "phone": {"width": 412, "height": 823},
}
QUIET = 500  # ms without a new task before a visit is over

OBSERVE = """() => {
    const found = window.seen = {lcp: 0, cls: 0, tasks: []};
    const watch = (type, use) => new PerformanceObserver(
        list => list.getEntries().forEach(use)).observe({type, buffered: true});
    watch("largest-contentful-paint", entry => { found.lcp = entry.startTime; });
    watch("layout-shift", entry => {
        if (!entry.hadRecentInput) found.cls += entry.value; });
    watch("longtask", entry => {
        found.tasks.push([entry.startTime, entry.duration]); });
}"""

COLLECT = """() => {
    const fcp = performance.getEntriesByName("first-contentful-paint")[0].startTime;
    return {...window.seen, fcp};
}"""


def blocking_time(tasks: list[tuple[float, float]], after: float) -> float:
    """Return the total blocking time in ms: of each task after FCP, what exceeds 50 ms.

    >>> blocking_time([(0, 500), (100, 80), (300, 40)], after=90)
    30
    """
    return sum(max(0, length - 50) for start, length in tasks if start >= after)


def visit(browser: Any, address: str, screen: str, slower: float) -> dict[str, float]:
    """Return the four figures of one first visit; times in ms."""
    context = browser.new_context(viewport=SCREENS[screen])
    window = context.new_page()
    window.add_init_script(f"({OBSERVE})()")
    if slower != 1:
        session = context.new_cdp_session(window)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    window.goto(address, wait_until="networkidle")
    window.wait_for_timeout(QUIET)
    seen = window.evaluate(COLLECT)
    context.close()
    return {
        "FCP ms": seen["fcp"],
        "LCP ms": seen["lcp"],
        "CLS": seen["cls"],
        "TBT ms": blocking_time(seen["tasks"], seen["fcp"]),
    }


def median_visit(
    browser: Any, address: str, screen: str, *, slower: float = 1, visits: int = 3
) -> dict[str, float]:
    """Return the median of each figure over some first visits."""
    seen = [visit(browser, address, screen, slower) for _ in range(visits)]
    return {name: statistics.median(one[name] for one in seen) for name in seen[0]}


def main() -> int:
    """Print a table, page by page as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screen", choices=SCREENS, default="desktop")
    parser.add_argument("--slower", type=float, default=1, metavar="TIMES")
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("pages", nargs="*", help="such as chapter11/sharpening.html")
    options = parser.parse_args()
    if not (SITE / "index.html").exists():
        print("There is no built book; run make book first.", file=sys.stderr)
        return 2
    measure = {"slower": options.slower, "visits": options.visits}
    try:
        with open_browser() as browser, serving(SITE) as address:
            for number, page in enumerate(options.pages or page_names(SITE)):
                found = median_visit(browser, address + page, options.screen, **measure)
                if number == 0:
                    print(f"{'':34}" + "".join(f"{name:>9}" for name in found))
                cells = (f"{v:9.{2 if n == 'CLS' else 0}f}" for n, v in found.items())
                print(f"{page:34}" + "".join(cells), flush=True)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
