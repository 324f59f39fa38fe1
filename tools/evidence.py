"""Renew the bibliography of the evidence table: ``python -m tools.evidence``.

Copies the entries of ``references.bib`` to ``toolkit/evidence/works.json``.
"""

import json
import sys
from pathlib import Path

from pybtex.database.input.bibtex import LowLevelParser

ROOT = Path(__file__).resolve().parent.parent
WORKS = ROOT / "toolkit" / "evidence" / "works.json"


def works(bibliography: Path = ROOT / "references.bib") -> str:
    """Return the JSON that belongs to a bibliography."""
    entries = {}
    for kind, (key, found) in LowLevelParser(bibliography.read_text("utf-8")):
        fields = {name: "".join(parts) for name, parts in found}
        entries[key] = {"type": kind, "fields": fields}
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    WORKS.write_text(works(), "utf-8")
    sys.exit(0)
