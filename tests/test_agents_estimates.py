"""Sampled episodes and estimates of values, against exact values."""

import numpy as np
import pytest
from agent_worlds import SEEDS, all_episodes, random_policy, random_world
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from strategies import no_type_checker  # noqa: F401

from toolkit.agents.coding_agent import REFERENCE, coding_agent
from toolkit.agents.episodes import ENDED, Episodes, sample_episodes
from toolkit.agents.estimates import (
    asymptotic_variance,
    batch_td_values,
    monte_carlo_values,
    online_values,
    study_estimators,
)
from toolkit.agents.luck import reward_variance
from toolkit.agents.mdp import same_everywhere
from toolkit.agents.values import (
    ending_probabilities,
    policy_values,
    visit_probabilities,
)

AGENT = coding_agent()
PI_REF = same_everywhere(AGENT, REFERENCE)
EXACT = policy_values(AGENT, PI_REF)


def draw(n_runs, n_episodes, seed):
    policies = np.broadcast_to(PI_REF, (n_runs, *AGENT.shape))
    rng = np.random.default_rng(seed)
    return sample_episodes(AGENT, policies, n_episodes, rng=rng)


def by_hand(statuses, rewards):
    """Return episodes of one run over two turns and two statuses, as given."""
    statuses = np.array(statuses).T[:, None]
    return Episodes(
        statuses=statuses,
        actions=np.where(statuses[:-1] == ENDED, ENDED, 0),
        outcomes=np.zeros((1, statuses.shape[2]), dtype=int),
        rewards=np.array([rewards], dtype=float),
        shape=(2, 2, 1),
    )


# --- episodes -------------------------------------------------------------------------


@given(SEEDS)
def test_episodes_come_as_often_as_they_should(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng, zeros=True)
    n = 4000
    drawn = sample_episodes(mdp, pi, n, rng=rng)
    margin = 5 * np.sqrt(0.25 / n)  # 5 standard errors of the worst share
    states = [
        [(drawn.statuses[t, 0] == s).mean() for s in range(len(mdp.statuses))]
        for t in range(mdp.turns + 1)
    ]
    assert_allclose(states, visit_probabilities(mdp, pi), atol=margin)
    outcomes = [(drawn.outcomes[0] == o).mean() for o in range(2)]
    assert_allclose(outcomes, ending_probabilities(mdp, pi).sum(axis=0), atol=margin)
    possible = {(e.steps, e.outcome) for e in all_episodes(mdp, pi)}
    for i in range(50):
        running = drawn.running[:, 0, i]
        statuses, actions = drawn.statuses[:-1, 0, i], drawn.actions[:, 0, i]
        steps = tuple(
            (t, int(statuses[t]), int(actions[t])) for t in np.flatnonzero(running)
        )
        assert (steps, int(drawn.outcomes[0, i])) in possible


def test_the_same_generator_gives_the_same_episodes():
    first, second, other = draw(2, 50, 1), draw(2, 50, 1), draw(2, 50, 2)
    assert_array_equal(first.statuses, second.statuses)
    assert_array_equal(first.rewards, second.rewards)
    assert np.any(first.statuses != other.statuses)


def test_a_run_has_the_episodes_of_its_own_policy():
    answer = np.eye(4)[2]
    policies = np.stack([PI_REF, same_everywhere(AGENT, answer)])
    rng = np.random.default_rng(0)
    drawn = sample_episodes(AGENT, policies, 100, rng=rng)
    assert np.all(drawn.n_actions[1] == 1)
    assert drawn.n_actions[0].max() > 1
    assert_array_equal(drawn.of_runs(slice(1, 2)).rewards, drawn.rewards[1:])
    assert_array_equal(drawn.first(7).actions, drawn.actions[..., :7])


# --- values from episodes -------------------------------------------------------------


def test_batch_estimates_by_hand():
    # status by turn and at the deadline: 0 0 1 | 0 1 end | 0 1 1, earning 1, 0, 0
    episodes = by_hand([[0, 0, 1], [0, 1, ENDED], [0, 1, 1]], [1, 0, 0])
    monte_carlo = monte_carlo_values(episodes)[0]
    assert_allclose(monte_carlo[0, 0], 1 / 3)
    assert_allclose(monte_carlo[1], [1, 0])
    assert_allclose(monte_carlo[2, 1], 1 / 2)
    td = batch_td_values(episodes)[0]
    assert_allclose(td[2, 1], 1 / 2)  # two episodes were there, one earned 1
    assert_allclose(td[1], [1 / 2, 1 / 4])  # the second: a 0, and one that leads there
    assert_allclose(td[0, 0], (1 / 2 + 1 / 4 + 1 / 4) / 3)
    for values in (monte_carlo, td):
        assert np.isnan(values[0, 1])
        assert np.isnan(values[2, 0])


def test_online_rules_by_hand():
    episodes = by_hand([[0, 1, ENDED], [0, 1, ENDED]], [1, 0])
    step = 0.5
    td = online_values(episodes, [1, 2], step=step, bootstrap=True)[:, 0]
    # first episode: V(1, 1) = 0.5, V(0, 0) moved towards the old V(1, 1) = 0
    assert_allclose(td[0, [0, 1], [0, 1]], [0, 0.5])
    # second: V(0, 0) = 0.5 * 0.5, V(1, 1) = 0.5 * 0.5
    assert_allclose(td[1, [0, 1], [0, 1]], [0.25, 0.25])
    monte_carlo = online_values(episodes, [1, 2], step=step, bootstrap=False)[:, 0]
    assert_allclose(monte_carlo[0, [0, 1], [0, 1]], [0.5, 0.5])
    assert_allclose(monte_carlo[1, [0, 1], [0, 1]], [0.25, 0.25])


def test_at_the_start_both_batch_rules_give_the_mean_reward():
    episodes = draw(20, 50, 3)
    mean = episodes.rewards.mean(axis=1)
    assert_allclose(monte_carlo_values(episodes)[:, 0, 0], mean)
    assert_allclose(batch_td_values(episodes)[:, 0, 0], mean)


def test_batch_estimates_have_the_exact_values_as_means():
    episodes = draw(400, 300, 4)
    for values in (monte_carlo_values(episodes), batch_td_values(episodes)):
        seen = ~np.isnan(values)
        for place in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 0), (8, 1)]:
            found = values[:, *place][seen[:, *place]]
            margin = 5 * found.std(ddof=1) / np.sqrt(len(found))
            assert abs(found.mean() - EXACT.v[place]) < margin


def test_variances_are_the_asymptotic_ones():
    n = 2000
    episodes = draw(400, n, 5)
    estimates = {False: monte_carlo_values(episodes), True: batch_td_values(episodes)}
    for bootstrap, values in estimates.items():
        law = asymptotic_variance(AGENT, PI_REF, bootstrap=bootstrap)
        for place in [(0, 0), (2, 1), (3, 2), (4, 0)]:
            found = n * values[:, *place].var(ddof=1)
            # sd of a variance from 400 runs is 7% of it
            assert_allclose(found, law[place], rtol=0.3)


def test_reference_ratios_of_the_variances():
    place = ([2, 3, 2, 4], [1, 2, 3, 0])
    td = asymptotic_variance(AGENT, PI_REF, bootstrap=True)
    monte_carlo = asymptotic_variance(AGENT, PI_REF, bootstrap=False)
    assert_allclose(
        td[place] / monte_carlo[place], [0.52, 0.46, 0.35, 0.67], atol=0.006
    )
    assert_allclose(td[0, 0], monte_carlo[0, 0])
    assert np.all(np.isinf(td[0, 1:]))


@given(SEEDS)
def test_one_step_variances_add_up_to_that_of_the_reward(seed):
    rng = np.random.default_rng(seed)
    mdp = random_world(rng)
    pi = random_policy(mdp, rng)
    start = asymptotic_variance(mdp, pi, bootstrap=True)[0, mdp.start]
    assert_allclose(start, reward_variance(mdp, pi).total, atol=1e-10)


def test_reference_numbers_of_the_four_rules():
    rng = np.random.default_rng(6)
    study = study_estimators(AGENT, PI_REF, [50, 200], n_runs=500, rng=rng)
    assert_allclose(study.truth, 0.3630, atol=5e-5)
    assert_allclose(study.bias("online TD"), [-0.334, -0.275], atol=0.007)
    assert_allclose(study.spread("online TD"), [0.026, 0.030], atol=0.005)
    assert_allclose(study.spread("batch Monte-Carlo"), [0.068, 0.034], atol=0.006)
    assert_allclose(study.bias("batch Monte-Carlo"), 0, atol=0.015)
    assert_allclose(study.spread("online Monte-Carlo")[1], 0.112, atol=0.015)
    assert_allclose(study.rmse["TD"], [0.126, 0.058], atol=0.005)
    assert_allclose(study.rmse["Monte-Carlo"], [0.158, 0.074], atol=0.005)


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: draw(1, 0, 0), "n_episodes must be from 1"),
        (lambda: draw(1, 3, 0).first(4), "n must be from 1 to 3, but it is 4"),
        (
            lambda: online_values(draw(1, 3, 0), [4], step=0.1, bootstrap=True),
            "n_episodes must increase to at most 3",
        ),
        (
            lambda: online_values(draw(1, 3, 0), [2], step=0.0, bootstrap=True),
            "step must be above 0",
        ),
        (
            lambda: study_estimators(
                AGENT, PI_REF, [20, 10], n_runs=2, rng=np.random.default_rng(0)
            ),
            "n_episodes must increase",
        ),
    ],
)
def test_a_bad_argument_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
