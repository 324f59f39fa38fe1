"""Credit assignment: what the gradient is multiplied with, and how noisy that makes it.

A policy with one row of logits per state learns from ``sum_t (e_a - pi) w_t``, with
e_a the action taken. The weight w_t may be what the whole episode earned above a
baseline, or the advantage of the one action, ``Q(s_t, a_t) - V(s_t)``, which needs a
critic. All are right on average; they differ in variance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, Real

from toolkit._checks import as_counts, as_float, check_type
from toolkit.agents.luck import reward_variance
from toolkit.agents.mdp import FiniteMDP, TurnPolicy, same_everywhere
from toolkit.agents.values import expected_turns, policy_values, visit_probabilities


@dataclass(frozen=True, eq=False, kw_only=True)
class GradientVariance:
    """Trace of the covariance of one episode's gradient estimate, by weight.

    Attributes
    ----------
    from_start
        Weight: reward minus the value of the start state.
    from_state
        Weight: reward minus the value of the state.
    advantage
        Weight: exact advantage of the action.
    """

    from_start: float
    from_state: float
    advantage: float


def gradient_variance(mdp: FiniteMDP, pi: TurnPolicy) -> GradientVariance:
    """Return the exact variance of one episode's gradient estimate for three weights.

    An episode is in a turn once, so the parts of different turns sit in different rows
    and the squared lengths add up::

        trace = E[sum_t |e_a - pi|^2 w_t^2] - |gradient|^2

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy, one.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process.

    Notes
    -----
    ``|e_a - pi|^2`` is at most 2 and ``E[sum_t A_t^2]`` is part of the reward's
    variance, so with the advantage the trace is at most ``2 Var(reward)``, however many
    turns there are. With the reward it grows with the number of turns.

    Examples
    --------
    >>> from toolkit.agents.coding_agent import PATIENT, coding_agent
    >>> agent = coding_agent()
    >>> found = gradient_variance(agent, same_everywhere(agent, PATIENT))
    >>> round(found.from_start, 3), round(found.advantage, 3)
    (0.931, 0.046)
    """
    values = policy_values(mdp, pi)
    squares = policy_values(mdp.paying(mdp.reward**2), pi).q  # E[reward^2 | s, a]
    taken = visit_probabilities(mdp, pi)[:-1, :, None] * pi
    length = 1 - 2 * pi + np.sum(pi**2, axis=-1, keepdims=True)  # |e_a - pi|^2
    gradient = np.sum((taken * values.advantage) ** 2)

    def trace(baseline: np.ndarray) -> float:
        squared_weight = squares - 2 * baseline * values.q + baseline**2
        return float(np.sum(taken * length * squared_weight) - gradient)

    return GradientVariance(
        from_start=trace(values.value),
        from_state=trace(values.v[:-1, :, None]),
        advantage=float(np.sum(taken * length * values.advantage**2) - gradient),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class VarianceByHorizon:
    """Gradient variance for several horizons.

    Attributes
    ----------
    turns
        Horizons.
    mean_turns
        Mean number of actions of an episode.
    from_start, from_state, advantage
        See :class:`GradientVariance`.
    cap
        ``2 Var(reward)``, which the advantage's variance cannot pass.
    """

    turns: Int[np.ndarray, " horizons"]
    mean_turns: Float[np.ndarray, " horizons"]
    from_start: Float[np.ndarray, " horizons"]
    from_state: Float[np.ndarray, " horizons"]
    advantage: Float[np.ndarray, " horizons"]
    cap: Float[np.ndarray, " horizons"]


def variance_by_horizon(
    mdp: FiniteMDP,
    probabilities: Real[np.ndarray, " actions"],
    turns: Sequence[int],
) -> VarianceByHorizon:
    """Return the gradient variance of one way to act, for several horizons.

    Parameters
    ----------
    mdp
        The process; its own number of turns is not used.
    probabilities
        Of each action, the same in every state.
    turns
        Horizons, each 1 or more.

    Raises
    ------
    ValueError
        If ``probabilities`` is no distribution over actions or a horizon is below 1.
    """
    check_type(mdp, "mdp", FiniteMDP)
    horizons = as_counts(turns, "turns", low=1, ndim=1)
    rows = []
    for n in horizons:
        longer = mdp.lasting(int(n))
        pi = same_everywhere(longer, probabilities)
        found = gradient_variance(longer, pi)
        cap = 2 * reward_variance(longer, pi).total
        mean_turns = float(expected_turns(longer, pi))
        numbers = (mean_turns, found.from_start, found.from_state, found.advantage, cap)
        rows.append(numbers)
    mean_turns, from_start, from_state, advantage, cap = np.array(rows).T
    return VarianceByHorizon(
        turns=horizons,
        mean_turns=mean_turns,
        from_start=from_start,
        from_state=from_state,
        advantage=advantage,
        cap=cap,
    )


def critic_error_bias(mdp: FiniteMDP, pi: TurnPolicy) -> float:
    """Return the squared bias of the gradient per squared error of a critic.

    Each entry of Q is wrong by an independent error of standard deviation e; the
    expected squared length of the gradient's error is this number times e^2.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy, one.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process.
    """
    visits = visit_probabilities(mdp, pi)[:-1, :, None]
    length = 1 - 2 * pi + np.sum(pi**2, axis=-1, keepdims=True)
    return float(np.sum((visits * pi) ** 2 * length))


def break_even_episodes(mdp: FiniteMDP, pi: TurnPolicy, error: float) -> float:
    """Return how many episodes a batch may have before a wrong critic does harm.

    A critic trades variance, which more episodes reduce, for a bias that they do not:
    the mean square errors are equal at ``(variance without - variance with) / bias^2``.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy, one.
    error
        Standard deviation of the critic's error in each entry of Q, above 0.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or ``error`` is not positive.
    """
    error = as_float(error, "error", low=0, open_low=True)
    found = gradient_variance(mdp, pi)
    saved = found.from_state - found.advantage
    return saved / (critic_error_bias(mdp, pi) * error**2)
