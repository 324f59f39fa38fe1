"""Laboratory 4: how many different answers RL and fine-tuning leave."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from tests.strategies import st
from toolkit.collapse.answers import distinct_at_k
from toolkit.labs.squeeze import (
    count_answers,
    expected_found,
    other_teacher,
    sample_labels,
    visit_decay,
)
from toolkit.language import ToyLanguage, default_testbed
from toolkit.optima import tilted_policy
from toolkit.policies import response_probs
from toolkit.training import fit_exactly, train
from toolkit.updates import policy_gradient

TESTBED = default_testbed()
LANGUAGE, REWARD = TESTBED.language, TESTBED.reward
PI_REF = response_probs(TESTBED.ref_logits, LANGUAGE)
OWN = tilted_policy(PI_REF, REWARD, beta=0.0)
OTHER = other_teacher(TESTBED)
SOURCES = st.lists(st.floats(0.01, 1), min_size=6, max_size=6).map(
    lambda weights: np.array([weights]) / sum(weights)
)


def fitted(teacher, n, steps=300, n_runs=4):
    target = sample_labels(teacher, n, n_runs=n_runs, rng=np.random.default_rng(1))
    return fit_exactly(
        TESTBED.ref_logits, target, LANGUAGE, steps=steps, learning_rate=0.05
    )


@pytest.fixture(scope="module")
def rl():
    return train(
        TESTBED.ref_logits,
        REWARD,
        LANGUAGE,
        policy_gradient(),
        steps=[30, 100, 300],
        group_size=16,
        learning_rate=0.05,
        n_runs=8,
        rng=np.random.default_rng(1),
    )


def test_the_base_and_the_kl_limit_have_the_reference_counts():
    base, limit = (count_answers(pi[None], TESTBED) for pi in (PI_REF, OWN))
    assert_allclose([base.right[0], base.wrong[0]], [27.6, 116.9], atol=0.06)
    assert_allclose([limit.right[0], limit.wrong[0]], [92.5, 0.0], atol=0.06)


def test_rl_squeezes_right_and_wrong_answers_as_in_the_reference_runs(rl):
    counts = count_answers(rl.pi, TESTBED)
    assert_allclose(counts.right.mean(axis=1), [23.0, 16.6, 9.4], rtol=0.08)
    assert_allclose(counts.wrong.mean(axis=1), [80.7, 24.0, 4.6], rtol=0.15)


@pytest.mark.parametrize(
    ("teacher", "n", "right", "wrong"),
    [
        (OWN, 16, 20.9, 7.6),
        (OWN, 256, 73.6, 4.6),
        (OTHER, 64, 106.7, 16.2),
        (OTHER, 256, 167.5, 12.2),
    ],
)
def test_fine_tuning_shows_what_its_labels_hold(teacher, n, right, wrong):
    found = count_answers(fitted(teacher, n).pi[-1], TESTBED)
    assert found.right.mean() == pytest.approx(right, rel=0.1)
    assert found.wrong.mean() == pytest.approx(wrong, rel=0.1)
    law = expected_found(teacher, REWARD, n, 256)
    assert found.right.mean() == pytest.approx(law, rel=0.1)


def test_rl_after_fine_tuning_squeezes_what_was_added():
    start = fitted(OTHER, 64, steps=100, n_runs=1)
    before = count_answers(start.pi[0], TESTBED)
    after = train(
        start.logits[0, 0],
        REWARD,
        LANGUAGE,
        policy_gradient(),
        steps=200,
        group_size=16,
        learning_rate=0.05,
        n_runs=4,
        rng=np.random.default_rng(1),
    )
    counts = count_answers(after.pi[0], TESTBED)
    assert before.right.mean() == pytest.approx(111.7, rel=0.1)
    assert counts.right.mean() == pytest.approx(76.5, rel=0.2)
    assert counts.right.max() < before.right.min()
    assert counts.wrong.mean() < 10


def test_visits_decay_as_in_the_reference(rl):
    base = visit_decay(PI_REF, LANGUAGE)
    assert base == pytest.approx(0.099, abs=6e-4)
    early = np.mean([visit_decay(pi, LANGUAGE) for pi in rl.pi[0]])
    assert early / base == pytest.approx(2.1, abs=0.2)
    flat = np.mean([visit_decay(pi, LANGUAGE) for pi in fitted(OTHER, 64).pi[-1]])
    assert base / flat == pytest.approx(2.4, abs=0.3)


def test_visits_of_a_single_path_have_no_decay():
    sure = np.zeros((1, 625))
    sure[0, 0] = 1.0
    assert visit_decay(sure, LANGUAGE) == pytest.approx(0)


@settings(max_examples=20)
@given(source=SOURCES, n=st.integers(1, 12), k=st.integers(1, 40))
def test_what_labels_show_is_bounded_by_their_number_and_by_the_samples(source, n, k):
    reward = np.ones((1, 6))
    found = expected_found(source, reward, n, k)
    different = distinct_at_k(source, reward, n)[0]
    assert found <= different + 1e-9
    assert different <= min(n, 6) + 1e-9
    assert found <= k + 1e-9


def test_with_very_many_labels_the_copy_is_the_source():
    whole = distinct_at_k(OWN, REWARD, 256).sum()
    assert expected_found(OWN, REWARD, 20000, 256) == pytest.approx(whole, rel=5e-3)


def test_the_law_is_the_mean_over_label_sets():
    source, reward = np.array([[0.5, 0.3, 0.2]]), np.array([[1.0, 1.0, 0.0]])
    labels = sample_labels(source, 4, n_runs=4000, rng=np.random.default_rng(1))
    assert_allclose(labels.sum(axis=-1), 1)
    shown = distinct_at_k(labels, reward, 5).sum(axis=-1)
    law = expected_found(source, reward, 4, 5)
    assert shown.mean() == pytest.approx(law, abs=4 * shown.std() / np.sqrt(4000))


def test_an_exact_fit_reaches_the_target_of_each_copy():
    target = np.random.default_rng(1).dirichlet(np.ones(6), size=(5, 1))
    run = fit_exactly(
        np.zeros((1, 1, 6)),
        target,
        ToyLanguage(6, length=1),
        steps=600,
        learning_rate=0.05,
    )
    assert_allclose(run.pi[-1], target, atol=2e-3)
