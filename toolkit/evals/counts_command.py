"""The command ``counts``: an evaluation log as a table of problems."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolkit.evals.plain import to_csv
from toolkit.evals.readers import formats, read
from toolkit.evals.reading.options import UNSCORED
from toolkit.evals.reading.result import Reading
from toolkit.evals.shipped import shipped_path

DESCRIPTION = """\
Print how many samples an evaluation log has of each problem and how many were right,
as CSV: problem,n,c. A summary and what had to be assumed go to standard error.

What the log does not say is asked for, never guessed: see the options.
"""


def add_parser(commands: Any) -> None:
    """Add ``counts`` to the commands of a parser.

    Parameters
    ----------
    commands
        What ``ArgumentParser.add_subparsers`` returned.
    """
    parser = commands.add_parser(
        "counts",
        help="print problem,n,c of an evaluation log",
        description=DESCRIPTION,
        epilog=_epilog(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    add_reading_options(parser)
    parser.set_defaults(run=run)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what a log does not say."""
    parser.add_argument("--format", help="the log's format, if it is not found out")
    parser.add_argument("--problem", metavar="FIELD", help="names the problem")
    parser.add_argument(
        "--score", metavar="FIELD", help="says whether a sample is right"
    )
    parser.add_argument(
        "--threshold", type=float, help="right is a score of at least this"
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        type=_condition,
        metavar="FIELD=VALUE",
        help="read only these rows, e.g. filter=strict-match; may be repeated",
    )
    parser.add_argument("--group", metavar="FIELD", help="names a problem's benchmark")
    parser.add_argument(
        "--unscored", choices=UNSCORED, help="what to do with samples without a score"
    )


def read_with(options: argparse.Namespace, path: Path) -> Reading:
    """Return the reading of a file with the options that were added to a parser."""
    return read(
        path,
        format=options.format,
        problem=options.problem,
        score=options.score,
        threshold=options.threshold,
        where=tuple(options.where),
        group=options.group,
        unscored=options.unscored,
        progress=True,
    )


def run(options: argparse.Namespace, _: Sequence[str] = ()) -> int:
    """Print the counts of a log and return the exit code."""
    reading = read_with(options, options.file)
    sys.stdout.write(to_csv(reading.counts))
    say(reading)
    return 0


def say(reading: Reading) -> None:
    """Print the summary of a reading and its notes on standard error."""
    print(reading.summary, file=sys.stderr)
    for note in reading.notes:
        print(f"note: {note}", file=sys.stderr)


def _condition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"must be FIELD=VALUE, but it is {text!r}")
    return name, value


def _epilog() -> str:
    listed = "\n".join(f"  {f.name:14} {f.files}" for f in formats().values())
    path = shipped_path("base")
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"formats:\n{listed}\n\nexample:\n  python -m toolkit counts {shown}"
