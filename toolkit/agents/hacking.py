"""Climbing a proxy that an exit can fool: when the true reward turns.

Along the path of optima for the proxy, the true reward moves at the rate of
``E[sum_t A_true A_proxy]``, the covariance of *action advantages* (see
:func:`toolkit.agents.soft.advantage_covariance`). It turns where that is zero. The
covariance of the two rewards over episodes is something else: luck of the tools moves
both rewards together and no policy can follow it.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from scipy.optimize import brentq

from toolkit._checks import as_float
from toolkit.agents.mdp import FiniteMDP, TurnPolicy
from toolkit.agents.soft import (
    advantage_covariance,
    check_same_world,
    episode_kl,
    soft_optimum,
)
from toolkit.agents.values import ending_probabilities, policy_values


@dataclass(frozen=True, eq=False, kw_only=True)
class ProxyPath:
    """The optima for a proxy reward, at several prices of KL.

    Attributes
    ----------
    eta
        Inverse prices of KL.
    policy
        The optima, shape (etas, turns, statuses, actions).
    kl
        KL to the reference per episode, in nats.
    true
        True reward.
    proxy
        Proxy reward.
    action_covariance
        ``E[sum_t A_true A_proxy]``: the slope of ``true`` in eta.
    episode_covariance
        Covariance of the two rewards over episodes.
    outcomes
        Probability of each outcome, shape (etas, outcomes).
    """

    eta: Float[np.ndarray, " etas"]
    policy: Float[np.ndarray, "etas turns statuses actions"]
    kl: Float[np.ndarray, " etas"]
    true: Float[np.ndarray, " etas"]
    proxy: Float[np.ndarray, " etas"]
    action_covariance: Float[np.ndarray, " etas"]
    episode_covariance: Float[np.ndarray, " etas"]
    outcomes: Float[np.ndarray, "etas outcomes"]


def follow_proxy(
    mdp: FiniteMDP,
    proxy: FiniteMDP,
    pi_ref: TurnPolicy,
    eta: Real[np.ndarray, " etas"],
) -> ProxyPath:
    """Return what becomes of both rewards when the proxy is optimised.

    Parameters
    ----------
    mdp
        The process with the true reward.
    proxy
        The same world with the reward that is optimised.
    pi_ref
        Reference policy.
    eta
        Inverse prices of KL, 0 or more.

    Raises
    ------
    ValueError
        If the two worlds differ in more than their rewards, ``pi_ref`` is no policy, or
        an ``eta`` is negative.
    """
    check_same_world(mdp, proxy)
    policy = soft_optimum(proxy, pi_ref, eta).policy
    true, seen = policy_values(mdp, policy).value, policy_values(proxy, policy).value
    endings = ending_probabilities(mdp, policy)
    together = np.sum(endings * mdp.reward * proxy.reward, axis=(-1, -2))
    return ProxyPath(
        eta=np.asarray(eta, dtype=np.float64),
        policy=policy,
        kl=episode_kl(mdp, policy, pi_ref),
        true=true,
        proxy=seen,
        action_covariance=advantage_covariance(mdp, proxy, policy),
        episode_covariance=together - true * seen,
        outcomes=endings.sum(axis=-2),
    )


def turning_point(
    mdp: FiniteMDP,
    proxy: FiniteMDP,
    pi_ref: TurnPolicy,
    *,
    low: float = 0.0,
    high: float = 20.0,
) -> float:
    """Return the eta at which the true reward turns, from the advantages alone.

    Parameters
    ----------
    mdp
        The process with the true reward.
    proxy
        The same world with the reward that is optimised.
    pi_ref
        Reference policy.
    low, high
        Between them ``E[sum_t A_true A_proxy]`` must change its sign.

    Raises
    ------
    ValueError
        If it does not, or as for :func:`follow_proxy`.

    Examples
    --------
    >>> from toolkit.agents.coding_agent import REFERENCE, coding_agent
    >>> from toolkit.agents.mdp import same_everywhere
    >>> agent, fooled = coding_agent(), coding_agent(exit_pays=1.0)
    >>> round(turning_point(agent, fooled, same_everywhere(agent, REFERENCE)), 3)
    2.738
    """
    check_same_world(mdp, proxy)
    low = as_float(low, "low", low=0)
    high = as_float(high, "high", low=low, open_low=True)

    def slope(eta: float) -> float:
        policy = soft_optimum(proxy, pi_ref, eta).policy
        return float(advantage_covariance(mdp, proxy, policy))

    ends = slope(low), slope(high)
    if not ends[0] * ends[1] < 0:
        raise ValueError(
            "the covariance of the action advantages must change its sign between low "
            f"and high, but it is {ends[0]:.3g} at {low:g}, {ends[1]:.3g} at {high:g}"
        )
    return float(brentq(slope, low, high, xtol=1e-12))
