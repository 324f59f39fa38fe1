"""Check format, style and types.

``python -m tools.lint`` only says; with ``--fix`` it mends what it can.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str) -> bool:
    """Run one checker, show what it says, return whether it is content."""
    print("$ python -m", *arguments, flush=True)
    return not subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT).returncode


def main(*, fix: bool) -> int:
    """Return how many checkers found something."""
    if fix:
        run("ruff", "check", "--fix", ".")
        run("ruff", "format", ".")
    checks = [("ruff", "format", "--check", "."), ("ruff", "check", "."), ("mypy",)]
    return sum(not run(*check) for check in checks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="mend what can be mended")
    sys.exit(main(fix=parser.parse_args().fix))
