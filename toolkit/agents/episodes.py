"""Whole episodes, sampled for many policies at once."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Real

from toolkit._checks import as_count
from toolkit.agents.mdp import FiniteMDP, TurnPolicy, as_turn_policy

ENDED = -1  # fills statuses and actions after an episode has ended
BEYOND = 2.0  # no uniform number reaches it


@dataclass(frozen=True, eq=False, kw_only=True)
class Episodes:
    """Sampled episodes of one or several policies; turns come first.

    Attributes
    ----------
    statuses
        Status in each turn and at the deadline, shape (turns + 1, runs, episodes); -1
        after the end.
    actions
        Action in each turn, shape (turns, runs, episodes); -1 after the end.
    outcomes
        Number of the outcome each episode ended in, shape (runs, episodes).
    rewards
        Reward of each episode, shape (runs, episodes).
    shape
        Numbers of turns, statuses and actions.
    """

    statuses: Int[np.ndarray, "states runs episodes"]
    actions: Int[np.ndarray, "turns runs episodes"]
    outcomes: Int[np.ndarray, "runs episodes"]
    rewards: Float[np.ndarray, "runs episodes"]
    shape: tuple[int, int, int]

    @property
    def running(self) -> Bool[np.ndarray, "turns runs episodes"]:
        """Whether the episode had not ended before a turn."""
        return self.actions != ENDED

    @property
    def n_actions(self) -> Int[np.ndarray, "runs episodes"]:
        """Number of actions of each episode."""
        return np.sum(self.running, axis=0)

    def first(self, n: int) -> "Episodes":
        """Return the first ``n`` episodes of each run."""
        n = as_count(n, "n", low=1, high=self.rewards.shape[1])
        return self._part(slice(None), slice(n))

    def of_runs(self, runs: slice) -> "Episodes":
        """Return the episodes of some runs."""
        return self._part(runs, slice(None))

    def _part(self, runs: slice, episodes: slice) -> "Episodes":
        return Episodes(
            statuses=self.statuses[:, runs, episodes],
            actions=self.actions[:, runs, episodes],
            outcomes=self.outcomes[runs, episodes],
            rewards=self.rewards[runs, episodes],
            shape=self.shape,
        )

    def steps(self) -> Int[np.ndarray, "turns runs episodes"]:
        """Return each step's place in a flat table of (runs, turns, statuses, actions).

        Meaningless, but a valid place, after the end.
        """
        turns, n, n_actions = self.shape
        run = np.arange(self.rewards.shape[0])[:, None] * turns
        turn = np.arange(turns)[:, None, None]
        row = (run + turn) * n + np.maximum(self.statuses[:-1], 0)
        return row * n_actions + np.maximum(self.actions, 0)

    def chosen(
        self, table: Real[np.ndarray, "runs turns statuses actions"]
    ) -> Float[np.ndarray, "turns runs episodes"]:
        """Return a table's entry for each step; 1 after the end."""
        return np.where(self.running, np.take(table, self.steps()), 1.0)

    def logit_gradient(
        self,
        weights: Real[np.ndarray, "turns runs episodes"],
        pi: Float[np.ndarray, "runs turns statuses actions"],
    ) -> Float[np.ndarray, "runs turns statuses actions"]:
        """Return the mean over episodes of ``sum_t weight_t * grad log pi(a_t|s_t)``.

        The gradient is in the logits: ``e_a - pi`` in the row of the state.

        Parameters
        ----------
        weights
            Weight of each step; after the end they do not count.
        pi
            The policies whose logits are moved, one per run.
        """
        counted = np.where(self.running, weights, 0.0).ravel()
        sums = np.bincount(self.steps().ravel(), counted, minlength=pi.size)
        taken = sums.reshape(pi.shape) / self.rewards.shape[1]
        return taken - pi * taken.sum(axis=-1, keepdims=True)


def sample_episodes(
    mdp: FiniteMDP, pi: TurnPolicy, n_episodes: int, *, rng: np.random.Generator
) -> Episodes:
    """Draw episodes of each policy.

    Parameters
    ----------
    mdp
        The process.
    pi
        One policy per run, shape (runs, turns, statuses, actions), or one policy.
    n_episodes
        Episodes of each run, 1 or more.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or ``n_episodes`` is below 1.

    Examples
    --------
    An agent that answers at once has episodes of one action:

    >>> from toolkit.agents.coding_agent import coding_agent
    >>> from toolkit.agents.mdp import same_everywhere
    >>> agent = coding_agent()
    >>> pi = same_everywhere(agent, np.array([0.0, 0.0, 1.0, 0.0]))
    >>> sample_episodes(agent, pi, 5, rng=np.random.default_rng(0)).n_actions
    array([[1, 1, 1, 1, 1]])
    """
    pi = as_turn_policy(pi, "pi", mdp).reshape(-1, *mdp.shape)
    n_episodes = as_count(n_episodes, "n_episodes", low=1)
    (turns, n, n_actions), size = mdp.shape, len(pi) * n_episodes
    statuses, actions = np.full((turns + 1, size), ENDED), np.full((turns, size), ENDED)
    outcomes, last = np.full(size, ENDED), np.full(size, mdp.start)
    choose, follow = _thresholds(pi), _thresholds(mdp.transitions)
    live, here = np.arange(size), last  # episodes still running, and their status
    for t in range(turns):
        statuses[t, live] = last[live] = here
        action = _draw(choose, (live // n_episodes * turns + t) * n + here, rng)
        actions[t, live] = action
        follows = _draw(follow, here * n_actions + action, rng)
        ending = follows >= n
        outcomes[live[ending]] = follows[ending] - n
        live, here = live[~ending], follows[~ending]
    statuses[turns, live] = last[live] = here
    outcomes[live] = _draw(_thresholds(mdp.deadline), here, rng)
    shape = (len(pi), n_episodes)
    return Episodes(
        statuses=statuses.reshape(turns + 1, *shape),
        actions=actions.reshape(turns, *shape),
        outcomes=outcomes.reshape(shape),
        rewards=mdp.reward[last, outcomes].reshape(shape),
        shape=mdp.shape,
    )


def _thresholds(p: np.ndarray) -> np.ndarray:
    """Return what a uniform number must reach to pass each outcome but the last.

    Shape (outcomes - 1, rows). Where nothing is left to come, no number reaches it.
    """
    rows = p.reshape(-1, p.shape[-1])
    reached = rows.cumsum(axis=1)[:, :-1]
    still_to_come = rows[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    return np.where(still_to_come > 0, reached, BEYOND).T.copy()


def _draw(
    thresholds: np.ndarray, rows: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw one outcome for each row number."""
    u = rng.random(rows.shape)
    drawn = np.zeros(rows.shape, dtype=np.intp)
    for threshold in thresholds:
        drawn += u >= threshold[rows]
    return drawn
