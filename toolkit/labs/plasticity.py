"""How long a second task takes after a first one, and what the delay depends on.

One logit per answer. The first task has moved the policy away from an even base; the
second rewards one other answer, ``new``, and is followed along the exact gradient::

    d theta_new / dt = p_new (1 - p_new),    d theta_j / dt = -p_j p_new

A task counts as learned when its answer has probability 1/2.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from scipy.special import logit, softmax

from toolkit._checks import (
    as_count,
    as_float,
    as_floats,
    check_distributions,
    check_has_axis,
    check_probabilities,
    check_type,
)
from toolkit.divergences import kl

LEARNED = 0.5
STEPS = 200  # of the integration: its error is far below a digit shown


def settled_policy(share: Real[np.ndarray, "*rows"], n_answers: int) -> np.ndarray:
    """Return the policy after the first task: answer 0 has ``share``, the rest is even.

    Parameters
    ----------
    share
        Probability of answer 0, in [0, 1]; one or several.
    n_answers
        Number of answers, 2 or more.

    Returns
    -------
    array
        Shape (*rows, answers).

    Raises
    ------
    ValueError
        If a share is no probability.

    Examples
    --------
    >>> settled_policy(np.array([0.8]), 3)
    array([[0.8, 0.1, 0.1]])
    """
    share = as_floats(share, "share")
    check_probabilities(share, "share")
    n_answers = as_count(n_answers, "n_answers", low=2)
    others = (1 - share[..., None]) / (n_answers - 1)
    return np.concatenate(
        [share[..., None], np.repeat(others, n_answers - 1, axis=-1)], axis=-1
    )


def learning_time(
    pi: Real[np.ndarray, "*rows answers"], new: int, *, natural: bool = False
) -> Float[np.ndarray, "*rows"]:
    """Return how long the exact gradient takes to give answer ``new`` half of it all.

    Parameters
    ----------
    pi
        Policies to start from, positive everywhere.
    new
        The answer that is rewarded.
    natural
        Whether to follow the natural gradient, which raises the log-odds of ``new`` at
        speed 1: the time is ``-logit p_new``.

    Returns
    -------
    array
        One time a row, in units of 1 / learning rate; 0 where ``new`` has 1/2 or more.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution or holds a zero, or ``new`` is no
        answer.

    Notes
    -----
    ``log p_new`` rises at speed ``p_new ((1 - p_new)^2 + sum_{j != new} p_j^2)``. It is
    taken as the clock, from where it is to log 1/2 in equal steps (Runge-Kutta, fourth
    order): in this clock a start of 1e-9 is no harder than one of 0.1.

    Examples
    --------
    Two answers: the take-off law ``(2 logit p - 1/p + 1/(1 - p)) / 2`` between the
    ends; from p = 1/4, ``(2 log 3 + 4 - 4/3) / 2 = log 3 + 4/3``:

    >>> time = learning_time(np.array([[0.75, 0.25]]), new=1)
    >>> time.round(6) == np.round(np.log(3) + 4 / 3, 6)
    array([ True])
    """
    pi = as_floats(pi, "pi")
    check_distributions(pi, "pi")
    if np.any(pi == 0):
        raise ValueError("pi must be positive everywhere, but it holds a 0")
    new = as_count(new, "new", low=0, high=pi.shape[-1] - 1)
    start = np.minimum(pi[..., new : new + 1], LEARNED)
    if natural:
        return np.abs(logit(start[..., 0]))
    others = np.delete(pi, new, axis=-1)

    def velocity(log_p: np.ndarray, state: np.ndarray) -> np.ndarray:
        """Return the change per unit of log p_new: of the time, and of the others."""
        p, shares = np.exp(log_p), softmax(state[..., 1:], axis=-1)
        rate = (1 - p) ** 2 * (1 + np.sum(shares**2, axis=-1, keepdims=True))
        return np.concatenate([1 / (p * rate), -shares * (1 - p) / rate], axis=-1)

    state = np.concatenate([np.zeros_like(start), np.log(others)], axis=-1)
    return _follow(velocity, state, np.log(start), np.log(LEARNED))[..., 0]


def learning_time_bounds(
    p_new: Real[np.ndarray, "*rows"], n_answers: int
) -> tuple[Float[np.ndarray, "*rows"], Float[np.ndarray, "*rows"]]:
    """Return the shortest and the longest time that a start with ``p_new`` can take.

    With ``F(p) = 1/p - 1/(1 - p) - 2 logit p`` and K answers::

        F(p_new) / 2  <=  T  <=  (1 - 1/K) F(p_new)

    So the time is known up to a factor below 2 from the new answer's probability alone.

    Parameters
    ----------
    p_new
        Probability of the new answer, in (0, 1/2].
    n_answers
        Number of answers, 2 or more.

    Raises
    ------
    ValueError
        If a probability is not in (0, 1/2].

    Notes
    -----
    ``sum_{j != new} p_j^2`` lies between ``(1 - p)^2 / (K - 1)``, all others even, and
    ``(1 - p)^2``, all on one; and ``F`` is the integral of ``1 / (p (1 - p))^2``.

    Examples
    --------
    With two answers there is only one way, and the bounds meet:

    >>> shortest, longest = learning_time_bounds(np.array([0.25]), n_answers=2)
    >>> shortest == longest
    array([ True])
    """
    p = as_floats(p_new, "p_new")
    n_answers = as_count(n_answers, "n_answers", low=2)
    if not np.all((p > 0) & (p <= LEARNED)):
        raise ValueError(f"p_new must be in (0, 1/2], but it reaches {p.min():g}")
    whole = 1 / p - 1 / (1 - p) - 2 * logit(p)
    return whole / 2, whole * (1 - 1 / n_answers)


def carried_over(
    pi: Real[np.ndarray, "*rows answers"], kept: Real[np.ndarray, "*kept"]
) -> np.ndarray:
    """Return the policy on the second task if only part of the first one's change is.

    The first task moved an even base's logits; a share ``kept`` of that move lies in
    weights that the second task uses too::

        start(y) proportional to pi(y) ** kept

    Parameters
    ----------
    pi
        Policy after the first task, positive everywhere.
    kept
        Share of the logits' change, in [0, 1]; it broadcasts against the rows of
        ``pi``.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution or holds a zero, or a share is out of
        its range.

    Examples
    --------
    Half of a change from even to 16 to 1 leaves 4 to 1:

    >>> pi = np.array([[16 / 17, 1 / 17]])
    >>> carried_over(pi, np.array([0.5]))
    array([[0.8, 0.2]])
    """
    pi, kept = as_floats(pi, "pi"), as_floats(kept, "kept")
    check_has_axis(pi, "pi")
    check_distributions(pi, "pi")
    check_probabilities(kept, "kept")
    if np.any(pi == 0):
        raise ValueError("pi must be positive everywhere, but it holds a 0")
    return softmax(kept[..., None] * np.log(pi), axis=-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Drift:
    """Policies away from an even base, and how much slower each learns the new answer.

    Attributes
    ----------
    forward, reverse
        ``KL(base || pi)`` and ``KL(pi || base)``, in nats.
    p_new
        Probability of the new answer.
    slowdown
        Learning time over the base's.
    """

    forward: Float[np.ndarray, " cases"]
    reverse: Float[np.ndarray, " cases"]
    p_new: Float[np.ndarray, " cases"]
    slowdown: Float[np.ndarray, " cases"]


def measure_drift(pi: Real[np.ndarray, "cases answers"], new: int) -> Drift:
    """Return distance and delay of each policy, against the even base.

    Parameters
    ----------
    pi
        Policies, one a row, positive everywhere.
    new
        The answer that the second task rewards.

    Raises
    ------
    ValueError
        As for :func:`learning_time`.

    Examples
    --------
    A policy that never moved:

    >>> drift = measure_drift(np.full((1, 4), 0.25), new=2)
    >>> drift.forward, drift.reverse, drift.slowdown
    (array([0.]), array([0.]), array([1.]))
    """
    pi = as_floats(pi, "pi", ndim=2)
    base = np.full_like(pi, 1 / pi.shape[1])
    return Drift(
        forward=kl(base, pi),
        reverse=kl(pi, base),
        p_new=pi[:, new],
        slowdown=learning_time(pi, new) / learning_time(base, new),
    )


def sample_drifted(
    n_cases: int, n_answers: int, *, largest: float = 3.0, rng: np.random.Generator
) -> Float[np.ndarray, "cases answers"]:
    """Draw policies that left an even base in random directions.

    Logits are normal, times a distance that is drawn evenly from 0 to ``largest``.

    Parameters
    ----------
    n_cases, n_answers
        Shape of the result.
    largest
        Largest standard deviation of a logit, above 0.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    check_type(rng, "rng", np.random.Generator)
    n_cases = as_count(n_cases, "n_cases", low=1)
    n_answers = as_count(n_answers, "n_answers", low=2)
    largest = as_float(largest, "largest", low=0, open_low=True)
    distance = rng.uniform(0, largest, size=(n_cases, 1))
    return softmax(distance * rng.normal(size=(n_cases, n_answers)), axis=1)


def policies_with(
    p_new: float, favourite: Real[np.ndarray, " cases"], n_answers: int
) -> Float[np.ndarray, "cases answers"]:
    """Return policies that differ in one favourite only: ``new`` is kept at ``p_new``.

    Answer 0 is the new one, answer 1 the favourite, and the others share the rest.

    Parameters
    ----------
    p_new
        Probability of the new answer, in (0, 1).
    favourite
        Probability of the favourite, one a case; less than ``1 - p_new``.
    n_answers
        Number of answers, 3 or more.

    Raises
    ------
    ValueError
        If the probabilities leave nothing for the others.

    Examples
    --------
    >>> policies_with(0.1, np.array([0.7]), n_answers=4)
    array([[0.1, 0.7, 0.1, 0.1]])
    """
    p_new = as_float(p_new, "p_new", low=0, high=1, open_low=True, open_high=True)
    favourite = as_floats(favourite, "favourite", ndim=1)
    n_answers = as_count(n_answers, "n_answers", low=3)
    if not (favourite.min() > 0 and favourite.max() < 1 - p_new):
        raise ValueError(
            f"favourite must be above 0 and below 1 - p_new = {1 - p_new:g}, but it "
            f"reaches from {favourite.min():g} to {favourite.max():g}"
        )
    rest = (1 - p_new - favourite) / (n_answers - 2)
    pi = np.repeat(rest[:, None], n_answers, axis=1)
    pi[:, 0], pi[:, 1] = p_new, favourite
    return pi


def gradient_and_optimum(
    base: Real[np.ndarray, "cases answers"], reached: float
) -> tuple[Float[np.ndarray, "cases answers"], Float[np.ndarray, "cases answers"]]:
    """Return two policies that give answer 0 the same probability, ``reached``.

    The first is where the exact gradient of answer 0's success arrives; the second is
    the KL-regularised optimum, which keeps the proportions of all other answers.

    Parameters
    ----------
    base
        Policies before the first task, positive everywhere.
    reached
        Success on the first task, above what every base has, and below 1.

    Raises
    ------
    ValueError
        If a row of ``base`` is not a distribution or holds a zero, or ``reached`` is
        out of its range.

    Notes
    -----
    With the log-odds of answer 0 as the clock, by the gradient's own speeds, the other
    logits fall in proportion to their probabilities: the likelier ones fall faster, so
    the gradient evens the others out, which the optimum does not.

    Examples
    --------
    Two answers leave no choice:

    >>> base = np.array([[0.25, 0.75]])
    >>> gradient_and_optimum(base, 0.9)
    (array([[0.9, 0.1]]), array([[0.9, 0.1]]))
    """
    base = as_floats(base, "base", ndim=2)
    check_distributions(base, "base")
    if np.any(base == 0):
        raise ValueError("base must be positive everywhere, but it holds a 0")
    highest = float(base[:, 0].max())
    reached = as_float(reached, "reached", low=highest, high=1, open_high=True)

    def velocity(_: np.ndarray, log_odds: np.ndarray) -> np.ndarray:
        shares = softmax(log_odds, axis=1)
        return -shares / (1 + np.sum(shares**2, axis=1, keepdims=True))

    start = logit(base[:, :1])
    log_odds = _follow(velocity, np.log(base[:, 1:]), start, logit(reached))
    others = softmax(log_odds, axis=1) * (1 - reached)
    gradient = np.concatenate([np.full((len(base), 1), reached), others], axis=1)
    kept = base[:, 1:] / base[:, 1:].sum(axis=1, keepdims=True) * (1 - reached)
    optimum = np.concatenate([gradient[:, :1], kept], axis=1)
    return gradient, optimum


def _follow(
    velocity: Callable[[np.ndarray, np.ndarray], np.ndarray],
    state: Float[np.ndarray, "*rows n"],
    start: Float[np.ndarray, "*rows 1"],
    end: float,
) -> Float[np.ndarray, "*rows n"]:
    """Follow ``velocity(clock, state)`` by Runge-Kutta steps; each row has a clock."""
    step = (end - start) / STEPS
    for i in range(STEPS):
        x = start + i * step
        v1 = velocity(x, state)
        v2 = velocity(x + step / 2, state + step / 2 * v1)
        v3 = velocity(x + step / 2, state + step / 2 * v2)
        v4 = velocity(x + step, state + step * v3)
        state = state + step / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
    return state
