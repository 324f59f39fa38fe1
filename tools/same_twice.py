"""Build the book from nothing twice and compare every page, byte for byte.

``python -m tools.same_twice`` exits with an error that names the pages that differ.
With ``--against-built`` the first build is the one in ``_build``, which must be fresh.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tools.book import ROOT, build


def pages(site: Path) -> dict[str, bytes]:
    """Return the content of every HTML page, by its address."""
    found = site.rglob("*.html")
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in found}


def build_once() -> dict[str, bytes]:
    """Return the pages of one build from nothing."""
    with tempfile.TemporaryDirectory() as folder:
        if code := build(ROOT, Path(folder), quiet=True):
            sys.exit(code)
        return pages(Path(folder, "_build", "html"))


def main() -> int:
    """Return 0 if both builds gave the same pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against-built", action="store_true")
    built = parser.parse_args().against_built
    first = pages(ROOT / "_build" / "html") if built else build_once()
    second = build_once()
    names = first.keys() | second.keys()
    differ = sorted(name for name in names if first.get(name) != second.get(name))
    if differ:
        print("These pages differ between two builds:", *differ, sep="\n  ")
        return 1
    print(f"Two builds from nothing gave the same {len(first)} pages.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
