"""Proxy rewards, their turning points, and monitors."""

import numpy as np
import pytest
from agent_worlds import SEEDS, all_episodes, random_policy, random_world
from hypothesis import given
from numpy.testing import assert_allclose
from strategies import no_type_checker  # noqa: F401

from toolkit.agents.bandit import single_response
from toolkit.agents.coding_agent import REFERENCE, coding_agent
from toolkit.agents.hacking import follow_proxy, turning_point
from toolkit.agents.mdp import same_everywhere
from toolkit.agents.monitoring import (
    Monitor,
    talking_agent,
    talking_reference,
    train_against,
)
from toolkit.agents.values import policy_values

AGENT, FOOLED = coding_agent(), coding_agent(exit_pays=1.0)
PI_REF = same_everywhere(AGENT, REFERENCE)
NONE = Monitor(said=0.0, unsaid=0.0)
ACTIONS = Monitor(said=0.3, unsaid=0.3)
THOUGHTS = Monitor(said=0.9, unsaid=0.3)


def rarer(p):
    """Return the reference with an exit of probability p, taken from answering."""
    return same_everywhere(AGENT, np.array([0.55, 0.30, 0.15 - p, p]))


def true_at(eta, pi_ref=PI_REF, proxy=FOOLED):
    return follow_proxy(AGENT, proxy, pi_ref, np.array([eta])).true[0]


def test_the_turning_point_is_where_a_fine_grid_has_its_peak():
    for start in (PI_REF, rarer(0.001)):
        at = turning_point(AGENT, FOOLED, start)
        grid = np.linspace(at - 1, at + 1, 2001)
        true = follow_proxy(AGENT, FOOLED, start, grid).true
        assert abs(grid[true.argmax()] - at) <= 0.0011
        assert true.max() <= true_at(at, start) + 1e-12


def test_reference_numbers_at_the_turning_point():
    at = turning_point(AGENT, FOOLED, PI_REF)
    assert_allclose(at, 2.738, atol=5e-4)
    turn = follow_proxy(AGENT, FOOLED, PI_REF, np.array([at]))
    assert_allclose(turn.true, 0.4328, atol=5e-5)
    assert_allclose(turn.kl, 0.3126, atol=5e-5)
    assert_allclose(turn.proxy, 0.6338, atol=5e-5)
    assert_allclose(turn.outcomes[0, 2], 0.201, atol=5e-4)
    assert_allclose(turn.action_covariance, 0, atol=1e-12)
    late = follow_proxy(AGENT, FOOLED, PI_REF, np.array([0.0, 10.0, 30.0]))
    assert_allclose(late.true, [0.3630, 0.294, 0.202], atol=5e-4)
    assert_allclose(late.proxy[-1], 0.989, atol=5e-4)


def test_the_covariance_over_episodes_does_not_predict_the_turn():
    at = turning_point(AGENT, FOOLED, PI_REF)
    path = follow_proxy(AGENT, FOOLED, PI_REF, np.append(np.linspace(0, 30, 301), at))
    assert_allclose(path.episode_covariance[-1], 0.158, atol=1e-3)
    assert np.all(path.episode_covariance > 0)
    assert np.any(path.action_covariance < 0)


def test_what_separates_the_two_covariances_is_luck():
    # a single response has none: there they are the same
    rng = np.random.default_rng(0)
    right = np.array([1.0, 1.0, 0.0, 0.0])
    true = single_response(right)
    outcome = np.array([[0.3, 0.7]])  # another reward on the same outcomes
    path = follow_proxy(
        true,
        true.paying(outcome),
        rng.dirichlet(np.ones(4))[None, None],
        np.arange(4.0),
    )
    assert_allclose(path.action_covariance, path.episode_covariance, atol=1e-12)


@given(SEEDS)
def test_the_episode_covariance_is_that_over_all_episodes(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    proxy = mdp.paying(rng.normal(size=mdp.reward.shape))
    pi = random_policy(mdp, rng)
    path = follow_proxy(mdp, proxy, pi, np.zeros(1))  # eta 0: the reference itself
    episodes = list(all_episodes(mdp, pi))
    weight = np.array([e.probability for e in episodes])
    true = np.array([e.reward for e in episodes])
    seen = np.array([proxy.reward[e.status, e.outcome] for e in episodes])
    covariance = weight @ (true * seen) - (weight @ true) * (weight @ seen)
    assert_allclose(path.episode_covariance, covariance, atol=1e-10)


def test_the_slope_of_the_true_reward_is_the_action_covariance():
    path = follow_proxy(AGENT, FOOLED, PI_REF, np.array([1.0, 5.0]))
    h = 1e-4
    for eta, slope in zip(path.eta, path.action_covariance, strict=True):
        difference = (true_at(eta + h) - true_at(eta - h)) / (2 * h)
        assert_allclose(difference, slope, atol=1e-6)


def test_rarer_hacks_turn_later_and_higher():
    # exit probability: eta at the turn, true reward there
    expected = {0.05: (0.3, 0.308), 0.01: (2.73, 0.433), 0.001: (5.6, 0.561)}
    expected[0.0001] = (8.4, 0.630)
    for p, (eta, true) in expected.items():
        at = turning_point(AGENT, FOOLED, rarer(p))
        assert_allclose(at, eta, atol=0.05)
        assert_allclose(true_at(at, rarer(p)), true, atol=5e-4)


def test_catching_some_exits_saves_the_true_reward():
    expected = {0.0: 0.202, 0.1: 0.399, 0.2: 0.517, 0.3: 0.574, 0.5: 0.665}
    for caught, true in expected.items():
        proxy = coding_agent(exit_pays=1 - caught)
        assert_allclose(true_at(30.0, proxy=proxy), true, atol=5e-4)


def test_a_path_whose_true_reward_does_not_turn_is_refused():
    with pytest.raises(ValueError, match="must change its sign between low and high"):
        turning_point(AGENT, AGENT, PI_REF)
    with pytest.raises(ValueError, match="must be one world with two rewards"):
        turning_point(AGENT, coding_agent(4), PI_REF)


# --- monitors -------------------------------------------------------------------------


def test_two_exits_that_are_caught_alike_are_one():
    eta = np.linspace(0, 20, 5)
    run = train_against(ACTIONS, judge=THOUGHTS, eta=eta, unsaid_share=0.1)
    one = follow_proxy(AGENT, coding_agent(exit_pays=0.7), PI_REF, eta)
    assert_allclose(run.path.true, one.true)
    assert_allclose(run.path.kl, one.kl, atol=1e-12)
    assert_allclose(run.exits, one.outcomes[:, 2])
    assert_allclose(run.unsaid, 0.1)
    assert_allclose(run.caught, 0.9 * 0.9 + 0.1 * 0.3)


def test_the_talking_agent_is_the_coding_agent_before_training():
    talking = talking_agent()
    pi_ref = talking_reference(talking, 0.25)
    assert_allclose(
        policy_values(talking, pi_ref).value, policy_values(AGENT, PI_REF).value
    )
    assert_allclose(pi_ref[0, 0, 3:], [0.0075, 0.0025])


def test_a_monitor_of_thoughts_in_the_reward_goes_blind():
    eta = np.array([0.0, 5.0, 30.0])
    runs = {
        name: train_against(monitor, judge=THOUGHTS, eta=eta, unsaid_share=0.1)
        for name, monitor in (("none", NONE), ("thoughts", THOUGHTS))
    }
    unmonitored, trained_against = runs["none"], runs["thoughts"]
    assert_allclose(unmonitored.caught, 0.84)
    assert trained_against.exits[1] < unmonitored.exits[1]
    assert np.all(np.diff(trained_against.unsaid) > 0)
    assert_allclose(trained_against.caught[-1], 0.3, atol=0.01)
    missed = {name: run.exits * (1 - run.caught) for name, run in runs.items()}
    assert missed["thoughts"][1] < missed["none"][1]
    assert missed["thoughts"][-1] > missed["none"][-1]
    row = trained_against.row(5.0)
    assert_allclose(row["exits"], trained_against.exits[1])
    assert_allclose(row["missed per episode"], missed["thoughts"][1])


@pytest.mark.usefixtures("no_type_checker")
def test_bad_monitors_are_refused():
    with pytest.raises(ValueError, match="said must be at least 0 and at most 1"):
        Monitor(said=1.2, unsaid=0.3)
    with pytest.raises(ValueError, match="unsaid_share must be"):
        train_against(NONE, judge=NONE, eta=np.zeros(1), unsaid_share=-0.1)
    run = train_against(NONE, judge=NONE, eta=np.zeros(1), unsaid_share=0.1)
    with pytest.raises(ValueError, match="eta must be on the path, but 3 is not"):
        run.row(3.0)
