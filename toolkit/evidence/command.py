"""The command line: ``python -m toolkit evidence``."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolkit.evidence.export import to_bibtex, to_csv, to_json, to_text
from toolkit.evidence.loading import load, select
from toolkit.evidence.records import Claim
from toolkit.evidence.vocabulary import KINDS, STATUSES

FORMATS: Mapping[str, Callable[[Sequence[Claim]], str]] = {
    "text": to_text,
    "json": to_json,
    "csv": to_csv,
    "bib": to_bibtex,
}


def add_parser(subparsers: Any) -> None:
    """Add ``evidence`` to the commands of a parser.

    Parameters
    ----------
    subparsers
        What ``ArgumentParser.add_subparsers`` returned. The parsed options have a
        function ``run``, which takes them and returns the exit code.
    """
    parser = subparsers.add_parser(
        "evidence",
        help="print the evidence table",
        description="Print the evidence table, or the rows of one kind and status.",
    )
    parser.add_argument("--format", choices=list(FORMATS), default="text")
    parser.add_argument("--kind", choices=list(KINDS), help="only rows of this kind")
    parser.add_argument(
        "--status", choices=list(STATUSES), help="only with this status"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, _: Sequence[str] = ()) -> int:
    """Print the rows that ``options`` ask for and return the exit code."""
    claims = select(load(), kind=options.kind, status=options.status)
    sys.stdout.write(FORMATS[options.format](claims))
    return 0
