"""Learning a second task: the time, its bounds, and what it does not depend on."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.special import logit, softmax
from scipy.stats import spearmanr

from tests.strategies import distributions, no_type_checker, st  # noqa: F401
from toolkit.labs.plasticity import (
    carried_over,
    gradient_and_optimum,
    learning_time,
    learning_time_bounds,
    measure_drift,
    policies_with,
    sample_drifted,
    settled_policy,
)
from toolkit.optima import tilted_policy

SHARES = np.array([0.1, 0.8, 0.9, 0.99, 0.999, 0.9999])
SETTLED = settled_policy(SHARES, 10)


def flow_time(pi: np.ndarray, new: int) -> float:
    """Return the learning time from the gradient's own equations, in real time."""
    reward = np.eye(len(pi))[new]

    def ascent(_, theta):
        p = softmax(theta)
        return p * (reward - p[new])

    def learned(_, theta):
        return softmax(theta)[new] - 0.5

    learned.terminal = True
    found = solve_ivp(
        ascent, (0, 1e9), np.log(pi), "LSODA", events=learned, rtol=1e-9, atol=1e-11
    )
    return float(found.t_events[0][0])


@given(distributions(5, zeros=False))
@settings(max_examples=20)
def test_the_time_is_that_of_the_gradient_followed_in_real_time(pi):
    if pi[3] < 0.5:
        assert learning_time(pi, 3) == pytest.approx(flow_time(pi, 3), rel=1e-5)
    else:
        assert learning_time(pi, 3) == 0


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
@settings(max_examples=10)
def test_the_new_answers_probability_alone_bounds_the_time(seed, n_answers):
    pi = sample_drifted(200, n_answers, rng=np.random.default_rng(seed))
    low, high = learning_time_bounds(np.minimum(pi[:, 0], 0.5), n_answers)
    time = learning_time(pi, 0)
    assert np.all(low * (1 - 1e-6) <= time)
    assert np.all(time <= high * (1 + 1e-6))


def test_both_bounds_are_reached():
    even, one = np.array([[0.1, 0.3, 0.3, 0.3], [0.1, 0.9, 1e-12, 1e-12]])
    one = one / one.sum()
    low, high = learning_time_bounds(np.array([0.1]), n_answers=4)
    # even others stay even; a single other stays single
    assert learning_time(even, 0) == pytest.approx(high[0])
    assert learning_time(one, 0) == pytest.approx(low[0], rel=1e-6)


def test_times_after_the_first_task_are_the_measured_ones():
    expected = [12.0, 33.8, 57.5, 469, 4562, 45_470]
    assert_allclose(learning_time(SETTLED, 1), expected, rtol=0.012)
    natural = [2.2, 3.8, 4.5, 6.8, 9.1, 11.4]
    assert_allclose(learning_time(SETTLED, 1, natural=True), natural, atol=0.05)


def test_late_times_are_one_over_twice_the_probability():
    start = settled_policy(np.array([1 - 1e-6, 1 - 1e-8]), 10)
    assert_allclose(learning_time(start, 1) * 2 * start[:, 1], 1, rtol=1e-4)


def test_distances_after_the_first_task_are_the_measured_ones():
    drift = measure_drift(SETTLED, 1)
    assert_allclose(drift.forward, [0, 1.146, 1.758, 3.821, 5.892, 7.964], atol=6e-4)
    assert_allclose(drift.reverse, [0, 1.363, 1.758, 2.225, 2.292, 2.301], atol=6e-4)


def test_the_time_is_exponential_in_the_forward_kl():
    start = settled_policy(1 - np.logspace(-4, -8, 5), 10)
    law = 5 * np.exp(measure_drift(start, 1).forward * 10 / 9)
    assert_allclose(learning_time(start, 1) / law, 10 ** (1 / 9), rtol=2e-3)


def test_a_lower_price_of_kl_on_the_first_task_delays_the_second():
    base, reward = np.full((1, 10), 0.1), np.eye(10)[:1]
    betas = (1.0, 0.5, 0.3, 0.2, 0.1)
    starts = np.concatenate([tilted_policy(base, reward, b) for b in betas])
    expected = [14, 17.5, 30, 95, 11_600]  # with steps of 0.05; these are without
    assert_allclose(learning_time(starts, 1), expected, rtol=0.06)


def test_what_is_not_carried_over_does_not_delay():
    start = carried_over(SETTLED[-1], np.array([0.0, 0.25, 0.5, 1.0]))
    expected = [12.2, 24, 176, 47_300]  # with steps of 0.05; these are without
    assert_allclose(learning_time(start, 1), expected, rtol=0.06)
    assert_allclose(learning_time(start, 0)[1:], 0, atol=0.1)


def test_lost_support_orders_the_delays_and_distance_does_not():
    pi = sample_drifted(600, 10, rng=np.random.default_rng(7))
    drift = measure_drift(pi, 0)
    lost = spearmanr(drift.slowdown, -drift.p_new).statistic
    forward = spearmanr(drift.slowdown, drift.forward).statistic
    reverse = spearmanr(drift.slowdown, drift.reverse).statistic
    assert lost > 0.99
    assert 0.2 < forward < 0.6
    assert 0.2 < reverse < 0.6
    assert 0.2 < (drift.slowdown < 1).mean() < 0.45  # these learn faster than the base


def test_distance_without_lost_support_does_not_delay():
    favourite = np.array([0.5, 0.8, 0.8999, 0.9 - 8e-5])
    pi = policies_with(0.1, favourite, n_answers=10)
    drift = measure_drift(pi, 0)
    assert drift.forward[0] == pytest.approx(0.39, abs=0.005)
    assert drift.forward[-1] > 6.9
    assert np.all(np.diff(drift.slowdown) < 0)
    assert_allclose(learning_time(pi, 0)[[0, -1]], [10.6, 6.7], rtol=0.012)


@given(st.integers(0, 2**32 - 1), st.floats(0.95, 0.999))
@settings(max_examples=15)
def test_gradient_and_optimum_reach_the_same_success(seed, reached):
    base = np.random.default_rng(seed).dirichlet(np.full(5, 2.0), size=3)
    gradient, optimum = gradient_and_optimum(base, max(reached, base[:, 0].max()))
    assert_allclose(gradient[:, 0], optimum[:, 0])
    assert_allclose(gradient.sum(axis=1), 1)
    kept = optimum[:, 1:] / base[:, 1:]
    assert_allclose(kept, kept[:, :1] * np.ones(4))
    # the gradient narrows the gaps between the others and never turns them
    order = np.argsort(base[:, 1:], axis=1)
    ranked = np.take_along_axis(np.log(gradient / base)[:, 1:], order, axis=1)
    assert np.all(np.diff(ranked, axis=1) <= 1e-9)


def test_the_gradients_policy_lies_on_the_flow_in_real_time():
    base, reward = np.array([0.1, 0.2, 0.3, 0.4]), np.eye(4)[0]

    def ascent(_, theta):
        p = softmax(theta)
        return p * (reward - p[0])

    flow = solve_ivp(ascent, (0, 60), np.log(base), rtol=1e-10, atol=1e-12)
    on_flow = softmax(flow.y[:, -1])
    gradient, _ = gradient_and_optimum(base[None], float(on_flow[0]))
    assert_allclose(gradient[0], on_flow, rtol=1e-6)


def test_at_equal_success_the_optimum_is_no_faster_to_move_on():
    base = np.random.default_rng(1).dirichlet(np.ones(10), size=500)
    base = base[base[:, 0] < 0.9]
    gradient, optimum = gradient_and_optimum(base, 0.99)
    ratio = learning_time(gradient, 1) / learning_time(optimum, 1)
    assert 0.6 < np.median(ratio) < 0.9


def test_natural_time_is_the_log_odds():
    pi = np.array([[0.01, 0.99]])
    assert_allclose(learning_time(pi, 0, natural=True), -logit(0.01))


@pytest.mark.usefixtures("no_type_checker")
def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="pi must be positive everywhere"):
        learning_time(np.array([[1.0, 0.0]]), 0)
    with pytest.raises(ValueError, match="new must be from 0 to 1, but it is 2"):
        learning_time(np.array([[0.5, 0.5]]), 2)
    with pytest.raises(ValueError, match=r"p_new must be in \(0, 1/2\]"):
        learning_time_bounds(np.array([0.6]), 3)
    with pytest.raises(ValueError, match=r"favourite must be .* below 1 - p_new = 0.9"):
        policies_with(0.1, np.array([0.95]), n_answers=4)
    with pytest.raises(ValueError, match="base must be positive everywhere"):
        gradient_and_optimum(np.array([[0.5, 0.5, 0.0]]), 0.9)
    with pytest.raises(ValueError, match=r"reached must be at least 0\.5"):
        gradient_and_optimum(np.array([[0.5, 0.5]]), 0.2)
    with pytest.raises(ValueError, match="pi must be positive everywhere"):
        carried_over(np.array([[1.0, 0.0]]), np.array([0.5]))
