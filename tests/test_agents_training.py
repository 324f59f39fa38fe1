"""Credit assignment, learning curves and stale episodes."""

import numpy as np
import pytest
from agent_worlds import SEEDS, all_episodes, random_policy, random_world
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.special import softmax
from strategies import no_type_checker  # noqa: F401

from toolkit.agents.coding_agent import HASTY, PATIENT, REFERENCE, coding_agent
from toolkit.agents.credit import (
    break_even_episodes,
    critic_error_bias,
    gradient_variance,
    variance_by_horizon,
)
from toolkit.agents.critic import CountingCritic
from toolkit.agents.episodes import sample_episodes
from toolkit.agents.learning import CREDITS, learn, leave_one_out
from toolkit.agents.luck import reward_variance
from toolkit.agents.mdp import same_everywhere
from toolkit.agents.staleness import (
    RULES,
    ascend_exactly,
    estimate_second_moment,
    pair_weights,
    train_on_stale,
    weight_second_moment,
    where_old_samples_lead,
)
from toolkit.agents.values import (
    optimal_values,
    policy_values,
    visit_probabilities,
)
from toolkit.divergences import chi_square

AGENT = coding_agent()
PI_REF = same_everywhere(AGENT, REFERENCE)
HASTY_START = same_everywhere(AGENT, HASTY)


def value_of_logits(mdp, logits):
    return float(policy_values(mdp, softmax(logits, axis=-1)).value)


def numerical_gradient(mdp, pi, h=1e-5):
    logits = np.log(pi)
    gradient = np.empty_like(pi)
    for place in np.ndindex(pi.shape):
        moved = [logits.copy(), logits.copy()]
        moved[0][place] += h
        moved[1][place] -= h
        above, below = (value_of_logits(mdp, m) for m in moved)
        gradient[place] = (above - below) / (2 * h)
    return gradient


# --- credit ---------------------------------------------------------------------------


@given(SEEDS)
def test_gradient_variance_is_that_over_all_episodes(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng)
    values = policy_values(mdp, pi)
    episodes = list(all_episodes(mdp, pi))
    weight = np.array([e.probability for e in episodes])

    def trace(of_step):
        estimates = np.zeros((len(episodes), *mdp.shape))
        for i, e in enumerate(episodes):
            for t, s, a in e.steps:
                score = np.eye(mdp.shape[2])[a] - pi[t, s]
                estimates[i, t, s] += score * of_step(e, (t, s, a))
        mean = np.tensordot(weight, estimates, axes=1)
        assert_allclose(mean, numerical_gradient(mdp, pi), atol=1e-6)
        return weight @ np.sum((estimates - mean) ** 2, axis=(1, 2, 3))

    found = gradient_variance(mdp, pi)
    assert_allclose(found.from_start, trace(lambda e, _: e.reward - values.value))
    assert_allclose(
        found.from_state, trace(lambda e, step: e.reward - values.v[step[:2]])
    )
    by_advantage = trace(lambda _, step: values.advantage[step])
    assert_allclose(found.advantage, by_advantage, atol=1e-12)


@given(SEEDS)
def test_with_the_advantage_the_variance_is_at_most_twice_that_of_the_reward(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng).lasting(int(rng.integers(1, 30)))
    pi = random_policy(mdp, rng)
    cap = 2 * reward_variance(mdp, pi).total
    assert gradient_variance(mdp, pi).advantage <= cap + 1e-12


def test_reference_numbers_of_the_gradient_variance():
    found = variance_by_horizon(AGENT, PATIENT, [2, 8, 32, 64])
    assert_allclose(found.from_start, [0.159, 0.931, 2.54, 5.79], rtol=0.003)
    assert_allclose(found.from_state, [0.149, 0.770, 2.32, 4.85], rtol=0.003)
    assert_allclose(found.advantage, [0.0040, 0.0459, 0.253, 0.331], rtol=0.01)
    assert_allclose(found.mean_turns, [1.99, 7.7, 27.5, 47.4], rtol=0.005)
    assert np.all(found.advantage <= found.cap)
    ratio = found.from_start / found.advantage
    assert_allclose(ratio, [39, 20, 10, 17], atol=0.6)  # not monotone


def test_a_wrong_critic_biases_the_gradient_as_much_as_the_formula_says():
    mdp = coding_agent(16)
    pi = same_everywhere(mdp, np.array([0.60, 0.36, 0.03, 0.01]))
    assert_allclose(critic_error_bias(mdp, pi), 0.879, atol=5e-4)
    for error, episodes in ((0.1, 114), (0.05, 458)):
        assert round(break_even_episodes(mdp, pi, error)) == episodes


@given(SEEDS)
def test_the_bias_of_a_wrong_critic_by_drawing_wrong_critics(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng)
    taken = np.zeros(mdp.shape)
    for e in all_episodes(mdp, pi):
        for step in e.steps:
            taken[step] += e.probability
    errors = rng.normal(size=(4000, *mdp.shape))
    wrong = errors - np.sum(pi * errors, axis=-1, keepdims=True)
    # expected gradient with advantage "wrong": sum over states of taken * wrong,
    # since sum_a pi wrong = 0 leaves nothing of the -pi term
    squares = np.sum((taken * wrong) ** 2, axis=(1, 2, 3))
    margin = 5 * squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - critic_error_bias(mdp, pi)) < margin


# --- the critic and learning ----------------------------------------------------------


def test_the_sampled_gradient_has_the_exact_one_as_its_mean():
    n_runs = 300
    policies = np.broadcast_to(PI_REF, (n_runs, *AGENT.shape)).copy()
    rng = np.random.default_rng(1)
    episodes = sample_episodes(AGENT, policies, 32, rng=rng)
    advantage = policy_values(AGENT, PI_REF).advantage
    exact = numerical_gradient(AGENT, PI_REF)
    weights = {
        "whole episode": np.broadcast_to(
            leave_one_out(episodes.rewards), episodes.actions.shape
        ),
        "advantage": episodes.chosen(np.broadcast_to(advantage, policies.shape).copy()),
    }
    for weight in weights.values():
        sampled = episodes.logit_gradient(weight, policies)
        margin = 5 * sampled.std(axis=0, ddof=1) / np.sqrt(n_runs) + 1e-9
        assert np.all(np.abs(sampled.mean(axis=0) - exact) < margin)


def test_leave_one_out_by_hand():
    assert_allclose(leave_one_out(np.array([[1.0, 0.0, 0.0]])), [[1, -0.5, -0.5]])


def test_a_critic_that_has_seen_much_knows_the_advantages_of_any_policy():
    rng = np.random.default_rng(2)
    critic = CountingCritic(AGENT, n_runs=1)
    uniform = np.full((1, *AGENT.shape), 0.25)
    patient = np.broadcast_to(np.array([0.6, 0.38, 0.01, 0.01]), uniform.shape).copy()
    for policy in (uniform, patient):
        critic.observe(sample_episodes(AGENT, policy, 100_000, rng=rng))
    exact = policy_values(AGENT, PI_REF).advantage
    learned = critic.advantages(PI_REF[None])[0]
    often = visit_probabilities(AGENT, patient[0])[:-1] > 0.02
    assert often.sum() > 20
    assert np.abs(learned - exact)[often].max() < 0.08


def test_a_critic_says_nothing_of_what_it_has_not_seen():
    critic = CountingCritic(AGENT, n_runs=1)
    assert np.all(critic.advantages(PI_REF[None]) == 0)


def test_a_critic_that_keeps_nothing_is_one_that_saw_only_the_last_batch():
    rng = np.random.default_rng(3)
    batches = [sample_episodes(AGENT, PI_REF, 20, rng=rng) for _ in range(2)]
    forgetful = CountingCritic(AGENT, n_runs=1, keep=0.0)
    for batch in batches:
        forgetful.observe(batch)
    fresh = CountingCritic(AGENT, n_runs=1)
    fresh.observe(batches[1])
    pi = PI_REF[None]
    assert_allclose(forgetful.advantages(pi), fresh.advantages(pi))


def test_a_critic_learns_faster_than_crediting_whole_episodes():
    curves = learn(AGENT, PI_REF, n_runs=8, rng=np.random.default_rng(4))
    final = {name: values[-1] for name, values in curves.values.items()}
    assert set(final) == set(CREDITS)
    whole, learned, exact = (final[name].mean() for name in CREDITS)
    assert whole + 0.02 < learned < exact < optimal_values(AGENT).value
    assert final["exact critic"].std() < final["whole episode"].std()
    assert curves.n_episodes[-1] == 1600


def test_learning_gives_the_same_curves_from_the_same_generator():
    first, second = (
        learn(AGENT, PI_REF, steps=5, every=5, n_runs=2, rng=np.random.default_rng(s))
        for s in (1, 1)
    )
    for name in CREDITS:
        assert_allclose(first.values[name], second.values[name])


# --- stale episodes -------------------------------------------------------------------


@given(SEEDS)
def test_the_second_moment_is_one_plus_chi_square_over_episodes(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi, mu = (random_policy(mdp, rng) for _ in range(2))
    episodes = list(all_episodes(mdp, mu))
    of_mu = np.array([e.probability for e in episodes])
    ratio = [np.prod([pi[step] / mu[step] for step in e.steps]) for e in episodes]
    moment = weight_second_moment(mdp, pi, mu)
    (chi2,) = chi_square((of_mu * ratio)[None], of_mu[None])
    assert_allclose(moment, 1 + chi2, rtol=1e-9)


def test_what_the_old_policy_never_did_makes_the_second_moment_infinite():
    mu = same_everywhere(AGENT, np.array([0.5, 0.5, 0.0, 0.0]))
    assert weight_second_moment(AGENT, PI_REF, mu) == np.inf
    assert weight_second_moment(AGENT, mu, PI_REF) < np.inf


def test_reference_second_moments_along_the_exact_ascent():
    path = ascend_exactly(AGENT, PI_REF, steps=64, learning_rate=4.0)
    lags = np.array([1, 4, 16, 32, 64])
    found = weight_second_moment(AGENT, path[64], path[64 - lags])
    assert_allclose(found, [1.0002, 1.003, 1.049, 1.251, 9.42], rtol=5e-4)
    sampled = estimate_second_moment(
        AGENT,
        path[64],
        path[32],
        n_episodes=2000,
        n_runs=40,
        rng=np.random.default_rng(1),
    )
    margin = 5 * sampled.std(ddof=1) / np.sqrt(len(sampled))
    assert abs(sampled.mean() - found[3]) < margin


@given(SEEDS)
def test_a_step_of_the_exact_ascent_follows_the_gradient(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng)
    _, after = ascend_exactly(mdp, pi, steps=1, learning_rate=0.5)
    expected = softmax(np.log(pi) + 0.5 * numerical_gradient(mdp, pi), axis=-1)
    assert_allclose(after, expected, atol=1e-7)


def test_fresh_episodes_make_all_corrections_the_same():
    values = [
        train_on_stale(
            AGENT,
            PI_REF,
            [rule],
            [0],
            steps=10,
            n_runs=2,
            rng=np.random.default_rng(7),
        ).values[rule]
        for rule in RULES[:-1]
    ]
    for other in values[1:]:
        assert_allclose(other, values[0])


def test_a_cap_that_is_never_reached_changes_nothing():
    values = [
        train_on_stale(
            AGENT,
            PI_REF,
            [rule],
            [8],
            steps=20,
            cap=1e9,
            n_runs=2,
            rng=np.random.default_rng(8),
        ).values[rule]
        for rule in ("episode ratio", "episode ratio, capped")
    ]
    assert_allclose(values[0], values[1])


def test_reference_values_after_learning_from_stale_episodes():
    rng = np.random.default_rng(9)
    runs = train_on_stale(AGENT, PI_REF, RULES[:-1], [0, 16, 64], n_runs=8, rng=rng)
    expected = {
        "uncorrected": [0.713, 0.715, 0.715],
        "turn ratio": [0.713, 0.710, 0.702],
        "turn ratio, clipped": [0.713, 0.643, 0.537],
        "episode ratio, capped": [0.713, 0.711, 0.692],
    }
    for rule, means in expected.items():
        assert_allclose(runs.values[rule].mean(axis=1), means, atol=0.015)
    # full weights: sd 0.05 over runs at the largest lag
    ratio = runs.values["episode ratio"].mean(axis=1)
    assert_allclose(ratio, [0.713, 0.708, 0.661], atol=0.06)


def test_pair_weights_are_the_gradient_of_the_pairs_log_likelihood():
    rng = np.random.default_rng(12)
    first, logits = np.log(PI_REF)[None], np.log(random_policy(AGENT, rng))[None]
    episodes = sample_episodes(AGENT, PI_REF, 20, rng=rng)
    beta, h = 0.7, 1e-5

    def moved(theta):
        ratio = softmax(theta, axis=-1) / softmax(first, axis=-1)
        return np.log(episodes.chosen(ratio)).sum(axis=0)

    def log_likelihood(theta):
        total = 0.0
        for i in range(0, 20, 2):
            a, b = episodes.rewards[0, i : i + 2]
            x, y = moved(theta)[0, i : i + 2]
            if a != b:
                total -= np.log1p(np.exp(-beta * (x - y) * np.sign(a - b)))
        return total / 20

    weights = pair_weights(episodes.rewards, moved(logits), beta)
    weights = np.broadcast_to(weights, episodes.actions.shape)
    found = episodes.logit_gradient(weights, softmax(logits, axis=-1))
    assert np.abs(found).max() > 0.01
    for place in [(0, 0, 0, 0), (0, 0, 0, 2), (0, 1, 1, 1), (0, 2, 2, 0)]:
        step = np.zeros_like(logits)
        step[place] = h
        above, below = log_likelihood(logits + step), log_likelihood(logits - step)
        assert_allclose(found[place], (above - below) / (2 * h), atol=1e-8)


def test_the_first_step_of_the_pairs_is_as_long_as_that_of_the_others():
    values = [
        train_on_stale(
            AGENT,
            PI_REF,
            [rule],
            [0],
            steps=1,
            n_episodes=100_000,
            n_runs=1,
            rng=np.random.default_rng(13),
        ).values[rule]
        for rule in ("uncorrected", "preference pairs")
    ]
    gained = [v[0, 0] - policy_values(AGENT, PI_REF).value for v in values]
    assert gained[0] > 0.02
    assert_allclose(gained[1], gained[0], rtol=0.05)


def test_preference_pairs_bear_age_where_the_clip_does_not():
    rng = np.random.default_rng(10)
    rules = ["turn ratio, clipped", "preference pairs"]
    runs = train_on_stale(AGENT, PI_REF, rules, [0, 64], n_runs=8, rng=rng)
    lost = {rule: v[0].mean() - v[1].mean() for rule, v in runs.values.items()}
    assert lost["turn ratio, clipped"] > 0.12
    assert abs(lost["preference pairs"]) < 0.04


def test_uncorrected_learning_ends_where_the_old_policy_points():
    assert_allclose(where_old_samples_lead(AGENT, HASTY_START).value, 0.05)
    assert_allclose(
        where_old_samples_lead(AGENT, PI_REF).value, optimal_values(AGENT).value
    )
    greedy = np.eye(4)[policy_values(AGENT, HASTY_START).q.argmax(axis=-1)]
    assert_allclose(policy_values(AGENT, greedy).value, 0.409, atol=5e-4)
    never = train_on_stale(
        AGENT,
        HASTY_START,
        ["uncorrected", "turn ratio"],
        [1000],
        steps=100,
        learning_rate=16.0,
        n_runs=16,
        rng=np.random.default_rng(11),
    ).values
    assert_allclose(never["uncorrected"].mean(), 0.05, atol=0.02)
    assert never["turn ratio"].mean() > 0.12


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda rng: learn(AGENT, PI_REF, ["hindsight"], rng=rng),
            "credits must be one of 'whole episode'",
        ),
        (
            lambda rng: learn(AGENT, same_everywhere(AGENT, PATIENT), rng=rng),
            "pi must give every action some probability",
        ),
        (
            lambda rng: train_on_stale(AGENT, PI_REF, ["none"], [0], rng=rng),
            "rules must be one of 'uncorrected'",
        ),
        (
            lambda rng: train_on_stale(AGENT, PI_REF, RULES, [-1], rng=rng),
            "lags must be from 0",
        ),
        (
            lambda rng: train_on_stale(
                AGENT, PI_REF, RULES, [0], n_episodes=31, rng=rng
            ),
            "n_episodes must be even, but it is 31",
        ),
        (
            lambda _: break_even_episodes(AGENT, PI_REF, 0.0),
            "error must be above 0",
        ),
        (
            lambda _: variance_by_horizon(AGENT, PATIENT, [0]),
            "turns must be from 1",
        ),
        (
            lambda _: CountingCritic(AGENT, n_runs=1, keep=1.5),
            "keep must be at least 0 and at most 1",
        ),
    ],
)
def test_a_bad_argument_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))
