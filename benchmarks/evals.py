"""Time the comparison of two models' counts, whole, against the peer's curve and band.

Ours does more in that time: both targets' moments, gained and lost in four ways with
standard errors, lost problems and a checked extrapolation. The peer (passk-inference)
computes the two curves and one band.
"""

import time

import numpy as np
import passk_inference

from toolkit.evals.comparison import compare
from toolkit.evals.counts import Counts
from toolkit.evals.pairs import Pair
from toolkit.evals.shipped import shipped_pair

DRAWS = 4000


def like_shipped(n_problems: int, n: int, rng: np.random.Generator) -> Pair:
    """Return counts of more problems, with rates around those of the shipped pair."""
    pair = shipped_pair()
    i = rng.integers(0, pair.n_problems, n_problems)
    tables = []
    for table in (pair.base, pair.rl):
        p = rng.beta(table.c[i] + 0.3, table.n[i] - table.c[i] + 0.3)
        names = tuple(f"{j:06d}" for j in range(n_problems))
        c = rng.binomial(n, p)
        tables.append(Counts(problems=names, n=np.full(n_problems, n), c=c))
    return Pair(base=tables[0], rl=tables[1])


def ours(pair: Pair) -> float:
    """Return the seconds of a whole comparison, the best of three."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        compare(pair.base, pair.rl, rng=np.random.default_rng(0), n_draws=DRAWS)
        times.append(time.perf_counter() - start)
    return min(times)


def the_peers(pair: Pair) -> float:
    """Return the seconds of the peer's comparison, once."""
    start = time.perf_counter()
    passk_inference.compare(
        pair.base.c, pair.base.n, pair.rl.c, pair.rl.n, bootstrap=DRAWS
    )
    return time.perf_counter() - start


def main() -> None:
    """Print both times and their ratio for the shipped pair and for a large one."""
    rng = np.random.default_rng(0)
    pairs = {
        "1,060 x 128, shipped": shipped_pair(),
        "10,000 x 256": like_shipped(10_000, 256, rng),
    }
    print(f"comparison of two models with {DRAWS:,} draws")
    for name, pair in pairs.items():
        mine, peer = ours(pair), the_peers(pair)
        print(
            f"  {name:22} {mine:7.2f} s   the peer {peer:7.2f} s   {peer / mine:6.1f}"
        )


if __name__ == "__main__":
    main()
