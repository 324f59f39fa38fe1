"""Training on pass@k itself, where each response solves one of several tasks.

The mean pass@k, ``sum_i f_i (1 - (1 - p_i)^k)``, has the gradient of a reward that
fades as a task is solved: solving task i earns ``f_i k (1 - p_i)^(k - 1)``.
"""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Real
from scipy.special import comb, softmax

from toolkit._checks import (
    as_count,
    as_counts,
    as_floats,
    check_distributions,
    check_has_axis,
    check_type,
)
from toolkit._types import SampledValues
from toolkit.language import SharedTestbed
from toolkit.updates import Method


def fading_reward(
    rates: Real[np.ndarray, "*rows tasks"],
    frequencies: Real[np.ndarray, " tasks"],
    k: int,
) -> Float[np.ndarray, "*rows tasks"]:
    """Return what solving each task earns when pass@k is climbed.

    ``f_i k (1 - p_i)^(k - 1)``, the slope of mean pass@k in p_i. At the optimum every
    task in play earns the same, and one left out earns less.

    Parameters
    ----------
    rates
        Success probability of each task; a row sums to 1.
    frequencies
        How often each task is asked.
    k
        Samples, 1 or more.

    Raises
    ------
    ValueError
        If a row is not a distribution, the tasks differ or ``k`` is below 1.

    Examples
    --------
    At k = 1 the policy makes no difference; at k = 2 what is solved earns less:

    >>> p, f = np.array([1.0, 0.0]), np.array([0.5, 0.5])
    >>> fading_reward(p, f, k=1), fading_reward(p, f, k=2)
    (array([0.5, 0.5]), array([0., 1.]))
    """
    rates = as_floats(rates, "rates")
    check_has_axis(rates, "rates")
    check_distributions(rates, "rates")
    f = as_floats(frequencies, "frequencies", ndim=1)
    check_distributions(f, "frequencies")
    if rates.shape[-1] != len(f):
        raise ValueError(
            f"rates must have a column for each of the {len(f)} tasks, but its shape "
            f"is {rates.shape}"
        )
    k = as_count(k, "k", low=1)
    return f * k * (1 - rates) ** (k - 1)


def climb_pass_at_k(
    start: Real[np.ndarray, " tasks"],
    frequencies: Real[np.ndarray, " tasks"],
    k: int,
    *,
    n_steps: int = 3000,
) -> Float[np.ndarray, " tasks"]:
    """Return each task's success after climbing pass@k by the exact natural gradient.

    Each step adds ``0.5 / sqrt(k)`` times :func:`fading_reward` to the log of a task's
    probability. Responses that solve the same task earn the same, so they keep their
    proportions, and the tasks' probabilities say all.

    Parameters
    ----------
    start
        Success probability of each task before training; all positive.
    frequencies
        How often each task is asked.
    k
        Samples, 1 or more.
    n_steps
        Number of steps.

    Raises
    ------
    ValueError
        If ``start`` or ``frequencies`` is no distribution or a number is out of range.

    Notes
    -----
    It stands still only where all tasks in play earn the same: at
    :func:`toolkit.optima.pass_at_k_allocation`.

    Examples
    --------
    Two tasks at k = 2: the misses are inversely proportional to the frequencies.

    >>> climb_pass_at_k(np.array([0.5, 0.5]), np.array([0.75, 0.25]), k=2)
    array([0.75, 0.25])
    """
    start = as_floats(start, "start", ndim=1)
    check_distributions(start, "start")
    if not start.min() > 0:
        raise ValueError(f"start must be positive, but it is {start}")
    n_steps = as_count(n_steps, "n_steps", low=0)
    rates, log_rates = start, np.log(start)
    for _ in range(n_steps):
        log_rates = log_rates + 0.5 / np.sqrt(k) * fading_reward(rates, frequencies, k)
        rates = softmax(log_rates)
    return rates


def labelled(testbed: SharedTestbed) -> SharedTestbed:
    """Return the testbed with the number of the task a response solves as reward.

    Only :func:`group_pass_at_k` can learn from that: it turns numbers into rewards by
    looking at the whole group.
    """
    check_type(testbed, "testbed", SharedTestbed)
    numbers = np.arange(len(testbed.frequencies)) @ testbed.solves
    return replace(testbed, reward=numbers[None, :])


def group_pass_at_k(frequencies: Real[np.ndarray, " tasks"], k: int) -> Method:
    """Return the method that climbs pass@k from groups of samples, without bias.

    A sample is weighed by what it adds to the group's own estimate of pass@k::

        weight = G (estimate from all G samples - estimate from the other G - 1)

    with ``estimate = sum_i f_i (1 - C(n - c_i, k) / C(n, k))`` from n samples, of which
    c_i solve task i.

    Parameters
    ----------
    frequencies
        How often each task is asked.
    k
        Samples, 1 or more; below the group size.

    Raises
    ------
    ValueError
        If ``frequencies`` is not a distribution; in training, if a group is too
        small.

    Notes
    -----
    The estimate is unbiased, and what is subtracted does not depend on the sample it
    weighs: the expected gradient is that of the exact pass@k. (Giving each sample an
    estimate of its own fading reward, and subtracting the mean of the others', is
    biased: the others' rewards depend on the sample through the counts.)

    Examples
    --------
    Two samples at k = 1: their rewards are 3/4 and 1/4, and each weighs what it has
    more than the other.

    >>> method = group_pass_at_k(np.array([0.75, 0.25]), k=1)
    >>> method.weigh(np.array([[0.0, 1.0]]))
    array([[ 0.5, -0.5]])
    """
    f = as_floats(frequencies, "frequencies", ndim=1)
    check_distributions(f, "frequencies")
    k = as_count(k, "k", low=1)

    def estimate(n: int, counts: np.ndarray) -> np.ndarray:
        """Return the unbiased estimate of mean pass@k from counts among n samples."""
        return (f * (1 - comb(n - counts, k) / comb(n, k))).sum(axis=-1)

    def weigh(labels: SampledValues) -> SampledValues:
        group = labels.shape[-1]
        if group <= k:
            raise ValueError(
                f"groups must hold more than k = {k} samples, but group_size is {group}"
            )
        solved = as_counts(labels.astype(np.int64), "labels", low=0)
        one_hot = np.eye(len(f), dtype=np.int64)[solved]
        counts = one_hot.sum(axis=-2, keepdims=True)
        without = estimate(group - 1, counts - one_hot)
        return group * (estimate(group, counts) - without)

    return Method(weigh=weigh)
