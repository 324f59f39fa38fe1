"""pass@k: exact values, the estimator against enumeration and exact rationals, and what
a comparison of two models comes down to."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from numpy.testing import assert_allclose, assert_array_equal

from tests.strategies import (
    KS,
    PROBABILITIES,
    arrays,
    distributions,
    no_type_checker,  # noqa: F401
    st,
    success_rates,
)
from toolkit.passk import (
    decompose_difference,
    estimate_pass_at_k,
    estimate_pass_at_k_curve,
    first_k_below,
    hardest_problem_tail,
    k_grid,
    log_fail_at_k,
    mean_pass_at_k,
    pass_at_k,
)


def exact_estimate(n: int, c: int, k: int) -> Fraction:
    """Return the estimator as an exact rational number."""
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def estimate(n: int, c: int, k: int) -> float:
    return float(estimate_pass_at_k(np.array([n]), np.array([c]), k)[0])


# --- pass@k of a known success probability


def test_two_tries_at_one_half_make_three_quarters():
    assert_allclose(
        pass_at_k(np.array([0.5]), np.array([1, 2, 3])), [[0.5, 0.75, 0.875]]
    )


@given(success_rates(2), KS)
def test_pass_at_k_rises_with_p_at_every_k(p, k):
    values = pass_at_k(np.sort(p), k)
    assert np.all(np.diff(values) >= 0)


@given(st.floats(1e-9, 0.5), st.floats(1.001, 1.9), st.integers(1, 20))
def test_where_pass_at_k_is_below_one_it_rises_strictly(p, factor, k):
    assert pass_at_k(np.array([p]), k) < pass_at_k(np.array([p * factor]), k)


@given(PROBABILITIES, KS)
def test_pass_at_k_never_falls_with_k(p, k):
    values = pass_at_k(np.array([p]), np.array([k, k + 1]))[0]
    assert values[1] >= values[0]


@given(st.fractions(0, 1, max_denominator=1000), st.integers(1, 300))
def test_pass_at_k_agrees_with_exact_rationals(p, k):
    exact = float(1 - (1 - p) ** k)
    assert_allclose(pass_at_k(np.array([float(p)]), k), [exact], rtol=1e-12)


def test_pass_at_k_keeps_its_digits_at_tiny_p_and_huge_k():
    # k p = 1e-3, and (1 - p)^k = exp(-1e-3) up to k p^2 / 2 = 5e-16
    value = pass_at_k(np.array([1e-12]), 10**9)[0]
    assert value == pytest.approx(-np.expm1(-1e-3), rel=1e-12)
    textbook = 1 - (1 - 1e-12) ** 10**9
    assert abs(textbook / value - 1) > 1e-6  # what the care is for


def test_log_fail_still_tells_models_apart_where_pass_at_k_is_one():
    p = np.array([0.5, 0.6])
    assert_array_equal(pass_at_k(p, 1000), [1, 1])
    assert_allclose(log_fail_at_k(p, 1000), 1000 * np.log([0.5, 0.4]))


def test_impossible_and_sure_problems_are_exact_at_every_k():
    k = np.array([1, 7, 2**31 - 1])
    assert_array_equal(pass_at_k(np.array([0.0, 1.0]), k), [[0] * 3, [1] * 3])
    assert not np.signbit(pass_at_k(np.array([0.0]), 3))[0]


@given(
    arrays((3, 4), PROBABILITIES),
    distributions(4),
    st.lists(KS, min_size=1, max_size=3),
)
def test_the_mean_weighs_each_problem_by_how_often_it_is_asked(p, weights, ks):
    k = np.array(ks)
    mean = mean_pass_at_k(p, k, weights)
    expected = [[weights @ pass_at_k(row, int(j)) for j in k] for row in p]
    assert_allclose(mean, expected, atol=1e-13)
    assert_allclose(mean_pass_at_k(p, ks[0], weights), mean[:, 0])


def test_without_weights_every_problem_counts_the_same():
    p = np.array([0.1, 0.5, 0.9])
    assert_allclose(mean_pass_at_k(p, 2), pass_at_k(p, 2).mean())


@given(st.integers(1, 10**6), st.integers(2, 60))
def test_the_grid_of_k_rises_from_one_to_its_end(k_max, n_points):
    k = k_grid(k_max, n_points)
    assert (k[0], k[-1]) == (1, k_max)
    assert np.all(np.diff(k) > 0)
    assert len(k) <= n_points


# --- the estimator from counts


def test_ten_samples_three_right_four_tries_make_five_sixths():
    assert estimate(10, 3, 4) == pytest.approx(5 / 6, rel=1e-15)


@pytest.mark.parametrize("n", range(1, 8))
def test_the_estimate_is_the_share_of_subsets_that_hold_a_right_sample(n):
    for c in range(n + 1):
        right = [1] * c + [0] * (n - c)
        for k in range(1, n + 1):
            subsets = [any(subset) for subset in combinations(right, k)]
            share = sum(subsets) / len(subsets)
            assert estimate(n, c, k) == pytest.approx(share, abs=1e-14), (n, c, k)


@pytest.mark.parametrize("p", [0.0, 0.03, 0.4, 0.97, 1.0])
def test_the_estimate_is_unbiased_over_all_outcomes(p):
    n = 9
    c = np.arange(n + 1)
    chances = np.array([comb(n, i) * p**i * (1 - p) ** (n - i) for i in c])
    for k in range(1, n + 1):
        mean = chances @ estimate_pass_at_k(np.full(n + 1, n), c, k)
        assert mean == pytest.approx(pass_at_k(np.array([p]), k)[0], abs=1e-13)


@pytest.mark.parametrize("k", [2, 5, 9])
def test_putting_the_observed_rate_for_p_is_biased_low(k):
    n, p = 9, 0.3
    c = np.arange(n + 1)
    chances = np.array([comb(n, i) * p**i * (1 - p) ** (n - i) for i in c])
    truth = pass_at_k(np.array([p]), k)[0]
    assert chances @ pass_at_k(c / n, k) < truth - 0.005


CORNERS = [
    (n, c, k)
    for n in (1, 2, 17, 256, 1030, 2000, 100_000)
    for c in sorted({0, 1, 2, n // 3, n // 2, n - 1, n} & set(range(n + 1)))
    for k in sorted({1, 2, 5, n // 2, n - c, n - 1, n} & set(range(1, n + 1)))
]


def test_the_estimate_agrees_with_exact_rationals_up_to_a_hundred_thousand_samples():
    worst = 0.0
    for n, c, k in CORNERS:
        exact = exact_estimate(n, c, k)
        error = abs(Fraction(estimate(n, c, k)) - exact)
        worst = max(worst, float(error))
        assert error <= exact * Fraction(1, 10**12), (n, c, k)
    assert worst < 1e-12


def test_the_estimate_keeps_the_digits_that_log_gamma_loses():
    from scipy.special import gammaln

    n, c, k = 100_000, 1, 3
    exact = float(exact_estimate(n, c, k))
    assert estimate(n, c, k) == pytest.approx(exact, rel=1e-15)
    log_miss = (
        gammaln(n - c + 1)
        - gammaln(n - c - k + 1)
        - gammaln(n + 1)
        + gammaln(n - k + 1)
    )
    assert abs(-np.expm1(log_miss) / exact - 1) > 1e-8


@given(st.integers(1, 400), st.data())
def test_the_estimate_agrees_with_exact_rationals_anywhere(n, data):
    c = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    exact = exact_estimate(n, c, k)
    assert estimate(n, c, k) == pytest.approx(float(exact), rel=1e-13, abs=0)


@given(
    st.lists(st.tuples(st.integers(5, 40), st.integers(0, 40)), min_size=1, max_size=9)
)
def test_the_curve_is_the_mean_of_the_problems_estimates(drawn):
    n = np.array([n for n, _ in drawn])
    c = np.array([min(c, n) for n, c in drawn])
    curve = estimate_pass_at_k_curve(n, c, 5)
    for k in range(1, 6):
        expected = np.mean(
            [estimate(int(a), int(b), k) for a, b in zip(n, c, strict=True)]
        )
        assert curve[k - 1] == pytest.approx(expected, abs=1e-13)


def test_the_curve_agrees_with_exact_rationals_at_a_hundred_thousand_samples():
    n, c = np.full(3, 100_000), np.array([1, 40, 70_000])
    curve = estimate_pass_at_k_curve(n, c, 100_000)
    for k in (1, 2, 10, 1000, 50_000, 99_960, 99_999, 100_000):
        exact = sum(exact_estimate(100_000, int(i), k) for i in c) / 3
        assert abs(Fraction(float(curve[k - 1])) - exact) < Fraction(1, 10**12), k


def test_the_curve_is_exact_for_a_million_problems():
    rng = np.random.default_rng(0)
    c = rng.binomial(256, rng.beta(0.3, 1.0, size=10**6))
    curve = estimate_pass_at_k_curve(np.full(10**6, 256), c, 256)
    times = np.bincount(c, minlength=257)
    for k in (1, 64, 256):
        exact = sum(
            int(t) * exact_estimate(256, i, k) for i, t in enumerate(times)
        ) / Fraction(10**6)
        assert abs(Fraction(float(curve[k - 1])) - exact) < Fraction(1, 10**12)


def test_many_different_sample_numbers_are_counted_by_sorting_with_the_same_result():
    # a spread too wide to count in a table
    n = np.array([10, 3_000_000, 10, 3_000_000, 2_999_999])
    c = np.array([3, 2_000_000, 0, 2_000_000, 7])
    curve = estimate_pass_at_k_curve(n, c, 3)
    expected = [np.mean(estimate_pass_at_k(n, c, k)) for k in (1, 2, 3)]
    assert_allclose(curve, expected, rtol=1e-13)


# --- what goes wrong elsewhere


def test_more_tries_than_samples_is_refused_not_called_a_success():
    for function in (estimate_pass_at_k, estimate_pass_at_k_curve):
        with pytest.raises(ValueError, match=r"k(_max)? = 5 and entry 1 has n = 2"):
            function(np.array([6, 2]), np.array([0, 0]), 5)


def test_more_right_than_sampled_is_refused():
    with pytest.raises(ValueError, match=r"entry 1 has c = 5, n = 3"):
        estimate_pass_at_k(np.array([3, 3]), np.array([1, 5]), 2)


def test_one_right_of_four_is_found_in_four_tries():
    assert estimate(4, sum([1, 0, 0, 0]), 4) == 1.0
    assert estimate(16, 1, 16) == 1.0


def test_the_estimate_does_not_depend_on_which_sample_was_right():
    assert estimate(4, 1, 2) == 0.5


def test_the_large_case_where_float_binomials_overflow_is_one_half():
    assert estimate(1030, 1, 515) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.usefixtures("no_type_checker")
def test_a_numpy_integer_is_as_good_as_a_python_one():
    n, c = np.array([10]), np.array([3])
    assert estimate_pass_at_k(n, c, np.int64(4)) == pytest.approx(5 / 6)


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint64, np.int32])
def test_small_integer_types_do_not_wrap(dtype):
    n, c = np.array([255, 127]), np.array([1, 127])
    narrow = estimate_pass_at_k(n.astype(dtype), c.astype(dtype), 100)
    assert_array_equal(narrow, estimate_pass_at_k(n, c, 100))
    curve = estimate_pass_at_k_curve(n.astype(dtype), c.astype(dtype), 127)
    assert_array_equal(curve, estimate_pass_at_k_curve(n, c, 127))


# --- comparing two models


@given(
    success_rates(5),
    success_rates(5),
    distributions(5),
    st.lists(KS, min_size=1, max_size=4),
)
def test_gains_plus_losses_are_the_difference_of_the_means(p_base, p_rl, weights, ks):
    k = np.array(ks)
    parts = decompose_difference(p_base, p_rl, k, weights)
    difference = mean_pass_at_k(p_rl, k, weights) - mean_pass_at_k(p_base, k, weights)
    assert_allclose(parts.net, difference, atol=1e-12)
    assert np.all(parts.gained >= 0)
    assert np.all(parts.lost <= 0)


@given(success_rates(4), success_rates(4), KS)
def test_each_problem_counts_as_gained_or_as_lost_by_whether_its_rate_rose(
    p_base, p_rl, k
):
    parts = decompose_difference(p_base, p_rl, np.array([k]))
    change = (pass_at_k(p_rl, k) - pass_at_k(p_base, k)) / 4
    assert_allclose(parts.gained, [change[p_rl > p_base].sum()], atol=1e-14)
    assert_allclose(parts.lost, [change[p_rl < p_base].sum()], atol=1e-14)


@given(success_rates(5), arrays((5,), PROBABILITIES), distributions(5))
def test_without_a_fallen_problem_there_is_no_crossover(p_base, share, weights):
    p_rl = p_base + share * (1 - p_base)
    assert first_k_below(p_base, p_rl.clip(p_base, 1), 300, weights) is None


@given(success_rates(4), success_rates(4), distributions(4))
def test_the_first_k_below_is_the_first_found_by_looking(p_base, p_rl, weights):
    found = first_k_below(p_base, p_rl, 60, weights)
    k = np.arange(1, 61)
    net = mean_pass_at_k(p_rl, k, weights) - mean_pass_at_k(p_base, k, weights)
    assume(np.all(np.abs(np.abs(net) - 1e-12) > 1e-13))  # no tie decided by rounding
    below = [int(j) for j in k[net < -1e-12]]
    assert found == (below[0] if below else None)


def test_equal_models_never_cross():
    p = np.array([0.1, 0.7, 0.3])
    assert first_k_below(p, p.copy(), 1000) is None


def test_a_loss_at_the_first_sample_already_counts():
    assert first_k_below(np.array([0.5]), np.array([0.4]), 10) == 1


@given(distributions(4, zeros=False), st.floats(0.05, 0.3), st.floats(1.3, 3.0))
def test_the_misses_come_down_to_the_hardest_problem(weights, p_min, factor):
    p = np.array([p_min, p_min * factor, p_min * factor, 0.95])
    weights = (weights + 0.25) / 2
    k = np.array([10, 100, 1000])
    # the log of the ratio of all misses to the hardest problem's
    miss = np.exp(log_fail_at_k(p, k) - log_fail_at_k(p[:1], k))
    ratio = weights @ miss / weights[0]
    tail = hardest_problem_tail(p, k, weights)
    assert_allclose(tail, weights[0] * (1 - p_min) ** k, rtol=1e-9)
    assert np.all(np.diff(ratio) <= 0)
    assert ratio[-1] == pytest.approx(1, abs=1e-3)
    direct = 1 - mean_pass_at_k(p, k[:1], weights)
    assert direct[0] / tail[0] == pytest.approx(ratio[0], rel=1e-6)


def test_problems_tied_for_the_hardest_count_together():
    p = np.array([0.2, 0.2, 0.9])
    tail = hardest_problem_tail(p, np.array([30]))
    assert_allclose(tail, [2 / 3 * 0.8**30])


def test_a_problem_that_is_never_asked_is_not_the_hardest():
    p, weights = np.array([0.01, 0.2]), np.array([0.0, 1.0])
    assert_allclose(hardest_problem_tail(p, np.array([5]), weights), [0.8**5])


@given(success_rates(4), success_rates(4), distributions(4, zeros=False))
def test_in_the_end_the_model_with_the_larger_smallest_rate_wins(p_base, p_rl, weights):
    p_base, p_rl = p_base.clip(0.01, 0.99), p_rl.clip(0.01, 0.99)
    assume(abs(p_base.min() - p_rl.min()) > 0.01)
    k = 3000
    reference = max(log_fail_at_k(p, k).max() for p in (p_base, p_rl))
    base, rl = (
        weights @ np.exp(log_fail_at_k(p, k) - reference) for p in (p_base, p_rl)
    )
    assert (rl < base) == (p_rl.min() > p_base.min())
