"""Policies: probabilities, their inverse, gradients by finite differences, samples."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from scipy.stats import chisquare

from tests.strategies import (
    LANGUAGES,
    TABULAR,
    TINY,
    TINY_ENDED,
    arrays,
    languages_with_logits,
    policies,
    random_logits,
    st,
)
from toolkit.policies import (
    expected_reward,
    logits_from_probs,
    response_log_probs,
    response_probs,
    sample_responses,
    sampled_score_gradient,
    score_gradient,
)

KINDS = pytest.mark.parametrize("language", [TINY, TINY_ENDED, TABULAR])


def test_a_probability_is_the_product_of_its_tokens_probabilities():
    # after the empty prefix 1/4, 1/4, 1/2; after token 2: 1/3, 1/3, 1/3
    logits = np.zeros((1, TINY.n_prefixes, 3))
    logits[0, 0] = np.log([1, 1, 2])
    pi = response_probs(logits, TINY)
    assert_allclose(pi[0, 6:], [1 / 6] * 3)
    assert_allclose(pi[0, :6], [1 / 12] * 6)


@given(languages_with_logits())
def test_log_probability_is_the_sum_over_tokens(drawn):
    language, logits = drawn
    log_pi = response_log_probs(logits, language)
    for y, (rows, tokens) in enumerate(
        zip(language.prefixes, language.tokens, strict=True)
    ):
        path = [(r, t) for r, t in zip(rows, tokens, strict=True) if t >= 0]
        for x in range(len(logits)):
            expected = sum(np.log(softmax(logits[x, r])[t]) for r, t in path)
            assert log_pi[x, y] == pytest.approx(expected, abs=1e-10)


@given(languages_with_logits(runs=(2,)))
def test_probabilities_sum_to_one_for_any_logits(drawn):
    language, logits = drawn
    assert_allclose(response_probs(logits, language).sum(axis=-1), 1, atol=1e-12)


@given(st.data())
def test_logits_of_a_distribution_give_the_distribution_back(data):
    language = data.draw(LANGUAGES)
    pi = data.draw(policies(2, language.n_responses))
    assert_allclose(
        response_probs(logits_from_probs(pi, language), language), pi, atol=1e-12
    )


def test_a_prefix_that_is_never_reached_gets_equal_logits():
    pi = np.zeros((1, 9))
    pi[0, 0] = 1.0
    logits = logits_from_probs(pi, TINY)
    assert_array_equal(logits[0, 2:], np.zeros((2, 3)))


def test_large_logits_do_not_overflow():
    logits = np.array([[[1000.0, 999.0, -1000.0, 0.0]]])
    expected = [
        -np.log1p(np.exp(-1)),
        -1 - np.log1p(np.exp(-1)),
        -2000.3133,
        -1000.3133,
    ]
    assert_allclose(response_log_probs(logits, TABULAR)[0], expected, rtol=1e-6)


@given(languages_with_logits(), st.data())
def test_the_gradient_agrees_with_finite_differences(drawn, data):
    language, logits = drawn
    shape = (len(logits), language.n_responses)
    weights = data.draw(arrays(shape, st.floats(-2.0, 2.0)))

    def value(at: np.ndarray) -> float:
        return float(np.sum(weights * response_log_probs(at, language)))

    gradient = score_gradient(logits, weights, language)
    direction = data.draw(arrays(logits.shape, st.floats(-1.0, 1.0)))
    step = 1e-5
    slope = (value(logits + step * direction) - value(logits - step * direction)) / (
        2 * step
    )
    assert np.sum(gradient * direction) == pytest.approx(slope, abs=2e-5, rel=1e-6)


@KINDS
def test_every_entry_of_the_gradient_agrees_with_finite_differences(language):
    logits = random_logits(language)
    weights = np.random.default_rng(1).normal(size=(2, language.n_responses))
    gradient = score_gradient(logits, weights, language)
    for place in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[place] = 1e-5
        up = np.sum(weights * response_log_probs(logits + step, language))
        down = np.sum(weights * response_log_probs(logits - step, language))
        assert gradient[place] == pytest.approx((up - down) / 2e-5, abs=1e-7)


@given(arrays((2, 1, 4), st.floats(-5.0, 5.0)), arrays((2, 4), st.floats(-2.0, 2.0)))
def test_for_a_tabular_policy_it_is_the_softmax_gradient(logits, weights):
    pi = softmax(logits[:, 0], axis=-1)
    expected = weights - pi * weights.sum(axis=1, keepdims=True)
    assert_allclose(
        score_gradient(logits, weights, TABULAR)[:, 0], expected, atol=1e-12
    )


@given(languages_with_logits(runs=(2,)), st.data())
def test_the_sampled_gradient_is_the_dense_one_of_the_counts(drawn, data):
    language, logits = drawn
    index = st.integers(0, language.n_responses - 1)
    flat = data.draw(st.lists(index, min_size=20, max_size=20))
    responses = np.array(flat).reshape(2, 2, 5)
    weights = data.draw(arrays((2, 2, 5), st.floats(-2.0, 2.0)))
    dense = np.zeros((2, 2, language.n_responses))
    for run, x, i in np.ndindex(responses.shape):
        dense[run, x, responses[run, x, i]] += weights[run, x, i]
    assert_allclose(
        sampled_score_gradient(logits, responses, weights, language),
        score_gradient(logits, dense, language),
        atol=1e-12,
    )


@given(policies(), arrays((2, 4), st.floats(-3.0, 3.0)))
def test_expected_reward_is_the_average_over_responses(pi, reward):
    expected = [np.dot(pi[x], reward[x]) for x in range(2)]
    assert_allclose(expected_reward(pi, reward), expected, atol=1e-12)


def test_samples_come_as_often_as_their_probability_says():
    pi = np.array([[0.5, 0.3, 0.15, 0.05], [0.1, 0.2, 0.3, 0.4]])
    n = 20_000
    drawn = sample_responses(pi, n, rng=np.random.default_rng(5))
    for x in range(2):
        counts = np.bincount(drawn[x], minlength=4)
        assert chisquare(counts, n * pi[x]).pvalue > 0.001


@given(policies(), st.integers(0, 2**32))
def test_a_response_of_probability_zero_is_never_drawn(pi, seed):
    drawn = sample_responses(pi, 50, rng=np.random.default_rng(seed))
    assert np.all(np.take_along_axis(pi, drawn, axis=1) > 0)


class Zeros(np.random.Generator):
    """A generator at the edge: every uniform number is 0."""

    def random(self, size):
        return np.zeros(size)


def test_a_uniform_number_of_zero_does_not_draw_a_response_of_probability_zero():
    pi = np.array([[0.0, 0.0, 0.7, 0.3]])
    drawn = sample_responses(pi, 3, rng=Zeros(np.random.PCG64(0)))
    assert_array_equal(drawn, [[2, 2, 2]])


def test_the_same_generator_draws_the_same_samples():
    pi = np.full((3, 9), 1 / 9)
    first, second, other = (
        sample_responses(pi, 30, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert_array_equal(first, second)
    assert np.any(first != other)


def test_prompts_and_runs_draw_independently():
    pi = np.full((2, 2, 9), 1 / 9)
    drawn = sample_responses(pi, 40, rng=np.random.default_rng(0)).reshape(4, 40)
    assert len({tuple(row) for row in drawn.tolist()}) == 4


def test_a_row_that_does_not_sum_to_one_is_refused():
    with pytest.raises(ValueError, match=r"pi .* row 1 sums to 0\.9"):
        logits_from_probs(np.array([[0.25] * 4, [0.25, 0.25, 0.25, 0.15]]), TABULAR)


def test_a_prefix_without_a_token_is_refused():
    logits = np.zeros((1, 1, 4))
    logits[0, 0] = -np.inf
    with pytest.raises(ValueError, match=r"logits .* leave every prefix a token"):
        response_log_probs(logits, TABULAR)


def test_a_response_that_is_not_in_the_language_is_refused():
    logits = np.zeros((1, 1, 4))
    with pytest.raises(ValueError, match="responses must be below 4"):
        sampled_score_gradient(logits, np.array([[4]]), np.ones((1, 1)), TABULAR)
