"""A critic learned from every episode seen so far, whoever's policy it came from.

It counts what followed each action and solves the world that the counts suggest for the
current policy: what off-policy TD on a growing buffer settles at. Old episodes stay
useful, because they say what an action does, not how often it is taken.
"""

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count, as_float, check_type
from toolkit.agents.episodes import ENDED, Episodes
from toolkit.agents.mdp import FiniteMDP, TurnPolicy


class CountingCritic:
    """Counts of what followed, for several runs side by side.

    Parameters
    ----------
    mdp
        The process; only its shape is used, the critic does not look inside.
    n_runs
        Number of runs.
    keep
        What becomes of earlier counts when new episodes come: 1 keeps them all, 0
        forgets them.
    """

    def __init__(self, mdp: FiniteMDP, *, n_runs: int, keep: float = 1.0) -> None:
        check_type(mdp, "mdp", FiniteMDP)
        n_runs = as_count(n_runs, "n_runs", low=1)
        self._keep = as_float(keep, "keep", low=0, high=1)
        turns, n, n_actions = mdp.shape
        self._moves = np.zeros((n_runs, turns, n, n_actions, n))
        self._ends = np.zeros((n_runs, turns, n, n_actions))
        self._paid = np.zeros((n_runs, turns, n, n_actions))
        self._late = np.zeros((n_runs, n))
        self._paid_late = np.zeros((n_runs, n))

    def observe(self, episodes: Episodes) -> None:
        """Count what followed each action of new episodes."""
        taken = episodes.steps()
        following, running = episodes.statuses[1:], episodes.running
        goes_on = running & (following != ENDED)
        ends = running & (following == ENDED)
        rewards = np.broadcast_to(episodes.rewards, taken.shape)
        n = episodes.shape[1]
        late = episodes.statuses[-1] != ENDED
        runs = np.arange(episodes.rewards.shape[0])[:, None]
        at_end = (runs * n + episodes.statuses[-1])[late]
        self._add(self._moves, (taken * n + following)[goes_on])
        self._add(self._ends, taken[ends])
        self._add(self._paid, taken[ends], rewards[ends])
        self._add(self._late, at_end)
        self._add(self._paid_late, at_end, episodes.rewards[late])

    def advantages(self, pi: TurnPolicy) -> Float[np.ndarray, "*runs turns n actions"]:
        """Return the estimated ``Q - V`` of each run's policy; 0 for what was not seen.

        Parameters
        ----------
        pi
            One policy per run.
        """
        turns = self._ends.shape[1]
        found = np.empty_like(self._ends)
        counts = self._moves.sum(axis=-1) + self._ends
        v = self._paid_late / np.maximum(self._late, 1)
        for t in reversed(range(turns)):
            earned = self._paid[:, t] + np.einsum("rsan,rn->rsa", self._moves[:, t], v)
            q = earned / np.maximum(counts[:, t], 1e-300)
            weights = pi[:, t] * (counts[:, t] > 0)
            total = np.maximum(weights.sum(axis=-1), 1e-300)
            v = np.sum(weights * q, axis=-1) / total
            found[:, t] = np.where(counts[:, t] > 0, q - v[..., None], 0.0)
        return found

    def _add(
        self, table: np.ndarray, at: np.ndarray, amount: np.ndarray | None = None
    ) -> None:
        table *= self._keep
        table += np.bincount(at, amount, minlength=table.size).reshape(table.shape)
