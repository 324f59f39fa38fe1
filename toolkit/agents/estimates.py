"""Values estimated from episodes: averaging returns, or bootstrapping from them.

*Monte-Carlo* averages what episodes earned after a state. *TD(0)* averages what the
next state is thought to be worth. Each comes in two forms: from all episodes at once
(*batch*: TD then is the exact value of the world that the counts suggest) and in steps,
one episode after the other (*online*).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_count, as_counts, as_float
from toolkit.agents.episodes import ENDED, Episodes, sample_episodes
from toolkit.agents.mdp import FiniteMDP, TurnPolicy
from toolkit.agents.values import backup, policy_values, visit_probabilities

METHODS = ("Monte-Carlo", "TD")


def monte_carlo_values(
    episodes: Episodes,
) -> Float[np.ndarray, "runs states statuses"]:
    """Return the mean reward of the episodes that passed through each state.

    Parameters
    ----------
    episodes
        Sampled episodes.

    Returns
    -------
    array
        Shape (runs, turns + 1, statuses); NaN where no episode was. No state repeats
        within an episode, so first visits and all visits are the same.
    """
    targets = np.broadcast_to(episodes.rewards, episodes.statuses.shape)
    return np.stack(
        [_mean_by_status(episodes, t, targets[t]) for t in range(len(targets))], axis=1
    )


def batch_td_values(episodes: Episodes) -> Float[np.ndarray, "runs states statuses"]:
    """Return the values that TD(0) settles at when it is shown all episodes for ever.

    They are the exact values of the chain whose transitions and rewards are the
    observed frequencies.

    Parameters
    ----------
    episodes
        Sampled episodes.

    Returns
    -------
    array
        Shape (runs, turns + 1, statuses); NaN where no episode was.
    """
    last = len(episodes.actions)
    values = np.empty((episodes.rewards.shape[0], last + 1, episodes.shape[1]))
    values[:, last] = _mean_by_status(episodes, last, episodes.rewards)
    for t in reversed(range(last)):
        following = episodes.statuses[t + 1]
        v_next = np.take_along_axis(values[:, t + 1], np.maximum(following, 0), axis=1)
        target = np.where(following == ENDED, episodes.rewards, v_next)
        values[:, t] = _mean_by_status(episodes, t, target)
    return values


def online_values(
    episodes: Episodes,
    at: Sequence[int] | Int[np.ndarray, " points"],
    *,
    step: float,
    bootstrap: bool,
) -> Float[np.ndarray, "points runs states statuses"]:
    """Return the values after some numbers of episodes, taken one by one.

    ``V(s) <- V(s) + step * (target - V(s))``

    with the value of the next state as the target (bootstrap), or the reward that the
    episode got. At the last state of an episode the two are the same.

    Parameters
    ----------
    episodes
        Sampled episodes, in the order in which they are taken. Values start at 0.
    at
        Increasing numbers of episodes after which to look.
    step
        Step size, above 0 and at most 1.
    bootstrap
        Whether to use TD(0) targets.

    Returns
    -------
    array
        Shape (points, runs, turns + 1, statuses).

    Raises
    ------
    ValueError
        If ``at`` does not increase from 1 to the number of episodes or ``step`` is out
        of range.
    """
    looks = _as_increasing(at, episodes.rewards.shape[1])
    step = as_float(step, "step", low=0, high=1, open_low=True)
    n_states = len(episodes.statuses)
    runs = np.arange(episodes.rewards.shape[0])
    values = np.zeros((len(runs), n_states, episodes.shape[1]))
    kept = []
    for i in range(int(looks[-1])):
        reward, path = episodes.rewards[:, i], episodes.statuses[:, :, i]
        for t in range(n_states):
            going = path[t] != ENDED
            if not going.any():
                break
            target = reward
            if bootstrap and t + 1 < n_states:
                v_next = values[runs, t + 1, np.maximum(path[t + 1], 0)]
                target = np.where(path[t + 1] == ENDED, reward, v_next)
            here = (runs, t, np.maximum(path[t], 0))
            values[here] += np.where(going, step * (target - values[here]), 0.0)
        if i + 1 in looks:
            kept.append(values.copy())
    return np.stack(kept)


def asymptotic_variance(
    mdp: FiniteMDP, pi: TurnPolicy, *, bootstrap: bool
) -> Float[np.ndarray, "turns statuses"]:
    """Return the limit of n times the variance of a state's estimate from n episodes.

    With d the visit probabilities, R the reward and P(s|s0) how likely an episode that
    is in s0 comes to s::

        Monte-Carlo   Var(R | s0) / d(s0)
        batch TD      sum_s P(s|s0)^2 / d(s) * Var(one-step target | s)

    Where every episode starts, P = d, and the two are equal.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy, one.
    bootstrap
        Whether the estimate is batch TD's.

    Returns
    -------
    array
        Shape (turns, statuses); infinite where no episode comes.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process.
    """
    values = policy_values(mdp, pi)
    visits = visit_probabilities(mdp, pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        if not bootstrap:
            squares = policy_values(mdp.paying(mdp.reward**2), pi).v
            spread = (squares - values.v**2) / visits
            return np.where(visits > 0, spread, np.inf)[:-1]
        noise = _one_step_variance(mdp, values.v, pi) / visits
    noise = np.where(visits > 0, noise, 0.0)
    found = np.full((mdp.turns, len(mdp.statuses)), np.inf)
    for t, s in np.argwhere(visits[:-1] > 0):
        reach = np.eye(len(mdp.statuses))[s]
        total = reach**2 @ noise[t]
        for u in range(t, mdp.turns):
            reach = np.einsum("s,sa,san->n", reach, pi[u], mdp.moves)
            total += reach**2 @ noise[u + 1]
        found[t, s] = total
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimatorStudy:
    """How good value estimates are, by number of episodes, over many repeats.

    Attributes
    ----------
    n_episodes
        Numbers of episodes.
    start
        Estimates of the start state's value, by rule, each of shape (points, runs). The
        rules are ``"batch Monte-Carlo"``, ``"batch TD"``, ``"online Monte-Carlo"`` and
        ``"online TD"``.
    rmse
        Root mean square error over repeats and the states seen in each, weighed by how
        often an episode is there; for the batch rules.
    truth
        Exact value of the start state.
    """

    n_episodes: Int[np.ndarray, " points"]
    start: dict[str, Float[np.ndarray, "points runs"]]
    rmse: dict[str, Float[np.ndarray, " points"]]
    truth: float

    def bias(self, rule: str) -> Float[np.ndarray, " points"]:
        """Return the mean error of a rule at the start state."""
        return self.start[rule].mean(axis=1) - self.truth

    def spread(self, rule: str) -> Float[np.ndarray, " points"]:
        """Return the standard deviation of a rule at the start state."""
        return self.start[rule].std(axis=1, ddof=1)


def study_estimators(
    mdp: FiniteMDP,
    pi: TurnPolicy,
    n_episodes: Sequence[int],
    *,
    n_runs: int,
    step: float = 0.1,
    rng: np.random.Generator,
) -> EstimatorStudy:
    """Estimate values by four rules from the same episodes, many times over.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy, one.
    n_episodes
        Increasing numbers of episodes.
    n_runs
        Number of repeats, 2 or more.
    step
        Step size of the online rules.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or a number is out of its range.
    """
    at = _as_increasing(n_episodes)
    n_runs = as_count(n_runs, "n_runs", low=2)
    values = policy_values(mdp, pi)
    every_run = np.broadcast_to(values.policy, (n_runs, *mdp.shape))
    episodes = sample_episodes(mdp, every_run, int(at[-1]), rng=rng)
    visits = visit_probabilities(mdp, pi)[:-1]
    batch: dict[str, list[np.ndarray]] = {"Monte-Carlo": [], "TD": []}
    for n in at:
        first = episodes.first(int(n))
        batch["Monte-Carlo"].append(monte_carlo_values(first)[:, :-1])
        batch["TD"].append(batch_td_values(first)[:, :-1])
    online = {
        "Monte-Carlo": online_values(episodes, at, step=step, bootstrap=False),
        "TD": online_values(episodes, at, step=step, bootstrap=True),
    }
    start = {f"batch {m}": np.stack(batch[m])[:, :, 0, mdp.start] for m in METHODS}
    start |= {f"online {m}": online[m][:, :, 0, mdp.start] for m in METHODS}
    rmse = {
        m: _visited_rmse(np.stack(batch[m]), values.v[:-1], visits) for m in METHODS
    }
    return EstimatorStudy(
        n_episodes=at, start=start, rmse=rmse, truth=float(values.value)
    )


def _mean_by_status(episodes: Episodes, t: int, targets: np.ndarray) -> np.ndarray:
    """Return the mean target of the episodes in each status at turn t, by run."""
    runs, n = episodes.rewards.shape[0], episodes.shape[1]
    going = episodes.statuses[t] != ENDED
    at = (np.arange(runs)[:, None] * n + episodes.statuses[t])[going]
    counts = np.bincount(at, minlength=runs * n)
    sums = np.bincount(at, targets[going], minlength=runs * n)
    with np.errstate(invalid="ignore"):  # 0 / 0 = NaN: no episode was there
        return (sums / counts).reshape(runs, n)


def _visited_rmse(
    estimates: np.ndarray, truth: np.ndarray, visits: np.ndarray
) -> np.ndarray:
    """Return the error over runs and states, weighed by visits, where there is one."""
    weights = np.where(np.isnan(estimates), 0.0, visits)
    squares = weights * np.nan_to_num(estimates - truth) ** 2
    over = (1, 2, 3)
    return np.sqrt(squares.sum(axis=over) / weights.sum(axis=over))


def _one_step_variance(mdp: FiniteMDP, v: np.ndarray, pi: np.ndarray) -> np.ndarray:
    """Return the variance of the TD target in each state, the deadline included."""
    second = np.sum(mdp.ends * mdp.reward[:, None] ** 2, axis=-1)
    mean_square = [
        np.sum(pi[t] * backup(mdp, second, v[t + 1] ** 2), axis=-1)
        for t in range(mdp.turns)
    ]
    mean_square.append(np.sum(mdp.deadline * mdp.reward**2, axis=-1))
    return np.stack(mean_square) - v**2


def _as_increasing(
    at: Sequence[int] | np.ndarray, most: int | None = None
) -> np.ndarray:
    numbers = as_counts(at, "n_episodes", low=1, ndim=1)
    if np.any(np.diff(numbers) <= 0) or (most is not None and numbers[-1] > most):
        limit = "" if most is None else f" to at most {most}"
        raise ValueError(f"n_episodes must increase{limit}, but it is {numbers}")
    return numbers
