"""How much RL gained and lost: as observed, by chance alone, and corrected.

The difference in pass@k is the sum of what rose and what fell. With estimates in place
of true rates the sum stays right, but both parts are inflated: a problem whose rate
stayed is counted as risen or fallen by whatever chance made of it. Four numbers say how
much that is. In expectation ``halves <= truth <= observed`` in size.
"""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import gammaln

from toolkit._checks import as_count, as_counts
from toolkit.evals.estimates import (
    SHARE_SHORT,
    Rows,
    distinct_rows,
    draw_right,
    largest_k,
    pass_table,
)
from toolkit.evals.joint import JointLaw, fit_joint_law
from toolkit.evals.pairs import Pair
from toolkit.passk import Decomposition, pass_at_k


def can_be_observed(pair: Pair, k: int) -> bool:
    """Return whether nearly every problem's difference at k has a sign to trust.

    With one n for both models the estimate rises with the rate. With two it need not:
    1 right of 5 is estimated higher at k = 5 than 3 right of 10.

    >>> from toolkit.passk import estimate_pass_at_k
    >>> estimate_pass_at_k(np.array([5, 10]), np.array([1, 3]), k=5).round(3)
    array([1.   , 0.917])
    """
    return bool(_unfit(pair, k).mean() <= SHARE_SHORT)


def observed_split(pair: Pair, k: Int[np.ndarray, " n_k"]) -> Decomposition:
    """Return gained and lost with each problem counted as its estimates say.

    Too large in both parts: see :func:`noise_floor`.

    Raises
    ------
    ValueError
        If k is out of reach, or the two models' n differ on many problems and k is
        above half the smaller one.

    Examples
    --------
    >>> from toolkit.evals.counts import Counts
    >>> n = np.array([2, 2])
    >>> base = Counts(problems=("a", "b"), n=n, c=np.array([1, 1]))
    >>> rl = Counts(problems=("a", "b"), n=n, c=np.array([2, 0]))
    >>> parts = observed_split(Pair(base=base, rl=rl), np.array([1, 2]))
    >>> parts.gained, parts.lost
    (array([0.25, 0.  ]), array([-0.25, -0.5 ]))
    """
    k = _as_k(pair, k)
    _check_same_n(pair, k)
    rows = distinct_rows(pair)
    change = _estimates(rows.rl, k) - _estimates(rows.base, k)
    return _split(k, rows.times / rows.times.sum(), change)


def noise_floor(pair: Pair, k: Int[np.ndarray, " n_k"]) -> Decomposition:
    """Return the observed split to expect if no problem's rate had changed.

    Exact: with one rate for both models, the right ones are spread over the samples of
    both at random, so that the base's are hypergeometric given the total.

    Raises
    ------
    ValueError
        As for :func:`observed_split`.

    Examples
    --------
    One right of two samples in all: it is RL's as often as the base's.

    >>> from toolkit.evals.counts import Counts
    >>> n = np.array([1])
    >>> base = Counts(problems=("a",), n=n, c=np.array([1]))
    >>> rl = Counts(problems=("a",), n=n, c=np.array([0]))
    >>> noise_floor(Pair(base=base, rl=rl), np.array([1])).lost
    array([-0.5])
    """
    k = _as_k(pair, k)
    _check_same_n(pair, k)
    rows = distinct_rows(pair)
    totals = np.stack(
        [rows.base[:, 0], rows.rl[:, 0], rows.base[:, 1] + rows.rl[:, 1]], axis=1
    )
    totals, place = np.unique(totals, axis=0, return_inverse=True)
    share = np.bincount(place.reshape(-1), rows.times) / rows.times.sum()
    tables = _tables(totals[:, :2], k)
    gained, lost = np.zeros(len(k)), np.zeros(len(k))
    for (n, m, total), weight in zip(totals, share, strict=True):
        c = np.arange(max(0, total - m), min(n, total) + 1)
        chance = weight * _hypergeometric(c, int(n), int(m), int(total))
        change = tables[int(m)][total - c] - tables[int(n)][c]
        gained += chance @ np.maximum(change, 0)
        lost += chance @ np.minimum(change, 0)
    return Decomposition(k=k, gained=gained, lost=lost)


def split_halves(
    pair: Pair,
    k: Int[np.ndarray, " n_k"],
    *,
    rng: np.random.Generator,
    n_splits: int = 10,
) -> Decomposition:
    """Return gained and lost, told apart on half the samples, measured on the rest.

    A problem is measured without having been picked for its luck, so that nothing is
    inflated; but some problems are put on the wrong side, which makes both parts too
    small. Ties count half to each side.

    Parameters
    ----------
    pair
        The two tables.
    k
        At most half the samples of nearly every problem.
    rng
        Splits the samples.
    n_splits
        Splits to average over.

    Raises
    ------
    ValueError
        If k is above half the samples.
    """
    k = _as_k(pair, k, of_n=0.5)
    n_splits = as_count(n_splits, "n_splits", low=1)
    models = [_Halves(table.n, table.c, k) for table in (pair.base, pair.rl)]
    gained, lost = np.zeros(len(k)), np.zeros(len(k))
    for _ in range(n_splits):
        (rate, estimate), (rl_rate, rl_estimate) = (m.split(rng) for m in models)
        change = (rl_estimate - estimate) / pair.n_problems / n_splits
        rose = (1 + np.sign(rl_rate - rate)) / 2
        gained += rose @ change
        lost += (1 - rose) @ change
    return Decomposition(k=k, gained=gained, lost=lost)


def corrected_split(law: JointLaw, k: Int[np.ndarray, " n_k"]) -> Decomposition:
    """Return gained and lost under the joint law of the two rates.

    The best of the four in simulation, at every size of benchmark; see the page. What
    is left of the noise shows where truly nothing changed: there it halves the observed
    parts and does not remove them.

    Examples
    --------
    Half the problems rise from 1/2 to 1, half fall to 0:

    >>> grid = np.array([0.0, 0.5, 1.0])
    >>> weight = np.zeros((3, 3))
    >>> weight[1, 0] = weight[1, 2] = 0.5
    >>> law = JointLaw(grid=grid, weight=weight, log_likelihood=np.zeros(1))
    >>> corrected_split(law, np.array([1, 2])).lost
    array([-0.25 , -0.375])
    """
    k = as_counts(k, "k", low=1, ndim=1)
    solved = pass_at_k(law.grid, k)
    change = solved[None, :, :] - solved[:, None, :]
    return _split(k, law.weight.reshape(-1), change.reshape(-1, len(k)))


def _hypergeometric(
    c: Int[np.ndarray, " outcomes"], n: int, m: int, total: int
) -> Float[np.ndarray, " outcomes"]:
    """Return how likely c of ``total`` right ones are among n samples, not the other m.

    >>> _hypergeometric(np.array([0, 1, 2]), 2, 2, 2) * 6
    array([1., 4., 1.])
    """

    def log_binomial(of: int, some: Any) -> Any:
        return gammaln(of + 1) - gammaln(some + 1) - gammaln(of - some + 1)

    log = log_binomial(n, c) + log_binomial(m, total - c) - log_binomial(n + m, total)
    return np.asarray(np.exp(log))


class _Halves:
    """One model's samples, to be split at random."""

    def __init__(self, n: np.ndarray, c: np.ndarray, k: np.ndarray) -> None:
        self.n, self.c, self.half = n, c, n // 2
        tables = _tables(n - self.half, k)
        offsets = np.cumsum([0, *(len(table) for table in tables.values())])
        place = dict(zip(tables, offsets, strict=False))
        self.table = np.concatenate(list(tables.values()))
        self.offset = np.array([place[int(rest)] for rest in n - self.half])

    def split(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return the rate in one half and the estimates from the other."""
        first = draw_right(self.n, self.c, self.half, rng=rng)
        rate = first / np.maximum(self.half, 1)
        return rate, self.table[self.offset + self.c - first]


def _tables(
    n: Int[np.ndarray, "..."], k: Int[np.ndarray, " n_k"]
) -> dict[int, Float[np.ndarray, "..."]]:
    """Return for every n that occurs the estimates at k of c = 0, 1, ..., n."""
    return {
        int(m): pass_table(np.full(m + 1, m), np.arange(m + 1), int(k.max()))[:, k - 1]
        for m in np.unique(n)
    }


def resampled_splits(
    pair: Pair,
    k: Int[np.ndarray, " n_k"],
    *,
    rng: np.random.Generator,
    n_draws: int = 20,
) -> list[Decomposition]:
    """Return the corrected split of benchmarks drawn from these problems.

    Their spread is the standard error of :func:`corrected_split`, for problems like
    these.
    """
    rows = distinct_rows(pair)
    share = rows.times / rows.times.sum()
    found = []
    for _ in range(n_draws):
        times = rng.multinomial(pair.n_problems, share)
        seen = times > 0
        drawn = Rows(
            base=rows.base[seen],
            rl=rows.rl[seen],
            times=times[seen],
            row_of=np.repeat(np.arange(int(seen.sum())), times[seen]),
        )
        found.append(corrected_split(fit_joint_law(drawn), k))
    return found


def _split(k: np.ndarray, weight: np.ndarray, change: np.ndarray) -> Decomposition:
    return Decomposition(
        k=k,
        gained=weight @ np.maximum(change, 0),
        lost=weight @ np.minimum(change, 0),
    )


def _estimates(
    counts: Int[np.ndarray, "rows 2"], k: Int[np.ndarray, " n_k"]
) -> Float[np.ndarray, "rows n_k"]:
    return pass_table(counts[:, 0], counts[:, 1], int(k.max()))[:, k - 1]


def _as_k(pair: Pair, k: np.ndarray, of_n: float = 1) -> np.ndarray:
    k = as_counts(k, "k", low=1, ndim=1)
    reach = int(of_n * largest_k(pair))
    if k.max() > reach:
        part = "half the" if of_n < 1 else "the"
        raise ValueError(
            f"k must be at most {reach}, {part} samples of nearly every problem, but "
            f"one is {k.max()}"
        )
    return k


def _check_same_n(pair: Pair, k: np.ndarray) -> None:
    """Raise if the sign of a difference would depend on the number of samples."""
    if not can_be_observed(pair, int(k.max())):
        i = int(np.argmax(_unfit(pair, int(k.max()))))
        raise ValueError(
            "k must be at most half the smaller n where the two n differ, but "
            f"k = {k.max()} and problem {pair.problems[i]!r} has n = {pair.base.n[i]} "
            f"and {pair.rl.n[i]}: an estimate can be higher although the rate is lower"
        )


def _unfit(pair: Pair, k: int) -> Bool[np.ndarray, " problems"]:
    smaller = np.minimum(pair.base.n, pair.rl.n)
    return (pair.base.n != pair.rl.n) & (2 * k > smaller)
