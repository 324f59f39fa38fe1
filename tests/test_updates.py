"""Weights of samples against full enumeration of groups; Adam against its textbook."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from tests.strategies import TABULAR, TINY, arrays, policies, random_logits, st
from toolkit.language import ToyLanguage
from toolkit.optima import kl_objective
from toolkit.policies import (
    response_log_probs,
    response_probs,
    sampled_score_gradient,
    score_gradient,
)
from toolkit.updates import Adam, Method, advantages, policy_gradient, supervised

GROUP = 3
TERNARY = ToyLanguage(n_tokens=3, length=1)


def expected_gradient(logits, reward, weigh, language, *, beta=0.0, log_ref=None):
    """Average the sampled gradient over every group that can be drawn."""
    log_pi = response_log_probs(logits, language)[0]
    total = np.zeros_like(logits)
    for group in product(range(language.n_responses), repeat=GROUP):
        drawn = list(group)
        value = reward[0, drawn]
        if beta > 0:
            value = value - beta * (log_pi[drawn] - log_ref[0, drawn])
        weights = weigh(value[None]) / GROUP
        gradient = sampled_score_gradient(logits, np.array([drawn]), weights, language)
        total += np.exp(log_pi[drawn].sum()) * gradient
    return total


def exact_gradient(logits, reward, language):
    """Return the gradient of the expected reward."""
    pi = response_probs(logits, language)
    centred = reward - np.sum(pi * reward, axis=1, keepdims=True)
    return score_gradient(logits, pi * centred, language)


CASES = pytest.mark.parametrize(
    ("language", "seed"), [(TERNARY, 0), (TABULAR, 1), (TINY, 2)]
)


def problem(language, seed):
    logits = random_logits(language, n_prompts=1, seed=seed)
    reward = np.random.default_rng(seed).normal(size=(1, language.n_responses))
    return logits, reward


@CASES
@pytest.mark.parametrize(
    ("baseline", "factor"), [("none", 1), ("leave-one-out", 1), ("mean", 1 - 1 / GROUP)]
)
def test_over_all_groups_the_sampled_gradient_averages_to_the_exact_one(
    language, seed, baseline, factor
):
    logits, reward = problem(language, seed)
    mean = expected_gradient(logits, reward, policy_gradient(baseline).weigh, language)
    assert_allclose(mean, factor * exact_gradient(logits, reward, language), atol=1e-12)


@CASES
def test_with_a_kl_term_it_averages_to_the_gradient_of_the_objective(language, seed):
    logits, reward = problem(language, seed)
    ref = random_logits(language, n_prompts=1, seed=seed + 10)
    beta, pi_ref = 0.3, response_probs(ref, language)
    mean = expected_gradient(
        logits,
        reward,
        policy_gradient("leave-one-out").weigh,
        language,
        beta=beta,
        log_ref=np.log(pi_ref),
    )
    for place in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[place] = 1e-5
        up, down = (
            kl_objective(response_probs(at, language), pi_ref, reward, beta)[0]
            for at in (logits + step, logits - step)
        )
        assert mean[place] == pytest.approx((up - down) / 2e-5, abs=1e-8)


def test_one_right_answer_of_three_by_hand():
    rewards = np.array([[1.0, 0.0, 0.0]])
    assert_array_equal(advantages(rewards, "none"), rewards)
    assert_allclose(advantages(rewards, "mean"), [[2 / 3, -1 / 3, -1 / 3]])
    assert_allclose(advantages(rewards, "leave-one-out"), [[1, -0.5, -0.5]])


@given(arrays((2, 3, 5), st.floats(-3, 3)))
def test_leave_one_out_subtracts_the_mean_of_the_others(rewards):
    expected = np.empty_like(rewards)
    for place in np.ndindex(rewards.shape):
        run, x, i = place
        others = np.delete(rewards[run, x], i)
        expected[place] = rewards[place] - others.mean()
    assert_allclose(advantages(rewards, "leave-one-out"), expected, atol=1e-12)


@pytest.mark.parametrize("baseline", ["mean", "leave-one-out"])
@given(st.floats(-5, 5))
def test_a_group_of_equal_rewards_moves_nothing(baseline, value):
    assert_allclose(advantages(np.full((2, 4), value), baseline), 0, atol=1e-12)


def test_a_group_of_one_has_no_others_to_leave():
    with pytest.raises(ValueError, match=r"groups of 2 or more .* group_size is 1"):
        advantages(np.ones((2, 1)), "leave-one-out")


def test_an_unknown_baseline_is_refused_when_the_method_is_made():
    with pytest.raises(ValueError, match=r"baseline must be one of .* 'median'"):
        policy_gradient("median")


@given(policies(), arrays((1, 2, 3), st.floats(0, 1)))
def test_supervised_weighs_every_sample_by_one_whatever_its_reward(target, rewards):
    method = supervised(target)
    assert_array_equal(method.source, target)
    assert_array_equal(method.weigh(rewards), np.ones_like(rewards))


def test_policy_gradient_samples_from_the_policy_itself():
    assert policy_gradient().source is None


def test_a_method_checks_its_source():
    with pytest.raises(ValueError, match=r"source .* row 0 sums to 0\.9"):
        Method(weigh=np.ones_like, source=np.array([[0.5, 0.4]]))


@given(arrays((6, 2, 3), st.floats(-4, 4)), st.floats(1e-3, 1.0))
def test_adam_is_the_textbooks(gradients, rate):
    """Kingma and Ba, algorithm 1, line by line, upwards."""
    theta, m, v = np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3))
    parameters, adam = np.zeros((2, 3)), Adam(learning_rate=rate)
    for t, g in enumerate(gradients, start=1):
        m = 0.9 * m + (1 - 0.9) * g
        v = 0.999 * v + (1 - 0.999) * g**2
        m_hat = m / (1 - 0.9**t)
        v_hat = v / (1 - 0.999**t)
        theta = theta + rate * m_hat / (np.sqrt(v_hat) + 1e-8)
        adam.ascend(parameters, g)
        assert_allclose(parameters, theta, atol=1e-10, rtol=1e-9)
    assert adam.n_steps == len(gradients)


def test_adam_follows_other_decays_and_epsilon():
    gradients = [np.array([1.0, -2.0]), np.array([0.5, 0.0])]
    adam = Adam(learning_rate=0.1, decay_mean=0.5, decay_square=0.8, epsilon=0.3)
    parameters = np.zeros(2)
    theta, m, v = np.zeros(2), np.zeros(2), np.zeros(2)
    for t, g in enumerate(gradients, start=1):
        m, v = 0.5 * m + 0.5 * g, 0.8 * v + 0.2 * g**2
        theta += 0.1 * (m / (1 - 0.5**t)) / (np.sqrt(v / (1 - 0.8**t)) + 0.3)
        adam.ascend(parameters, g)
    assert_allclose(parameters, theta, rtol=1e-12)


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1.0))
def test_adams_first_step_is_the_learning_rate_whatever_the_gradients_size(g, rate):
    parameters = np.array([1.0, 1.0, 1.0])
    Adam(learning_rate=rate).ascend(parameters, np.array([g, -g, 0.0]))
    assert_allclose(parameters, [1 + rate, 1 - rate, 1], atol=1e-4 * rate)


def test_adam_does_not_change_the_gradient_it_is_given():
    gradient = np.array([1.0, -2.0])
    adam, parameters = Adam(learning_rate=0.1), np.zeros(2)
    for _ in range(3):
        adam.ascend(parameters, gradient)
    assert_array_equal(gradient, [1.0, -2.0])
