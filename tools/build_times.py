"""Time the build of the book with the notebooks run and not run, and their ratio.

``python -m tools.build_times`` builds from nothing into a folder of its own, three
times each way, and keeps the fastest: what is left above 1 is the price of running.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.book import ROOT, build


def seconds(*, execute: bool) -> float:
    """Return how long one build from nothing takes."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        code = build(ROOT, Path(folder), execute=execute, quiet=True, silent=True)
        if code and execute:
            raise subprocess.CalledProcessError(code, "tools.book")
        return time.perf_counter() - start


def main() -> None:
    """Print both times and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    plain = min(seconds(execute=False) for _ in range(repeat))
    print(f"notebooks not run  {plain:6.1f} s")
    run = min(seconds(execute=True) for _ in range(repeat))
    print(f"notebooks run      {run:6.1f} s")
    print(f"ratio              {run / plain:6.2f}")


if __name__ == "__main__":
    sys.exit(main())
