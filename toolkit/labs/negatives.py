"""Learning from right answers only, from wrong answers only, and from both.

A sampled gradient weighs each response by its outcome r, which is 1 or 0. Weights r
(positives only), r - 1 (negatives only) and r minus a baseline differ by a constant,
and a constant weighs ``E[grad log pi] = 0``: the expected gradient is one and the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_float, check_probabilities, check_type
from toolkit._types import SampledValues
from toolkit.capacity import task_rates
from toolkit.collapse.answers import distinct_at_k
from toolkit.landing import Stop, stop_at
from toolkit.language import SharedTestbed, Testbed
from toolkit.passk import mean_pass_at_k
from toolkit.updates import Adam, Method, Optimiser, policy_gradient


def one_sided(positive: float, negative: float) -> Method:
    """Return a method that weighs right answers and wrong ones by constants.

    ``weight = positive * r - negative * (1 - r)``

    Parameters
    ----------
    positive
        Weight of a right answer, 0 or more.
    negative
        Weight, with its sign turned, of a wrong one, 0 or more.

    Raises
    ------
    ValueError
        If a weight is negative.

    Examples
    --------
    One right, one wrong; only the wrong one moves the policy:

    >>> one_sided(0.0, 1.0).weigh(np.array([[1.0, 0.0]]))
    array([[ 0., -1.]])
    """
    positive = as_float(positive, "positive", low=0)
    negative = as_float(negative, "negative", low=0)
    return Method(weigh=lambda r: positive * r - negative * (1 - r))


def usual_rules() -> dict[str, Method]:
    """Return the rules that are compared: positives, negatives, mostly negatives, both.

    *Mostly negatives* gives right answers a tenth of the weight; *both* is RLOO.
    """
    return {
        "positives only": one_sided(1.0, 0.0),
        "negatives only": one_sided(0.0, 1.0),
        "mostly negatives": one_sided(0.1, 1.0),
        "both": policy_gradient("leave-one-out"),
    }


def with_drawn_outcomes(method: Method, *, rng: np.random.Generator) -> Method:
    """Return ``method`` for rewards that are chances: each sample is judged 1 or 0.

    On the shared testbed a response's average reward is the chance that it solves a
    task drawn by frequency. Here the task is drawn.

    Parameters
    ----------
    method
        Weighs outcomes of 0 or 1.
    rng
        Draws the outcomes, of all runs.

    Raises
    ------
    ValueError
        When a reward is no probability.

    Examples
    --------
    Sure things stay what they are:

    >>> method = with_drawn_outcomes(one_sided(1.0, 0.0), rng=np.random.default_rng(0))
    >>> method.weigh(np.array([[1.0, 0.0]])) == np.array([[1.0, 0.0]])
    array([[ True,  True]])
    """
    check_type(rng, "rng", np.random.Generator)

    def weigh(chances: SampledValues) -> SampledValues:
        check_probabilities(chances, "the rewards")
        return method.weigh((rng.random(chances.shape) < chances).astype(np.float64))

    return Method(weigh=weigh, source=method.source)


@dataclass(frozen=True, eq=False, kw_only=True)
class Kept:
    """What one rule has kept by the time it reaches each success rate.

    Attributes
    ----------
    success
        The success rates.
    steps
        Updates until then.
    kept
        What was measured there.
    """

    success: tuple[float, ...]
    steps: Int[np.ndarray, "levels runs"]
    kept: Float[np.ndarray, "levels runs"]


def answers_kept(
    testbed: Testbed,
    rules: Mapping[str, Method],
    *,
    success: tuple[float, ...],
    draws: int = 256,
    learning_rate: float = 0.05,
    optimiser: Optimiser = Adam,
    max_steps: int = 240,
    n_runs: int = 16,
    rng: np.random.Generator,
) -> dict[str, Kept]:
    """Return how many different right answers ``draws`` samples hold, at equal success.

    Parameters
    ----------
    testbed
        Language, reference and a reward of 0 or 1.
    rules
        Methods by name.
    success
        Mean success over prompts at which every run is stopped.
    draws
        Samples a prompt in which answers are counted; the count is an expectation,
        summed over prompts.
    learning_rate, optimiser, max_steps, n_runs, rng
        As for :func:`toolkit.landing.stop_at`; 16 samples a prompt and update.

    Raises
    ------
    ValueError
        If a run does not get there, or a number is out of its range.
    """
    found = {}
    for name, rule in rules.items():
        stops = stop_at(
            testbed,
            rule,
            success=success,
            max_steps=max_steps,
            every=4,
            group_size=16,
            learning_rate=learning_rate,
            n_runs=n_runs,
            optimiser=optimiser,
            name=repr(name),
            rng=rng,
        )
        kept = [distinct_at_k(s.pi, testbed.reward, draws).sum(axis=-1) for s in stops]
        found[name] = _collect(success, stops, kept)
    return found


def tasks_kept(
    testbed: SharedTestbed,
    rules: Mapping[str, Method],
    *,
    pass_at_1: tuple[float, ...],
    k: int,
    learning_rate: float = 0.05,
    optimiser: Optimiser = Adam,
    max_steps: int = 1200,
    n_runs: int = 16,
    rng: np.random.Generator,
) -> dict[str, Kept]:
    """Return mean pass@k on the shared testbed, at equal pass@1; tasks are drawn.

    Parameters
    ----------
    testbed
        The shared testbed.
    rules
        Methods by name, for outcomes of 0 or 1.
    pass_at_1
        Where every run is stopped.
    k
        Samples.
    learning_rate, optimiser, max_steps, n_runs, rng
        As for :func:`toolkit.landing.stop_at`; 16 samples an update.

    Raises
    ------
    ValueError
        If a run does not get there, or a number is out of its range.
    """
    found = {}
    for name, rule in rules.items():
        outcomes, runs = rng.spawn(2)
        stops = stop_at(
            testbed,
            with_drawn_outcomes(rule, rng=outcomes),
            success=pass_at_1,
            max_steps=max_steps,
            every=5,
            group_size=16,
            learning_rate=learning_rate,
            n_runs=n_runs,
            optimiser=optimiser,
            name=repr(name),
            rng=runs,
        )
        kept = [
            mean_pass_at_k(task_rates(stop.pi, testbed), k, testbed.frequencies)
            for stop in stops
        ]
        found[name] = _collect(pass_at_1, stops, kept)
    return found


def _collect(
    success: tuple[float, ...], stops: tuple[Stop, ...], kept: list[np.ndarray]
) -> Kept:
    steps = np.array([stop.steps for stop in stops])
    return Kept(success=success, steps=steps, kept=np.array(kept))
