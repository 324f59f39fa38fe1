"""Small random worlds, and every episode they can have, for the tests of agents."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from toolkit.agents.mdp import FiniteMDP

SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Episode:
    """One way an episode can go.

    Attributes
    ----------
    probability
        How likely it is.
    steps
        Turn, status and action of each step.
    places
        Turn and status of each state, the deadline included.
    status, outcome
        Where and how it ended.
    reward
        What it earned.
    """

    probability: float
    steps: tuple[tuple[int, int, int], ...]
    places: tuple[tuple[int, int], ...]
    status: int
    outcome: int
    reward: float


def random_world(rng: np.random.Generator, *, binary: bool = False) -> FiniteMDP:
    """Return a world of up to 3 turns, 3 statuses and 3 actions."""
    turns, n, n_actions = (int(rng.integers(1, 4)) for _ in range(3))
    n_actions += 1
    follow = rng.dirichlet(np.full(n + 2, 0.7), size=(n, n_actions))
    follow[:, -1, :n] = 0  # the last action always ends
    follow[:, -1] /= follow[:, -1].sum(axis=-1, keepdims=True)
    reward = rng.normal(size=(n, 2))
    if binary:
        reward = np.tile([1.0, 0.0], (n, 1))
    return FiniteMDP(
        turns=turns,
        statuses=tuple("abc"[:n]),
        actions=tuple("wxyz"[:n_actions]),
        outcomes=("good", "bad"),
        transitions=follow,
        deadline=rng.dirichlet(np.ones(2), size=n),
        reward=reward,
    )


def random_policy(
    mdp: FiniteMDP, rng: np.random.Generator, *, zeros: bool = False
) -> np.ndarray:
    """Return a policy for a world; with ``zeros`` it never takes some actions."""
    pi = rng.dirichlet(np.ones(mdp.shape[2]), size=mdp.shape[:2])
    if zeros:
        never = rng.random(pi.shape) < 0.3
        never[..., -1] = False
        pi = np.where(never, 0.0, pi)
    return pi / pi.sum(axis=-1, keepdims=True)


def all_episodes(mdp: FiniteMDP, pi: np.ndarray) -> Iterator[Episode]:
    """Yield every episode that the policy can have."""
    n = len(mdp.statuses)

    def go_on(
        probability: float, steps: tuple, places: tuple, t: int, s: int
    ) -> Iterator[Episode]:
        places = (*places, (t, s))
        if t == mdp.turns:
            for outcome, p in enumerate(mdp.deadline[s]):
                yield from end(probability * p, steps, places, s, outcome)
            return
        for a, p_action in enumerate(pi[t, s]):
            done = (*steps, (t, s, a))
            for follows, p in enumerate(mdp.transitions[s, a]):
                weight = probability * p_action * p
                if weight == 0:
                    continue
                if follows >= n:
                    yield from end(weight, done, places, s, follows - n)
                else:
                    yield from go_on(weight, done, places, t + 1, follows)

    def end(
        probability: float, steps: tuple, places: tuple, s: int, outcome: int
    ) -> Iterator[Episode]:
        if probability > 0:
            reward = float(mdp.reward[s, outcome])
            yield Episode(probability, steps, places, s, outcome, reward)

    yield from go_on(1.0, (), (), 0, mdp.start)
