"""Learning from episodes that an older policy drew.

Episodes come from the policy mu of some updates ago; the update moves today's policy
pi. Importance weights correct for the difference, at a price: their second moment under
mu is 1 + chi2(pi || mu), and with it the noise grows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit, softmax

from toolkit._checks import as_count, as_counts, as_float, check_choice
from toolkit.agents.episodes import sample_episodes
from toolkit.agents.learning import as_start, leave_one_out
from toolkit.agents.mdp import FiniteMDP, OtherPolicy, TurnPolicy, as_turn_policy
from toolkit.agents.values import (
    ValueTable,
    backup,
    policy_values,
    visit_probabilities,
)

RULES = (
    "uncorrected",
    "turn ratio",
    "turn ratio, clipped",
    "episode ratio",
    "episode ratio, capped",
    "preference pairs",
)


def weight_second_moment(
    mdp: FiniteMDP, pi: TurnPolicy, mu: OtherPolicy
) -> Float[np.ndarray, "*both"]:
    """Return ``E_mu[w^2]`` of the weight ``w = prod_t pi(a_t|s_t) / mu(a_t|s_t)``.

    It is ``1 + chi2(pi || mu)`` over episodes; its inverse is the share of the episodes
    that effectively count. By a backward pass, with m = 1 after the end::

        m(s) = sum_a pi(a|s)^2 / mu(a|s) * E[m(next)]

    Parameters
    ----------
    mdp
        The process.
    pi
        Today's policy, or several.
    mu
        The policy that drew the episodes, or several.

    Raises
    ------
    ValueError
        If one of them is no policy for this process.

    Examples
    --------
    >>> from toolkit.agents.coding_agent import REFERENCE, coding_agent
    >>> from toolkit.agents.mdp import same_everywhere
    >>> agent = coding_agent()
    >>> pi = same_everywhere(agent, REFERENCE)
    >>> float(weight_second_moment(agent, pi, pi).round(12))
    1.0
    """
    pi, mu = as_turn_policy(pi, "pi", mdp), as_turn_policy(mu, "mu", mdp)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(pi > 0, pi**2 / mu, 0.0)
    endless = np.isinf(factor)  # mu never does what pi does; kept apart from the sums
    factor, ends = np.where(endless, 0.0, factor), mdp.ends.sum(axis=-1)
    nothing = np.zeros_like(ends)
    m = np.ones((*factor.shape[:-3], len(mdp.statuses)))
    lost = np.zeros_like(m)  # above 0 where the moment is infinite
    for t in reversed(range(mdp.turns)):
        now, ahead = factor[..., t, :, :], backup(mdp, nothing, lost)
        reaches = endless[..., t, :, :] | ((now > 0) & (ahead > 0))
        m = np.sum(now * backup(mdp, ends, m), axis=-1)
        lost = np.where(np.any(reaches, axis=-1), 1.0, 0.0)
    return np.asarray(np.where(lost > 0, np.inf, m)[..., mdp.start])


def estimate_second_moment(
    mdp: FiniteMDP,
    pi: TurnPolicy,
    mu: TurnPolicy,
    *,
    n_episodes: int,
    n_runs: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, " runs"]:
    """Return the mean of the squared weights of sampled episodes, several times over.

    Parameters
    ----------
    mdp
        The process.
    pi
        Today's policy, one.
    mu
        The policy that draws the episodes, one.
    n_episodes
        Episodes of each repeat, 1 or more.
    n_runs
        Number of repeats, 1 or more.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If one of the policies is none for this process, or a number is out of range.
    """
    n_runs = as_count(n_runs, "n_runs", low=1)
    now = np.tile(as_turn_policy(pi, "pi", mdp), (n_runs, 1, 1, 1))
    then = np.tile(as_turn_policy(mu, "mu", mdp), (n_runs, 1, 1, 1))
    episodes = sample_episodes(mdp, then, n_episodes, rng=rng)
    weights = (episodes.chosen(now) / episodes.chosen(then)).prod(axis=0)
    return np.mean(weights**2, axis=1)


def ascend_exactly(
    mdp: FiniteMDP, pi: TurnPolicy, *, steps: int, learning_rate: float
) -> Float[np.ndarray, "points turns statuses actions"]:
    """Return the policies along the exact policy gradient of the expected reward.

    Parameters
    ----------
    mdp
        The process.
    pi
        The first policy; every action has some probability.
    steps
        Number of updates, 0 or more.
    learning_rate
        Step size on the logits.

    Returns
    -------
    array
        Shape (steps + 1, turns, statuses, actions).

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or holds a zero, or a number is out of
        its range.
    """
    steps = as_count(steps, "steps", low=0)
    rate = as_float(learning_rate, "learning_rate", low=0)
    logits = as_start(mdp, pi, 1)[0]
    policies = np.empty((steps + 1, *mdp.shape))
    for step in range(steps + 1):
        policies[step] = softmax(logits, axis=-1)
        visits = visit_probabilities(mdp, policies[step])[:-1, :, None]
        values = policy_values(mdp, policies[step])
        logits += rate * visits * policies[step] * values.advantage
    return policies


def where_old_samples_lead(mdp: FiniteMDP, mu: TurnPolicy) -> ValueTable:
    """Return the values of the policy that uncorrected learning from mu ends at.

    With a baseline per state the expected update of each logit is a constant,
    ``d_mu(s) mu(a|s) A_mu(s, a)``, whatever the policy has become. So it ends at the
    action with the largest ``mu(a|s) A_mu(s, a)``.

    Parameters
    ----------
    mdp
        The process.
    mu
        The policy that drew the episodes, one.

    Raises
    ------
    ValueError
        If ``mu`` is no policy for this process.
    """
    pull = mu * policy_values(mdp, mu).advantage
    chosen = np.eye(len(mdp.actions))[pull.argmax(axis=-1)]
    return policy_values(mdp, chosen)


@dataclass(frozen=True, eq=False, kw_only=True)
class StaleRuns:
    """Value after training on stale episodes, by rule and lag.

    Attributes
    ----------
    lags
        Updates between drawing an episode and using it.
    values
        Exact value of the final policies, by rule, each of shape (lags, runs).
    """

    lags: Int[np.ndarray, " lags"]
    values: dict[str, Float[np.ndarray, "lags runs"]]


def train_on_stale(
    mdp: FiniteMDP,
    pi: TurnPolicy,
    rules: Sequence[str],
    lags: Sequence[int],
    *,
    steps: int = 150,
    n_episodes: int = 32,
    learning_rate: float = 4.0,
    clip: float = 0.2,
    cap: float = 2.0,
    beta: float = 0.3,
    n_runs: int = 6,
    rng: np.random.Generator,
) -> StaleRuns:
    """Train on episodes that are some updates old, by several rules.

    Parameters
    ----------
    mdp
        The process.
    pi
        The policy all runs start from; every action has some probability.
    rules
        Of ``RULES``. All but the last weigh each step with the episode's reward minus
        the mean of the others in its batch, times: nothing; the ratio
        ``pi/mu`` of that turn; the same, but 0 where the ratio has left
        ``1 +- clip`` in the direction the update pushes; the product of the ratios of
        all turns; that product, at most ``cap``. *Preference pairs* takes the episodes
        of a batch in pairs and, where one was right and the other wrong, follows the
        gradient of ``log sigmoid(beta * margin)``, with the margin the difference of
        the two log-ratios to the first policy (online DPO).
    lags
        Updates between drawing and using an episode, 0 or more. Until that many have
        been made, episodes come from the first policy.
    steps
        Number of updates.
    n_episodes
        Episodes an update, even.
    learning_rate
        Step size on the logits. Pairs use ``2 / beta`` times as much, which makes the
        first expected step of all rules the same.
    clip
        How far a turn's ratio may be from 1.
    cap
        Largest weight of an episode.
    beta
        Price of KL in the pairs' margin.
    n_runs
        Independent runs of each rule and lag.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If ``pi`` is no policy for this process or holds a zero, a rule is unknown, or a
        number is out of its range.
    """
    for rule in rules:
        check_choice(rule, "rules", RULES)
    ages = as_counts(lags, "lags", low=0, ndim=1)
    steps = as_count(steps, "steps", low=1)
    n_episodes = as_count(n_episodes, "n_episodes", low=2)
    if n_episodes % 2:
        raise ValueError(f"n_episodes must be even, but it is {n_episodes}")
    rate = as_float(learning_rate, "learning_rate", low=0)
    limits = {
        "clip": as_float(clip, "clip", low=0),
        "cap": as_float(cap, "cap", low=0, open_low=True),
        "beta": as_float(beta, "beta", low=0, open_low=True),
    }
    n_runs = as_count(n_runs, "n_runs", low=1)
    per_rule = len(ages) * n_runs
    logits = as_start(mdp, pi, len(rules) * per_rule)
    part = {r: slice(i * per_rule, (i + 1) * per_rule) for i, r in enumerate(rules)}
    age = np.tile(np.repeat(ages, n_runs), len(rules))
    history = np.empty((min(steps, int(ages.max()) + 1), *logits.shape))
    first = softmax(logits, axis=-1)
    runs = np.arange(len(logits))
    for step in range(steps):
        policies = softmax(logits, axis=-1)
        history[step % len(history)] = policies
        drawn_at = np.maximum(step - age, 0)
        old = history[drawn_at % len(history), runs]
        old[drawn_at == 0] = first[drawn_at == 0]
        episodes = sample_episodes(mdp, old, n_episodes, rng=rng)
        ratio = episodes.chosen(policies) / episodes.chosen(old)
        advantage = leave_one_out(episodes.rewards)
        weights = np.empty(ratio.shape)
        for rule in rules:
            at = part[rule]
            if rule == "preference pairs":
                moved = np.log(episodes.chosen(policies) / episodes.chosen(first))
                weights[:, at] = (
                    2
                    / limits["beta"]
                    * pair_weights(
                        episodes.rewards[at], moved[:, at].sum(axis=0), limits["beta"]
                    )
                )
            else:
                weights[:, at] = advantage[at] * _correction(
                    rule, ratio[:, at], advantage[at], limits["clip"], limits["cap"]
                )
        logits += rate * episodes.logit_gradient(weights, policies)
    values = policy_values(mdp, softmax(logits, axis=-1)).value
    return StaleRuns(
        lags=ages,
        values={r: values[part[r]].reshape(len(ages), n_runs) for r in rules},
    )


def _correction(
    rule: str, ratio: np.ndarray, advantage: np.ndarray, clip: float, cap: float
) -> np.ndarray:
    """Return what multiplies the advantage of each step."""
    if rule == "uncorrected":
        return np.ones_like(ratio)
    if rule == "turn ratio":
        return ratio
    if rule == "turn ratio, clipped":
        past = np.where(advantage > 0, ratio > 1 + clip, ratio < 1 - clip)
        return np.where(past, 0.0, ratio)
    whole = np.broadcast_to(ratio.prod(axis=0), ratio.shape)
    return whole if rule == "episode ratio" else np.minimum(whole, cap)


def pair_weights(
    rewards: Float[np.ndarray, "runs episodes"],
    moved: Float[np.ndarray, "runs episodes"],
    beta: float,
) -> Float[np.ndarray, "runs episodes"]:
    """Return each episode's weight in the gradient of its pair's preference.

    Episodes 0 and 1 are a pair, 2 and 3 the next. With the margin
    ``moved[better] - moved[worse]``, the weights are plus and minus
    ``beta * sigmoid(-beta * margin)``, the gradient of ``log sigmoid(beta * margin)``;
    pairs that earned the same have weight 0.

    Parameters
    ----------
    rewards
        Reward of each episode; an even number of episodes.
    moved
        Log-ratio of each episode under today's policy and the first one.
    beta
        Price of KL in the margin.

    Examples
    --------
    >>> pair_weights(np.array([[0.0, 1.0, 1.0, 1.0]]), np.zeros((1, 4)), beta=2.0) + 0.0
    array([[-1.,  1.,  0.,  0.]])
    """
    better = np.sign(rewards[:, 0::2] - rewards[:, 1::2])
    margin = better * (moved[:, 0::2] - moved[:, 1::2])
    push = better * beta * expit(-beta * margin)
    return np.stack([push, -push], axis=-1).reshape(rewards.shape)
