"""The agent's world, values, soft optima, luck: against listing every episode."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from agent_worlds import SEEDS, all_episodes, random_policy, random_world
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.special import logit
from strategies import no_type_checker  # noqa: F401

from toolkit.agents.bandit import measure, single_response
from toolkit.agents.coding_agent import REFERENCE, coding_agent
from toolkit.agents.imitation import imitate_successes, success_policy
from toolkit.agents.luck import reward_variance, success_divergence, success_kl
from toolkit.agents.mdp import FiniteMDP, same_everywhere
from toolkit.agents.soft import advantage_covariance, episode_kl, soft_optimum
from toolkit.agents.values import (
    ending_probabilities,
    expected_turns,
    optimal_values,
    policy_values,
    visit_probabilities,
)
from toolkit.optima import tilted_policy

AGENT = coding_agent()
PI_REF = same_everywhere(AGENT, REFERENCE)


def value(mdp, pi):
    return float(policy_values(mdp, pi).value)


def objective(mdp, pi, pi_ref, eta):
    return value(mdp, pi) - float(episode_kl(mdp, pi, pi_ref)) / eta


# --- values ---------------------------------------------------------------------------


@given(SEEDS)
def test_values_are_the_means_over_all_episodes(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng, zeros=True)
    episodes = list(all_episodes(mdp, pi))
    assert_allclose(sum(e.probability for e in episodes), 1)
    table = policy_values(mdp, pi)
    assert_allclose(table.value, sum(e.probability * e.reward for e in episodes))
    for t, s in {place for e in episodes for place in e.places}:
        through = [e for e in episodes if (t, s) in e.places]
        weight = sum(e.probability for e in through)
        mean = sum(e.probability * e.reward for e in through) / weight
        assert_allclose(table.v[t, s], mean, atol=1e-12)
    for step in {step for e in episodes for step in e.steps}:
        through = [e for e in episodes if step in e.steps]
        weight = sum(e.probability for e in through)
        mean = sum(e.probability * e.reward for e in through) / weight
        assert_allclose(table.q[step], mean, atol=1e-12)


@given(SEEDS)
def test_visits_and_endings_are_the_shares_of_all_episodes(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng, zeros=True)
    visits = np.zeros((mdp.turns + 1, len(mdp.statuses)))
    endings = np.zeros_like(mdp.deadline)
    n_turns = 0.0
    for e in all_episodes(mdp, pi):
        for place in e.places:
            visits[place] += e.probability
        endings[e.status, e.outcome] += e.probability
        n_turns += e.probability * len(e.steps)
    assert_allclose(visit_probabilities(mdp, pi), visits, atol=1e-12)
    assert_allclose(ending_probabilities(mdp, pi), endings, atol=1e-12)
    assert_allclose(expected_turns(mdp, pi), n_turns)


@given(SEEDS)
def test_the_best_value_is_the_largest_over_all_deterministic_policies(seed):
    rng = np.random.default_rng(seed)
    mdp = replace(random_world(rng), turns=2)
    n_states, n_actions = 2 * len(mdp.statuses), len(mdp.actions)
    choices = itertools.product(range(n_actions), repeat=n_states)
    if n_actions**n_states > 300:
        choices = itertools.islice(choices, 300)
    values = [
        value(mdp, np.eye(n_actions)[np.reshape(choice, mdp.shape[:2])])
        for choice in choices
    ]
    best = optimal_values(mdp)
    assert max(values) <= best.value + 1e-12
    if n_actions**n_states <= 300:
        assert_allclose(max(values), best.value)
    assert_allclose(value(mdp, best.policy), best.value)


def test_the_values_of_several_policies_are_those_of_each():
    rng = np.random.default_rng(5)
    policies = np.stack([random_policy(AGENT, rng) for _ in range(3)])
    together = policy_values(AGENT, policies)
    visits = visit_probabilities(AGENT, policies)
    endings = ending_probabilities(AGENT, policies)
    for i, pi in enumerate(policies):
        alone = policy_values(AGENT, pi)
        assert_allclose(together.q[i], alone.q)
        assert_allclose(together.v[i], alone.v)
        assert_allclose(visits[i], visit_probabilities(AGENT, pi))
        assert_allclose(endings[i], ending_probabilities(AGENT, pi))


def test_values_of_the_coding_agent():
    # computed independently of this package
    best = optimal_values(AGENT)
    assert_allclose(value(AGENT, PI_REF), 0.3630, atol=5e-5)
    assert_allclose(best.value, 0.7616, atol=5e-5)
    assert_allclose(best.q[0, 0], [0.7616, 0.7225, 0.05, 0], atol=5e-5)
    assert_allclose(best.q[0, 2], [0.8609, 0.8817, 0.68, 0], atol=5e-5)
    found = [optimal_values(AGENT.lasting(t)).value for t in (2, 4, 8, 16, 24)]
    assert_allclose(found, [0.3695, 0.5493, 0.7616, 0.9083, 0.9408], atol=5e-5)


def test_the_coding_agent_searches_then_tests_and_answers_at_the_end():
    q = optimal_values(AGENT).q
    assert np.all(q[:, :2].argmax(axis=-1) == 0)  # no patch or a rough one: search
    assert np.all(q[:-1, 2].argmax(axis=-1) == 1)  # a good one: test
    assert_allclose(q[-1, 2, 1], q[-1, 2, 2])  # last turn: a test is worth nothing
    assert_allclose(q[0, 2, 1] - q[0, 2, 2], 0.2017, atol=5e-5)


def test_a_test_makes_no_patch_better():
    right = AGENT.ends[:, 2, 0]
    assert_allclose(AGENT.moves[:, 1] @ right, right)


# --- soft optima ----------------------------------------------------------------------


@given(SEEDS)
def test_no_policy_has_a_higher_objective_and_the_gap_is_a_kl(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi_ref, other = (random_policy(mdp, rng) for _ in range(2))
    eta = float(rng.uniform(0.1, 10))
    best = soft_optimum(mdp, pi_ref, eta)
    assert_allclose(best.soft_value, objective(mdp, best.policy, pi_ref, eta))
    gap = best.soft_value - objective(mdp, other, pi_ref, eta)
    assert_allclose(gap, episode_kl(mdp, other, best.policy) / eta, atol=1e-9)
    assert gap >= -1e-12


@given(SEEDS)
def test_resets_of_the_reference_are_one_optimum_at_a_lower_price(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    policy = pi_ref = random_policy(mdp, rng, zeros=True)
    eta, resets = float(rng.uniform(0, 3)), int(rng.integers(1, 4))
    for _ in range(resets):
        policy = soft_optimum(mdp, policy, eta).policy
    assert_allclose(policy, soft_optimum(mdp, pi_ref, resets * eta).policy, atol=1e-9)


@given(SEEDS)
def test_kl_between_policies_is_kl_between_episodes(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    p, q = random_policy(mdp, rng, zeros=True), random_policy(mdp, rng)
    kl = sum(
        e.probability * sum(np.log(p[step] / q[step]) for step in e.steps)
        for e in all_episodes(mdp, p)
    )
    assert_allclose(episode_kl(mdp, p, q), kl, atol=1e-12)


@given(SEEDS)
def test_rewards_move_along_the_path_by_the_covariance_of_advantages(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    other = mdp.paying(rng.normal(size=mdp.reward.shape))
    pi_ref, eta, h = random_policy(mdp, rng), float(rng.uniform(0.1, 3)), 1e-5
    above, below = (soft_optimum(other, pi_ref, eta + d).policy for d in (h, -h))
    slope = (value(mdp, above) - value(mdp, below)) / (2 * h)
    here = soft_optimum(other, pi_ref, eta).policy
    assert_allclose(advantage_covariance(mdp, other, here), slope, atol=1e-7)


@given(SEEDS)
def test_the_reward_rises_with_eta(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    path = soft_optimum(mdp, random_policy(mdp, rng), np.linspace(0, 8, 30)).policy
    assert np.all(np.diff(policy_values(mdp, path).value) >= -1e-12)


def test_the_ends_of_the_path_are_the_reference_and_the_best_policy():
    assert_allclose(soft_optimum(AGENT, PI_REF, 0.0).policy, PI_REF)
    late = soft_optimum(AGENT, PI_REF, 1e5).policy
    assert_allclose(value(AGENT, late), optimal_values(AGENT).value, atol=1e-4)


def test_an_action_the_reference_never_takes_stays_at_zero():
    pi_ref = same_everywhere(AGENT, np.array([0.6, 0.4, 0.0, 0.0]))
    assert np.all(soft_optimum(AGENT, pi_ref, 5.0).policy[..., 2:] == 0)


def test_with_one_turn_and_no_luck_it_is_the_tilted_policy():
    rng = np.random.default_rng(2)
    right = rng.integers(0, 2, 6).astype(float)
    pi_ref = rng.dirichlet(np.ones(6))
    soft = soft_optimum(single_response(right), pi_ref[None, None], 2.5).policy[0]
    assert_allclose(soft, tilted_policy(pi_ref[None], right[None], beta=1 / 2.5))


def test_reference_numbers_of_the_best_policy_at_a_price():
    # success at eta 1, 5, 20; log-odds gained; share of successes tested first
    etas = np.array([1.0, 5.0, 20.0])
    policies = soft_optimum(AGENT, PI_REF, etas).policy
    p = policy_values(AGENT, policies).value
    assert_allclose(p, [0.4236, 0.5936, 0.7137], atol=5e-5)
    gain = logit(p) - logit(value(AGENT, PI_REF))
    assert_allclose(gain, [0.254, 0.941, 1.476], atol=5e-4)
    endings = ending_probabilities(AGENT, np.stack([PI_REF, *policies[1:]]))
    tested = endings[:, 3, 0] / endings[:, :, 0].sum(axis=1)
    assert_allclose(tested, [0.545, 0.631, 0.744], atol=5e-4)


# --- luck -----------------------------------------------------------------------------


@given(SEEDS)
def test_variance_and_its_two_parts(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng, zeros=True)
    episodes = list(all_episodes(mdp, pi))
    weight = np.array([e.probability for e in episodes])
    reward = np.array([e.reward for e in episodes])
    parts = reward_variance(mdp, pi)
    assert_allclose(parts.total, weight @ (reward - weight @ reward) ** 2, atol=1e-12)
    advantage = policy_values(mdp, pi).advantage
    per_episode = [sum(advantage[step] ** 2 for step in e.steps) for e in episodes]
    assert_allclose(parts.choices, weight @ per_episode, atol=1e-12)
    assert parts.luck >= -1e-12


def test_reference_numbers_of_the_variance_of_the_reward():
    expected = {0.0: (0.2312, 0.0622), 5.0: (0.2412, 0.0262)}
    for eta, (total, choices) in expected.items():
        parts = reward_variance(AGENT, soft_optimum(AGENT, PI_REF, eta).policy)
        assert_allclose([parts.total, parts.choices], [total, choices], atol=5e-5)
    assert round(reward_variance(AGENT, PI_REF).share, 2) == 0.27


@given(SEEDS)
def test_what_successes_differ_in_adds_up_to_minus_log_p(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng, binary=True)
    pi = random_policy(mdp, rng, zeros=True)
    nats = success_divergence(mdp, pi)
    assert_allclose(nats.total, -np.log(value(mdp, pi)), atol=1e-9)
    assert min(nats.actions, nats.tools, nats.outcome) >= -1e-12
    # the agent's part, from the frequencies of its actions in successful episodes
    done = success_policy(policy_values(mdp, pi))
    wins = [e for e in all_episodes(mdp, pi) if e.reward == 1]
    total = sum(e.probability for e in wins)
    actions = sum(
        e.probability / total * np.log(done[step] / pi[step])
        for e in wins
        for step in e.steps
    )
    assert_allclose(nats.actions, actions, atol=1e-9)


def test_reference_numbers_of_what_successes_differ_in():
    nats = success_divergence(AGENT, PI_REF)
    parts = [nats.actions, nats.tools, nats.outcome, nats.total]
    assert_allclose(parts, [0.3326, 0.2096, 0.4712, 1.0134], atol=5e-5)


@given(SEEDS)
def test_kl_between_the_successes_of_two_policies(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng, binary=True)
    p, q = random_policy(mdp, rng, zeros=True), random_policy(mdp, rng)
    wins = [e for e in all_episodes(mdp, p) if e.reward == 1]
    weight = np.array([e.probability for e in wins])
    ratio = [np.prod([q[step] / p[step] for step in e.steps]) for e in wins]
    of_q = weight * ratio / value(mdp, q)
    of_p = weight / value(mdp, p)
    kl = np.sum(of_p * np.log(of_p / of_q))
    assert_allclose(success_kl(mdp, p, q), kl, atol=1e-9)


@given(SEEDS)
def test_imitation_fits_what_successful_episodes_do(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng, binary=True)
    pi = random_policy(mdp, rng)
    counted = np.zeros(mdp.shape)
    for e in all_episodes(mdp, pi):
        for step in e.steps:
            counted[step] += e.probability * e.reward
    there = counted.sum(axis=-1) > 0
    fitted = counted[there] / counted[there].sum(axis=-1, keepdims=True)
    assert_allclose(success_policy(policy_values(mdp, pi))[there], fitted, atol=1e-9)


def test_reference_numbers_of_imitation():
    found = imitate_successes(AGENT, PI_REF, rounds=30)[[0, 1, 3, 10, 30]]
    assert_allclose(found, [0.363, 0.572, 0.650, 0.708, 0.743], atol=5e-4)


def test_a_single_response_has_all_that_the_bandit_view_takes_for_granted():
    rng = np.random.default_rng(0)
    right = np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    pi = rng.dirichlet(np.ones(5))[None, None]
    found = measure(single_response(right), pi, eta=3.0)
    assert found.n_decisions == 1
    assert found.value_spread == 0
    shares = [found.choices_share, found.buyable_share, found.imitated]
    assert_allclose(shares, 1)
    assert_allclose(found.log_odds_gain, 3)
    assert_allclose(found.successes_moved, 0, atol=1e-12)


def test_the_agent_has_none_of_it():
    found = measure(AGENT, PI_REF, eta=5.0)
    assert found.n_decisions > 4
    assert found.value_spread > 0.2
    assert_allclose(found.log_odds_gain, 0.941, atol=5e-4)
    assert_allclose(
        [found.choices_share, found.buyable_share], [0.27, 0.33], atol=0.005
    )
    assert found.successes_moved > 0.2


# --- refusals -------------------------------------------------------------------------


def world(**changed):
    parts = {
        "turns": 2,
        "statuses": ("a", "b"),
        "actions": ("go", "stop"),
        "outcomes": ("good", "bad"),
        "transitions": np.array(
            [
                [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]],
                [[0.0, 1.0, 0, 0], [0, 0, 1.0, 0.0]],
            ]
        ),
        "deadline": np.array([[0.0, 1.0], [1.0, 0.0]]),
        "reward": np.array([[1.0, 0.0], [1.0, 0.0]]),
    }
    return FiniteMDP(**parts | changed)


def with_entry(array, place, entry):
    changed = array.copy()
    changed[place] = entry
    return changed


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"transitions": with_entry(world().transitions, (1, 0, 1), 0.9)},
            r"transitions must have rows that sum to 1, but row \(1, 0\) sums to 0\.9",
        ),
        (
            {"transitions": with_entry(world().transitions, (0, 0), [1.5, -0.5, 0, 0])},
            r"transitions must hold probabilities in \[0, 1\], but entry \(0, 0, 0\)",
        ),
        (
            {"transitions": with_entry(world().transitions, (0, 0), [1, 0, 0, 0])},
            "statuses must be reachable from 'a', but no actions lead to 'b'",
        ),
        (
            {"deadline": np.array([[0.0, 0.9], [1.0, 0.0]])},
            r"deadline must have rows that sum to 1, but row 0 sums to 0\.9",
        ),
        (
            {"reward": np.array([[np.inf, 0], [1, 0]])},
            r"reward must be finite.*\(0, 0\)",
        ),
        ({"reward": np.array([[np.nan, 0], [1, 0]])}, "reward must not hold NaN"),
        ({"reward": np.ones((2, 3))}, r"reward must have shape \(2, 2\)"),
        ({"turns": 0}, "turns must be from 1 to"),
        ({"turns": -3}, "turns must be from 1 to .* but it is -3"),
        ({"start": 2}, "start must be from 0 to 1, but it is 2"),
        ({"actions": ("go", "go")}, "actions must differ, but 'go' stands twice"),
        ({"outcomes": ()}, "outcomes must not be empty"),
    ],
)
def test_a_bad_world_is_refused_with_its_first_fault(changed, message):
    with pytest.raises(ValueError, match=message):
        world(**changed)


@pytest.mark.usefixtures("no_type_checker")
def test_a_number_of_turns_that_is_no_integer_is_refused():
    with pytest.raises(TypeError, match="turns must be an integer"):
        world(turns=2.5)


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: policy_values(AGENT, PI_REF[:-1]), r"pi must have shape \(\*runs, 8,"),
        (lambda: policy_values(AGENT, PI_REF * 0.9), "pi must have rows that sum to 1"),
        (lambda: soft_optimum(AGENT, PI_REF, -1.0), "eta must not be negative"),
        (lambda: soft_optimum(AGENT, PI_REF, np.inf), "eta must be finite"),
        (lambda: soft_optimum(AGENT, PI_REF[None], 1.0), "pi_ref must be one policy"),
        (
            lambda: same_everywhere(AGENT, np.array([0.5, 0.5])),
            "probabilities must have one entry per action, 4, but it has 2",
        ),
        (lambda: AGENT.paying({"won": 1.0}), "reward must name outcomes.*'won'"),
        (
            lambda: imitate_successes(AGENT.paying({"wrong": -1.0}), PI_REF, rounds=1),
            "reward must not be negative, but one is -1",
        ),
        (
            lambda: success_divergence(AGENT.paying({}), PI_REF),
            "pi must succeed sometimes",
        ),
        (
            lambda: advantage_covariance(AGENT, coding_agent(4), PI_REF),
            "must be one world with two rewards",
        ),
        (lambda: single_response(np.array([0.5, 1.0])), "right must hold 0 and 1"),
    ],
)
def test_a_bad_argument_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
