"""Laboratory 2: reward along the fall of entropy, and brakes on that fall."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from toolkit._checks import (
    as_float,
    as_floats,
    check_finite,
    check_same_shape,
    check_type,
)
from toolkit._types import PerPrompt, ResponseValues
from toolkit.collapse.answers import check_right_or_wrong
from toolkit.collapse.tempering import tempered
from toolkit.divergences import entropy
from toolkit.language import Testbed
from toolkit.optima import tilted_policy
from toolkit.policies import response_log_probs, response_probs, score_gradient
from toolkit.training import Trajectory


@dataclass(frozen=True, kw_only=True)
class EntropyFit:
    """A least-squares fit of ``R = -a exp(H) + b``.

    Attributes
    ----------
    a, b
        Its parameters.
    r_squared
        Share of the variance of R that the fit explains.
    """

    a: float
    b: float
    r_squared: float

    @property
    def ceiling(self) -> float:
        """Reward at zero entropy: ``b - a``."""
        return self.b - self.a

    def predict(self, h: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Return the reward at the entropies ``h``."""
        return self.b - self.a * np.exp(h)


def fit_entropy_law(
    h: Float[np.ndarray, " points"], reward: Float[np.ndarray, " points"]
) -> EntropyFit:
    """Fit ``R = -a exp(H) + b`` to the points of one training run.

    Parameters
    ----------
    h
        Entropy at each point, nats per token; not all equal.
    reward
        Reward there; not all equal.

    Raises
    ------
    ValueError
        If the arrays differ in shape or one is constant.

    Examples
    --------
    >>> h = np.log([1.0, 2.0, 4.0])
    >>> fit = fit_entropy_law(h, np.array([0.9, 0.8, 0.6]))
    >>> round(fit.a, 6), round(fit.b, 6), round(fit.ceiling, 6)
    (0.1, 1.0, 0.9)
    """
    h, reward = as_floats(h, "h", ndim=1), as_floats(reward, "reward", ndim=1)
    check_same_shape(h, "h", reward, "reward")
    for values, name in ((h, "h"), (reward, "reward")):
        check_finite(values, name)
        if np.ptp(values) == 0:
            raise ValueError(f"{name} must not be constant, but it is {values[0]:g}")
    slope, b = np.polyfit(np.exp(h), reward, 1)
    residual = reward - (b + slope * np.exp(h))
    share = 1 - residual.var() / reward.var()
    return EntropyFit(a=float(-slope), b=float(b), r_squared=float(share))


def token_entropy(pi: ResponseValues, testbed: Testbed) -> Float[np.ndarray, "*runs"]:
    """Return response entropy over length, in nats per token, mean over prompts.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    testbed
        Its language says the length.
    """
    check_type(testbed, "testbed", Testbed)
    return entropy(pi).mean(axis=-1) / testbed.language.length


def natural_path(
    testbed: Testbed, times: Float[np.ndarray, " times"]
) -> Float[np.ndarray, "times prompts responses"]:
    """Return the policies along the natural gradient: the optima for ``beta = 1/t``.

    Parameters
    ----------
    testbed
        Language, reference and reward.
    times
        0 or more.
    """
    check_type(testbed, "testbed", Testbed)
    times = as_floats(times, "times", ndim=1)
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    return np.array(
        [tilted_policy(pi_ref, testbed.reward, 1 / t) if t else pi_ref for t in times]
    )


def cooled_path(
    testbed: Testbed, temperatures: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "n prompts responses"]:
    """Return the reference at several temperatures: entropy changed, nothing learnt.

    Parameters
    ----------
    testbed
        Language, reference and reward.
    temperatures
        Above 0; the reference's logits are divided by each.
    """
    check_type(testbed, "testbed", Testbed)
    temperatures = as_floats(temperatures, "temperatures", ndim=1)
    alike = np.ones(len(testbed.reward))
    return np.array(
        [
            response_probs(tempered(testbed.ref_logits, t * alike), testbed.language)
            for t in temperatures
        ]
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class EntropyShares:
    """What right and wrong samples do to a policy's entropy along a path.

    Attributes
    ----------
    right, wrong
        Change of the response entropy that each brings, in nats, by prompt. Their sum
        is the change of entropy, up to the size of the steps.
    """

    right: PerPrompt
    wrong: PerPrompt


def entropy_shares(
    path: Trajectory, testbed: Testbed, step_size: float
) -> EntropyShares:
    """Split the change of entropy along an exact path by who pushes.

    With the advantage ``r - p`` the gradient is a sum over right and over wrong
    responses; each part moves the logits, and with them entropy. Another baseline would
    move weight from one part to the other.

    Parameters
    ----------
    path
        What ``ascend_exactly`` returned for this testbed, with every step kept.
    testbed
        Language, reference and a reward of 0 or 1.
    step_size
        The one of the path, above 0.
    """
    check_type(testbed, "testbed", Testbed)
    step_size = as_float(step_size, "step_size", low=0, open_low=True)
    check_right_or_wrong(testbed.reward)
    if np.any(np.diff(path.steps) != 1):
        raise ValueError("path must keep every step, but some are left out")
    reward, language = testbed.reward, testbed.language
    logits = path.logits[:-1, 0]
    log_pi = response_log_probs(logits, language)
    pi = np.exp(log_pi)
    p = np.sum(pi * reward, axis=-1, keepdims=True)
    h = -np.sum(pi * log_pi, axis=-1, keepdims=True)
    slope = score_gradient(logits, -pi * (log_pi + h), language)

    def total(weights: np.ndarray) -> PerPrompt:
        push = score_gradient(logits, weights, language)
        return step_size * np.einsum("sxpt,sxpt->x", slope, push)

    return EntropyShares(
        right=total(pi * (1 - p) * reward), wrong=total(-pi * p * (1 - reward))
    )
