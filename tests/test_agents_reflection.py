"""Reports about one's own answers, their calibration, and what a bonus does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit
from strategies import no_type_checker  # noqa: F401

from toolkit.agents.bonus import bonus_side_effect, exit_threshold, with_bonus
from toolkit.agents.calibration import answer_weights, brier_score, reliability
from toolkit.agents.coding_agent import REFERENCE, RIGHT, coding_agent
from toolkit.agents.mdp import same_everywhere
from toolkit.agents.reflection import (
    BONUSES,
    best_report,
    checker_verdicts,
    expected_bonus,
    train_reports,
)
from toolkit.agents.soft import soft_optimum
from toolkit.agents.values import optimal_values

AGENT = coding_agent()
PI_REF = same_everywhere(AGENT, REFERENCE)
SAID = checker_verdicts(np.array(RIGHT), pass_right=0.9, pass_wrong=0.2)
START = float(expit(-2.0))


def test_what_a_verdict_says_by_counting():
    # of 1,000 answers 680 are right: 612 pass; of 320 wrong ones 64 pass
    assert_allclose(SAID.right[2], [612 / 676, 68 / 324])
    assert_allclose(SAID.probability[2], [0.676, 0.324])


def test_reference_numbers_of_verdicts():
    assert_allclose(SAID.right[:, 0], [0.191, 0.758, 0.905, 0.988], atol=5e-4)
    assert_allclose(SAID.right[:, 1], [0.007, 0.080, 0.210, 0.704], atol=5e-4)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(BONUSES))
def test_no_report_earns_more_than_the_best_one(right, report, bonus):
    c, z = np.array([right]), np.array([report])
    best = expected_bonus(best_report(c, bonus), c, bonus)
    assert best >= expected_bonus(z, c, bonus) - 1e-12


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(BONUSES))
def test_the_expected_bonus_averages_what_is_earned_right_and_wrong(c, z, bonus):
    report = np.array([z])
    earned = [expected_bonus(report, np.array([o]), bonus) for o in (1.0, 0.0)]
    mean = c * earned[0] + (1 - c) * earned[1]
    assert_allclose(expected_bonus(report, np.array([c]), bonus), mean, atol=1e-12)


def test_agreement_teaches_certainty_and_brier_the_probability():
    learnt = {b: train_reports(SAID.right, b, start=START) for b in BONUSES}
    agreement = [[0.002, 0.998, 0.999, 0.999], [0.001, 0.001, 0.002, 0.997]]
    brier = [[0.191, 0.758, 0.905, 0.979], [0.019, 0.080, 0.210, 0.704]]
    assert_allclose(learnt["agreement"].T, agreement, atol=5e-4)
    assert_allclose(learnt["Brier"].T, brier, atol=5e-4)


def test_trained_long_enough_the_reports_are_the_best_ones():
    for bonus in BONUSES:
        learnt = train_reports(SAID.right, bonus, steps=200_000)
        assert_allclose(learnt, best_report(SAID.right, bonus), atol=2e-3)


def test_reference_brier_scores():
    tilted = soft_optimum(AGENT, PI_REF, 5.0).policy
    expected = {"agreement": (0.0790, 0.0875), "Brier": (0.0641, 0.0706)}
    for bonus, scores in expected.items():
        report = best_report(SAID.right, bonus)
        found = [brier_score(AGENT, pi, SAID, report) for pi in (PI_REF, tilted)]
        assert_allclose(found, scores, atol=5e-5)


def test_the_brier_score_by_drawing_answers():
    rng = np.random.default_rng(0)
    weight = answer_weights(AGENT, PI_REF, SAID)
    assert_allclose(weight.sum(), 1)
    report = rng.random(SAID.right.shape)
    case = rng.choice(weight.size, 100_000, p=weight.ravel())
    right = rng.random(len(case)) < SAID.right.ravel()[case]
    squares = (report.ravel()[case] - right) ** 2
    margin = 5 * squares.std() / np.sqrt(len(case))
    assert abs(squares.mean() - brier_score(AGENT, PI_REF, SAID, report)) < margin


def test_a_calibrated_report_lies_on_the_diagonal_and_a_certain_one_does_not():
    proper = reliability(AGENT, PI_REF, SAID, SAID.right)
    assert_allclose(proper.said, proper.happened)
    assert_allclose(proper.weight.sum(), 1)
    certain = reliability(AGENT, PI_REF, SAID, best_report(SAID.right, "agreement"))
    assert_allclose(certain.said, [0, 1])
    assert np.all(np.abs(certain.happened - certain.said) > 0.05)
    # how often the yes or no is right
    right = certain.weight @ np.where(certain.said > 0.5, certain.happened, 0)
    right += certain.weight @ np.where(certain.said < 0.5, 1 - certain.happened, 0)
    assert_allclose(right, 0.921, atol=5e-4)


def test_reference_thresholds_of_leaving():
    expected = {
        "agreement": [1.00, 2.58, 5.15, 19.0],
        "Brier": [1.21, 3.23, 6.09, 25.0],
    }
    for bonus, thresholds in expected.items():
        assert_allclose(exit_threshold(SAID, bonus), thresholds, rtol=3e-3)


def test_on_the_last_turn_leaving_wins_just_above_the_threshold():
    for bonus in BONUSES:
        for s, threshold in enumerate(exit_threshold(SAID, bonus)):
            for factor, leaves in ((0.999, False), (1.001, True)):
                mdp = with_bonus(AGENT, SAID, bonus, factor * threshold)
                q = optimal_values(mdp).q[-1, s]
                assert (q[3] > q[2]) is np.bool_(leaves)


def test_reference_numbers_of_the_side_effect():
    weights = np.array([0.0, 1.0, 2.0, 3.0, 20.0])
    success = {b: bonus_side_effect(AGENT, SAID, b, weights) for b in BONUSES}
    agreement, brier = success["agreement"], success["Brier"]
    expected = [0.7616, 0.7616, 0.746, 0.716, 0]
    assert_allclose(agreement.success, expected, atol=5e-4)
    assert_allclose(agreement.exits, [0, 0, 0, 0.132, 1], atol=5e-4)
    assert_allclose(brier.success[-1], 0.660, atol=5e-4)


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: best_report(np.array([0.5]), "log"),
            "bonus must be one of 'agreement', 'Brier'",
        ),
        (
            lambda: expected_bonus(np.array([1.2]), np.array([0.5]), "Brier"),
            r"report must hold probabilities in \[0, 1\]",
        ),
        (
            lambda: checker_verdicts(np.array([0.5]), pass_right=1.0, pass_wrong=1.0),
            "every verdict must be possible",
        ),
        (
            lambda: train_reports(SAID.right, "Brier", start=1.0),
            "start must be above 0 and below 1",
        ),
        (
            lambda: with_bonus(AGENT, SAID, "Brier", -1.0),
            "weight must be at least 0",
        ),
    ],
)
def test_a_bad_argument_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
