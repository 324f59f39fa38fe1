"""Run the sweep of section 11.3 and store its results in ``toolkit/data/``.

python -m tools.digits_sweep             # everything; takes some minutes
python -m tools.digits_sweep --runs 2 --output /tmp/sweep
"""

import argparse
import dataclasses
import time
from pathlib import Path

from toolkit.forgetting.sweep import SweepPlan, run_sweep, write_sweep

DATA = Path(__file__).resolve().parent.parent / "toolkit" / "data"
BAR = 30  # characters


class Progress:
    """One line that says how far a long run is and how long it will take."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def __call__(self, done: int, total: int, doing: str) -> None:
        """Rewrite the line."""
        elapsed = time.perf_counter() - self._start
        left = f"about {elapsed / done * (total - done):.0f} s left" if done else ""
        bar = ("#" * (BAR * done // total)).ljust(BAR, ".")
        line = f"{bar} {done}/{total}  {elapsed:.0f} s  {left}  {doing}"
        print(f"\r{line:<110}", end="", flush=True)


def main() -> None:
    """Run, write, and say where."""
    plan = SweepPlan()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=plan.n_runs, help="seeds of each")
    parser.add_argument("--output", type=Path, default=DATA, help="folder to write to")
    options = parser.parse_args()
    plan = dataclasses.replace(plan, n_runs=options.runs)
    sweep = run_sweep(plan, Progress())
    options.output.mkdir(parents=True, exist_ok=True)
    write_sweep(sweep, options.output)
    print(f"\nWritten: {options.output}/digits_sweep.csv and .json")


if __name__ == "__main__":
    main()
