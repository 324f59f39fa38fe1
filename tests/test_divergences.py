"""Entropy and divergences: hand values, definitions, and the inequalities they obey."""

from itertools import product
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from tests.strategies import policies
from toolkit.divergences import chi_square, entropy, kl, total_variation


def test_kl_by_hand():
    # 1/2 log(1/2 : 3/4) + 1/2 log(1/2 : 1/4) = 1/2 log(2/3 * 2)
    p, q = np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]])
    assert_allclose(kl(p, q), [0.5 * log(4 / 3)])


@given(policies(zeros=False), policies(zeros=False))
def test_kl_averages_the_log_ratio_under_its_first_argument(p, q):
    expected = [
        sum(a * log(a / b) for a, b in zip(p_row, q_row, strict=True))
        for p_row, q_row in zip(p, q, strict=True)
    ]
    assert_allclose(kl(p, q), expected, atol=1e-12)


@given(policies(), policies())
def test_kl_is_not_negative_and_zero_only_for_equal_distributions(p, q):
    divergence = kl(p, q)
    assert np.all(divergence >= -1e-14)
    assert_allclose(kl(p, p), 0, atol=1e-15)
    apart = total_variation(p, q) > 1e-3
    assert np.all(divergence[apart] > 0)


@given(policies(), policies())
def test_pinsker_total_variation_is_at_most_the_root_of_half_the_kl(p, q):
    assert np.all(total_variation(p, q) <= np.sqrt(kl(p, q).clip(0) / 2) + 1e-7)


@given(policies(), policies())
def test_kl_is_at_most_log_one_plus_chi_square(p, q):
    assert np.all(kl(p, q) <= np.log1p(chi_square(p, q)) + 1e-9)


@given(policies(zeros=False), policies(zeros=False))
def test_chi_square_is_the_variance_of_the_importance_weights(p, q):
    weights = p / q
    variance = np.sum(q * weights**2, axis=1) - np.sum(q * weights, axis=1) ** 2
    assert_allclose(chi_square(p, q), variance, rtol=1e-6, atol=1e-8)


@given(policies(), policies())
def test_total_variation_is_the_largest_difference_over_all_events(p, q):
    events = np.array(list(product([0.0, 1.0], repeat=4)))
    largest = np.abs((p - q) @ events.T).max(axis=1)
    assert_allclose(total_variation(p, q), largest, atol=1e-12)


@given(policies())
def test_entropy_is_log_n_minus_the_kl_to_the_uniform_distribution(p):
    uniform = np.full_like(p, 1 / p.shape[1])
    assert_allclose(entropy(p), log(p.shape[1]) - kl(p, uniform), atol=1e-12)


def test_entropy_counts_impossible_outcomes_as_nothing():
    assert_allclose(entropy(np.array([[0.5, 0.5, 0.0], [1, 0, 0]])), [log(2), 0])


@pytest.mark.parametrize("divergence", [kl, chi_square])
def test_weight_on_what_q_excludes_is_infinitely_far(divergence):
    p, q = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    assert divergence(p, q) == np.inf
    assert np.isfinite(divergence(q, p))


def test_rows_are_independent_and_leading_axes_are_kept():
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 5))
    q = np.roll(p, 1, axis=0)
    for function in (kl, chi_square, total_variation):
        assert function(p, q).shape == (2, 5)
        assert_allclose(function(p, q)[1, 3], function(p[1, 3:4], q[1, 3:4])[0])
    assert entropy(p).shape == (2, 5)


def test_the_coin_and_the_loaded_coin_differ_by_what_pinsker_allows():
    p, q = np.array([[0.5, 0.5]]), np.array([[0.51, 0.49]])
    # close distributions: KL is about 2 TV^2, so Pinsker is nearly an equality
    assert total_variation(p, q)[0] == pytest.approx(sqrt(kl(p, q)[0] / 2), rel=1e-3)
