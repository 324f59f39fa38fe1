"""Laboratory 2: entropy, reward and brakes; with the brakes themselves."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from tests.strategies import st
from toolkit.brakes import (
    clip_ratio,
    penalise_top_covariance,
    token_covariances,
    top_share,
    zero_random,
    zero_top_covariance,
)
from toolkit.collapse.flow import entropy_velocity, gradient_velocity
from toolkit.divergences import entropy
from toolkit.labs.entropy_law import (
    cooled_path,
    entropy_shares,
    fit_entropy_law,
    natural_path,
    token_entropy,
)
from toolkit.language import default_testbed, shared_testbed
from toolkit.policies import expected_reward
from toolkit.sampling import SampledTree, token_weights
from toolkit.training import ascend_exactly, train
from toolkit.updates import policy_gradient

SHARED, DEFAULT = shared_testbed(), default_testbed()
ETAS = np.concatenate([[0.0], np.geomspace(0.1, 300, 60)])


def points(pi, testbed):
    reward = expected_reward(pi, testbed.reward).mean(axis=-1)
    return token_entropy(pi, testbed), reward


@pytest.fixture(scope="module")
def exact_path():
    testbed = DEFAULT
    return ascend_exactly(
        testbed.ref_logits,
        testbed.reward,
        testbed.language,
        steps=range(751),
        step_size=2.0,
    )


@given(
    a=st.floats(-2, 2).filter(lambda a: abs(a) > 0.01),
    b=st.floats(-3, 3),
    h=st.lists(st.floats(0, 3), min_size=3, max_size=20, unique=True),
)
def test_a_run_on_the_law_is_fitted_exactly(a, b, h):
    h = np.array(h)
    if np.ptp(h) < 0.1:
        return
    fit = fit_entropy_law(h, b - a * np.exp(h))
    assert_allclose([fit.a, fit.b, fit.r_squared], [a, b, 1], atol=1e-6)
    assert fit.ceiling == pytest.approx(b - a, abs=1e-6)


def test_a_constant_run_cannot_be_fitted():
    with pytest.raises(ValueError, match="h must not be constant"):
        fit_entropy_law(np.ones(3), np.arange(3.0))


def test_the_exact_gradient_on_the_shared_testbed_has_the_reference_fit():
    path = ascend_exactly(
        SHARED.ref_logits,
        SHARED.reward,
        SHARED.language,
        steps=range(0, 751, 5),
        step_size=8.0,
    )
    fit = fit_entropy_law(*points(path.pi[:, 0], SHARED))
    assert fit.a == pytest.approx(0.080, abs=0.002)
    assert fit.ceiling == pytest.approx(0.401, abs=0.002)
    assert fit.r_squared > 0.996


def test_sampled_runs_fit_whatever_the_learning_rate():
    for rate in (0.05, 0.1):
        run = train(
            SHARED.ref_logits,
            SHARED.reward,
            SHARED.language,
            policy_gradient(),
            steps=range(0, int(30 / rate) + 1, 5),
            group_size=16,
            learning_rate=rate,
            n_runs=4,
            rng=np.random.default_rng(1),
        )
        h, reward = points(run.pi, SHARED)
        fit = fit_entropy_law(h.mean(axis=1), reward.mean(axis=1))
        assert 0.065 < fit.a < 0.085
        assert 0.395 < fit.ceiling < 0.420
        assert fit.r_squared > 0.93


def test_on_the_natural_path_the_same_form_promises_what_cannot_be():
    for testbed, best, promised in ((DEFAULT, 1.0, 1.9), (SHARED, 0.4, 0.55)):
        h, reward = points(natural_path(testbed, ETAS), testbed)
        fit = fit_entropy_law(h, reward)
        assert reward[-1] == pytest.approx(best, abs=1e-6)
        assert fit.r_squared > 0.85
        assert fit.ceiling > promised > best


def test_the_natural_path_keeps_entropy_at_full_reward():
    for testbed, left in ((DEFAULT, 0.38), (SHARED, 0.78)):
        h, _ = points(natural_path(testbed, np.array([1e4])), testbed)
        assert h[0] == pytest.approx(left, abs=5e-3)


def test_on_the_hardest_prompt_entropy_rises_with_reward():
    pi = natural_path(DEFAULT, ETAS)[:, :1]
    h = token_entropy(pi, DEFAULT)
    reward = np.sum(pi[:, 0] * DEFAULT.reward[0], axis=-1)
    assert fit_entropy_law(h, reward).a < -1
    assert_allclose([h[0], h.max()], [0.437, 0.91], atol=0.01)


def test_cooling_spends_entropy_and_buys_little():
    for testbed, h_cold, reward_cold in (
        (DEFAULT, 0.108, 0.504),
        (SHARED, 0.701, 0.235),
    ):
        h, reward = points(cooled_path(testbed, np.array([1.0, 0.3])), testbed)
        assert_allclose([h[1], reward[1]], [h_cold, reward_cold], atol=6e-4)
        assert reward[1] > reward[0]


@pytest.mark.parametrize("natural", [False, True])
@given(seed=st.integers(0, 1000))
def test_entropy_moves_by_the_covariance(natural, seed):
    rng = np.random.default_rng(seed)
    pi, reward = rng.dirichlet(np.ones(8), size=1), rng.random((1, 8))
    velocity = gradient_velocity(pi, reward, natural=natural)
    step = 1e-5

    def after(time):
        tilted = pi * np.exp(time * velocity)
        return entropy(tilted / tilted.sum())[0]

    slope = (after(step) - after(-step)) / (2 * step)
    assert entropy_velocity(pi, velocity)[0] == pytest.approx(slope, abs=1e-8)


def test_right_and_wrong_samples_share_the_change_of_entropy(exact_path):
    shares = entropy_shares(exact_path, DEFAULT, 2.0)
    assert_allclose(shares.right, [1.43, -0.75, -0.23, -0.70], atol=0.05)
    assert_allclose(shares.wrong, [-3.06, -2.09, -1.52, -2.15], atol=0.05)
    h = entropy(exact_path.pi[:, 0])
    assert_allclose(shares.right + shares.wrong, h[-1] - h[0], atol=0.12)


def test_shares_need_every_step(exact_path):
    path = ascend_exactly(
        DEFAULT.ref_logits,
        DEFAULT.reward,
        DEFAULT.language,
        steps=[0, 2],
        step_size=1.0,
    )
    with pytest.raises(ValueError, match="path must keep every step"):
        entropy_shares(path, DEFAULT, 1.0)


def test_an_exact_step_raises_the_reward_of_every_prompt(exact_path):
    reward = expected_reward(exact_path.pi[:, 0], DEFAULT.reward)
    assert np.all(np.diff(reward, axis=0) > 0)


@pytest.fixture(scope="module")
def batches():
    """Return one batch as drawn, the same under a moved policy, and weights."""
    rng = np.random.default_rng(1)
    tree = SampledTree(DEFAULT.ref_logits, DEFAULT.language, n_runs=2)
    drawn = tree.sample(rng.random((4, 2, 4, 16)))
    tree.flat_logits += rng.normal(0, 0.3, tree.flat_logits.shape)
    return drawn, tree.revisit(drawn), rng.normal(size=drawn.responses.shape)


def test_covariances_of_a_run_sum_to_its_covariance(batches):
    drawn, _, weights = batches
    found = token_covariances(drawn, weights).reshape(4, 2, -1)
    each = token_weights(drawn, weights).reshape(4, 2, -1)
    log_pi = drawn.token_log_probs.reshape(4, 2, -1)
    for run in range(2):
        expected = np.cov(each[:, run].ravel(), log_pi[:, run].ravel(), ddof=0)[0, 1]
        assert found[:, run].mean() == pytest.approx(expected)


@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
def test_the_top_share_holds_the_largest_of_each_run(batches, share):
    drawn, _, weights = batches
    values = token_covariances(drawn, weights)
    held = top_share(drawn, values, share).reshape(4, 2, -1)
    rows = values.reshape(4, 2, -1)
    for run in range(2):
        mine, top = rows[:, run], held[:, run]
        assert top.sum() == round(share * mine.size)
        if 0 < share < 1:
            assert mine[top].min() >= mine[~top].max()


def test_brakes_that_hold_nothing_back_change_nothing(batches):
    drawn, now, weights = batches
    plain = token_weights(now, weights)
    rng = np.random.default_rng(1)
    for brake in (zero_top_covariance(0.0), zero_random(0.0, rng=rng)):
        assert_allclose(brake(drawn, now, weights), plain)
    for brake in (clip_ratio(0.2), clip_ratio(0.2, keep_gradient=True)):
        assert_allclose(brake(drawn, drawn, weights), plain)
    inner = clip_ratio(0.2)
    assert_allclose(
        penalise_top_covariance(0.0, 1.0, inner)(drawn, now, weights),
        inner(drawn, now, weights),
    )


def test_a_random_brake_takes_its_tokens_from_the_top(batches):
    drawn, now, weights = batches
    brake = zero_random(0.02, among=0.2, rng=np.random.default_rng(1))
    held = (brake(drawn, now, weights) == 0) & (token_weights(now, weights) != 0)
    pool = top_share(drawn, token_covariances(drawn, weights), 0.2)
    assert held.sum() == 2 * round(0.02 * 256)
    assert not np.any(held & ~pool)


@pytest.mark.parametrize("keep", [False, True])
def test_the_clip_is_the_slope_of_its_objective(batches, keep):
    drawn, now, weights = batches
    ratio = np.exp(now.token_log_probs - drawn.token_log_probs)
    each = token_weights(now, weights)
    found = clip_ratio(0.2, keep_gradient=keep)(drawn, now, weights)
    outside = ((ratio > 1.2) & (each > 0)) | ((ratio < 0.8) & (each < 0))
    assert outside.any()
    assert_allclose(found[~outside], (ratio * each)[~outside])
    edge = np.where(ratio > 1, 1.2, 0.8) * each * keep
    assert_allclose(found[outside], edge[outside])


def test_the_price_of_drift_pulls_back(batches):
    drawn, now, weights = batches
    plain, inner = token_weights(now, weights), clip_ratio(1e6)
    pull = penalise_top_covariance(1.0, 16.0, inner)(drawn, now, weights)
    pull -= inner(drawn, now, weights)
    drift = now.token_log_probs - drawn.token_log_probs
    assert_allclose(pull, -np.sign(drift), atol=1e-12)
    assert plain.shape == pull.shape


def end(brake, updates=1):
    run = train(
        DEFAULT.ref_logits,
        DEFAULT.reward,
        DEFAULT.language,
        policy_gradient(),
        steps=300 // updates,
        group_size=16,
        learning_rate=0.05,
        n_runs=8,
        brake=brake,
        updates_per_batch=updates,
        rng=np.random.default_rng(1),
    )
    h, reward = points(run.pi[-1], DEFAULT)
    return reward.mean(), h.mean()


@pytest.mark.parametrize(
    ("brake", "updates", "reward", "left"),
    [
        (None, 1, 0.995, 0.033),
        (zero_top_covariance(0.02), 1, 0.971, 0.152),
        (zero_top_covariance(0.2), 1, 0.943, 0.417),
        (zero_random(0.2, rng=np.random.default_rng(2)), 1, 0.995, 0.041),
        (zero_random(0.02, among=0.2, rng=np.random.default_rng(2)), 1, 0.995, 0.035),
        (clip_ratio(0.2), 4, 0.995, 0.025),
        (penalise_top_covariance(0.02, 1.0, clip_ratio(0.2)), 4, 0.984, 0.072),
        (penalise_top_covariance(0.1, 1.0, clip_ratio(0.2)), 4, 0.966, 0.174),
    ],
)
def test_runs_with_brakes_end_where_the_reference_runs_do(brake, updates, reward, left):
    found = end(brake, updates)
    assert found[0] == pytest.approx(reward, abs=0.01)
    assert found[1] == pytest.approx(left, abs=0.04)
