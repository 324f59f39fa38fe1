"""Learning curves: the same number of episodes, credited in different ways."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.special import softmax

from toolkit._checks import as_count, as_float, check_choice
from toolkit.agents.critic import CountingCritic
from toolkit.agents.episodes import Episodes, sample_episodes
from toolkit.agents.mdp import FiniteMDP, TurnPolicy, as_turn_policy
from toolkit.agents.values import policy_values

CREDITS = ("whole episode", "learned critic", "exact critic")


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningCurves:
    """Exact values of the policies along training.

    Attributes
    ----------
    n_episodes
        Episodes each run has seen.
    values
        By credit, shape (points, runs).
    """

    n_episodes: Int[np.ndarray, " points"]
    values: dict[str, Float[np.ndarray, "points runs"]]


def learn(
    mdp: FiniteMDP,
    pi: TurnPolicy,
    credits: Sequence[str] = CREDITS,
    *,
    steps: int = 200,
    n_episodes: int = 8,
    learning_rate: float = 8.0,
    keep: float = 1.0,
    every: int = 10,
    n_runs: int = 8,
    rng: np.random.Generator,
) -> LearningCurves:
    """Climb the policy gradient from the same samples, credited in different ways.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy all runs start from; every action has some probability.
    credits
        Of ``CREDITS``. *Whole episode*: each step's weight is the episode's reward
        minus the mean of the other episodes in the batch. *Learned critic*: estimated
        ``Q - V`` of :class:`~toolkit.agents.critic.CountingCritic`. *Exact critic*:
        true ``Q - V``.
    steps
        Number of updates.
    n_episodes
        New episodes an update, 2 or more.
    learning_rate
        Step size on the logits, plain gradient ascent.
    keep
        What the learned critic keeps of its counts at each update, from 0 to 1.
    every
        Updates between two points of the curve.
    n_runs
        Independent runs of each credit.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or holds a zero, a credit is unknown,
        or a number is out of its range.
    """
    for credit in credits:
        check_choice(credit, "credits", CREDITS)
    steps, every = as_count(steps, "steps", low=1), as_count(every, "every", low=1)
    n_episodes = as_count(n_episodes, "n_episodes", low=2)
    rate = as_float(learning_rate, "learning_rate", low=0)
    n_runs = as_count(n_runs, "n_runs", low=1)
    logits = as_start(mdp, pi, len(credits) * n_runs)
    critics = {c: CountingCritic(mdp, n_runs=n_runs, keep=keep) for c in credits}
    part = {c: slice(i * n_runs, (i + 1) * n_runs) for i, c in enumerate(credits)}
    points = []
    for step in range(steps + 1):
        policies = softmax(logits, axis=-1)
        if step % every == 0:
            points.append(policy_values(mdp, policies).value)
        episodes = sample_episodes(mdp, policies, n_episodes, rng=rng)
        weights = np.empty(episodes.actions.shape)
        for c in credits:
            of_credit = episodes.of_runs(part[c])
            weights[:, part[c]] = _weights(
                c, mdp, of_credit, policies[part[c]], critics[c]
            )
        logits += rate * episodes.logit_gradient(weights, policies)
    return LearningCurves(
        n_episodes=np.arange(len(points)) * every * n_episodes,
        values={c: np.stack(points)[:, part[c]] for c in credits},
    )


def as_start(mdp: FiniteMDP, pi: TurnPolicy, n_runs: int) -> np.ndarray:
    """Return the logits of one policy, once per run."""
    pi = as_turn_policy(pi, "pi", mdp)
    if pi.ndim != 3:
        raise ValueError(f"pi must be one policy, but its shape is {pi.shape}")
    if np.any(pi == 0):
        raise ValueError("pi must give every action some probability, but holds a 0")
    return np.tile(np.log(pi), (n_runs, 1, 1, 1))


def leave_one_out(rewards: Float[np.ndarray, "runs n"]) -> Float[np.ndarray, "runs n"]:
    """Return each episode's reward minus the mean of the others in its batch."""
    n = rewards.shape[1]
    return (rewards - rewards.mean(axis=1, keepdims=True)) * n / (n - 1)


def _weights(
    credit: str,
    mdp: FiniteMDP,
    episodes: Episodes,
    policies: np.ndarray,
    critic: CountingCritic,
) -> np.ndarray:
    if credit == "whole episode":
        return np.broadcast_to(leave_one_out(episodes.rewards), episodes.actions.shape)
    if credit == "exact critic":
        return episodes.chosen(policy_values(mdp, policies).advantage)
    critic.observe(episodes)
    return episodes.chosen(critic.advantages(policies))
