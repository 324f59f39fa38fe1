"""How much of an episode's reward is the agent's doing, and how much is luck.

In the single response everything random is the policy's own: its variance, its KL, its
successes. Here tools and outcomes are random too, and no policy can reach those.
"""

from dataclasses import dataclass

import numpy as np

from toolkit.agents.imitation import check_not_negative
from toolkit.agents.mdp import FiniteMDP, TurnPolicy
from toolkit.agents.soft import advantage_covariance
from toolkit.agents.values import (
    ValueTable,
    ending_probabilities,
    policy_values,
    visit_probabilities,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class RewardVariance:
    """The variance of an episode's reward, split by who made it.

    Attributes
    ----------
    total
        Variance of the reward.
    choices
        The part that the agent's choices make, ``E[sum_t A_t^2]``.
    """

    total: float
    choices: float

    @property
    def luck(self) -> float:
        """The part that the world makes."""
        return self.total - self.choices

    @property
    def share(self) -> float:
        """Share of the agent's choices, from 0 to 1."""
        return self.choices / self.total


def reward_variance(mdp: FiniteMDP, pi: TurnPolicy) -> RewardVariance:
    """Return the variance of an episode's reward and the agent's part in it.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process.

    Examples
    --------
    Answering at once is no choice: all of 0.05 * 0.95 is luck.

    >>> from toolkit.agents.coding_agent import coding_agent
    >>> from toolkit.agents.mdp import same_everywhere
    >>> agent = coding_agent()
    >>> pi = same_everywhere(agent, np.array([0.0, 0.0, 1.0, 0.0]))
    >>> parts = reward_variance(agent, pi)
    >>> round(parts.total, 6), parts.choices
    (0.0475, 0.0)
    """
    choices = advantage_covariance(mdp, mdp, pi)
    endings = ending_probabilities(mdp, pi)
    mean = np.sum(endings * mdp.reward)
    total = float(np.sum(endings * (mdp.reward - mean) ** 2))
    return RewardVariance(total=total, choices=float(choices))


@dataclass(frozen=True, eq=False, kw_only=True)
class SuccessDivergence:
    """KL from a policy's episodes to its own successful ones, split by who is random.

    Attributes
    ----------
    actions
        What the agent would have to do differently, in nats.
    tools
        What its tools would have to do differently: where they lead, or that they end
        the episode.
    outcome
        What the last throw, right or wrong, would have to do differently.
    """

    actions: float
    tools: float
    outcome: float

    @property
    def total(self) -> float:
        """``-log p`` for a reward of 0 or 1."""
        return self.actions + self.tools + self.outcome


def success_divergence(mdp: FiniteMDP, pi: TurnPolicy) -> SuccessDivergence:
    """Return KL(successful episodes || episodes), which is ``-log p``, in three parts.

    A policy can buy only the first. For the single response the other two are zero.

    Parameters
    ----------
    mdp
        The process; rewards 0 or 1.
    pi
        The policy; it must succeed sometimes.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or never succeeds, or a reward is
        negative.

    Notes
    -----
    In a successful episode the action has probability ``pi Q / V``, the next status
    ``P(s'|s, a) V(s') / Q(s, a)``, and the last throw is right for certain.
    """
    check_not_negative(mdp)
    table = _succeeding(mdp, pi)
    visits = visit_probabilities(mdp, pi) / table.value
    taken = visits[:-1, :, None] * pi
    # how often a successful episode acts, moves on, ends, and meets the deadline
    acting, closing = taken * table.q, taken * mdp.end_reward
    moving = taken[..., None] * mdp.moves * table.v[1:, None, None, :]
    ending = taken[..., None] * mdp.ends * mdp.reward[:, None]
    late = visits[-1, :, None] * mdp.deadline * mdp.reward
    q, v, p_end = table.q, table.v, mdp.ends.sum(axis=-1)
    return SuccessDivergence(
        actions=_mean_log_ratio(acting, q, v[:-1, :, None]),
        tools=_mean_log_ratio(moving, v[1:, None, None, :], q[..., None])
        + _mean_log_ratio(closing, mdp.end_reward, p_end * q),
        outcome=_mean_log_ratio(
            ending, mdp.reward[:, None] * p_end[..., None], mdp.end_reward[..., None]
        )
        + _mean_log_ratio(late, mdp.reward, v[-1, :, None]),
    )


def success_kl(mdp: FiniteMDP, pi: TurnPolicy, other: TurnPolicy) -> float:
    """Return KL(successes of ``pi`` || successes of ``other``), in nats.

    It is 0 if the two succeed in the same ways, however often each does.

    Parameters
    ----------
    mdp
        The process; rewards 0 or 1.
    pi
        The policy whose successes are averaged over.
    other
        The policy they are compared with.

    Raises
    ------
    ValueError
        If one is no policy for this process or never succeeds, or a reward is negative.
    """
    check_not_negative(mdp)
    table, other_table = _succeeding(mdp, pi), _succeeding(mdp, other)
    visits = visit_probabilities(mdp, pi)[:-1, :, None] / table.value
    acting = visits * pi * table.q
    same_often = float(np.log(table.value) - np.log(other_table.value))
    kl = _mean_log_ratio(acting, pi, other) - same_often
    return max(kl, 0.0)  # rounding alone can make it negative


def _succeeding(mdp: FiniteMDP, pi: TurnPolicy) -> ValueTable:
    table = policy_values(mdp, pi)
    if not table.value > 0:
        raise ValueError("pi must succeed sometimes, but its value is 0")
    return table


def _mean_log_ratio(weight: np.ndarray, above: np.ndarray, below: np.ndarray) -> float:
    """Return ``sum weight * log(above / below)``; where the weight is 0, nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = weight * (np.log(above) - np.log(below))
    return float(np.sum(np.where(weight > 0, terms, 0.0)))
