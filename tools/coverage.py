"""Check by simulation how often the intervals of ``toolkit.evals`` hold the truth.

``python -m tools.coverage`` writes ``toolkit/data/coverage.csv`` and
``toolkit/data/split_errors.csv``, which the page on evaluation logs shows.
"""

import argparse
import csv
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from toolkit.evals.bands import critical_value, difference_band
from toolkit.evals.counts import Counts
from toolkit.evals.crossing import first_below
from toolkit.evals.decomposition import (
    corrected_split,
    observed_split,
    split_halves,
)
from toolkit.evals.estimates import distinct_rows, pass_table
from toolkit.evals.joint import fit_joint_law
from toolkit.evals.pairs import Pair
from toolkit.evals.shipped import shipped_pair
from toolkit.passk import decompose_difference, pass_at_k

DATA = Path(__file__).resolve().parent.parent / "toolkit" / "data"
SIZE = 20_000  # problems of a population
SIZES = (30, 100, 500)  # of a benchmark
KS = np.array([1, 8, 32])


@dataclass(frozen=True, eq=False)
class Population:
    """True success rates of many problems under both models."""

    base: np.ndarray
    rl: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How often the truth was held."""

    band: float
    first_below: float
    peer: float


def _like_shipped(rng: np.random.Generator, hardest: float = 1.0) -> Population:
    """Return rates around those of the shipped pair, of its harder part if asked."""
    pair = shipped_pair()
    rows = np.flatnonzero(pair.base.c <= hardest * 128)
    i = rng.choice(rows, SIZE)
    (c, d), n = (pair.base.c[i], pair.rl.c[i]), 128
    return Population(rng.beta(c + 0.3, n - c + 0.3), rng.beta(d + 0.3, n - d + 0.3))


def _unchanged(rng: np.random.Generator) -> Population:
    p = rng.beta(0.3, 1, SIZE)
    return Population(p, p)


def _given_up(rng: np.random.Generator) -> Population:
    """Return rates that RL raises by one in log-odds, but for one in seven given up."""
    p = rng.beta(0.3, 1, SIZE)
    raised = p * np.e / (1 - p + p * np.e)
    return Population(p, np.where(rng.random(SIZE) < 1 / 7, 0.0, raised))


def _rarely_zero(rng: np.random.Generator) -> Population:
    """Return rates that move a little either way; about 1 in 60 ends at zero."""
    p = rng.beta(2, 2, SIZE)
    return Population(p, np.clip(p + 0.1 * rng.standard_normal(SIZE), 0, 1))


POPULATIONS: dict[str, Callable[[np.random.Generator], Population]] = {
    "shipped": _like_shipped,
    "shipped, harder": lambda rng: _like_shipped(rng, hardest=0.5),
    "unchanged": _unchanged,
    "given up": _given_up,
    "rarely given up": _rarely_zero,
}


def draw(p: np.ndarray, n: int, rng: np.random.Generator) -> Counts:
    """Return counts of n samples of problems with these rates."""
    names = tuple(f"{i:05d}" for i in range(len(p)))
    return Counts(problems=names, n=np.full(len(p), n), c=rng.binomial(n, p))


def simulate(
    population: Callable[[np.random.Generator], Population],
    target: str,
    *,
    n_problems: int,
    n: int,
    n_runs: int,
    rng: np.random.Generator,
) -> Coverage:
    """Return how often band and set hold what they are about, and the peer's band.

    The peer's is the band without the corrections for few problems; it is about new
    problems only.
    """
    everything = population(rng)
    k_max = n if target == "new" else n // 2
    k = np.arange(1, k_max + 1)
    held = np.zeros((n_runs, 3))
    for run in range(n_runs):
        chosen = rng.integers(0, SIZE, n_problems)
        base, rl = everything.base[chosen], everything.rl[chosen]
        about = (everything.base, everything.rl) if target == "new" else (base, rl)
        truth = pass_at_k(about[1], k).mean(0) - pass_at_k(about[0], k).mean(0)
        pair = Pair(base=draw(base, n, rng), rl=draw(rl, n, rng))
        band = difference_band(pair, target, rng=rng, n_draws=1000)
        below = np.flatnonzero(truth < 0)
        held[run] = (
            np.all((band.low <= truth) & (truth <= band.high)),
            _holds(first_below(band), below[0] + 1 if len(below) else None),
            np.all(np.abs(_mean(pair, k_max) - truth) <= _peer_width(pair, k_max, rng)),
        )
    return Coverage(**dict(zip(("band", "first_below", "peer"), held.mean(0).tolist(),
                               strict=True)))  # fmt: skip


def _holds(found: object, first: int | None) -> bool:
    low, high = found.low, found.high  # type: ignore[attr-defined]
    if first is None:
        return high is None
    return (low is not None and low <= first) and (high is None or first <= high)


def _differences(pair: Pair, k_max: int) -> np.ndarray:
    rl = pass_table(pair.rl.n, pair.rl.c, k_max)
    return rl - pass_table(pair.base.n, pair.base.c, k_max)


def _mean(pair: Pair, k_max: int) -> np.ndarray:
    return _differences(pair, k_max).mean(axis=0)


def _peer_width(pair: Pair, k_max: int, rng: np.random.Generator) -> np.ndarray:
    covariance = np.cov(_differences(pair, k_max).T) / pair.n_problems
    critical = critical_value(covariance, level=0.95, n_draws=1000, rng=rng)
    error = np.sqrt(covariance.diagonal())
    return np.where(error > 1e-12, critical * error, 1.0)  # no spread: [-1, 1]


def split_errors(
    population: Callable[[np.random.Generator], Population],
    *,
    n_problems: int,
    n: int,
    n_runs: int,
    rng: np.random.Generator,
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return mean and root mean square error of each estimate of what was lost."""
    everything = population(rng)
    errors: dict[str, list[np.ndarray]] = {
        "observed": [],
        "halves": [],
        "corrected": [],
    }
    for _ in range(n_runs):
        chosen = rng.integers(0, SIZE, n_problems)
        base, rl = everything.base[chosen], everything.rl[chosen]
        truth = decompose_difference(base, rl, KS).lost
        pair = Pair(base=draw(base, n, rng), rl=draw(rl, n, rng))
        law = fit_joint_law(distinct_rows(pair))
        errors["observed"].append(observed_split(pair, KS).lost - truth)
        errors["halves"].append(split_halves(pair, KS, rng=rng).lost - truth)
        errors["corrected"].append(corrected_split(law, KS).lost - truth)
    return {
        name: (np.mean(e, axis=0), np.sqrt(np.mean(np.square(e), axis=0)))
        for name, e in errors.items()
    }


def _write(name: str, rows: list[dict[str, object]]) -> None:
    with (DATA / name).open("w", newline="", encoding="utf-8") as file:
        file.write("# Written by python -m tools.coverage; see its docstring.\n")
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"wrote {name}, {len(rows)} rows")


def main(n_runs: int) -> None:
    """Run both simulations in full and write their tables."""
    rng = np.random.default_rng(2024)
    covered: list[dict[str, object]] = []
    errors: list[dict[str, object]] = []
    for name, population in POPULATIONS.items():
        for size in SIZES:
            for target in ("new", "these"):
                found = simulate(
                    population, target, n_problems=size, n=64, n_runs=n_runs, rng=rng
                )
                row = {
                    field.name: getattr(found, field.name) for field in fields(found)
                }
                if target == "these":
                    del row["peer"]
                shares = {f: f"{v:.3f}" for f, v in ({"peer": np.nan} | row).items()}
                row = {"population": name, "problems": size, "target": target}
                covered.append({**row, **shares, "runs": n_runs})
                print(covered[-1], flush=True)
            for estimate, (bias, error) in split_errors(
                population, n_problems=size, n=64, n_runs=n_runs // 10, rng=rng
            ).items():
                errors += [
                    {
                        "population": name,
                        "problems": size,
                        "estimate": estimate,
                        "k": int(KS[i]),
                        "bias": f"{bias[i]:.5f}",
                        "error": f"{error[i]:.5f}",
                    }
                    for i in range(len(KS))
                ]
    _write("coverage.csv", covered)
    _write("split_errors.csv", errors)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=600, help="simulated benchmarks")
    main(parser.parse_args().runs)
