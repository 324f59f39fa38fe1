"""Planning and execution: the gradient, the clock, and both sides of the knife edge."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose
from scipy.special import expit, logit, softmax

from tests.strategies import distributions, no_type_checker, st  # noqa: F401
from toolkit.labs.two_phases import (
    Course,
    Problem,
    first_time,
    poor_habit,
    practice_needed,
    single_good_plan,
    train_exactly,
)

PROBABILITY = st.floats(0.05, 0.95)


def course(problem: Problem, until: float, **options: float) -> Course:
    return train_exactly(problem, np.linspace(0, until, 3001), **options)


@pytest.fixture(scope="module")
def courses():
    """The four courses of the page, by number of types."""
    until = {1: 300, 4: 400, 16: 3000, 64: 2500}
    return {n: course(poor_habit(n), t) for n, t in until.items()}


# The gradient


def success(theta: np.ndarray, u: np.ndarray, quality: np.ndarray) -> float:
    """Return J of P types with plan logits each, and a logit for each step."""
    return float(np.mean(softmax(theta, axis=1) @ quality) * np.prod(expit(u)))


@given(distributions(3, zeros=False), distributions(3), PROBABILITY)
@settings(max_examples=15)
def test_the_speeds_are_the_gradient_of_the_success(prior, quality, step):
    n_types, n_steps, h = 2, 3, 1e-5
    problem = Problem(
        n_types=n_types, prior=prior, quality=quality, step=step, n_steps=n_steps
    )
    theta = np.tile(np.log(prior), (n_types, 1))
    u = np.full(n_steps, logit(step))

    def slope(which: np.ndarray, *at: int) -> float:
        up, down = which.copy(), which.copy()
        up[at] += h
        down[at] -= h
        pair = [(up, u), (down, u)] if which is theta else [(theta, up), (theta, down)]
        return (success(*pair[0], quality) - success(*pair[1], quality)) / (2 * h)

    moved = train_exactly(problem, np.array([0.0, 1e-3]))
    plan_slope = np.array([slope(theta, 0, k) for k in range(3)])
    step_speed = (logit(moved.step[1]) - logit(step)) / 1e-3
    assert step_speed == pytest.approx(slope(u, 0), abs=1e-3)
    log_plans = np.diff(np.log(moved.plans), axis=0)[0] / 1e-3
    assert_allclose(log_plans, plan_slope - prior @ plan_slope, atol=1e-3)


@given(distributions(4), distributions(4), PROBABILITY, st.floats(0, 1))
@settings(max_examples=30)
def test_the_bonus_multiplies_planning_by_one_plus_alpha_times_1_minus_2j(
    pi, quality, execution, alpha
):
    works = quality * execution  # chance that each plan is rewarded
    j = pi @ works
    direction = np.zeros(4)
    for r, chance in ((1, works), (0, 1 - works)):
        advantage = r - j
        weight = pi * chance * (advantage + alpha * abs(advantage))
        direction += weight - pi * weight.sum()  # weight times d log pi / d theta
    plain = pi * (works - j)
    assert_allclose(direction, (1 + alpha * (1 - 2 * j)) * plain, atol=1e-12)


# The reference values


@pytest.mark.parametrize(
    ("n_types", "execution", "planning"),
    [(1, 115, 103), (4, 133, 179), (16, 143, 424), (64, 147, 1360)],
)
def test_times_of_the_two_phases_are_the_measured_ones(
    courses, n_types, execution, planning
):
    run = courses[n_types]  # measured with steps of .2 to .5; this one is without steps
    assert first_time(run.times, run.execution, 0.8) == pytest.approx(
        execution, rel=0.015
    )
    assert first_time(run.times, run.planning_gain, 0.8) == pytest.approx(
        planning, rel=0.01
    )


def test_with_one_type_planning_comes_first(courses):
    run = courses[1]
    assert first_time(run.times, run.planning_gain, 0.8) < first_time(
        run.times, run.execution, 0.8
    )


def test_entropies_of_sixteen_types_are_the_measured_ones(courses):
    run = courses[16]
    end = first_time(run.times, run.execution, 0.8)

    def at_the_end(values: np.ndarray) -> float:
        return float(np.interp(end, run.times, values))

    assert at_the_end(run.planning_gain) == pytest.approx(0.11, abs=0.006)
    assert run.step_entropy[0] == pytest.approx(0.673, abs=6e-4)
    assert at_the_end(run.step_entropy) == pytest.approx(0.21, abs=0.006)
    assert run.plan_entropy[0] == pytest.approx(0.96, abs=0.006)
    assert at_the_end(run.plan_entropy) == pytest.approx(1.17, abs=0.011)
    assert run.plan_entropy.max() == pytest.approx(1.79, abs=0.006)
    assert run.plan_entropy[-1] == pytest.approx(1.66, abs=0.02)
    assert run.token_entropy[0] == pytest.approx(0.73, abs=0.006)
    assert at_the_end(run.token_entropy) == pytest.approx(0.40, abs=0.006)
    assert run.token_entropy[-1] == pytest.approx(0.34, abs=0.01)
    assert_allclose(
        [run.success[0], at_the_end(run.success), run.success[-1]],
        [0.012, 0.40, 0.89],
        atol=0.006,
    )


# The law


@pytest.mark.parametrize("n_types", [1, 4, 16, 64])
def test_planning_needs_practice_in_proportion_to_the_types(courses, n_types):
    run = courses[n_types]
    reached = first_time(run.times, run.planning, 0.78)
    practice = float(np.interp(reached, run.times, run.practice))
    assert practice == pytest.approx(15.8 * n_types, rel=0.002)
    assert practice == pytest.approx(practice_needed(run.problem, 0.78), rel=1e-3)


@given(st.integers(1, 6), st.floats(0.1, 0.9), st.floats(0.05, 0.9), PROBABILITY)
@settings(max_examples=20)
def test_the_practice_needed_is_the_integral_along_the_gradient(
    n_good, poor, gap, step
):
    problem = Problem(
        n_types=1,
        prior=np.array([poor, *[(1 - poor) / n_good] * n_good]),
        quality=np.array([0.05, *[0.05 + gap] * n_good]),
        step=step,
    )
    run = train_exactly(problem, np.array([0.0, 5.0, 50.0]))
    for planning, practice in zip(run.planning[1:], run.practice[1:], strict=True):
        assert practice_needed(problem, planning) == pytest.approx(practice, abs=1e-5)


def test_execution_depends_little_on_the_number_of_types(courses):
    ends = [first_time(run.times, run.execution, 0.8) for run in courses.values()]
    assert max(ends) / min(ends) < 1.3


# The knife edge


def test_a_strong_start_has_no_first_phase():
    run = course(poor_habit(16, step=0.95), 1000)
    assert first_time(run.times, run.execution, 0.8) < 1
    assert first_time(run.times, run.planning_gain, 0.8) > 200


def test_plan_entropy_rises_only_from_a_poor_habit_to_many_good_plans():
    bump = course(single_good_plan(16, habit=0.9), 3000).plan_entropy
    assert_allclose([bump[0], bump.max()], [0.49, 1.30], atol=0.006)
    assert bump[-1] < 0.2
    fall = course(single_good_plan(16, habit=1 / 6), 3000).plan_entropy
    assert fall[0] == pytest.approx(1.79, abs=0.006)
    assert np.all(np.diff(fall) < 1e-9)


def test_the_bonus_helps_below_one_half_and_hurts_above():
    problem = poor_habit(16)
    reached = {}
    for alpha in (0.0, 0.2, 0.5, 1.0):
        run = course(problem, 700, bonus=alpha)
        reached[alpha] = first_time(run.times, run.planning, 0.78)
    assert_allclose(list(reached.values()), [369, 375, 389, 435], rtol=0.005)
    early, plain = course(problem, 150, bonus=1.0), course(problem, 150)
    assert early.planning[1500] > plain.planning[1500]  # J is below one half there
    assert early.success[1500] < 0.5


# What is refused


@pytest.mark.usefixtures("no_type_checker")
def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="prior must be positive"):
        Problem(n_types=1, prior=np.array([1.0, 0.0]), quality=np.array([0.5, 0.5]))
    with pytest.raises(ValueError, match="step must be above 0 and below 1"):
        poor_habit(1, step=1.0)
    with pytest.raises(ValueError, match="times must increase from 0"):
        train_exactly(poor_habit(1), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="values must reach level = 2"):
        first_time(np.array([0.0, 1.0]), np.array([0.0, 1.0]), 2.0)
    uneven = replace(poor_habit(1), quality=np.array([0.3, 0.9, 0.9, 0.9, 0.9, 0.8]))
    with pytest.raises(ValueError, match="problem must have a poor plan first"):
        practice_needed(uneven, 0.5)
    with pytest.raises(ValueError, match=r"planning must be at least 0\.45"):
        practice_needed(poor_habit(1), 0.2)
