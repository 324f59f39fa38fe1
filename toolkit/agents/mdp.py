"""A finite-horizon decision process: a few statuses, a few actions, a deadline.

An agent works for at most T turns. In each it sees the status of its work and acts; the
world answers with a new status or ends the episode with an outcome. At the deadline the
episode ends anyway. There is one reward, when it ends.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Real

from toolkit._checks import (
    as_count,
    as_floats,
    check_distributions,
    check_finite,
    check_type,
)

MOST_TURNS = 10_000

TurnPolicy: TypeAlias = Real[np.ndarray, "*runs turns statuses actions"]
"""Probability of each action in each turn and status. Rows sum to 1."""

OtherPolicy: TypeAlias = Real[np.ndarray, "*other_runs turns statuses actions"]
"""A second policy, or several; the two broadcast against each other."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FiniteMDP:
    """A decision process with T turns, the same rules in each, and one final reward.

    Attributes
    ----------
    turns
        Number T of turns before the deadline, 1 or more.
    statuses
        Names of the statuses of the work. A *state* is a turn and a status.
    actions
        Names of the actions.
    outcomes
        Names of the ways an episode can end.
    transitions
        Probability of what follows an action, shape (statuses, actions, statuses +
        outcomes): the next status, or the outcome that ends the episode.
    deadline
        Probability of each outcome when time is up, shape (statuses, outcomes).
    reward
        Reward for ending in an outcome, shape (statuses, outcomes): it may depend on
        the status one ends from. Finite, in any unit.
    start
        Number of the status in turn 0. Every other must be reachable from it.

    Raises
    ------
    ValueError
        If a row of probabilities does not sum to 1, a reward is not finite, a status
        cannot be reached, a shape does not fit, a name stands twice, or ``turns`` is
        below 1.

    Examples
    --------
    One status; trying ends the episode and succeeds with probability 0.3:

    >>> FiniteMDP(
    ...     turns=2,
    ...     statuses=("start",),
    ...     actions=("wait", "try"),
    ...     outcomes=("right", "wrong"),
    ...     transitions=np.array([[[1.0, 0.0, 0.0], [0.0, 0.3, 0.7]]]),
    ...     deadline=np.array([[0.0, 1.0]]),
    ...     reward=np.array([[1.0, 0.0]]),
    ... ).shape
    (2, 1, 2)
    """

    turns: int
    statuses: tuple[str, ...]
    actions: tuple[str, ...]
    outcomes: tuple[str, ...]
    transitions: Real[np.ndarray, "statuses actions statuses_and_outcomes"]
    deadline: Real[np.ndarray, "statuses outcomes"]
    reward: Real[np.ndarray, "statuses outcomes"]
    start: int = 0

    def __post_init__(self) -> None:
        as_count(self.turns, "turns", low=1, high=MOST_TURNS)
        for name in ("statuses", "actions", "outcomes"):
            _check_names(getattr(self, name), name)
        n, n_ends = len(self.statuses), len(self.outcomes)
        shapes = {
            "transitions": (n, len(self.actions), n + n_ends),
            "deadline": (n, n_ends),
            "reward": (n, n_ends),
        }
        for name, shape in shapes.items():
            array = as_floats(getattr(self, name), name)
            if array.shape != shape:
                raise ValueError(
                    f"{name} must have shape {shape} for these statuses, actions and "
                    f"outcomes, but its shape is {array.shape}"
                )
            object.__setattr__(self, name, array)
        check_distributions(self.transitions, "transitions")
        check_distributions(self.deadline, "deadline")
        check_finite(self.reward, "reward")
        as_count(self.start, "start", low=0, high=n - 1)
        self._check_reachable()

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of turns, statuses and actions: the shape of a policy."""
        return self.turns, len(self.statuses), len(self.actions)

    @property
    def moves(self) -> Float[np.ndarray, "statuses actions statuses"]:
        """Probability that the episode goes on, in each status."""
        return self.transitions[..., : len(self.statuses)]

    @property
    def ends(self) -> Float[np.ndarray, "statuses actions outcomes"]:
        """Probability that the episode ends now, in each outcome."""
        return self.transitions[..., len(self.statuses) :]

    @cached_property
    def end_reward(self) -> Float[np.ndarray, "statuses actions"]:
        """Expected reward paid at once: of ending, times how likely that is."""
        return np.sum(self.ends * self.reward[:, None], axis=-1)

    @cached_property
    def deadline_reward(self) -> Float[np.ndarray, " statuses"]:
        """Expected reward when time is up."""
        return np.sum(self.deadline * self.reward, axis=-1)

    def paying(
        self, reward: Real[np.ndarray, "statuses outcomes"] | dict[str, float]
    ) -> "FiniteMDP":
        """Return the same world with other rewards.

        Parameters
        ----------
        reward
            Per status and outcome, or by outcome's name; outcomes left out pay 0.

        Raises
        ------
        ValueError
            If a name is unknown, or a reward does not fit or is not finite.
        """
        if isinstance(reward, dict):
            unknown = [name for name in reward if name not in self.outcomes]
            if unknown:
                raise ValueError(
                    f"reward must name outcomes, {self.outcomes}, "
                    f"but one is {unknown[0]!r}"
                )
            row = np.array([float(reward.get(name, 0.0)) for name in self.outcomes])
            reward = np.tile(row, (len(self.statuses), 1))
        return replace(self, reward=reward)

    def lasting(self, turns: int) -> "FiniteMDP":
        """Return the same world with another number of turns."""
        return replace(self, turns=turns)

    def _check_reachable(self) -> None:
        possible = self.moves.max(axis=1) > 0
        seen = np.arange(len(self.statuses)) == self.start
        for _ in self.statuses:
            seen = seen | possible[seen].any(axis=0)
        if not np.all(seen):
            lost = self.statuses[int(np.flatnonzero(~seen)[0])]
            raise ValueError(
                f"statuses must be reachable from {self.statuses[self.start]!r}, but "
                f"no actions lead to {lost!r}"
            )


def as_turn_policy(pi: TurnPolicy, name: str, mdp: FiniteMDP) -> TurnPolicy:
    """Return ``pi`` as floats, or raise if it is no policy for this process."""
    check_type(mdp, "mdp", FiniteMDP)
    pi = as_floats(pi, name)
    if pi.ndim < 3 or pi.shape[-3:] != mdp.shape:
        raise ValueError(
            f"{name} must have shape (*runs, {', '.join(map(str, mdp.shape))}) for "
            f"this process, but its shape is {pi.shape}"
        )
    check_distributions(pi, name)
    return pi


def same_everywhere(
    mdp: FiniteMDP, probabilities: Real[np.ndarray, " actions"]
) -> Float[np.ndarray, "turns statuses actions"]:
    """Return the policy that acts alike in every turn and status.

    Parameters
    ----------
    mdp
        The process.
    probabilities
        Of each action; sum to 1.

    Raises
    ------
    ValueError
        If there is not one probability per action, or they are no distribution.
    """
    check_type(mdp, "mdp", FiniteMDP)
    row = as_floats(probabilities, "probabilities", ndim=1)
    if len(row) != len(mdp.actions):
        raise ValueError(
            f"probabilities must have one entry per action, {len(mdp.actions)}, "
            f"but it has {len(row)}"
        )
    check_distributions(row, "probabilities")
    return np.broadcast_to(row, mdp.shape).copy()


def _check_names(names: tuple[str, ...], label: str) -> None:
    if not names:
        raise ValueError(f"{label} must not be empty")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{label} must differ, but {twice[0]!r} stands twice")
