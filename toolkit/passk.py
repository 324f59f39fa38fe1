"""pass@k: how likely k samples are to contain a right one.

For one problem with success probability p it is ``1 - (1 - p)^k``, which rises with p
at every k. This module computes it exactly, estimates it from counts without bias, and
takes a difference between two models apart into problems gained and problems lost.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real

from toolkit._checks import (
    as_count,
    as_counts,
    as_floats,
    check_distributions,
    check_has_axis,
    check_probabilities,
    check_same_shape,
)


def k_grid(k_max: int, n_points: int = 30) -> Int[np.ndarray, " n_k"]:
    """Return numbers of samples from 1 to ``k_max``, evenly spaced on a log axis.

    Rounded to integers, repeats dropped, so that there may be fewer than ``n_points``.

    Parameters
    ----------
    k_max
        Largest k, 1 or more.
    n_points
        Number of points before repeats are dropped, 2 or more.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> k_grid(16, n_points=5)
    array([ 1,  2,  4,  8, 16])
    """
    k_max = as_count(k_max, "k_max", low=1)
    n_points = as_count(n_points, "n_points", low=2)
    return np.unique(np.round(np.geomspace(1, k_max, n_points)).astype(np.int64))


def log_fail_at_k(
    p: Real[np.ndarray, "*problems"], k: int | Int[np.ndarray, " n_k"]
) -> Float[np.ndarray, "..."]:
    """Return ``log (1 - pass@k) = k log(1 - p)``, for pass@k too close to 1 to see.

    Parameters
    ----------
    p
        Success probability of each problem.
    k
        Number of samples, 1 or more; one or several.

    Returns
    -------
    array
        Shape (*problems, n_k); without the last axis for a single k.

    Raises
    ------
    ValueError
        If an entry of ``p`` is outside [0, 1] or ``k`` is below 1.

    Examples
    --------
    >>> log_fail_at_k(np.array([0.5]), 2000) / np.log(2)
    array([-2000.])
    """
    p = as_floats(p, "p")
    check_probabilities(p, "p")
    k = _as_k(k)
    with np.errstate(divide="ignore"):  # p = 1: log 0 = -inf is the answer
        log_miss = np.log1p(-p)
    return np.multiply.outer(log_miss, k)


def pass_at_k(
    p: Real[np.ndarray, "*problems"], k: int | Int[np.ndarray, " n_k"]
) -> Float[np.ndarray, "..."]:
    """Return ``1 - (1 - p)^k``, the chance that one of k independent samples is right.

    Parameters
    ----------
    p
        Success probability of each problem.
    k
        Number of samples, 1 or more; one or several.

    Returns
    -------
    array
        Shape (*problems, n_k); without the last axis for a single k.

    Raises
    ------
    ValueError
        If an entry of ``p`` is outside [0, 1] or ``k`` is below 1.

    Notes
    -----
    Computed as ``-expm1(k log1p(-p))``. At p = 1e-12 and k = 1e9 the textbook form
    keeps four digits, this one all of them.

    Examples
    --------
    >>> pass_at_k(np.array([0.5, 0.0]), np.array([1, 2]))
    array([[0.5 , 0.75],
           [0.  , 0.  ]])
    """
    return np.abs(np.expm1(log_fail_at_k(p, k)))  # abs: no -0.0 where p is 0


def mean_pass_at_k(
    p: Real[np.ndarray, "*sets problems"],
    k: int | Int[np.ndarray, " n_k"],
    weights: Real[np.ndarray, " problems"] | None = None,
) -> Float[np.ndarray, "..."]:
    """Return pass@k averaged over problems: ``sum_i w_i (1 - (1 - p_i)^k)``.

    Parameters
    ----------
    p
        Success probability of each problem (last axis).
    k
        Number of samples, 1 or more; one or several.
    weights
        How often each problem is asked; sums to 1. Equal by default.

    Returns
    -------
    array
        Shape (*sets, n_k); without the last axis for a single k.

    Raises
    ------
    ValueError
        If ``p`` or ``weights`` holds no probabilities, ``weights`` does not sum to 1 or
        does not fit ``p``, or ``k`` is below 1.

    Examples
    --------
    A problem always solved and one never solved make 1/2 at every k:

    >>> mean_pass_at_k(np.array([1.0, 0.0]), np.array([1, 100]))
    array([0.5, 0.5])
    """
    p = as_floats(p, "p")
    check_has_axis(p, "p")
    w = _as_weights(weights, p.shape[-1])
    k = _as_k(k)
    mean = np.einsum("...pk,p->...k", pass_at_k(p, np.atleast_1d(k)), w)
    return mean if k.ndim else mean[..., 0]


def estimate_pass_at_k(
    n: Int[np.ndarray, " problems"], c: Int[np.ndarray, " problems"], k: int
) -> Float[np.ndarray, " problems"]:
    """Return the unbiased estimate of each problem's pass@k from c right of n samples.

    ``1 - C(n - c, k) / C(n, k)``: the share of the k-subsets of the n samples that hold
    a right one. Averaged over samples it is exactly ``1 - (1 - p)^k`` for every
    k <= n. Putting c/n for p instead is biased low.

    Parameters
    ----------
    n
        Number of samples of each problem.
    c
        Number of right ones, at most n.
    k
        1 or more, at most the smallest n: for fewer samples there is no unbiased
        estimate.

    Raises
    ------
    ValueError
        If c exceeds n or k exceeds n somewhere.
    TypeError
        If a count is not an integer.

    Notes
    -----
    Chen et al. (2021), equation 1. Computed as
    ``-expm1(sum_{j<m} log1p(-M / (n - j)))`` with m the smaller and M the larger of c
    and k (they may be exchanged), summed over the different (n, c) only.

    Examples
    --------
    Of the 210 ways to take 4 of 10, 35 miss all 3 right ones:

    >>> 6 * estimate_pass_at_k(np.array([10]), np.array([3]), k=4)
    array([5.])
    """
    n, c = _as_sample_counts(n, c)
    k = as_count(k, "k", low=1)
    _check_enough_samples(n, k, "k")
    pairs, inverse = np.unique(np.stack([n, c]), axis=1, return_inverse=True)
    estimates = [_estimate_one(int(n_i), int(c_i), k) for n_i, c_i in pairs.T]
    return np.array(estimates)[inverse.reshape(n.shape)]


def estimate_pass_at_k_curve(
    n: Int[np.ndarray, " problems"], c: Int[np.ndarray, " problems"], k_max: int
) -> Float[np.ndarray, " k_max"]:
    """Return the unbiased estimate of mean pass@k for every k = 1, ..., k_max.

    Parameters
    ----------
    n
        Number of samples of each problem.
    c
        Number of right ones, at most n.
    k_max
        At most the smallest n, so that every k averages the same problems.

    Returns
    -------
    array
        Mean over problems; entry 0 is k = 1.

    Raises
    ------
    ValueError
        If c exceeds n or ``k_max`` exceeds n somewhere.
    TypeError
        If a count is not an integer.

    Notes
    -----
    One problem's miss probability follows ``miss_k = miss_{k-1} (n-c-k+1)/(n-k+1)``.
    There are at most n + 1 different c, so the work hardly grows with the problems.

    Examples
    --------
    >>> estimate_pass_at_k_curve(np.array([2, 2]), np.array([1, 0]), k_max=2)
    array([0.25, 0.5 ])
    """
    n, c = _as_sample_counts(n, c)
    k_max = as_count(k_max, "k_max", low=1)
    _check_enough_samples(n, k_max, "k_max")
    n_pair, c_pair, times = _count_pairs(n, c)
    share = times / n.size
    miss = np.ones(len(share))
    mean_miss = np.empty(k_max)
    for i in range(k_max):
        miss *= np.maximum(n_pair - c_pair - i, 0) / (n_pair - i)
        mean_miss[i] = share @ miss
    return 1 - mean_miss


@dataclass(frozen=True, eq=False, kw_only=True)
class Decomposition:
    """Where a difference in mean pass@k comes from, at each k.

    Attributes
    ----------
    k
        Numbers of samples.
    gained
        Total over the problems whose success probability rose; 0 or more.
    lost
        Total over the problems whose success probability fell; 0 or less.
    """

    k: Int[np.ndarray, " n_k"]
    gained: Float[np.ndarray, " n_k"]
    lost: Float[np.ndarray, " n_k"]

    @property
    def net(self) -> Float[np.ndarray, " n_k"]:
        """Difference of the mean pass@k: gained + lost."""
        return self.gained + self.lost


def decompose_difference(
    p_base: Real[np.ndarray, " problems"],
    p_rl: Real[np.ndarray, " problems"],
    k: Int[np.ndarray, " n_k"],
    weights: Real[np.ndarray, " problems"] | None = None,
) -> Decomposition:
    """Split mean pass@k of RL minus base into problems gained and problems lost.

    With no problem lost the difference is not negative at any k: a crossover needs a
    problem whose success probability fell.

    Parameters
    ----------
    p_base, p_rl
        True success probability of each problem under the two models. (With estimated
        ones both parts are inflated by noise.)
    k
        Numbers of samples.
    weights
        How often each problem is asked; equal by default.

    Raises
    ------
    ValueError
        If the arrays do not fit each other or hold no probabilities.

    Examples
    --------
    >>> parts = decompose_difference(
    ...     np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([1, 2])
    ... )
    >>> parts.gained, parts.lost
    (array([0.25 , 0.125]), array([-0.25 , -0.375]))
    """
    p_base, p_rl = as_floats(p_base, "p_base", ndim=1), as_floats(p_rl, "p_rl", ndim=1)
    check_same_shape(p_base, "p_base", p_rl, "p_rl")
    w = _as_weights(weights, len(p_base))
    k = np.atleast_1d(_as_k(k))
    change = w[:, None] * (_named_pass_at_k(p_rl, "p_rl", k))
    change -= w[:, None] * (_named_pass_at_k(p_base, "p_base", k))
    rose = p_rl > p_base
    return Decomposition(
        k=k, gained=change[rose].sum(axis=0), lost=change[~rose].sum(axis=0)
    )


def first_k_below(
    p_base: Real[np.ndarray, " problems"],
    p_rl: Real[np.ndarray, " problems"],
    k_max: int,
    weights: Real[np.ndarray, " problems"] | None = None,
) -> int | None:
    """Return the smallest k up to ``k_max`` where RL's mean pass@k is below the base's.

    Parameters
    ----------
    p_base, p_rl
        True success probability of each problem under the two models.
    k_max
        Largest k to look at.
    weights
        How often each problem is asked; equal by default.

    Returns
    -------
    int or None
        None if RL is at or above the base at every k from 1 to ``k_max``.

    Raises
    ------
    ValueError
        If the arrays do not fit each other or hold no probabilities.

    Notes
    -----
    A difference counts as below only past 1e-12, so that equal policies never cross by
    rounding.

    Examples
    --------
    One problem made sure, the other given up: equal at k = 1, below from k = 2.

    >>> first_k_below(np.array([0.5, 0.5]), np.array([1.0, 0.0]), k_max=10)
    2
    """
    k_max = as_count(k_max, "k_max", low=1)
    net = decompose_difference(p_base, p_rl, np.arange(1, k_max + 1), weights).net
    below = np.flatnonzero(net < -1e-12)
    return int(below[0]) + 1 if len(below) else None


def hardest_problem_tail(
    p: Real[np.ndarray, " problems"],
    k: Int[np.ndarray, " n_k"],
    weights: Real[np.ndarray, " problems"] | None = None,
) -> Float[np.ndarray, " n_k"]:
    """Return ``w_min (1 - p_min)^k``, what ``1 - pass@k`` comes down to for large k.

    The hardest problem decides: of two models, the one with the larger smallest p wins
    in the end. Problems tied for the smallest p count together; one that is never asked
    does not count.

    Parameters
    ----------
    p
        Success probability of each problem.
    k
        Numbers of samples.
    weights
        How often each problem is asked; equal by default.

    Raises
    ------
    ValueError
        If ``p`` or ``weights`` holds no probabilities or they do not fit each other.

    Examples
    --------
    >>> hardest_problem_tail(np.array([0.9, 0.5]), np.array([1, 2]))
    array([0.25 , 0.125])
    """
    p = as_floats(p, "p", ndim=1)
    check_probabilities(p, "p")
    w = _as_weights(weights, len(p))
    hardest = p[w > 0].min()
    share = w[p == hardest].sum()
    return share * np.exp(log_fail_at_k(hardest[None], np.atleast_1d(_as_k(k)))[0])


def _as_k(k: int | Int[np.ndarray, " n_k"]) -> np.ndarray:
    k_array = as_counts(k, "k", low=1)
    if k_array.ndim > 1:
        raise ValueError(
            f"k must be one number or a row, but its shape is {k_array.shape}"
        )
    return k_array


def _as_weights(weights: np.ndarray | None, n_problems: int) -> np.ndarray:
    if weights is None:
        return np.full(n_problems, 1 / n_problems)
    weights = as_floats(weights, "weights", ndim=1)
    if len(weights) != n_problems:
        raise ValueError(
            f"weights must have one entry for each of the {n_problems} problems, "
            f"but it has {len(weights)}"
        )
    check_distributions(weights, "weights")
    return weights


def _named_pass_at_k(p: np.ndarray, name: str, k: np.ndarray) -> np.ndarray:
    check_probabilities(p, name)
    return pass_at_k(p, k)


def _as_sample_counts(n: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, c = as_counts(n, "n", low=1, ndim=1), as_counts(c, "c", low=0, ndim=1)
    check_same_shape(n, "n", c, "c")
    if np.any(c > n):
        i = int(np.argmax(c > n))
        raise ValueError(
            f"c must be at most n, but entry {i} has c = {c[i]}, n = {n[i]}"
        )
    return n, c


def _check_enough_samples(n: np.ndarray, k: int, name: str) -> None:
    if k > n.min():
        i = int(np.argmin(n))
        raise ValueError(
            f"{name} must be at most every problem's n, but {name} = {k} and entry {i} "
            f"has n = {n[i]}: pass@k has no unbiased estimate from fewer than k samples"
        )


def _estimate_one(n: int, c: int, k: int) -> float:
    if n - c < k:
        return 1.0
    few, many = min(c, k), max(c, k)
    return float(np.abs(np.expm1(np.log1p(-many / (n - np.arange(few))).sum())))


def _count_pairs(
    n: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the different (n, c) and how often each occurs."""
    low, width = int(n.min()), int(c.max()) + 1
    spread = int(n.max()) - low + 1
    keys = (n - low) * width + c
    if spread * width <= max(4 * n.size, 10**6):  # counting beats sorting
        times = np.bincount(keys.astype(np.intp), minlength=spread * width)
        found = np.flatnonzero(times)
        times = times[found]
    else:
        found, times = np.unique(keys, return_counts=True)
    return found // width + low, found % width, times
