"""The command line: ``python -m toolkit``."""

import argparse
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0, 1 for "differs", 2 for bad input."""
    from toolkit.catalogue import command as catalogue
    from toolkit.evals import compare_command as compare
    from toolkit.evals import counts_command as counts
    from toolkit.evidence import command as evidence

    parser = argparse.ArgumentParser(
        prog="python -m toolkit",
        description="Figures, numbers and claims of the book, from the command line.",
        epilog="example: python -m toolkit figure 11.1 --out figures --seeds 128",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    catalogue.add_parsers(commands)
    evidence.add_parser(commands)
    counts.add_parser(commands)
    compare.add_parser(commands)
    options, rest = parser.parse_known_args(arguments)
    if rest and not getattr(options, "takes_rest", False):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    try:
        code = int(options.run(options, rest))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # who reads has seen enough, as with "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TypeError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
