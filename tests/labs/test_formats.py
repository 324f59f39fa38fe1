"""Laboratory 3: which format survives."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from tests.strategies import st
from toolkit.labs.formats import (
    ACCURACY,
    PRIOR,
    critical_mass,
    edges_of_practice,
    fixed_step_winner,
    format_flow,
    replicator,
    selected_masses,
    winner,
    yielding_price,
)
from toolkit.optima import tilted_policy

MIXES = st.lists(st.floats(0.05, 1), min_size=3, max_size=3).map(
    lambda weights: np.array(weights) / sum(weights)
)
SKILLS = st.lists(st.floats(0.05, 0.95), min_size=3, max_size=3).map(np.array)


@settings(max_examples=20)
@given(prior=MIXES, accuracy=SKILLS, practice=st.floats(0, 2))
def test_masses_and_skills_move_as_the_gradient_says(prior, accuracy, practice):
    step = 1e-4
    path = format_flow(prior, accuracy, np.array([0.0, step]), practice)
    mass = np.diff(np.log(path.mass), axis=0)[0] / step
    mean = prior @ accuracy
    push = prior * (accuracy - mean)
    assert_allclose(mass - mass[0], push - push[0], atol=1e-3)
    grown = np.diff(np.log(path.accuracy / (1 - path.accuracy)), axis=0)[0] / step
    assert_allclose(grown, practice * prior * accuracy * (1 - accuracy), atol=1e-3)


@given(prior=MIXES, accuracy=SKILLS, time=st.floats(0, 20))
def test_along_the_natural_gradient_only_accuracy_counts(prior, accuracy, time):
    mass = replicator(prior, accuracy, np.array([time]))[0]
    ratios = np.log(mass / mass[0]) - np.log(prior / prior[0])
    assert_allclose(ratios, time * (accuracy - accuracy[0]), atol=1e-9)


@given(prior=MIXES, accuracy=SKILLS, beta=st.floats(0.05, 5))
def test_masses_with_a_price_are_those_of_the_tilted_policy(prior, accuracy, beta):
    fixed = tilted_policy(prior[None], accuracy[None], beta)[0]
    assert_allclose(replicator(prior, accuracy, np.array([1 / beta]))[0], fixed)
    joint = np.stack([prior * accuracy, prior * (1 - accuracy)], axis=1)
    reward = np.tile([1.0, 0.0], 3)
    chosen = tilted_policy(joint.reshape(1, -1), reward[None], beta).reshape(3, 2)
    assert_allclose(selected_masses(prior, accuracy, beta), chosen.sum(axis=1))


@given(prior=MIXES, accuracy=SKILLS)
def test_where_answers_can_be_chosen_the_limit_is_prior_times_accuracy(prior, accuracy):
    limit = prior * accuracy / (prior @ accuracy)
    assert_allclose(selected_masses(prior, accuracy, 0.01), limit, atol=1e-9)


def test_the_gradient_has_the_reference_masses():
    path = format_flow(PRIOR, ACCURACY, np.array([5.0, 20.0, 50.0, 100.0]))
    reference = [
        [0.537, 0.341, 0.122],
        [0.345, 0.414, 0.242],
        [0.084, 0.144, 0.771],
        [0.020, 0.033, 0.946],
    ]
    assert_allclose(path.mass, reference, atol=1.5e-3)


def test_prices_have_the_reference_masses():
    fixed = replicator(PRIOR, ACCURACY, np.array([5.0, 10.0, 20.0]))
    reference = [[0.389, 0.321, 0.290], [0.175, 0.238, 0.587], [0.014, 0.051, 0.935]]
    assert_allclose(fixed, reference, atol=6e-4)
    chosen = selected_masses(PRIOR, ACCURACY, 0.1)
    assert_allclose(chosen, [0.5, 0.333, 0.167], atol=6e-4)


def test_the_majority_yields_at_its_price():
    beta = yielding_price(PRIOR, ACCURACY)
    assert beta == pytest.approx(0.1674, abs=5e-5)
    mass = replicator(PRIOR, ACCURACY, np.array([1 / beta]))[0]
    assert mass[0] == pytest.approx(mass[2])
    with pytest.raises(ValueError, match="maxima in different formats"):
        yielding_price(PRIOR, PRIOR)


@pytest.mark.parametrize(
    ("practice", "mass", "accuracy"),
    [
        (0.2, [0.000, 0.001, 0.999], None),
        (0.4, [0.001, 0.997, 0.001], None),
        (1.0, [0.995, 0.003, 0.001], [1.00, 0.97, 0.94]),
        (5.0, [0.928, 0.056, 0.015], None),
    ],
)
def test_with_practice_runs_end_as_the_reference_does(practice, mass, accuracy):
    path = format_flow(PRIOR, ACCURACY, np.array([3000.0]), practice)
    assert_allclose(path.mass[-1], mass, atol=1.1e-3)
    if accuracy:
        assert_allclose(path.accuracy[-1], accuracy, atol=6e-3)


def test_the_winner_changes_twice_and_is_never_best_at_anything_in_between():
    edges = edges_of_practice(PRIOR, ACCURACY, np.array([0.2, 0.4, 0.6]), 2e-3)
    assert [(low, high) for _, low, high in edges] == [(2, 1), (1, 0)]
    assert_allclose([edge for edge, _, _ in edges], [0.285, 0.499], atol=2.1e-3)
    for edge, low, high in edges:
        assert winner(PRIOR, ACCURACY, edge - 0.003) == low
        assert winner(PRIOR, ACCURACY, edge + 0.003) == high


def test_fixed_steps_name_another_winner_near_an_edge():
    assert winner(PRIOR, ACCURACY, 0.5) == 0
    assert fixed_step_winner(PRIOR, ACCURACY, 0.5, step=1.0) == 1
    assert fixed_step_winner(PRIOR, ACCURACY, 0.5, step=0.1, end=600.0) == 0


@pytest.mark.parametrize(
    ("accuracy", "practice", "mass"),
    [((0.3, 0.6), 0.5, 0.829), ((0.3, 0.6), 5.0, 0.602), ((0.3, 0.4), 1.0, 0.612)],
)
def test_a_majority_wins_above_its_critical_mass(accuracy, practice, mass):
    accuracy = np.array(accuracy)
    found = critical_mass(accuracy, practice, 1e-3)
    assert found == pytest.approx(mass, abs=1.5e-3)
    for first, wins in ((found - 0.005, 1), (found + 0.005, 0)):
        assert winner(np.array([first, 1 - first]), accuracy, practice) == wins


def test_a_losing_mass_falls_like_one_over_time():
    path = format_flow(PRIOR, ACCURACY, np.array([1e3, 1e4]), 0.2)
    assert path.mass[0, 0] / path.mass[1, 0] == pytest.approx(10, rel=0.05)


def test_impossible_formats_are_refused():
    with pytest.raises(ValueError, match="prior must give each format"):
        format_flow(np.array([1.0, 0.0]), np.array([0.5, 0.5]), np.array([1.0]))
    with pytest.raises(ValueError, match="accuracy must be strictly between"):
        replicator(np.array([0.5, 0.5]), np.array([0.5, 1.0]), np.array([1.0]))
    with pytest.raises(ValueError, match="accuracy must be two increasing numbers"):
        critical_mass(np.array([0.6, 0.3]), 1.0)
