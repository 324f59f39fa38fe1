"""Positives, negatives and both: one expected gradient, several finite-sample paths."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from tests.strategies import languages_with_logits, no_type_checker, st  # noqa: F401
from toolkit.labs.negatives import (
    answers_kept,
    one_sided,
    tasks_kept,
    usual_rules,
    with_drawn_outcomes,
)
from toolkit.language import default_testbed, shared_testbed
from toolkit.policies import response_probs, score_gradient
from toolkit.updates import PlainAscent

RULES = usual_rules()
ONE_SIDED = {name: RULES[name] for name in ("positives only", "negatives only")}


@given(languages_with_logits(), st.integers(0, 2**32 - 1))
def test_one_sided_rules_have_the_same_exact_gradient(language_logits, seed):
    language, logits = language_logits
    pi = response_probs(logits, language)
    reward = np.random.default_rng(seed).integers(0, 2, size=pi.shape).astype(float)
    centred = reward - (pi * reward).sum(axis=-1, keepdims=True)
    both = score_gradient(logits, pi * centred, language)
    for rule in ONE_SIDED.values():
        alone = score_gradient(logits, pi * rule.weigh(reward), language)
        assert_allclose(alone, both, atol=1e-12)


@given(st.floats(0, 2), st.floats(0, 2))
def test_other_weights_only_change_the_length_of_the_gradient(positive, negative):
    pi, reward = np.array([[0.5, 0.2, 0.3]]), np.array([[1.0, 0.0, 1.0]])
    weights = pi * one_sided(positive, negative).weigh(reward)
    gradient = weights - pi * weights.sum()
    plain = pi * (reward - (pi * reward).sum())
    assert_allclose(gradient, (positive + negative) * plain, atol=1e-12)


def test_a_groups_expected_gradient_is_that_of_the_success():
    pi, right = np.array([0.2, 0.5, 0.3]), np.array([1.0, 0.0, 0.0])
    exact = pi * (right - pi @ right)
    for rule in RULES.values():
        mean, length = np.zeros(3), 0.0
        for group in product(range(3), repeat=3):
            weights = rule.weigh(right[list(group)][None])[0] / 3
            scores = np.eye(3)[list(group)] - pi
            mean += np.prod(pi[list(group)]) * (weights @ scores)
        length = 1.1 if rule is RULES["mostly negatives"] else 1.0
        assert_allclose(mean, length * exact, atol=1e-12)


@pytest.fixture(scope="module")
def with_adam():
    """Answers kept by each rule at three success rates, with Adam."""
    return answers_kept(
        default_testbed(),
        RULES,
        success=(0.7, 0.9, 0.97),
        n_runs=8,
        rng=np.random.default_rng(5),
    )


@pytest.mark.parametrize(
    ("rule", "expected"),
    [  # measured over 16 runs, whose sd is 1 to 3.6
        ("positives only", [17.4, 16.2, 13.4]),
        ("negatives only", [27.3, 24.6, 17.5]),
        ("mostly negatives", [27.0, 26.5, 19.2]),
        ("both", [22.7, 22.6, 16.9]),
    ],
)
def test_with_adam_the_answers_kept_are_the_measured_ones(with_adam, rule, expected):
    assert_allclose(with_adam[rule].kept.mean(axis=1), expected, atol=4)


def test_with_adam_negatives_keep_more(with_adam):
    kept = {name: found.kept.mean(axis=1) for name, found in with_adam.items()}
    assert np.all(kept["negatives only"] > kept["positives only"] + 3)
    assert np.all(kept["both"] > kept["positives only"] + 1.5)


def test_without_adam_they_do_not():
    kept = answers_kept(
        default_testbed(),
        ONE_SIDED,
        success=(0.7, 0.9, 0.97),
        optimiser=PlainAscent,
        learning_rate=1.0,
        n_runs=8,
        rng=np.random.default_rng(6),
    )
    positives, negatives = (found.kept.mean(axis=1) for found in kept.values())
    assert_allclose(positives, [15.2, 14.0, 9.0], atol=2.5)
    assert_allclose(negatives, [15.0, 11.7, 8.2], atol=2.5)


def test_on_the_shared_testbed_one_pass_at_1_means_one_pass_at_256():
    found = tasks_kept(
        shared_testbed(),
        ONE_SIDED,
        pass_at_1=(0.39,),
        k=256,
        n_runs=8,
        rng=np.random.default_rng(6),
    )
    positives, negatives = found.values()
    assert positives.kept.mean() == pytest.approx(0.957, abs=0.015)
    assert negatives.kept.mean() == pytest.approx(0.967, abs=0.01)
    # ... but negatives take about twice as long
    assert 1.5 < negatives.steps.mean() / positives.steps.mean() < 2.8


def test_drawn_outcomes_are_right_as_often_as_the_reward_says():
    seen = []

    def note(outcomes):
        seen.append(outcomes)
        return outcomes

    rule = one_sided(1.0, 0.0)
    judged = with_drawn_outcomes(
        type(rule)(weigh=note), rng=np.random.default_rng(0)
    ).weigh(np.full((1, 40_000), 0.3))
    assert set(np.unique(seen)) == {0.0, 1.0}
    assert judged.mean() == pytest.approx(0.3, abs=0.01)


@pytest.mark.usefixtures("no_type_checker")
def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="negative must be at least 0, but it is -1"):
        one_sided(1.0, -1.0)
    rule = with_drawn_outcomes(one_sided(1.0, 0.0), rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="the rewards must hold probabilities"):
        rule.weigh(np.array([[1.5]]))
