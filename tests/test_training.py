"""Training: the sampled tree against exact policies, the loop against its optima."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

from tests.strategies import TABULAR, TINY, TINY_ENDED, random_logits
from toolkit.divergences import kl
from toolkit.language import sum_reward
from toolkit.optima import tilted_policy
from toolkit.policies import (
    logits_from_probs,
    response_log_probs,
    response_probs,
    sampled_score_gradient,
    score_gradient,
)
from toolkit.sampling import SampledTree, look_up
from toolkit.training import train
from toolkit.updates import advantages, policy_gradient, supervised

KINDS = pytest.mark.parametrize("language", [TINY, TINY_ENDED, TABULAR])


def spread_tree(language, n_runs=3, seed=0):
    """Return a tree whose runs and prompts all have different logits."""
    tree = SampledTree(random_logits(language), language, n_runs=n_runs)
    tree.flat_logits += np.random.default_rng(seed).normal(size=tree.flat_logits.shape)
    return tree


def draw(tree, language, group, *, n_runs=3, seed=1):
    uniforms = np.random.default_rng(seed).random((language.length, n_runs, 2, group))
    return tree.sample(uniforms)


# --- the inner loop


@KINDS
def test_every_run_starts_from_a_copy_of_the_logits(language):
    logits = random_logits(language)
    tree = SampledTree(logits, language, n_runs=3)
    assert_array_equal(tree.logits, np.stack([logits] * 3))
    tree.flat_logits += 1
    assert_array_equal(logits, random_logits(language))


def test_a_tree_of_a_single_row_does_not_share_the_callers_logits():
    logits = np.zeros((1, 1, 4))
    tree = SampledTree(logits, TABULAR, n_runs=1)
    tree.flat_logits += 1.0
    assert_array_equal(logits, np.zeros((1, 1, 4)))


@KINDS
def test_samples_come_as_often_as_their_policy_says(language):
    n = 20_000
    tree = spread_tree(language)
    batch = draw(tree, language, n)
    pi = response_probs(tree.logits, language)
    for place in np.ndindex(3, 2):
        counts = np.bincount(batch.responses[place], minlength=language.n_responses)
        assert chisquare(counts, n * pi[place]).pvalue > 1e-3, place


@KINDS
def test_a_batch_knows_the_log_probability_of_its_responses(language):
    tree = spread_tree(language)
    batch = draw(tree, language, 50)
    log_pi = response_log_probs(tree.logits, language)
    expected = np.take_along_axis(log_pi, batch.responses, axis=-1)
    assert_allclose(batch.log_probs, expected, atol=1e-12)


@KINDS
def test_a_batch_passes_through_the_tokens_of_its_responses(language):
    batch = draw(spread_tree(language), language, 50)
    tokens = language.tokens[batch.responses.ravel()].T
    assert_array_equal(batch.running, tokens >= 0)
    assert_array_equal(batch.tokens[batch.running], tokens[tokens >= 0])


@KINDS
def test_its_gradient_is_the_sampled_score_gradient(language):
    tree = spread_tree(language)
    batch = draw(tree, language, 50)
    weights = np.random.default_rng(2).normal(size=batch.responses.shape)
    weights[:, :, ::3] = 0
    expected = sampled_score_gradient(tree.logits, batch.responses, weights, language)
    gradient = tree.score_gradient(batch, weights)
    assert_allclose(gradient.T.reshape(expected.shape), expected, atol=1e-12)


def test_weights_of_zero_make_a_gradient_of_zero_in_floats():
    tree = spread_tree(TINY)
    gradient = tree.score_gradient(draw(tree, TINY, 4), np.zeros((3, 2, 4)))
    assert gradient.dtype == np.float64
    assert not gradient.any()


@KINDS
def test_listed_probabilities_are_sampled_as_they_are_listed(language):
    n = 20_000
    source = np.random.default_rng(4).dirichlet(np.ones(language.n_responses), size=2)
    tree = spread_tree(language)
    uniforms = np.random.default_rng(5).random((1, 3, 2, n))
    batch = tree.sample_from(source, uniforms)
    for run, x in np.ndindex(3, 2):
        counts = np.bincount(batch.responses[run, x], minlength=language.n_responses)
        assert chisquare(counts, n * source[x]).pvalue > 1e-3


@KINDS
def test_the_gradient_on_listed_samples_is_the_sampled_score_gradient(language):
    source = np.random.default_rng(4).dirichlet(np.ones(language.n_responses), size=2)
    tree = spread_tree(language)
    batch = tree.sample_from(source, np.random.default_rng(5).random((1, 3, 2, 30)))
    weights = np.random.default_rng(2).normal(size=batch.responses.shape)
    expected = sampled_score_gradient(tree.logits, batch.responses, weights, language)
    gradient = tree.score_gradient(batch, weights)
    assert_allclose(gradient.T.reshape(expected.shape), expected, atol=1e-12)
    log_pi = response_log_probs(tree.logits, language)
    expected = np.take_along_axis(log_pi, batch.responses, axis=-1)
    assert_allclose(batch.log_probs, expected, atol=1e-12)


@KINDS
def test_over_many_runs_the_sampled_step_averages_to_the_exact_step(language):
    n_runs, group = 4000, 4
    logits = random_logits(language)
    reward = np.random.default_rng(3).normal(size=(2, language.n_responses))
    tree = SampledTree(logits, language, n_runs=n_runs)
    batch = draw(tree, language, group, n_runs=n_runs)
    weights = advantages(look_up(reward, batch.responses), "leave-one-out") / group
    gradient = tree.score_gradient(batch, weights).T.reshape(n_runs, *logits.shape)
    pi = response_probs(logits, language)
    centred = reward - np.sum(pi * reward, axis=1, keepdims=True)
    exact = score_gradient(logits, pi * centred, language)
    error = gradient.std(axis=0) / np.sqrt(n_runs)
    z = (gradient.mean(axis=0) - exact) / np.maximum(error, 1e-12)
    assert np.abs(z).max() < 4.5
    assert np.mean(z**2) < 1.8  # the errors are as large as chance makes them, no more


def test_a_uniform_number_of_zero_draws_nothing_of_probability_zero():
    pi = np.array([[0.0, 0.0, 0.7, 0.3]])
    tree = SampledTree(logits_from_probs(pi, TABULAR), TABULAR, n_runs=1)
    zeros = np.zeros((1, 1, 1, 3))
    assert_array_equal(tree.sample(zeros).responses, [[[2, 2, 2]]])
    assert_array_equal(tree.sample_from(pi, zeros).responses, [[[2, 2, 2]]])


def test_a_uniform_number_outside_zero_to_one_is_refused():
    tree = spread_tree(TINY)
    with pytest.raises(ValueError, match=r"uniforms must be in \[0, 1\)"):
        tree.sample(np.ones((2, 3, 2, 4)))


# --- the loop

PROBLEM = {
    "ref_logits": random_logits(TINY),
    "reward": sum_reward(TINY, np.array([1, 2]), modulus=3),
    "language": TINY,
}


def run(method, seed=0, **settings):
    defaults = {"steps": 30, "group_size": 8, "learning_rate": 0.05}
    rng = settings.pop("rng", np.random.default_rng(seed))
    return train(**PROBLEM, method=method, rng=rng, **(defaults | settings))


METHODS = pytest.mark.parametrize(
    "method",
    [
        policy_gradient("none"),
        policy_gradient("mean"),
        policy_gradient(),
        supervised(np.full((2, 9), 1 / 9)),
    ],
    ids=["none", "mean", "leave-one-out", "supervised"],
)


@METHODS
def test_a_run_alone_is_the_same_run_as_among_others(method):
    together = run(method, n_runs=5).logits
    alone = run(method, n_runs=1).logits
    assert_array_equal(alone[:, 0], together[:, 0])
    rng = np.random.default_rng(0)
    rng.spawn(3)  # the first three runs' generators
    fourth = run(method, n_runs=1, rng=rng).logits
    assert_array_equal(fourth[:, 0], together[:, 3])


@METHODS
def test_the_same_generator_gives_the_same_result_and_another_does_not(method):
    first, again, other = (run(method, seed).logits for seed in (3, 3, 4))
    assert_array_equal(first, again)
    assert np.any(first != other)


def test_runs_differ_from_one_another():
    logits = run(policy_gradient(), n_runs=3).logits[-1]
    assert np.any(logits[0] != logits[1])
    assert np.any(logits[1] != logits[2])


@METHODS
def test_which_steps_are_kept_does_not_change_the_result(method):
    # past 64 steps: where the random numbers are drawn anew
    kept = run(method, steps=[0, 1, 10, 100, 150])
    assert kept.steps.tolist() == [0, 1, 10, 100, 150]
    assert_array_equal(kept.logits[0, 0], PROBLEM["ref_logits"])
    assert_array_equal(kept.logits[-1], run(method, steps=150).logits[-1])
    assert_array_equal(kept.logits[2], run(method, steps=10).logits[-1])
    assert np.any(kept.logits[1] != kept.logits[0])


def test_the_first_step_is_adams_step_along_the_sampled_gradient():
    rate, group = 0.05, 8
    after = run(policy_gradient(), steps=1, learning_rate=rate, group_size=group)
    child = np.random.default_rng(0).spawn(1)[0]
    uniforms = child.random((1, TINY.length, 2, group)).transpose(1, 0, 2, 3)
    tree = SampledTree(PROBLEM["ref_logits"], TINY, n_runs=1)
    batch = tree.sample(uniforms)
    weights = advantages(look_up(PROBLEM["reward"], batch.responses), "leave-one-out")
    gradient = sampled_score_gradient(
        tree.logits, batch.responses, weights / group, TINY
    )
    moved = after.logits[0] - PROBLEM["ref_logits"]
    expected = rate * gradient / (np.abs(gradient) + 1e-8)
    assert_allclose(
        moved, expected, atol=1e-9
    )  # a sum may be 1e-18 one way, 0 the other
    assert np.abs(moved).max() == pytest.approx(rate, rel=1e-4)


def test_probabilities_along_the_way_belong_to_the_logits():
    trajectory = run(policy_gradient(), steps=[1, 5], n_runs=2)
    assert trajectory.pi.shape == (2, 2, 2, 9)
    assert_allclose(trajectory.pi, response_probs(trajectory.logits, TINY))


@METHODS
def test_reinforce_learns_the_reward_and_supervision_the_target(method):
    pi = run(method, steps=400, n_runs=4).pi[-1]
    success = np.sum(pi * PROBLEM["reward"], axis=-1)
    if method.source is None:
        assert np.all(success > 0.95)
    else:
        assert_allclose(success.mean(), 1 / 3, atol=0.1)


@pytest.mark.parametrize("beta", [0.3, 1.0])
def test_with_a_price_on_kl_training_approaches_the_tilted_policy(beta):
    trajectory = run(
        policy_gradient(),
        steps=[0, 2000],
        group_size=32,
        learning_rate=0.01,
        beta=beta,
        n_runs=20,
    )
    pi_ref = response_probs(PROBLEM["ref_logits"], TINY)
    best = tilted_policy(pi_ref, PROBLEM["reward"], beta)
    before, after = (kl(pi, np.stack([best] * 20)).mean() for pi in trajectory.pi)
    assert after < 0.01 < before
    assert_allclose(trajectory.pi[-1].mean(axis=0), best, atol=0.02)


def test_supervised_fine_tuning_approaches_its_target():
    target = np.random.default_rng(8).dirichlet(np.ones(9), size=2)
    trajectory = run(
        supervised(target), steps=1500, group_size=64, learning_rate=0.02, n_runs=10
    )
    assert kl(np.stack([target] * 10), trajectory.pi[-1]).mean() < 0.03
    assert_allclose(trajectory.pi[-1].mean(axis=0), target, atol=0.02)


def test_what_the_reference_never_says_is_never_learned():
    pi_ref = np.array([[0.5, 0.5, 0.0, 0.0]])
    reward = np.array([[0.0, 0.5, 1.0, 1.0]])
    trajectory = train(
        logits_from_probs(pi_ref, TABULAR),
        reward,
        TABULAR,
        policy_gradient(),
        steps=100,
        group_size=8,
        learning_rate=0.1,
        beta=0.1,
        rng=np.random.default_rng(0),
    )
    pi = trajectory.pi[-1, 0, 0]
    assert_array_equal(pi[2:], [0, 0])
    assert pi[1] > 0.8


def test_a_price_on_kl_needs_samples_of_the_policys_own():
    with pytest.raises(ValueError, match="beta must be 0 for a method with a source"):
        run(supervised(np.full((2, 9), 1 / 9)), beta=0.5)


def test_a_target_that_does_not_fit_the_reward_is_refused():
    with pytest.raises(
        ValueError, match=r"method\.source must have the shape of reward"
    ):
        run(supervised(np.full((2, 4), 1 / 4)))


@pytest.mark.parametrize("steps", [[3, 3], [5, 2], [-1, 2]])
def test_steps_that_do_not_increase_are_refused(steps):
    with pytest.raises(ValueError, match=r"steps must"):
        run(policy_gradient(), steps=steps)
