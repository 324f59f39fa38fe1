"""Closed-form optima: hand values, their identities, and the limits at both ends."""

import numpy as np
import pytest
from hypothesis import assume, given
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, logit

from tests.strategies import (
    BETAS,
    PROBABILITIES,
    arrays,
    distributions,
    policies,
    rewards,
    st,
    success_rates,
)
from toolkit.divergences import entropy, kl
from toolkit.language import default_testbed
from toolkit.optima import (
    kl_objective,
    pass_at_k_allocation,
    soft_value,
    tilted_policy,
    tilted_success,
)
from toolkit.passk import pass_at_k
from toolkit.policies import expected_reward, response_probs

SHARED_F = np.array([0.40, 0.30, 0.15, 0.10, 0.05])


@pytest.fixture(scope="module")
def restricted():
    """The default testbed's reference policy, and itself given a right answer."""
    testbed = default_testbed()
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    return pi_ref, tilted_policy(pi_ref, testbed.reward, 0.0)


def test_tilt_by_hand():
    # odds 1:3 for response 1, times exp(1 / beta) = 3, gives odds 1:1
    pi = tilted_policy(np.array([[0.75, 0.25]]), np.array([[0.0, 1.0]]), 1 / np.log(3))
    assert_allclose(pi, [[0.5, 0.5]])


@given(policies(), rewards(), BETAS)
def test_the_tilted_policy_weighs_the_reference_by_exp_reward_over_beta(
    pi_ref, r, beta
):
    weight = pi_ref * np.exp((r - 3) / beta) if beta > 0.1 else None
    assume(weight is not None and np.all(weight.sum(axis=1) > 1e-200))
    expected = weight / weight.sum(axis=1, keepdims=True)
    assert_allclose(tilted_policy(pi_ref, r, beta), expected, atol=1e-12)


@given(policies(), policies(), rewards(), BETAS)
def test_no_other_policy_scores_higher(pi_ref, other, reward, beta):
    best = tilted_policy(pi_ref, reward, beta)
    gap = kl_objective(best, pi_ref, reward, beta) - kl_objective(
        other, pi_ref, reward, beta
    )
    assert np.all(gap >= -1e-9)


@given(policies(), policies(), rewards(), BETAS)
def test_gibbs_any_policy_falls_short_by_beta_times_its_kl_to_the_best(
    pi_ref, other, reward, beta
):
    pi = (other * pi_ref) + pi_ref  # within the reference's support
    pi /= pi.sum(axis=1, keepdims=True)
    best = tilted_policy(pi_ref, reward, beta)
    gap = soft_value(pi_ref, reward, beta) - kl_objective(pi, pi_ref, reward, beta)
    shortfall = beta * kl(pi, best)
    representable = np.isfinite(shortfall)  # best may underflow at small beta
    assert_allclose(gap[representable], shortfall[representable], atol=1e-9, rtol=1e-9)


@given(policies(), rewards(), BETAS)
def test_soft_value_is_the_objective_at_the_tilted_policy(pi_ref, reward, beta):
    best = tilted_policy(pi_ref, reward, beta)
    assert_allclose(
        soft_value(pi_ref, reward, beta),
        kl_objective(best, pi_ref, reward, beta),
        atol=1e-10,
    )


@given(policies(), arrays((2, 4), st.sampled_from([0.0, 1.0])), BETAS)
def test_for_a_right_or_wrong_reward_the_tilt_shifts_the_log_odds(pi_ref, reward, beta):
    p = expected_reward(pi_ref, reward).clip(0, 1)
    tilted = expected_reward(tilted_policy(pi_ref, reward, beta), reward)
    assert_allclose(tilted_success(p, beta), tilted, atol=1e-9)


@given(st.floats(1e-6, 1 - 1e-6), BETAS)
def test_tilted_success_adds_one_over_beta_to_the_log_odds(p, beta):
    expected = expit(logit(p) + 1 / beta)
    assert_allclose(tilted_success(np.array([p]), beta), [expected], rtol=1e-12)


@given(st.floats(1e-6, 0.999), st.floats(0.05, 50.0), st.integers(1, 30))
def test_the_tilt_raises_pass_at_k_at_every_k_for_every_beta(p, beta, k):
    before = np.array([p])
    after = tilted_success(before, beta)
    assert after > before
    assert pass_at_k(after, k) >= pass_at_k(before, k)


@pytest.mark.parametrize("beta", [0.0, 5e-324, 1e-300, 0.3, 1e300, np.inf])
def test_what_never_succeeds_and_what_always_succeeds_stay_as_they_are(beta):
    assert_array_equal(tilted_success(np.array([0.0, 1.0]), beta), [0.0, 1.0])


@given(policies(), rewards(), arrays((2, 4), st.floats(-2.0, 2.0)), st.floats(0.2, 20))
def test_fluctuation_the_derivative_of_a_mean_is_its_covariance_with_the_reward(
    pi_ref, reward, g, beta
):
    def mean(inverse_beta: float) -> np.ndarray:
        return np.sum(tilted_policy(pi_ref, reward, 1 / inverse_beta) * g, axis=1)

    step = 1e-5
    slope = (mean(1 / beta + step) - mean(1 / beta - step)) / (2 * step)
    pi = tilted_policy(pi_ref, reward, beta)
    covariance = np.sum(pi * g * reward, axis=1) - np.sum(pi * g, axis=1) * np.sum(
        pi * reward, axis=1
    )
    assert_allclose(slope, covariance, atol=1e-6)


@given(policies(), rewards(), st.floats(0.1, 20.0), st.integers(1, 6))
def test_m_resets_at_beta_land_where_one_optimum_at_beta_over_m_does(
    pi_ref, reward, beta, m
):
    pi = pi_ref
    for _ in range(m):
        pi = tilted_policy(pi, reward, beta)
    assert_allclose(pi, tilted_policy(pi_ref, reward, beta / m), atol=1e-9)


@given(policies(), rewards(), st.floats(0.0, 50.0))
def test_the_tilted_policy_never_leaves_the_references_support(pi_ref, reward, beta):
    pi = tilted_policy(pi_ref, reward, beta)
    assert np.all(pi[pi_ref == 0] == 0)
    if beta > 0.1:
        assert np.all(pi[pi_ref > 0] > 0)


@given(policies(2, 6, zeros=False), st.floats(0.0, 50.0), st.floats(-2, 2))
def test_responses_of_equal_reward_keep_their_proportions(pi_ref, beta, high):
    reward = np.tile([high, high, high, 0.5, 0.5, 0.5], (2, 1))
    pi = tilted_policy(pi_ref, reward, beta)
    for level in (slice(0, 3), slice(3, 6)):
        if np.all(pi[:, level] > 1e-290):
            ratio = pi[:, level] / pi_ref[:, level]
            assert_allclose(ratio / ratio[:, :1], 1, rtol=1e-9)


@given(policies(), rewards())
def test_as_beta_goes_to_zero_the_optimum_is_continuous(pi_ref, reward):
    levels = np.round(reward, 1)  # so that no two levels are closer than beta sees
    assert_allclose(
        tilted_policy(pi_ref, levels, 1e-4),
        tilted_policy(pi_ref, levels, 0.0),
        atol=1e-9,
    )
    assert_allclose(
        soft_value(pi_ref, levels, 1e-6), soft_value(pi_ref, levels, 0.0), atol=1e-4
    )


@given(policies(), rewards(), st.sampled_from([1e6, 1e10, 1e15, 1e100, 1e308]))
def test_as_beta_goes_to_infinity_the_optimum_is_continuous(pi_ref, reward, beta):
    assert_allclose(tilted_policy(pi_ref, reward, beta), pi_ref, atol=1e-5)
    assert_allclose(
        soft_value(pi_ref, reward, beta), soft_value(pi_ref, reward, np.inf), atol=1e-4
    )


def test_soft_value_keeps_its_digits_at_a_large_beta():
    # log E[exp(r / beta)] = E[r] / beta + Var[r] / (2 beta^2) + ...
    pi_ref, reward = np.array([[0.75, 0.25]]), np.array([[0.0, 1.0]])
    value = soft_value(pi_ref, reward, 1e7)
    assert_allclose(value, [0.25 + 0.1875 / 2e7], rtol=1e-14)


@pytest.mark.parametrize("beta", [0.0, 5e-324, 1e-300, 1e-3])
def test_small_beta_takes_the_best_response_the_reference_can_give(beta):
    pi_ref = np.array([[0.9, 0.1, 0.0]])  # response 2 is best but never given
    reward = np.array([[0.0, 1.0, 2.0]])
    assert_array_equal(tilted_policy(pi_ref, reward, beta), [[0, 1, 0]])
    assert_allclose(soft_value(pi_ref, reward, beta), [1], atol=3e-3)


def test_at_infinite_beta_the_optimum_is_the_reference_exactly():
    pi_ref = np.array([[0.9, 0.1, 0.0]])
    reward = np.array([[0.0, 1.0, 2.0]])
    assert_allclose(tilted_policy(pi_ref, reward, np.inf), pi_ref, rtol=1e-15)
    assert_allclose(soft_value(pi_ref, reward, np.inf), [0.1])


def test_leaving_the_references_support_costs_everything_unless_kl_is_free():
    pi, pi_ref = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    reward = np.array([[0.0, 1.0]])
    assert kl_objective(pi, pi_ref, reward, 0.1) == -np.inf
    assert kl_objective(pi, pi_ref, reward, 0.0) == 1


def test_entropies_of_the_restricted_reference_are_the_published_ones(restricted):
    assert_allclose(entropy(restricted[1]), [3.50, 1.36, 0.32, 0.85], atol=0.005)


def test_mean_kl_of_the_restricted_reference_is_the_published_one(restricted):
    pi_ref, given_right = restricted
    assert np.mean(kl(given_right, pi_ref)) == pytest.approx(1.72, abs=0.005)


def test_the_restricted_reference_is_minus_log_p_away(restricted):
    pi_ref, given_right = restricted
    p = expected_reward(pi_ref, default_testbed().reward)
    assert_allclose(kl(given_right, pi_ref), -np.log(p))


@given(policies(1, 4, zeros=False), policies(1, 4))
def test_pythagoras_among_right_policies_the_restricted_reference_is_nearest(pi_ref, q):
    reward = np.array([[1.0, 1.0, 1.0, 0.0]])
    q = q * reward
    assume(q.sum() > 0)
    q /= q.sum()
    restricted_ref = tilted_policy(pi_ref, reward, 0.0)
    p = expected_reward(pi_ref, reward)
    expected = -np.log(p) + kl(q, restricted_ref)
    assert_allclose(kl(q, pi_ref), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (2, [0.5714, 0.4286, 0, 0, 0]),
        (4, [0.4088, 0.3493, 0.1802, 0.0616, 0]),
        (16, [0.2499, 0.2354, 0.1992, 0.1772, 0.1383]),
        (256, [0.203, 0.2021, 0.1999, 0.1986, 0.1964]),
    ],
)
def test_the_best_allocations_on_the_shared_testbed(k, expected):
    assert_allclose(pass_at_k_allocation(SHARED_F, k), expected, atol=5e-5)


def test_with_one_sample_everything_goes_to_the_most_frequent_task():
    assert_array_equal(pass_at_k_allocation(SHARED_F, 1), [1, 0, 0, 0, 0])
    tied = pass_at_k_allocation(np.array([0.4, 0.2, 0.4]), 1)
    assert_array_equal(tied, [0.5, 0, 0.5])


def test_with_very_many_samples_the_allocation_is_even():
    assert_allclose(pass_at_k_allocation(SHARED_F, 10**9), np.full(5, 0.2), atol=1e-8)


@given(distributions(5), st.integers(1, 300))
def test_the_allocation_is_a_distribution(f, k):
    p = pass_at_k_allocation(f, k)
    assert np.all(p >= 0)
    assert np.sum(p) == pytest.approx(1, abs=1e-12)
    assert np.all(p[f == 0] == 0)


@given(distributions(5), st.integers(2, 300))
def test_the_allocation_satisfies_the_conditions_of_an_optimum(f, k):
    """Marginal gains k f_i (1 - p_i)^(k-1) are equal where p_i > 0, else not larger."""
    p = pass_at_k_allocation(f, k)
    marginal = k * f * (1 - p) ** (k - 1)
    served = p > 0
    if served.sum() > 1:
        level = marginal[served].max()
        assert_allclose(marginal[served], level, rtol=1e-6)
        assert np.all(marginal[~served] <= level * (1 + 1e-6))
    else:
        assert p.max() == 1


@given(distributions(4, zeros=False), st.integers(2, 12))
def test_a_numerical_optimiser_finds_nothing_better_than_the_allocation(f, k):
    def mean_miss(p: np.ndarray) -> float:
        return float(np.sum(f * (1 - p) ** k))

    found = minimize(
        mean_miss,
        np.full(4, 0.25),
        jac=lambda p: -k * f * (1 - p) ** (k - 1),
        method="SLSQP",
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    ours = mean_miss(pass_at_k_allocation(f, k))
    assert ours <= found.fun + 1e-9
    assert ours == pytest.approx(found.fun, abs=1e-5)


@given(distributions(4), success_rates(4), st.integers(1, 40))
def test_no_other_allocation_has_a_higher_mean_pass_at_k(f, other, k):
    assume(other.sum() > 0.01)
    other = other / other.sum()
    best = f @ pass_at_k(pass_at_k_allocation(f, k), k)
    assert f @ pass_at_k(other, k) <= best + 1e-9


@given(PROBABILITIES, st.floats(0.05, 50.0), st.floats(1.01, 5.0))
def test_a_smaller_price_of_kl_gives_a_higher_success(p, beta, factor):
    rates = np.array([p])
    assert tilted_success(rates, beta / factor) >= tilted_success(rates, beta)


def test_rejects_a_row_that_does_not_sum_to_one():
    with pytest.raises(ValueError, match=r"pi_ref .* row 1 sums to 0\.9"):
        tilted_policy(np.array([[0.5, 0.5], [0.5, 0.4]]), np.zeros((2, 2)), beta=1.0)


def test_rejects_a_negative_price():
    coin = np.array([[0.5, 0.5]])
    for function in (tilted_policy, soft_value):
        with pytest.raises(ValueError, match=r"beta must be at least 0, but it is -1"):
            function(coin, coin, -1.0)
    with pytest.raises(ValueError, match="beta must be finite"):
        kl_objective(coin, coin, coin, np.inf)
