"""Unbiased estimates of pass@k for many problems and every k at once.

A problem with n samples has an unbiased estimate up to k = n. Past its samples it keeps
its last one as a lower end and 1 as the upper, so that an average over problems is over
the same problems at every k. How far a problem's estimates are used is its *reach*.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from toolkit._checks import as_count
from toolkit.evals.pairs import Pair

SHARE_SHORT = 0.05  # of the problems may lack samples at the largest k shown


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """The different rows of a pair, and how many problems have each.

    Attributes
    ----------
    base, rl
        n and c of each row: arrays of two columns.
    times
        Number of problems with that row.
    row_of
        Row of each problem.
    """

    base: Int[np.ndarray, "rows 2"]
    rl: Int[np.ndarray, "rows 2"]
    times: Int[np.ndarray, " rows"]
    row_of: Int[np.ndarray, " problems"]


def distinct_rows(pair: Pair) -> Rows:
    """Return the different rows of a pair: few, where problems are many."""
    columns = np.stack([pair.base.n, pair.base.c, pair.rl.n, pair.rl.c], axis=1)
    rows, row_of, times = np.unique(
        columns, axis=0, return_inverse=True, return_counts=True
    )
    return Rows(
        base=rows[:, :2], rl=rows[:, 2:], times=times, row_of=row_of.reshape(-1)
    )


def largest_k(pair: Pair, share_short: float = SHARE_SHORT) -> int:
    """Return the largest k for which enough problems have samples in both tables.

    Parameters
    ----------
    pair
        The two tables.
    share_short
        Share of the problems that may have fewer.

    Examples
    --------
    Of 40 problems one has 4 samples instead of 16; that is few enough.

    >>> from toolkit.evals.counts import Counts
    >>> n = np.array([4] + [16] * 39)
    >>> table = Counts(problems=tuple(map(str, range(40))), n=n, c=n // 2)
    >>> largest_k(Pair(base=table, rl=table))
    16
    """
    smaller = np.sort(np.minimum(pair.base.n, pair.rl.n))
    return int(smaller[int(np.floor(share_short * len(smaller)))])


def miss_table(
    n: Int[np.ndarray, " rows"], c: Int[np.ndarray, " rows"], k_max: int
) -> Float[np.ndarray, "rows k_max_and_0"]:
    """Return the estimated probability that k samples hold no right one, k = 0, 1, ...

    Each row stays at its last estimate from k = n on.

    Examples
    --------
    One of two samples is right: one draw misses it half the time, two never.

    >>> miss_table(np.array([2]), np.array([1]), k_max=3)
    array([[1. , 0.5, 0. , 0. ]])
    """
    k_max = as_count(k_max, "k_max", low=1)
    miss = np.ones((k_max + 1, len(n)))
    for k in range(1, k_max + 1):
        left = np.maximum(n - k + 1, 1)
        factor = np.maximum(n - c - k + 1, 0) / left
        miss[k] = miss[k - 1] * np.where(k <= n, factor, 1.0)
    return miss.T


def past_reach(
    reach: Int[np.ndarray, " rows"], k_max: int
) -> Bool[np.ndarray, "rows k_max"]:
    """Return where k is past a row's reach, for k = 1, ..., ``k_max``."""
    return np.arange(1, k_max + 1) > reach[:, None]


def pass_table(
    n: Int[np.ndarray, " rows"],
    c: Int[np.ndarray, " rows"],
    k_max: int,
    reach: Int[np.ndarray, " rows"] | None = None,
) -> Float[np.ndarray, "rows k_max"]:
    """Return the estimates of pass@k for k = 1, ..., ``k_max``, the lower ends.

    Parameters
    ----------
    n, c
        Samples and right ones of each row.
    k_max
        Largest k.
    reach
        From here on a row keeps its last estimate; n by default.

    Examples
    --------
    >>> pass_table(np.array([2]), np.array([1]), k_max=3)
    array([[0.5, 1. , 1. ]])
    """
    miss = miss_table(n, c, k_max)
    if reach is not None:
        at = np.minimum(np.arange(k_max + 1), reach[:, None])
        miss = np.take_along_axis(miss, at, axis=1)
    return 1 - miss[:, 1:]


def draw_right(
    n: Int[np.ndarray, " problems"],
    c: Int[np.ndarray, " problems"],
    size: Int[np.ndarray, " problems"],
    *,
    rng: np.random.Generator,
) -> Int[np.ndarray, " problems"]:
    """Return how many are right of ``size`` samples drawn from n, c of them right.

    Drawn without replacement.

    >>> everything = np.array([4, 2])
    >>> rng = np.random.default_rng(0)
    >>> draw_right(everything, np.array([3, 0]), everything, rng=rng)
    array([3, 0])
    """
    # NumPy takes integers of the machine's size only; a browser's have 32 bits.
    right, wrong, size = (a.astype(np.intp) for a in (c, n - c, size))
    return rng.hypergeometric(right, wrong, size)
