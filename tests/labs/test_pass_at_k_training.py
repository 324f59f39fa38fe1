"""Training on pass@k: the reward, where it ends, and the estimate from a group."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from tests.strategies import distributions, no_type_checker, st  # noqa: F401
from toolkit.capacity import base_rates, task_rates
from toolkit.labs.pass_at_k_training import (
    climb_pass_at_k,
    fading_reward,
    group_pass_at_k,
    labelled,
)
from toolkit.language import shared_testbed
from toolkit.optima import pass_at_k_allocation, tilted_policy
from toolkit.passk import mean_pass_at_k
from toolkit.policies import response_probs
from toolkit.training import train

TESTBED = shared_testbed()
F = TESTBED.frequencies
BASE = base_rates(TESTBED)
KS = st.integers(1, 20)


@given(distributions(4, zeros=False), distributions(4), KS)
def test_the_fading_reward_is_the_slope_of_mean_pass_at_k(p, f, k):
    h = 1e-6
    for i in range(4):
        up, down = (np.clip(p + s * h * np.eye(4)[i], 0, 1) for s in (1, -1))
        width = up[i] - down[i]
        slope = (mean_pass_at_k(up, k, f) - mean_pass_at_k(down, k, f)) / width
        assert fading_reward(p, f, k)[i] == pytest.approx(slope, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("k", [2, 4, 16])
def test_the_natural_gradient_ends_at_the_allocation(k):
    assert_allclose(climb_pass_at_k(BASE, F, k), pass_at_k_allocation(F, k), atol=1e-12)


@given(distributions(3, zeros=False), st.integers(2, 6))
@settings(max_examples=15)
def test_at_the_allocation_all_tasks_in_play_earn_the_same(f, k):
    best = pass_at_k_allocation(f, k)
    earned = fading_reward(best, f, k)
    assert_allclose(earned[best > 0], earned.max())


@pytest.mark.parametrize(
    ("k", "after", "before", "pass_at_1"),
    [
        (2, 0.5286, 0.3582, 0.357),
        (4, 0.7021, 0.5832, 0.302),
        (16, 0.9786, 0.9613, 0.225),
    ],
)
def test_what_training_on_pass_at_k_gives(k, after, before, pass_at_1):
    trained = climb_pass_at_k(BASE, F, k)
    assert mean_pass_at_k(trained, k, F) == pytest.approx(after, abs=6e-5)
    assert mean_pass_at_k(BASE, k, F) == pytest.approx(before, abs=6e-5)
    assert mean_pass_at_k(trained, 1, F) == pytest.approx(pass_at_1, abs=6e-4)


def test_at_256_nothing_is_earned_and_nothing_moves():
    assert fading_reward(BASE, F, 256).max() < 3e-16
    assert_allclose(climb_pass_at_k(BASE, F, 256, n_steps=100), BASE, atol=1e-12)


def test_five_numbers_say_all_about_the_natural_gradient():
    # a step on all 625 responses keeps the proportions within a task
    pi = response_probs(TESTBED.ref_logits, TESTBED.language)
    for _ in range(5):
        reward = fading_reward(task_rates(pi, TESTBED), F, 4) @ TESTBED.solves
        pi = tilted_policy(pi, reward[None], 1 / 0.25)
    assert_allclose(task_rates(pi, TESTBED), climb_pass_at_k(BASE, F, 4, n_steps=5))


@given(distributions(3, zeros=False), distributions(3), st.integers(1, 3))
@settings(max_examples=12)
def test_a_groups_expected_gradient_is_that_of_the_exact_pass_at_k(p, f, k):
    group, method = 4, group_pass_at_k(f, k)
    earned = fading_reward(p, f, k)
    exact = p * (earned - p @ earned)
    mean = np.zeros(3)
    for labels in product(range(3), repeat=group):
        weights = method.weigh(np.array([labels], dtype=float))[0] / group
        mean += np.prod(p[list(labels)]) * (weights @ (np.eye(3)[list(labels)] - p))
    assert_allclose(mean, exact, atol=1e-10)


@pytest.mark.slow
def test_sampled_training_arrives_near_the_allocation():
    testbed = labelled(TESTBED)
    run = train(
        testbed.ref_logits, testbed.reward, testbed.language, group_pass_at_k(F, 4),
        steps=1500, group_size=16, learning_rate=0.01, n_runs=8,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    rates = task_rates(run.pi, TESTBED)[0]
    assert_allclose(rates.mean(axis=0), pass_at_k_allocation(F, 4), atol=0.02)
    reached = mean_pass_at_k(rates, 4, F)
    assert reached.mean() == pytest.approx(0.6993, abs=0.001)


@pytest.mark.usefixtures("no_type_checker")
def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="rates must have a column for each of the 5"):
        fading_reward(np.array([0.5, 0.5]), F, 2)
    with pytest.raises(ValueError, match="start must be positive"):
        climb_pass_at_k(np.array([1.0, 0.0]), np.array([0.5, 0.5]), 2)
    with pytest.raises(
        ValueError, match="more than k = 4 samples, but group_size is 4"
    ):
        group_pass_at_k(F, 4).weigh(np.zeros((1, 4)))
