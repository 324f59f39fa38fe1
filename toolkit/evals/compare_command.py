"""The command line: ``python -m toolkit compare``."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolkit.evals.counts_command import add_reading_options, read_with, say
from toolkit.evals.pairs import TARGETS
from toolkit.evals.shipped import shipped_path


def add_parser(subparsers: Any) -> None:
    """Add ``compare`` to the commands of a parser."""
    example = " ".join(os.path.relpath(shipped_path(model)) for model in ("base", "rl"))
    parser = subparsers.add_parser(
        "compare",
        help="compare two models' evaluation logs",
        description=(
            "Say where RL is below its base and how sure that is, what it gained and "
            "lost, and which problems were probably lost."
        ),
        epilog=f"example:\n  python -m toolkit compare {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", type=Path, help="log or counts of the base model")
    parser.add_argument("rl", type=Path, help="those of the model after RL")
    add_reading_options(parser)
    parser.add_argument(
        "--target",
        choices=TARGETS,
        default="new",
        help="what intervals are about: these problems, or new ones like them (new)",
    )
    parser.add_argument(
        "--lost-at",
        type=int,
        metavar="K",
        help="k at which to look for lost problems (default: the largest)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("comparison"),
        metavar="DIR",
        help="where to write the report (default: comparison)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, _: Sequence[str] = ()) -> int:
    """Compare, print the verdict, write the report; return the exit code."""
    import numpy as np

    from toolkit.evals.comparison import compare
    from toolkit.evals.export import to_json
    from toolkit.evals.report import to_html
    from toolkit.evals.words import aligned, summary_table, verdict

    if options.seed < 0:
        raise ValueError(f"--seed must be 0 or more, but it is {options.seed}")
    base, rl = read_with(options, options.base), read_with(options, options.rl)
    result = compare(
        base.counts,
        rl.counts,
        options.target,
        lost_at=options.lost_at,
        rng=np.random.default_rng(options.seed),
    )
    options.out.mkdir(parents=True, exist_ok=True)
    report, data = options.out / "report.html", options.out / "comparison.json"
    names = (options.base.stem, options.rl.stem)
    report.write_text(to_html(result, names), encoding="utf-8")
    data.write_text(to_json(result), encoding="utf-8")
    print("\n".join(verdict(result)), end="\n\n")
    print(aligned(summary_table(result)), end="\n\n")
    for reading in (base, rl):
        say(reading)
    for note in result.notes:
        print(f"Note: {note}")
    print(f"Report: {report}\nNumbers: {data}")
    return 0
