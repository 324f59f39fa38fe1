"""Laboratory 1: resets of the reference, and how long a rare success takes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq
from scipy.special import logit

from toolkit._checks import (
    as_count,
    as_counts,
    as_float,
    as_floats,
    check_choice,
    check_type,
)
from toolkit.capacity import base_rates, tilted_rates
from toolkit.language import SharedTestbed, ToyLanguage
from toolkit.policies import response_probs
from toolkit.training import train
from toolkit.updates import policy_gradient

CLOCKS = ("gradient", "normalised", "natural")
RARE_LENGTH = 4  # tokens of the one right string


def reset_rates(
    testbed: SharedTestbed, beta: float, optima: int | Sequence[int]
) -> Float[np.ndarray, "optima tasks"]:
    """Return each task's success after solving for the optimum several times in turn.

    Each optimum is the reference of the next. Since the tilts multiply, m of them at
    the price beta land where a single one at beta/m does.

    Parameters
    ----------
    testbed
        The shared testbed.
    beta
        Price of one nat of KL to the reference of the moment, above 0.
    optima
        Numbers m of optima solved, 0 or more; m optima are m - 1 resets.

    Returns
    -------
    array
        Shape (optima, tasks).

    Examples
    --------
    >>> from toolkit.language import shared_testbed
    >>> reset_rates(shared_testbed(), 0.3, [0, 1]).round(3)
    array([[0.22 , 0.146, 0.275, 0.182, 0.177],
           [0.389, 0.185, 0.211, 0.118, 0.098]])
    """
    check_type(testbed, "testbed", SharedTestbed)
    beta = as_float(beta, "beta", low=0, open_low=True)
    counts = np.atleast_1d(as_counts(optima, "optima", low=0))
    return np.array(
        [tilted_rates(testbed, beta / m) if m else base_rates(testbed) for m in counts]
    )


def turning_points(testbed: SharedTestbed) -> Float[np.ndarray, " tasks"]:
    """Return the leash ``1/beta`` at which each task's success is largest.

    Along the path of optima ``d log p_j / d(1/beta) = f_j - E[reward]``: a task gains
    exactly while the average reward is below its own share. The average only rises.

    Parameters
    ----------
    testbed
        The shared testbed.

    Returns
    -------
    array
        0 for a task that falls from the start, infinity for one that always rises.
    """
    check_type(testbed, "testbed", SharedTestbed)
    f = testbed.frequencies

    def average(leash: float) -> float:
        rates = tilted_rates(testbed, 1 / leash) if leash else base_rates(testbed)
        return float(f @ rates)

    def turn(share: float) -> float:
        if share == f.max():
            return np.inf
        if share <= average(0.0):
            return 0.0
        longest = 1.0
        while average(longest) < share:
            longest *= 2
        return brentq(lambda leash: average(leash) - share, 0.0, longest, xtol=1e-10)

    return np.array([turn(float(share)) for share in f])


def takeoff_time(
    p: Float[np.ndarray, " n"], clock: str, target: float = 0.5
) -> Float[np.ndarray, " n"]:
    """Return how long the exact flow takes from success ``p`` to ``target``.

    Two answers, one right, a softmax. The log-odds move at the speed::

        gradient    2 p (1 - p)          time about 1 / (2 p)
        normalised  2 sqrt(p (1 - p))    time about 1 / sqrt(p)
        natural     1                    time about log(1 / p)

    The second divides the advantage by its standard deviation, as GRPO does; the third
    is also the leash ``1/beta`` that a KL-regularised optimum needs.

    Parameters
    ----------
    p
        Success at the start, strictly between 0 and ``target``.
    clock
        ``"gradient"``, ``"normalised"`` or ``"natural"``.
    target
        Success to reach, below 1.

    Returns
    -------
    array
        In units of 1 / learning rate.

    Examples
    --------
    >>> takeoff_time(np.array([0.01]), "gradient").round(1)
    array([54.1])
    """
    check_choice(clock, "clock", CLOCKS)
    target = as_float(target, "target", low=0, high=1, open_low=True, open_high=True)
    p = as_floats(p, "p")
    if not (np.all(p > 0) and np.all(p < target)):
        raise ValueError(
            f"p must be above 0 and below target = {target:g}, but it reaches from "
            f"{p.min():g} to {p.max():g}"
        )
    return _reading(clock, np.full(p.shape, target)) - _reading(clock, p)


def _reading(clock: str, p: np.ndarray) -> np.ndarray:
    """Return what a clock shows at success ``p``: the integral of 1 / speed."""
    if clock == "gradient":
        return logit(p) - 1 / (2 * p) + 1 / (2 * (1 - p))
    if clock == "normalised":
        return (2 * p - 1) / np.sqrt(p * (1 - p))
    return logit(p)


@dataclass(frozen=True, eq=False, kw_only=True)
class Takeoffs:
    """When runs first see a rare success, and when they have learnt it.

    Attributes
    ----------
    seen
        Steps up to and with the first success; NaN for a run that saw none.
    learnt
        Steps until success is more likely than not; NaN for a run that is not there.
    """

    seen: Float[np.ndarray, " runs"]
    learnt: Float[np.ndarray, " runs"]


def sample_takeoff(
    p: float, *, steps: int, n_runs: int, group_size: int = 16, rng: np.random.Generator
) -> Takeoffs:
    """Train by RLOO with Adam (rate .05) where a single string of four bits is right.

    Parameters
    ----------
    p
        Probability of the right string at the start, strictly between 0 and 1.
    steps
        Updates of each run.
    n_runs
        Independent runs.
    group_size
        Samples a step.
    rng
        Parent of one generator a run.

    Returns
    -------
    Takeoffs
        Of every run.

    Notes
    -----
    Before the first success all advantages are zero, so the policy stands still: its
    first move is the first success.
    """
    p = as_float(p, "p", low=0, high=1, open_low=True, open_high=True)
    steps = as_count(steps, "steps", low=1)
    language = ToyLanguage(n_tokens=2, length=RARE_LENGTH)
    logits = np.zeros((1, language.n_prefixes, 2))
    logits[..., 0] = logit(p ** (1 / RARE_LENGTH))
    reward = np.zeros((1, language.n_responses))
    reward[0, 0] = 1.0
    run = train(
        logits,
        reward,
        language,
        policy_gradient(),
        steps=range(steps + 1),
        group_size=group_size,
        learning_rate=0.05,
        n_runs=n_runs,
        rng=rng,
    )
    success = response_probs(run.logits, language)[:, :, 0, 0]
    return Takeoffs(seen=_first(success != success[0]), learnt=_first(success > 0.5))


def _first(happened: np.ndarray) -> Float[np.ndarray, " runs"]:
    """Return the first step at which something has happened, by run."""
    return np.where(happened.any(axis=0), happened.argmax(axis=0), np.nan)


def first_sight_law(p: float, group_size: int) -> float:
    """Return the mean number of steps up to the first success: ``1/(1 - (1-p)^G)``.

    For rare successes that is about ``1 / (G p)``.

    Examples
    --------
    >>> first_sight_law(0.5, group_size=1)
    2.0
    """
    p = as_float(p, "p", low=0, high=1, open_low=True)
    group_size = as_count(group_size, "group_size", low=1)
    return float(1 / -np.expm1(group_size * np.log1p(-p))) if p < 1 else 1.0


def bonus_ceiling(alpha: float, n_answers: int) -> float:
    """Return success at the optimum under an entropy bonus and no KL term.

    ``logit p* = 1/alpha - log(n - 1)``

    Whatever the start, the bonus pulls towards even odds over all n answers.

    Parameters
    ----------
    alpha
        Bonus for one nat of entropy, above 0.
    n_answers
        Number n of answers, one of them right; 2 or more.

    Examples
    --------
    >>> round(bonus_ceiling(1e3, n_answers=4), 3)
    0.25
    """
    alpha = as_float(alpha, "alpha", low=0, open_low=True)
    n_answers = as_count(n_answers, "n_answers", low=2)
    return float(1 / (1 + (n_answers - 1) * np.exp(-1 / alpha)))
