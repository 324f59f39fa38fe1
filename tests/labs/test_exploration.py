"""Laboratory 1: resets of the reference, and how long a rare success takes."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import expit

from tests.strategies import st
from toolkit.capacity import base_rates, tilted_rates, train_shared
from toolkit.labs.exploration import (
    bonus_ceiling,
    first_sight_law,
    reset_rates,
    sample_takeoff,
    takeoff_time,
    turning_points,
)
from toolkit.language import default_testbed, shared_testbed
from toolkit.optima import tilted_policy
from toolkit.passk import first_k_below, mean_pass_at_k
from toolkit.policies import expected_reward, response_probs
from toolkit.training import train
from toolkit.updates import policy_gradient

SHARED = shared_testbed()
F = SHARED.frequencies
SPEED = {
    "gradient": lambda p: 2 * p * (1 - p),
    "normalised": lambda p: 2 * np.sqrt(p * (1 - p)),
    "natural": lambda p: 1.0,
}


def test_optima_in_turn_have_the_reference_values():
    rates = reset_rates(SHARED, 0.3, [0, 1, 2, 3, 4, 6, 8])
    pass_1, pass_256 = mean_pass_at_k(rates, np.array([1, 256]), F).T
    assert_allclose(
        pass_1, [0.200, 0.259, 0.313, 0.350, 0.371, 0.389, 0.395], atol=6e-4
    )
    assert_allclose(
        pass_256, [1.000, 1.000, 1.000, 0.999, 0.985, 0.875, 0.756], atol=6e-4
    )


def test_solving_in_turn_is_solving_once_on_a_longer_leash():
    pi = response_probs(SHARED.ref_logits, SHARED.language)
    for _ in range(5):
        pi = tilted_policy(pi, SHARED.reward, 0.3)
    rates = pi[0] @ SHARED.solves.T
    assert_allclose(rates, reset_rates(SHARED, 0.3, [5])[0], atol=1e-12)


def test_resets_bring_the_crossing_earlier():
    found = [
        first_k_below(base_rates(SHARED), p, 256, F)
        for p in reset_rates(SHARED, 0.3, [1, 2, 3, 4, 6])
    ]
    assert found == [17, 7, 5, 4, 3]


@settings(max_examples=15)
@given(leash=st.floats(0.1, 30), seed=st.integers(1, 5))
def test_a_task_gains_exactly_while_the_average_reward_is_below_its_share(leash, seed):
    testbed = shared_testbed(seed)
    p, step = tilted_rates(testbed, 1 / leash), 1e-5
    above, below = (tilted_rates(testbed, 1 / (leash + s)) for s in (step, -step))
    slope = (np.log(above) - np.log(below)) / (2 * step)
    assert_allclose(slope, F - F @ p, atol=1e-6)


def test_three_fates():
    turns = turning_points(SHARED)
    assert turns[0] == np.inf
    assert turns[1] == pytest.approx(5.775, abs=5e-4)
    assert_allclose(turns[2:], 0)
    at_turn = tilted_rates(SHARED, 1 / turns[1])
    assert at_turn[1] == pytest.approx(0.1937, abs=5e-5)
    assert F @ at_turn == pytest.approx(F[1])


@pytest.fixture(scope="module")
def trained():
    setting = {"steps": [250, 500, 1000], "n_runs": 4, "beta": 0.3}
    return {
        every: train_shared(
            SHARED, **setting, reset_every=every, rng=np.random.default_rng(1)
        )
        for every in (250, None)
    }


def test_trained_runs_with_resets_follow_the_optima_in_turn(trained):
    exact = reset_rates(SHARED, 0.3, [1, 2, 4])
    assert_allclose(trained[250].rates.mean(axis=1), exact, atol=0.02)


def test_without_a_reset_nothing_moves_after_the_first_optimum(trained):
    stays = tilted_rates(SHARED, 0.3)
    for rates in trained[None].rates.mean(axis=1):
        assert_allclose(rates, stays, atol=0.02)
    assert_allclose(stays, [0.391, 0.182, 0.211, 0.117, 0.098], atol=5e-3)


def test_where_problems_do_not_compete_resets_never_fall_below_the_base():
    testbed = default_testbed()
    run = train(
        testbed.ref_logits,
        testbed.reward,
        testbed.language,
        policy_gradient(),
        steps=1000,
        group_size=16,
        learning_rate=0.05,
        n_runs=4,
        beta=0.5,
        reset_every=250,
        rng=np.random.default_rng(1),
    )
    p = expected_reward(run.pi[-1], testbed.reward)
    assert_allclose(p.mean(axis=0), [0.97, 0.997, 0.999, 0.998], atol=0.01)
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    base = expected_reward(pi_ref, testbed.reward)
    assert [first_k_below(base, rates, 256) for rates in p] == [None] * 4


def test_a_reset_at_the_last_step_changes_nothing():
    setting = {"steps": 20, "n_runs": 1, "beta": 0.3}
    runs = [
        train_shared(SHARED, **setting, reset_every=n, rng=np.random.default_rng(1))
        for n in (20, None)
    ]
    assert_allclose(runs[0].rates, runs[1].rates, rtol=0)


@pytest.mark.parametrize("clock", SPEED)
@pytest.mark.parametrize("start", [1e-4, 0.01, 0.3])
def test_the_clocks_integrate_the_flow(clock, start):
    def slowness(log_odds):
        return 1 / SPEED[clock](expit(log_odds))

    low, high = (np.log(p / (1 - p)) for p in (start, 0.5))
    time, _ = quad(slowness, low, high, limit=200)
    assert takeoff_time(np.array([start]), clock)[0] == pytest.approx(time, rel=1e-6)


def test_takeoff_has_the_reference_values():
    p = np.array([1e-2, 1e-4, 1e-6])
    assert_allclose(takeoff_time(p, "gradient"), [54, 5009, 5.0e5], rtol=2e-3)
    assert_allclose(takeoff_time(p, "normalised"), [9.8, 100, 1000], rtol=6e-3)
    assert_allclose(takeoff_time(p, "natural"), [4.6, 9.2, 13.8], rtol=2e-3)


def test_a_start_above_the_target_is_refused():
    with pytest.raises(ValueError, match=r"p must be above 0 and below target = 0\.5"):
        takeoff_time(np.array([0.6]), "gradient")


def test_a_rare_success_is_waited_for_as_the_law_says():
    runs = sample_takeoff(0.01, steps=200, n_runs=64, rng=np.random.default_rng(1))
    law = first_sight_law(0.01, 16)
    assert runs.seen.mean() == pytest.approx(law, abs=3.5 * law / np.sqrt(64))
    assert 25 < (runs.learnt - runs.seen).mean() < 50


@given(p=st.floats(1e-6, 0.99), group=st.integers(1, 64))
def test_the_first_success_waits_like_a_geometric_variable(p, group):
    miss = (1 - p) ** group
    assert first_sight_law(p, group) == pytest.approx(1 / (1 - miss), rel=1e-6)


@pytest.mark.parametrize(
    ("alpha", "ceiling"), [(0.1, 0.972), (0.15, 0.557), (0.3, 0.043)]
)
def test_an_entropy_bonus_has_a_ceiling(alpha, ceiling):
    assert bonus_ceiling(alpha, 625) == pytest.approx(ceiling, abs=6e-4)
    reward = np.zeros((1, 625))
    reward[0, 0] = 1.0
    best = tilted_policy(np.full((1, 625), 1 / 625), reward, alpha)[0, 0]
    assert bonus_ceiling(alpha, 625) == pytest.approx(best)
