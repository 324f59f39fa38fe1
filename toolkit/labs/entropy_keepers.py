"""Three ways to hold entropy up, compared where they have reached the same pass@1.

A price on KL keeps the policy near the reference, an entropy bonus near the uniform
policy, and doing nothing keeps it near neither. On the shared testbed all three are
exact: two are closed forms, the third is the policy gradient followed without sampling.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq

from toolkit._checks import as_float, check_type
from toolkit._types import Logits, Policy
from toolkit.capacity import task_rates
from toolkit.collapse.tempering import temperature_for_entropy, tempered
from toolkit.divergences import entropy
from toolkit.language import SharedTestbed
from toolkit.optima import tilted_policy
from toolkit.passk import mean_pass_at_k
from toolkit.policies import (
    expected_reward,
    response_log_probs,
    response_probs,
    score_gradient,
)

STEP = 1.0  # of the gradient flow: halving it changes no third digit
CHEAPEST, DEAREST = 1e-3, 1e3  # prices searched
LONGEST = 100_000  # steps of the flow


@dataclass(frozen=True, eq=False, kw_only=True)
class Kept:
    """A policy with a given pass@1, and what entropy it has kept.

    Attributes
    ----------
    price
        Price of a nat of KL, or size of the entropy bonus; 0 for neither.
    pi
        Probability of each response.
    rates
        Success probability of each task.
    response_entropy
        Of the responses, in nats.
    task_entropy
        Of which task a response solves, in nats.
    """

    price: float
    pi: Float[np.ndarray, "1 responses"]
    rates: Float[np.ndarray, " tasks"]
    response_entropy: float
    task_entropy: float


def keep(testbed: SharedTestbed, pi: Policy, price: float) -> Kept:
    """Return a policy of the testbed with its entropies."""
    rates = task_rates(pi, testbed)
    return Kept(
        price=price,
        pi=pi,
        rates=rates,
        response_entropy=float(entropy(pi)[0]),
        task_entropy=float(entropy(rates[None])[0]),
    )


def by_kl_price(testbed: SharedTestbed, pass_at_1: float) -> Kept:
    """Return the KL-regularised optimum whose pass@1 is the one given.

    ``pi proportional to pi_ref exp(reward / beta)``; beta is found by bisection. The
    natural gradient with no price at all passes through the same policy.

    Parameters
    ----------
    testbed
        The shared testbed.
    pass_at_1
        Above the reference's and below the most frequent task's share.

    Raises
    ------
    ValueError
        If ``pass_at_1`` is out of its range.
    """
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    return _tilted_to(testbed, pi_ref, pass_at_1)


def by_entropy_bonus(testbed: SharedTestbed, pass_at_1: float) -> Kept:
    """Return the optimum of reward plus entropy whose pass@1 is the one given.

    ``pi proportional to exp(reward / alpha)``: the KL optimum with the uniform policy
    as its reference. See :func:`by_kl_price` for the rest.
    """
    uniform = np.full_like(testbed.reward, 1 / testbed.reward.shape[1])
    return _tilted_to(testbed, uniform, pass_at_1)


def unbraked_logits(
    testbed: SharedTestbed, pass_at_1: Sequence[float]
) -> tuple[Logits, ...]:
    """Return the logits where the plain policy gradient reaches each ``pass_at_1``.

    Exact steps of 1 from the reference; the last one is partly taken back to arrive.

    Parameters
    ----------
    testbed
        The shared testbed.
    pass_at_1
        Increasing, each as for :func:`by_kl_price`.

    Raises
    ------
    ValueError
        If a ``pass_at_1`` is out of its range, or they do not increase.
    """
    logits = testbed.ref_logits
    start = _pass_at_1(testbed, logits)
    targets = [_as_target(testbed, start, target) for target in pass_at_1]
    if np.any(np.diff(targets) <= 0):
        raise ValueError(f"pass_at_1 must increase, but it is {pass_at_1}")
    slope, found = np.zeros_like(logits), []
    for target in targets:
        for _ in range(LONGEST):
            pi = response_probs(logits, testbed.language)
            value = expected_reward(pi, testbed.reward)
            if value[0] >= target:
                break
            weights = pi * (testbed.reward - value[:, None])
            slope = score_gradient(logits, weights, testbed.language)
            logits = logits + STEP * slope

        def excess(
            step: float, target: float = target, at: Logits = logits, by: Logits = slope
        ) -> float:
            return _pass_at_1(testbed, at - step * by) - target

        found.append(logits - brentq(excess, 0.0, STEP, xtol=1e-12) * slope)
    return tuple(found)


def by_nothing(testbed: SharedTestbed, pass_at_1: float) -> Kept:
    """Return the policy where the plain policy gradient reaches ``pass_at_1``."""
    (logits,) = unbraked_logits(testbed, [pass_at_1])
    return keep(testbed, response_probs(logits, testbed.language), 0.0)


def compare(
    testbed: SharedTestbed, pass_at_1: Sequence[float]
) -> dict[str, tuple[Kept, ...]]:
    """Return what each way has kept at each ``pass_at_1``, by the way's name.

    Parameters
    ----------
    testbed
        The shared testbed.
    pass_at_1
        Increasing, each as for :func:`by_kl_price`.

    Raises
    ------
    ValueError
        As for :func:`unbraked_logits`.
    """
    plain = unbraked_logits(testbed, pass_at_1)
    return {
        "KL price": tuple(by_kl_price(testbed, x) for x in pass_at_1),
        "entropy bonus": tuple(by_entropy_bonus(testbed, x) for x in pass_at_1),
        "nothing": tuple(
            keep(testbed, response_probs(logits, testbed.language), 0.0)
            for logits in plain
        ),
    }


def heated(testbed: SharedTestbed, pass_at_1: float) -> tuple[float, Kept]:
    """Heat the policy of :func:`by_nothing` until its entropy is the reference's.

    Every token's logits are divided by one temperature.

    Returns
    -------
    tuple
        The temperature, and the policy at it.
    """
    (logits,) = unbraked_logits(testbed, [pass_at_1])
    wanted = entropy(response_probs(testbed.ref_logits, testbed.language))
    heat = temperature_for_entropy(logits, testbed.language, wanted)
    hot = response_probs(tempered(logits, heat), testbed.language)
    return float(heat[0]), keep(testbed, hot, 0.0)


def overtakes(
    behind: Kept, ahead: Kept, testbed: SharedTestbed, k_max: int = 10_000
) -> int | None:
    """Return the smallest k from 2 at which ``behind`` has the higher mean pass@k.

    None if there is none up to ``k_max``. At k = 1 the two are equal by design.
    """
    ks = np.arange(2, k_max + 1)
    first, second = (
        mean_pass_at_k(kept.rates, ks, testbed.frequencies) for kept in (behind, ahead)
    )
    above = np.flatnonzero(first > second)
    return int(ks[above[0]]) if len(above) else None


def with_entropy_bonus(testbed: SharedTestbed, alpha: float) -> SharedTestbed:
    """Return the testbed on which a KL price of ``alpha`` acts as an entropy bonus.

    ``reward - alpha log pi = (reward - alpha log pi_ref) - alpha log(pi / pi_ref)``: so
    the reward is lowered by ``alpha log pi_ref``, and training with ``beta = alpha``
    does the rest.

    Parameters
    ----------
    testbed
        The shared testbed.
    alpha
        Bonus for a nat of entropy, 0 or more.

    Raises
    ------
    ValueError
        If ``alpha`` is negative.
    """
    check_type(testbed, "testbed", SharedTestbed)
    alpha = as_float(alpha, "alpha", low=0)
    log_ref = response_log_probs(testbed.ref_logits, testbed.language)
    return replace(testbed, reward=testbed.reward - alpha * log_ref)


def _tilted_to(testbed: SharedTestbed, pi_ref: Policy, pass_at_1: float) -> Kept:
    start = float(expected_reward(pi_ref, testbed.reward)[0])
    pass_at_1 = _as_target(testbed, start, pass_at_1)

    def at(log_price: float) -> Policy:
        return tilted_policy(pi_ref, testbed.reward, float(np.exp(log_price)))

    def excess(log_price: float) -> float:
        value = expected_reward(at(log_price), testbed.reward)
        return float(value[0]) - pass_at_1

    found = brentq(excess, np.log(CHEAPEST), np.log(DEAREST), xtol=1e-14)
    return keep(testbed, at(found), float(np.exp(found)))


def _pass_at_1(testbed: SharedTestbed, logits: Logits) -> float:
    pi = response_probs(logits, testbed.language)
    return float(expected_reward(pi, testbed.reward)[0])


def _as_target(testbed: SharedTestbed, start: float, pass_at_1: float) -> float:
    check_type(testbed, "testbed", SharedTestbed)
    best = float(testbed.frequencies.max())
    pass_at_1 = as_float(pass_at_1, "pass_at_1", low=start, high=best, open_high=True)
    if pass_at_1 == start:
        raise ValueError(f"pass_at_1 must be above the start's, {start:g}")
    return pass_at_1
