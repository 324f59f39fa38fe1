"""Renew the stored numbers of every figure: ``python -m tools.figure_numbers``.

Prints what changed; read it before committing.
"""

import difflib
import sys
from pathlib import Path

from toolkit.catalogue.check import numbers_to_store

STORED = Path(__file__).resolve().parent.parent / "toolkit" / "data" / "figures.json"


def main() -> int:
    """Write the numbers and print the difference."""
    before = STORED.read_text("utf-8") if STORED.exists() else ""
    after = numbers_to_store()
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "stored", "computed now", n=0
    )
    print("\n".join(lines) or "unchanged")
    STORED.write_text(after, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
