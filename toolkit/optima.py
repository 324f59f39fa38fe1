"""Optima in closed form: what training would reach if nothing got in its way.

All of them are computed in log space, so that ``reward / beta`` may be large.
"""

import math
import sys

import numpy as np
from jaxtyping import Float, Real
from scipy.special import expit, logit, logsumexp

from toolkit._checks import (
    as_count,
    as_float,
    as_floats,
    check_distributions,
    check_finite,
    check_probabilities,
    check_same_shape,
)
from toolkit._types import PerPrompt, Policy, Reward
from toolkit.divergences import kl


def tilted_policy(pi_ref: Policy, reward: Reward, beta: float) -> Policy:
    """Return the policy with the highest reward minus ``beta`` times KL to ``pi_ref``.

    Per prompt x, with Z(x) the constant that makes the row sum to 1::

        pi(y|x) = pi_ref(y|x) * exp(reward(x, y) / beta) / Z(x)

    A response that ``pi_ref`` never gives keeps probability zero at every ``beta``, and
    responses of equal reward keep their proportions.

    Parameters
    ----------
    pi_ref
        Reference policy. Rows sum to 1; zeros are allowed.
    reward
        Finite reward of each response, in any unit.
    beta
        Price of one nat of KL, in the unit of ``reward``: 0 or more. At 0 the result is
        ``pi_ref`` restricted to its best responses; at infinity it is ``pi_ref``.

    Returns
    -------
    Policy
        The optimum, one row per prompt.

    Raises
    ------
    ValueError
        If a row of ``pi_ref`` is not a distribution, ``reward`` is not finite or does
        not fit, or ``beta`` is negative.

    See Also
    --------
    soft_value : The value the objective takes at this policy.

    Notes
    -----
    Korbak et al. (2022), equation 4; Rafailov et al. (2023), equation 4.

    Examples
    --------
    Two responses, the second worth 1. At ``beta = 1 / log(3)`` the odds triple:

    >>> pi_ref = np.array([[0.75, 0.25]])
    >>> tilted_policy(pi_ref, np.array([[0.0, 1.0]]), beta=1 / np.log(3))
    array([[0.5, 0.5]])
    """
    pi_ref, reward = _as_problem(pi_ref, reward)
    beta = as_float(beta, "beta", low=0, finite=False)
    log_tilted = _log_tilted(pi_ref, reward, beta)
    return np.exp(log_tilted - logsumexp(log_tilted, axis=-1, keepdims=True))


def soft_value(pi_ref: Policy, reward: Reward, beta: float) -> PerPrompt:
    """Return the largest ``E[reward] - beta KL(pi || pi_ref)`` for each prompt.

    ``beta * log sum_y pi_ref(y|x) exp(reward(x, y) / beta)``

    Parameters
    ----------
    pi_ref
        Reference policy.
    reward
        Finite reward of each response.
    beta
        Price of one nat of KL, 0 or more. At 0 the value is the best reward that
        ``pi_ref`` can give; at infinity it is its mean reward.

    Returns
    -------
    PerPrompt
        In the unit of ``reward``.

    Raises
    ------
    ValueError
        As for :func:`tilted_policy`.

    Examples
    --------
    A coin, one side worth 1, at ``beta = 1 / log(3)``: log(1/2 + 3/2) / log(3).

    >>> coin, reward = np.array([[0.5, 0.5]]), np.array([[0.0, 1.0]])
    >>> soft_value(coin, reward, beta=1 / np.log(3)) * np.log(3) / np.log(2)
    array([1.])
    """
    pi_ref, reward = _as_problem(pi_ref, reward)
    beta = as_float(beta, "beta", low=0, finite=False)
    best = np.max(np.where(pi_ref > 0, reward, -np.inf), axis=-1)
    if beta == 0:
        return best
    if math.isinf(beta):
        return np.sum(pi_ref * reward, axis=-1)
    with np.errstate(over="ignore"):  # a tiny beta leaves the best alone, as at 0
        scaled = _shortfall(pi_ref, reward) / beta
    # log E[exp(scaled)]: from expm1 where it is near 0, from logsumexp where it is not
    excess = np.sum(pi_ref * np.expm1(scaled), axis=-1)
    log_mean = logsumexp(scaled, axis=-1, b=pi_ref)
    near = excess > -0.5
    log_mean[near] = np.log1p(excess[near])
    return best + beta * log_mean


def kl_objective(pi: Policy, pi_ref: Policy, reward: Reward, beta: float) -> PerPrompt:
    """Return ``J(pi) = E_pi[reward] - beta KL(pi || pi_ref)`` for each prompt.

    Parameters
    ----------
    pi
        The policy judged.
    pi_ref
        Reference policy.
    reward
        Finite reward of each response.
    beta
        Price of one nat of KL, finite, 0 or more.

    Returns
    -------
    PerPrompt
        In the unit of ``reward``; ``-inf`` where ``pi`` leaves the reference's support
        and ``beta`` is above 0.

    Raises
    ------
    ValueError
        If a policy's row is not a distribution, shapes differ or ``beta`` is negative.

    Notes
    -----
    The Gibbs identity says how far any policy is from the best one:
    ``J(pi*) - J(pi) = beta KL(pi || pi*)``.

    Examples
    --------
    >>> coin = np.array([[0.5, 0.5]])
    >>> kl_objective(coin, coin, np.array([[0.0, 1.0]]), beta=0.3)
    array([0.5])
    """
    pi_ref, reward = _as_problem(pi_ref, reward)
    pi = as_floats(pi, "pi", ndim=2)
    check_same_shape(pi_ref, "pi_ref", pi, "pi")
    check_distributions(pi, "pi")
    beta = as_float(beta, "beta", low=0)
    gain = np.sum(pi * reward, axis=-1)
    return gain - beta * kl(pi, pi_ref) if beta > 0 else gain


def tilted_success(
    p: Real[np.ndarray, "*problems"], beta: float
) -> Float[np.ndarray, "*problems"]:
    """Return the success probability of the tilted policy for a 0/1 reward.

    A shift of the log-odds, the same for every problem::

        logit p* = logit p + 1 / beta

    Parameters
    ----------
    p
        Success probability under the reference, in [0, 1].
    beta
        Price of one nat of KL in units of the reward, 0 or more.

    Returns
    -------
    array
        In the shape of ``p``. Where ``p`` is 0 or 1 nothing changes.

    Raises
    ------
    ValueError
        If ``p`` holds no probabilities or ``beta`` is negative.

    Examples
    --------
    Odds of 1 to 3, tripled:

    >>> tilted_success(np.array([0.25]), beta=1 / np.log(3))
    array([0.5])
    """
    p = as_floats(p, "p")
    check_probabilities(p, "p")
    beta = as_float(beta, "beta", low=0, finite=False)
    if beta == 0:
        return np.where(p > 0, 1.0, 0.0)
    shift = min(1 / beta, sys.float_info.max)  # 0 stays 0 however small beta is
    return expit(logit(p) + shift)


def pass_at_k_allocation(
    frequencies: Real[np.ndarray, " tasks"], k: int
) -> Float[np.ndarray, " tasks"]:
    """Return the split of one distribution over tasks that maximises mean pass@k.

    Maximises ``sum_i f_i (1 - (1 - p_i)^k)`` over the simplex. Where p_i > 0::

        1 - p_i = (lambda / (k f_i))^(1 / (k - 1))

    At k = 1 everything goes to the most frequent task (to all of them equally, where
    several tie); as k grows the split becomes even.

    Parameters
    ----------
    frequencies
        How often each task is asked; sums to 1.
    k
        Number of samples, 1 or more.

    Returns
    -------
    array
        Success probability of each task; sums to 1.

    Raises
    ------
    ValueError
        If ``frequencies`` is not a distribution or ``k`` is below 1.

    Notes
    -----
    With the m most frequent tasks in play, ``1 - p_i = (m - 1) g_i / sum_j g_j`` for
    ``g_i = f_i^(-1/(k-1))``; m is the largest for which all m are positive.

    Examples
    --------
    k = 2 and two tasks: the miss probabilities are inversely proportional to f.

    >>> pass_at_k_allocation(np.array([0.75, 0.25]), k=2)
    array([0.75, 0.25])
    """
    f = as_floats(frequencies, "frequencies", ndim=1)
    check_distributions(f, "frequencies")
    k = as_count(k, "k", low=1)
    if k == 1:
        best = f == f.max()
        return best / best.sum()
    order = np.argsort(-f, kind="stable")
    asked = order[f[order] > 0]
    # relative to the most frequent task, so that g is 1 or more
    with np.errstate(over="ignore", invalid="ignore"):  # f of 1e-320: not served
        g = np.exp((np.log(f[asked[0]]) - np.log(f[asked])) / (k - 1))
        total = np.cumsum(g)
        miss_of_last = np.arange(len(asked)) * g / total
    n_served = int(np.flatnonzero(miss_of_last < 1)[-1]) + 1
    p = np.zeros(len(f))
    p[asked[:n_served]] = 1 - (n_served - 1) * g[:n_served] / total[n_served - 1]
    return p


def _as_problem(pi_ref: Policy, reward: Reward) -> tuple[Policy, Reward]:
    pi_ref, reward = as_floats(pi_ref, "pi_ref", ndim=2), as_floats(reward, "reward")
    check_same_shape(pi_ref, "pi_ref", reward, "reward")
    check_distributions(pi_ref, "pi_ref")
    check_finite(reward, "reward")
    return pi_ref, reward


def _log_tilted(pi_ref: Policy, reward: Reward, beta: float) -> np.ndarray:
    """Return ``log pi_ref + reward / beta`` up to a constant per row."""
    with np.errstate(divide="ignore"):  # log 0 = -inf is the answer we want
        log_ref = np.log(pi_ref)
    shortfall = _shortfall(pi_ref, reward)
    if beta == 0:
        return np.where(shortfall == 0, log_ref, -np.inf)
    with np.errstate(over="ignore"):  # a tiny beta leaves the best alone, as at 0
        return log_ref + shortfall / beta


def _shortfall(pi_ref: Policy, reward: Reward) -> np.ndarray:
    """Return reward minus the best that ``pi_ref`` can give; 0 off its support."""
    best = np.max(np.where(pi_ref > 0, reward, -np.inf), axis=-1, keepdims=True)
    with np.errstate(over="ignore"):
        return np.where(pi_ref > 0, reward - best, 0.0)
