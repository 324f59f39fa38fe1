"""A band around RL minus base that holds at every k at once.

What it is about must be said. ``"new"``: the mean over all problems like these, of
which the benchmark is a sample; what varies is which problems were drawn, and their
samples. ``"these"``: the mean over exactly these problems; what varies is only what the
models generated. The second is narrower, and is within reach up to k = n/2 only.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.special import ndtr, ndtri, stdtrit

from toolkit._checks import as_count, as_float, check_choice
from toolkit.evals.estimates import (
    Rows,
    distinct_rows,
    largest_k,
    miss_table,
    pass_table,
    past_reach,
)
from toolkit.evals.pairs import TARGETS, Pair

PSEUDO = {"these": 0.05, "new": 0.5}  # problems out of sight that vary by 1
N_POINTS = 200  # of k at which the largest deviation is looked for
NO_NOISE = 1e-12  # a standard error below this is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class Band:
    """RL minus base with a band.

    Attributes
    ----------
    k
        1, 2, ..., the largest k.
    low, high
        The band: with probability ``level`` it holds the target at all k at once.
    point_low, point_high
        The interval for one k by itself.
    target
        What the band is about: a word of ``TARGETS``.
    level
        Probability, 0.95 unless asked otherwise.
    critical
        Standard errors from the middle to the band's edge, before the correction for
        few problems.
    """

    k: Int[np.ndarray, " n_k"]
    low: Float[np.ndarray, " n_k"]
    high: Float[np.ndarray, " n_k"]
    point_low: Float[np.ndarray, " n_k"]
    point_high: Float[np.ndarray, " n_k"]
    target: str
    level: float
    critical: float


def largest_k_of_band(pair: Pair, target: str) -> int:
    """Return the largest k that a band about ``target`` can reach.

    Raises
    ------
    ValueError
        If the target is unknown, or no k is in reach.
    """
    check_choice(target, "target", TARGETS)
    k_max = largest_k(pair)
    if target == "new":
        return k_max
    if k_max < 2:
        raise ValueError(
            'target "these" must have 2 samples or more of nearly every problem, but '
            "too many have 1: one sample says nothing about the noise of sampling"
        )
    return k_max // 2


def difference_band(
    pair: Pair,
    target: str,
    *,
    rng: np.random.Generator,
    k_max: int | None = None,
    level: float = 0.95,
    n_draws: int = 10_000,
) -> Band:
    """Return RL minus base of mean pass@k with a simultaneous band.

    Parameters
    ----------
    pair
        The two tables. Problems are taken as independent.
    target
        ``"these"`` for exactly these problems, ``"new"`` for problems like these.
    rng
        Draws the Gaussian curves behind the critical value.
    k_max
        Largest k, by default the largest in reach.
    level
        Probability to hold the target at every k at once.
    n_draws
        Number of Gaussian curves.

    Raises
    ------
    ValueError
        If the target is unknown, ``k_max`` is out of its reach, or there are too few
        problems.

    Notes
    -----
    The band is ``estimate -+ critical * standard error``, with the critical value the
    ``level`` quantile of the largest absolute value of a Gaussian curve with the
    estimated correlations (for ``"new"`` that of Yang, Zhang and Chen, 2026). Two
    corrections make it hold for few problems: the value is that of Student's t with
    one degree of freedom less than problems, and the variance is what it would be if,
    besides those seen, half a problem differed by 1. The second matters where nearly
    all differences are zero, and a sample shows no loss although there are some.

    For ``"these"`` the variance of one estimate is ``miss_k^2 - miss_2k``, without
    bias, because ``miss_2k`` is an unbiased estimate of the square of the true one.
    Without 2k samples there is no such estimate: hence k <= n/2.
    """
    reach = largest_k_of_band(pair, target)
    k_max = reach if k_max is None else as_count(k_max, "k_max", low=1)
    if k_max > reach:
        bound = "half the samples" if target == "these" else "the samples"
        raise ValueError(
            f'k_max must be at most {reach} for target "{target}", {bound} of nearly '
            f"every problem, but it is {k_max}"
        )
    if target == "new" and pair.n_problems < 2:
        raise ValueError(
            'target "new" must have 2 problems or more, but there is 1: one problem '
            "says nothing about others"
        )
    level = as_float(level, "level", low=0, high=1, open_low=True, open_high=True)
    n_draws = as_count(n_draws, "n_draws", low=100)
    low, high, covariance = _MOMENTS[target](distinct_rows(pair), k_max)
    critical = critical_value(covariance, level=level, n_draws=n_draws, rng=rng)
    variance = covariance.diagonal().reshape(-1, k_max).max(axis=0)
    return _band(pair, target, low, high, variance, critical, level)


def critical_value(
    covariance: Float[np.ndarray, "columns columns"],
    *,
    level: float,
    n_draws: int,
    rng: np.random.Generator,
) -> float:
    """Return the quantile of the largest absolute standardized Gaussian coordinate.

    Columns without variance play no part. With all of them alike it is the two-sided
    quantile of one coordinate:

    >>> one = critical_value(
    ...     np.ones((3, 3)), level=0.95, n_draws=200_000, rng=np.random.default_rng(0)
    ... )
    >>> round(one, 1)
    2.0
    """
    deviation = np.sqrt(np.maximum(covariance.diagonal(), 0))
    varies = np.flatnonzero(deviation > NO_NOISE)
    if not len(varies):
        return float(ndtri((1 + level) / 2))
    if len(varies) > N_POINTS:
        varies = varies[np.linspace(0, len(varies) - 1, N_POINTS).astype(int)]
    scale = np.outer(deviation[varies], deviation[varies])
    value, vector = np.linalg.eigh(covariance[np.ix_(varies, varies)] / scale)
    # the symmetric root: another machine's eigenvectors may point the other way
    root = (vector * np.sqrt(np.maximum(value, 0))) @ vector.T
    root /= np.linalg.norm(root, axis=1, keepdims=True)
    curves = rng.standard_normal((n_draws, len(root))) @ root
    return float(np.quantile(np.abs(curves).max(axis=1), level))


def _band(
    pair: Pair,
    target: str,
    low: np.ndarray,
    high: np.ndarray,
    variance: np.ndarray,
    critical: float,
    level: float,
) -> Band:
    """Return the band of half-width ``critical`` standard errors, corrected."""
    n = pair.n_problems
    error = np.sqrt(np.maximum(variance, 0) + PSEUDO[target] / n**2)
    freedom = max(n - 1, 1)
    width = error * stdtrit(freedom, ndtr(critical))
    one = error * stdtrit(freedom, (1 + level) / 2)
    return Band(
        k=np.arange(1, len(low) + 1),
        low=np.maximum(low - width, -1),
        high=np.minimum(high + width, 1),
        point_low=np.maximum(low - one, -1),
        point_high=np.minimum(high + one, 1),
        target=target,
        level=level,
        critical=critical,
    )


Moments = tuple[np.ndarray, np.ndarray, np.ndarray]


def _moments_new(rows: Rows, k_max: int) -> Moments:
    """Return both ends of the mean difference and the covariance over problems."""
    base, rl = (pass_table(c[:, 0], c[:, 1], k_max) for c in (rows.base, rows.rl))
    base_top = np.where(past_reach(rows.base[:, 0], k_max), 1.0, base)
    rl_top = np.where(past_reach(rows.rl[:, 0], k_max), 1.0, rl)
    low, high = rl - base_top, rl_top - base
    differences = low if np.array_equal(low, high) else np.hstack([low, high])
    n = rows.times.sum()
    centred = differences - rows.times @ differences / n
    covariance = centred.T @ (rows.times[:, None] * centred) / (n - 1) / n
    return rows.times @ low / n, rows.times @ high / n, covariance


def _moments_these(rows: Rows, k_max: int) -> Moments:
    """Return both ends of the mean difference and its covariance over samples."""
    n = rows.times.sum()
    ends = {}
    covariance = np.zeros((k_max, k_max))
    for model, counts in {"base": rows.base, "rl": rows.rl}.items():
        reach = counts[:, 0] // 2
        low = pass_table(counts[:, 0], counts[:, 1], k_max, reach=reach)
        high = np.where(past_reach(reach, k_max), 1.0, low)
        ends[model] = rows.times @ low / n, rows.times @ high / n
        covariance += _sampling_covariance(counts, rows.times, k_max) / n**2
    (base_low, base_high), (rl_low, rl_high) = ends["base"], ends["rl"]
    return rl_low - base_high, rl_high - base_low, covariance


def _sampling_covariance(
    counts: np.ndarray, times: np.ndarray, k_max: int
) -> np.ndarray:
    """Return the estimated covariance of the sum over problems of the estimates.

    Between k and l it is ``miss_k miss_l - miss_{k+l}``, summed over problems.
    """
    covariance = np.zeros((k_max, k_max))
    for n in np.unique(counts[:, 0]):
        same = counts[:, 0] == n
        miss = miss_table(counts[same, 0], counts[same, 1], 2 * k_max)
        at = np.minimum(np.arange(1, k_max + 1), n // 2)
        products = miss[:, at].T @ (times[same, None] * miss[:, at])
        covariance += products - (times[same] @ miss)[at[:, None] + at]
    return covariance


_MOMENTS: dict[str, Callable[[Rows, int], Moments]] = {
    "these": _moments_these,
    "new": _moments_new,
}
