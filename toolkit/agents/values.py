"""Values by backward induction: from the deadline to the first turn, all exact."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from toolkit._checks import check_type
from toolkit.agents.mdp import FiniteMDP, TurnPolicy, as_turn_policy


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueTable:
    """What each state and each action in it is worth, under a policy or several.

    Attributes
    ----------
    v
        Value of each state, shape (*runs, turns + 1, statuses); the last row is the
        deadline.
    q
        Value of each action, shape (*runs, turns, statuses, actions).
    policy
        The policy they belong to.
    start
        Status in turn 0.
    """

    v: Float[np.ndarray, "*runs states statuses"]
    q: Float[np.ndarray, "*runs turns statuses actions"]
    policy: Float[np.ndarray, "*runs turns statuses actions"]
    start: int

    @property
    def value(self) -> Float[np.ndarray, "*runs"]:
        """Expected reward of an episode."""
        return np.asarray(self.v[..., 0, self.start])

    @property
    def advantage(self) -> Float[np.ndarray, "*runs turns statuses actions"]:
        """Value of each action minus the value of its state."""
        return self.q - self.v[..., :-1, :, None]


def policy_values(mdp: FiniteMDP, pi: TurnPolicy) -> ValueTable:
    """Return the values of a policy.

    ``Q_t(s, a) = E[reward if it ends here] + sum_s' P(s'|s, a) V_{t+1}(s')``
    ``V_t(s) = sum_a pi_t(a|s) Q_t(s, a)``

    Parameters
    ----------
    mdp
        The process.
    pi
        Probability of each action, shape (*runs, turns, statuses, actions).

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process.

    Examples
    --------
    An agent that answers at once is right one time in twenty:

    >>> from toolkit.agents.coding_agent import coding_agent
    >>> from toolkit.agents.mdp import same_everywhere
    >>> agent = coding_agent()
    >>> pi = same_everywhere(agent, np.array([0.0, 0.0, 1.0, 0.0]))
    >>> policy_values(agent, pi).value
    array(0.05)
    """
    pi = as_turn_policy(pi, "pi", mdp)
    v = np.empty((*pi.shape[:-3], mdp.turns + 1, len(mdp.statuses)))
    v[..., -1, :] = mdp.deadline_reward
    q = np.empty_like(pi)
    for t in reversed(range(mdp.turns)):
        q[..., t, :, :] = backup(mdp, mdp.end_reward, v[..., t + 1, :])
        v[..., t, :] = np.sum(pi[..., t, :, :] * q[..., t, :, :], axis=-1)
    return ValueTable(v=v, q=q, policy=pi, start=mdp.start)


def optimal_values(mdp: FiniteMDP) -> ValueTable:
    """Return the values of the best policy, and that policy.

    The same recursion with ``V_t(s) = max_a Q_t(s, a)``. Of equally good actions the
    first is taken.

    Parameters
    ----------
    mdp
        The process.

    Examples
    --------
    On the last turn testing a good patch is worth no more than answering with it:

    >>> from toolkit.agents.coding_agent import coding_agent
    >>> optimal_values(coding_agent()).q[-1, 2].round(3)
    array([0.653, 0.68 , 0.68 , 0.   ])
    """
    check_type(mdp, "mdp", FiniteMDP)
    v, q = np.empty((mdp.turns + 1, len(mdp.statuses))), np.empty(mdp.shape)
    v[-1] = mdp.deadline_reward
    for t in reversed(range(mdp.turns)):
        q[t] = backup(mdp, mdp.end_reward, v[t + 1])
        v[t] = q[t].max(axis=-1)
    pi = np.eye(len(mdp.actions))[q.argmax(axis=-1)]
    return ValueTable(v=v, q=q, policy=pi, start=mdp.start)


def backup(
    mdp: FiniteMDP,
    at_end: Float[np.ndarray, "statuses actions"],
    v_next: Float[np.ndarray, "*runs statuses"],
) -> Float[np.ndarray, "*runs statuses actions"]:
    """Return what is paid if the episode ends now plus the mean of what comes next.

    The step from one turn to the one before it, ``at_end + sum_s' P(s'|s, a) v(s')``.
    """
    n, n_actions = at_end.shape
    flat = mdp.moves.reshape(n * n_actions, n)
    return at_end + (v_next @ flat.T).reshape(*v_next.shape[:-1], n, n_actions)


def visit_probabilities(
    mdp: FiniteMDP, pi: TurnPolicy
) -> Float[np.ndarray, "*runs states statuses"]:
    """Return how likely an episode is to be in each state.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy.

    Returns
    -------
    array
        Shape (*runs, turns + 1, statuses); the last row is the deadline. A row sums to
        the probability that the episode has not ended by then.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process.
    """
    pi = as_turn_policy(pi, "pi", mdp)
    n, n_actions = len(mdp.statuses), len(mdp.actions)
    flat = mdp.moves.reshape(n * n_actions, n)
    visits = np.zeros((*pi.shape[:-3], mdp.turns + 1, n))
    visits[..., 0, mdp.start] = 1
    for t in range(mdp.turns):
        acting = visits[..., t, :, None] * pi[..., t, :, :]
        visits[..., t + 1, :] = acting.reshape(*pi.shape[:-3], n * n_actions) @ flat
    return visits


def ending_probabilities(
    mdp: FiniteMDP, pi: TurnPolicy
) -> Float[np.ndarray, "*runs statuses outcomes"]:
    """Return how likely an episode is to end from each status in each outcome.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy.

    Returns
    -------
    array
        Shape (*runs, statuses, outcomes); sums to 1.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process.
    """
    visits = visit_probabilities(mdp, pi)
    acting = np.sum(visits[..., :-1, :, None] * pi, axis=-3)
    before = np.sum(acting[..., None] * mdp.ends, axis=-2)
    return before + visits[..., -1, :, None] * mdp.deadline


def expected_turns(mdp: FiniteMDP, pi: TurnPolicy) -> Float[np.ndarray, "*runs"]:
    """Return the mean number of actions an episode has."""
    return np.asarray(visit_probabilities(mdp, pi)[..., :-1, :].sum(axis=(-1, -2)))
