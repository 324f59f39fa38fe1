"""Shared-capacity collapse: published numbers over 64 seeds, and the law beneath."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from tests.strategies import st
from toolkit.capacity import (
    base_rates,
    flow_pass_at_k_law,
    softmax_flow,
    task_rates,
    tilted_rates,
    train_shared,
)
from toolkit.language import shared_testbed
from toolkit.passk import first_k_below, mean_pass_at_k

F = np.array([0.40, 0.30, 0.15, 0.10, 0.05])
TESTBED = shared_testbed()
BASE = base_rates(TESTBED)


@pytest.fixture(scope="module")
def runs():
    """The published run, with 64 seeds, kept where the section looks at it."""
    steps, rng = [500, 1500, 3000], np.random.default_rng(11)
    return train_shared(TESTBED, steps=steps, rng=rng)


def test_the_base_solves_a_fifth_at_once_and_everything_in_256_tries():
    assert mean_pass_at_k(BASE, 1, F) == pytest.approx(0.200, abs=5e-4)
    assert mean_pass_at_k(BASE, 256, F) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("beta", "expected"),
    [
        (0.3, [0.389, 0.185, 0.211, 0.118, 0.098]),
        (0.1, [0.709, 0.173, 0.073, 0.029, 0.017]),
        (0.03, [0.977, 0.023, 0, 0, 0]),
    ],
)
def test_rates_at_the_optimum_are_the_published_ones(beta, expected):
    assert_allclose(tilted_rates(TESTBED, beta), expected, atol=5.5e-4)


def test_pass_at_256_at_the_optimum_is_the_published_one():
    assert mean_pass_at_k(tilted_rates(TESTBED, 0.1), 256, F) == pytest.approx(
        0.999, abs=5e-4
    )
    sharpest = tilted_rates(TESTBED, 0.03)
    assert mean_pass_at_k(sharpest, 1, F) == pytest.approx(0.398, abs=5e-4)
    assert mean_pass_at_k(sharpest, 256, F) == pytest.approx(0.711, abs=5e-4)


def test_at_infinite_beta_the_rates_are_the_bases():
    assert_allclose(tilted_rates(TESTBED, np.inf), BASE)


def test_rloo_doubles_pass_at_1(runs):
    assert_allclose(runs.pass_at_k(1)[1], 0.400, atol=0.002)


def test_after_1500_steps_pass_at_256_is_the_published_one_over_64_seeds(runs):
    after = runs.pass_at_k(256)[1]
    assert after.mean() == pytest.approx(0.428, abs=0.003)
    assert after.std() == pytest.approx(0.006, abs=0.003)
    assert 0.40 < after.min() < 0.42 < 0.43 < after.max() < 0.46


def test_every_seed_falls_below_the_base_at_three_tries(runs):
    for rates in runs.rates[1]:
        assert first_k_below(BASE, rates, 1000, F) == 3


def test_pass_at_256_depends_on_when_training_stops(runs):
    early, _, late = runs.pass_at_k(256)
    assert 0.52 < early.mean() < 0.58
    assert 0.405 < late.mean() < 0.412


def test_nothing_is_lost_for_good_at_65536_tries(runs):
    early, middle, late = runs.pass_at_k(65_536)
    assert early.min() > 0.999
    assert middle.min() > 0.98
    assert 0.93 < late.mean() < 1.0
    assert late.min() > 0.7  # single seeds at 3,000 steps reach below .93


def test_the_same_generator_gives_the_same_runs():
    first, again = (
        train_shared(TESTBED, steps=20, n_runs=2, rng=np.random.default_rng(5)).rates
        for _ in range(2)
    )
    assert_allclose(first, again, rtol=0)


def test_a_price_on_kl_holds_the_shared_policy_near_its_optimum():
    held = train_shared(
        TESTBED, steps=1500, n_runs=16, beta=0.1, rng=np.random.default_rng(0)
    )
    assert_allclose(held.rates[0].mean(axis=0), tilted_rates(TESTBED, 0.1), atol=0.05)


@given(st.integers(0, 2**32))
def test_task_rates_add_up_the_responses_that_solve_each_task(seed):
    pi = np.random.default_rng(seed).dirichlet(np.ones(625), size=1)
    task = TESTBED.language.tokens.sum(axis=1) % 5
    expected = np.bincount(task, weights=pi[0], minlength=5)
    assert_allclose(task_rates(pi, TESTBED), expected, atol=1e-12)


def test_flow_and_law_at_the_published_time():
    times = np.array([1e4])
    assert mean_pass_at_k(softmax_flow(F, times)[0], 256, F) == pytest.approx(
        0.42060, abs=5e-6
    )
    assert flow_pass_at_k_law(F, 256, times)[0] == pytest.approx(0.42087, abs=5e-6)


def test_the_law_is_what_the_flow_comes_down_to():
    times = np.array([1e4, 1e5, 1e6, 1e7])
    flow = mean_pass_at_k(softmax_flow(F, times), 256, F) - F[0]
    law = flow_pass_at_k_law(F, 256, times) - F[0]
    error = np.abs(flow / law - 1)
    assert np.all(np.diff(error) < 0)
    assert error[-1] < 1e-4


def test_each_abandoned_task_fades_like_one_over_t():
    times = np.array([1e6])
    expected = 1 / (5 * 1e6 * (F[0] - F[1:]))
    assert_allclose(softmax_flow(F, times)[0, 1:], expected, rtol=1e-3)


def test_the_flow_is_the_limit_of_small_gradient_steps():
    start, step, n = np.array([0.1, 0.2, 0.3, 0.15, 0.25]), 1e-3, 5000
    theta = np.log(start)
    for _ in range(n):
        p = np.exp(theta) / np.exp(theta).sum()
        theta = theta + step * p * (F - p @ F)
    p = np.exp(theta) / np.exp(theta).sum()
    flow = softmax_flow(F, np.array([0.0, n * step]), start)
    assert_allclose(flow[0], start, atol=1e-12)
    assert_allclose(flow[1], p, atol=1e-4)
    assert np.abs(flow[1] - start).max() > 0.03  # it did move


def test_the_average_reward_rises_along_the_flow():
    p = softmax_flow(F, np.linspace(0, 200, 50))
    assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    assert np.all(np.diff(p @ F) > 0)


def test_two_tasks_asked_equally_often_have_no_law():
    with pytest.raises(ValueError, match="single largest entry"):
        flow_pass_at_k_law(np.array([0.4, 0.4, 0.2]), 2, np.array([1.0]))
