"""Which weights change when small updates are stored in a coarse number format.

A bfloat16 number keeps eight bits of precision, so around a weight w the numbers that
can be stored are a whole *spacing* apart, about ``|w| / 128``. An update smaller than
half of it leaves no trace. Nothing here learns anything: updates are random numbers.
"""

import numpy as np
from jaxtyping import Bool, Float, Float32, Real
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from toolkit._checks import (
    as_count,
    as_float,
    as_floats,
    check_finite,
    check_probabilities,
    check_same_shape,
    check_type,
)

PRECISION = 8  # bits of a bfloat16 number's significand, the hidden one included
DROPPED = np.uint32(16)  # low bits of a float32 that bfloat16 does without
SMALLEST_NORMAL = 2.0**-126


def round_to_bfloat16(
    values: Real[np.ndarray, "..."],
) -> Float32[np.ndarray, "..."]:
    """Return the nearest bfloat16 numbers, held as float32; ties go to the even one.

    Parameters
    ----------
    values
        Finite numbers that float32 can hold.

    Raises
    ------
    ValueError
        If a value is NaN, or too large for bfloat16.

    Notes
    -----
    bfloat16 is float32 without its low 16 bits. Adding just under half of what is cut
    off, and one more where the last kept bit is odd, makes the cut a rounding.

    Examples
    --------
    From 1 to 2 the numbers are 1/128 apart:

    >>> round_to_bfloat16(np.array([1.0, 1 + 1 / 300, 1 + 1 / 200])) * 128
    array([128., 128., 129.], dtype=float32)
    """
    values = as_floats(values, "values")
    check_finite(values, "values")
    with np.errstate(over="ignore"):  # caught below
        bits = values.astype(np.float32).view(np.uint32)
    last_kept = (bits >> DROPPED) & np.uint32(1)
    rounded = (bits + (np.uint32(0x7FFF) + last_kept)) >> DROPPED << DROPPED
    found = rounded.view(np.float32)
    if not np.all(np.isfinite(found)):
        worst = values.flat[np.argmax(np.abs(values))]
        raise ValueError(f"values must fit bfloat16, but one is {worst:g}")
    return found


def bfloat16_spacing(
    weights: Real[np.ndarray, "..."],
) -> Float[np.ndarray, "..."]:
    """Return the distance from one bfloat16 number to the next, around each weight.

    ``2 ** (floor(log2 |w|) - 7)``

    Parameters
    ----------
    weights
        Finite; of size 1.2e-38 (the smallest normal number) or more.

    Raises
    ------
    ValueError
        If a weight is not finite, or too small.

    Examples
    --------
    >>> bfloat16_spacing(np.array([1.0, 1.5, -2.0])) * 128
    array([1., 1., 2.])
    """
    weights = as_floats(weights, "weights")
    check_finite(weights, "weights")
    if np.abs(weights).min() < SMALLEST_NORMAL:
        raise ValueError(
            "weights must be 1.2e-38 or more in size, but the smallest is "
            f"{np.abs(weights).min():g}"
        )
    _, exponent = np.frexp(weights)  # |w| is in [2^(e-1), 2^e)
    return np.ldexp(1.0, exponent - PRECISION)


def typical_weights(n: int, *, scale: float = 0.02) -> Float32[np.ndarray, " n"]:
    """Return ``n`` bfloat16 weights spread as a normal distribution is.

    They are its quantiles at (i + 1/2) / n, so that nothing is drawn by chance.

    Parameters
    ----------
    n
        Number of weights; an even one, so that none is zero.
    scale
        Standard deviation, above 0.

    Raises
    ------
    ValueError
        If ``n`` is odd or a number is out of its range.

    Examples
    --------
    The two quartiles, two thirds of a standard deviation to each side:

    >>> typical_weights(2, scale=1.0).round(1)
    array([-0.7,  0.7], dtype=float32)
    """
    n = as_count(n, "n", low=2)
    if n % 2:
        raise ValueError(f"n must be even, but it is {n}: the middle weight would be 0")
    scale = as_float(scale, "scale", low=0, open_low=True)
    return round_to_bfloat16(scale * ndtri((np.arange(n) + 0.5) / n))


def change_probability(
    weights: Real[np.ndarray, "..."], update_size: float
) -> Float[np.ndarray, "..."]:
    """Return each weight's chance to be stored differently after a normal update.

    A bfloat16 weight w changes iff the update is larger than half the spacing there::

        P(w) = 2 Phi(-spacing(w) / (2 s)),    update ~ Normal(0, s)

    Parameters
    ----------
    weights
        bfloat16 numbers, none of them zero.
    update_size
        Standard deviation s of the update, above 0.

    Raises
    ------
    ValueError
        If a weight is zero or ``update_size`` is not positive.

    Notes
    -----
    At a power of two the numbers below are half as far apart as those above; the law
    uses the larger distance. One weight in 128 or so stands there.

    Examples
    --------
    Half the spacing at 1 is 1/256; an update of that size gets past it in 32% of cases:

    >>> change_probability(np.array([1.0]), 1 / 256).round(2)
    array([0.32])
    """
    update_size = as_float(update_size, "update_size", low=0, open_low=True)
    return 2 * ndtr(-bfloat16_spacing(weights) / (2 * update_size))


def expected_overlap(
    first: Real[np.ndarray, " weights"], second: Real[np.ndarray, " weights"]
) -> float:
    """Return the share of one update's changed weights that another changes as well.

    The two updates know nothing of each other; what they share is the weights::

        overlap = E[P_1(w) P_2(w)] / E[P_1(w)]

    It equals the chance level ``E[P_2]`` only if all weights are equally easy to
    change. With ``P_1 = P_2`` it is never below it.

    Parameters
    ----------
    first, second
        Chance of each weight to change under either update: see
        :func:`change_probability`.

    Raises
    ------
    ValueError
        If one holds no probabilities, the shapes differ, or ``first`` changes nothing.

    Examples
    --------
    Half of the weights always change and half never do. Chance would be 1/2:

    >>> p = np.array([1.0, 0.0])
    >>> expected_overlap(p, p)
    1.0
    """
    first, second = as_floats(first, "first", ndim=1), as_floats(second, "second")
    check_same_shape(first, "first", second, "second")
    check_probabilities(first, "first")
    check_probabilities(second, "second")
    if not first.any():
        raise ValueError("first must change some weight, but all its chances are 0")
    return float(first @ second / first.sum())


def small_update_overlap(
    first: Real[np.ndarray, " updates"], second: Real[np.ndarray, " updates"]
) -> float:
    """Return what the overlap comes down to when updates are tiny beside the weights.

    ``E[min(|d_1|, |d_2|)] / E|d_1|``, whatever the weights and however few change.

    Parameters
    ----------
    first, second
        Equally likely values of either update, in one unit: draws, or quantiles. All
        pairs of them are averaged over.

    Raises
    ------
    ValueError
        If a value is not finite or ``first`` is all zeros.

    Notes
    -----
    Near zero the weights' density is flat, and a weight changes iff it is below a bound
    proportional to ``|d|``: both change iff it is below the smaller bound. For normal
    updates of one size the ratio is ``2 - sqrt(2)``, for Laplace ones 1/2.

    Examples
    --------
    Updates of one size and either sign change exactly the same weights:

    >>> signs = np.array([-1.0, 1.0])
    >>> small_update_overlap(signs, signs)
    1.0
    """
    first, second = as_floats(first, "first", ndim=1), as_floats(second, "second")
    check_finite(first, "first")
    check_finite(second, "second")
    a, b = np.abs(first), np.sort(np.abs(second))
    if not a.any():
        raise ValueError("first must hold an update, but it is all zeros")
    below = np.searchsorted(b, a)  # how many of b are smaller
    sums = np.concatenate([[0.0], np.cumsum(b)])
    mean_min = (sums[below] + a * (len(b) - below)) / len(b)
    return float(mean_min.mean() / a.mean())


def update_size_for(
    weights: Real[np.ndarray, " weights"], changed_share: float
) -> float:
    """Return the size of normal updates that change a given share of the weights.

    Parameters
    ----------
    weights
        bfloat16 numbers, none of them zero.
    changed_share
        In (0, 1).

    Raises
    ------
    ValueError
        If a weight is zero or the share is not inside (0, 1).

    Examples
    --------
    The 32% of the example above:

    >>> one = np.array([1.0])
    >>> share = float(change_probability(one, 1 / 256)[0])
    >>> round(update_size_for(one, share) * 256, 6)
    1.0
    """
    share = as_float(
        changed_share, "changed_share", low=0, high=1, open_low=True, open_high=True
    )
    spacing = bfloat16_spacing(weights)

    def excess(log_size: float) -> float:
        return float(2 * ndtr(-spacing / (2 * np.exp(log_size))).mean()) - share

    # with any weight alone the size is -spacing / (2 ndtri(share / 2))
    alone = np.log(-spacing / (2 * ndtri(share / 2)))
    return float(np.exp(brentq(excess, alone.min() - 1e-9, alone.max() + 1e-9)))


def sample_changes(
    weights: Real[np.ndarray, " weights"],
    update_size: float,
    *,
    tolerance: float = 0.0,
    rng: np.random.Generator,
) -> Bool[np.ndarray, " weights"]:
    """Add a normal update to each weight, store it as bfloat16, say which changed.

    Parameters
    ----------
    weights
        bfloat16 numbers.
    update_size
        Standard deviation of the updates, above 0.
    tolerance
        Changes up to this size do not count.
    rng
        Source of the updates.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    Updates a thousand times the spacing change everything:

    >>> rng = np.random.default_rng(0)
    >>> sample_changes(np.array([1.0, 2.0]), 100.0, rng=rng)
    array([ True,  True])
    """
    check_type(rng, "rng", np.random.Generator)
    weights = as_floats(weights, "weights", ndim=1)
    update_size = as_float(update_size, "update_size", low=0, open_low=True)
    tolerance = as_float(tolerance, "tolerance", low=0)
    updated = round_to_bfloat16(weights + update_size * rng.normal(size=len(weights)))
    return np.abs(updated - weights) > tolerance
