"""List the book's links to other sites with their last known state.

A look, not a gate: sites fail for a day. The table ``docs/links.csv`` remembers what
was seen and when::

    python -m tools.links           # show the table
    python -m tools.links --check   # ask every address, write the table, show it

An address that cannot be reached from here keeps the state it had.
"""

import argparse
import csv
import datetime
import html
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.book import ROOT

SITE = ROOT / "_build" / "html"
TABLE = ROOT / "docs" / "links.csv"
LINK = re.compile(r'<a\b[^>]*\bhref="(https?://[^"#]*)')
TIMEOUT = 20  # seconds
UNREACHABLE = "not reachable from here"
REFUSED = {401, 403, 405, 429}  # there, but not for a program


@dataclass(frozen=True)
class State:
    """What an address answered, and when that was last so."""

    answer: str = "never asked"
    day: str = ""


def find_links(site: Path) -> dict[str, list[str]]:
    """Return every address of another site, with the pages that link to it."""
    found: dict[str, list[str]] = {}
    for path in sorted(site.rglob("*.html")):
        page = path.relative_to(site).with_suffix("").as_posix()
        for address in sorted(set(LINK.findall(path.read_text()))):
            found.setdefault(html.unescape(address), []).append(page)
    return dict(sorted(found.items()))


def ask(address: str) -> str:
    """Return what an address answers, in a word or two."""
    request = urllib.request.Request(address, headers={"User-Agent": "Mozilla/5.0"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return "ok" if answer.url == address else "moved"
    except urllib.error.HTTPError as error:
        return "refused" if error.code in REFUSED else f"error {error.code}"
    except OSError:
        return UNREACHABLE


def read_table(table: Path) -> dict[str, State]:
    """Return the states that were seen last."""
    if not table.exists():
        return {}
    with table.open(newline="", encoding="utf-8") as lines:
        return {
            row["address"]: State(row["answer"], row["day"])
            for row in csv.DictReader(lines)
        }


def write_table(table: Path, states: Mapping[str, State]) -> None:
    """Write the states, one address a line."""
    with table.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["address", "answer", "day"])
        writer.writerows((a, state.answer, state.day) for a, state in states.items())


def check(
    addresses: list[str], known: Mapping[str, State], day: str
) -> dict[str, State]:
    """Ask every address; where nothing can be reached, keep what was known."""
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(addresses, pool.map(ask, addresses), strict=True))
    return {
        address: known.get(address, State(UNREACHABLE, ""))
        if answer == UNREACHABLE
        else State(answer, day)
        for address, answer in answers.items()
    }


def main() -> int:
    """Show the links and their states; always succeed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="ask every address now")
    options = parser.parse_args()
    if not (SITE / "index.html").exists():
        print("There is no built book; run make book first.", file=sys.stderr)
        return 2
    links = find_links(SITE)
    states = read_table(TABLE)
    if options.check:
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        states = check(list(links), states, today)
        write_table(TABLE, states)
    for address, pages in links.items():
        state = states.get(address, State())
        print(f"{state.answer:24} {state.day:10}  {address}  ({', '.join(pages)})")
    fine = sum(states.get(a, State()).answer in ("ok", "moved") for a in links)
    print(f"{len(links)} addresses, {fine} known to answer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
