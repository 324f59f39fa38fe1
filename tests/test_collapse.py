"""Diversity collapse: identities, laws against simulation, and what is refused."""

from dataclasses import replace
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.special import entr, softmax

from tests.strategies import BETAS, no_type_checker, st  # noqa: F401
from toolkit.catalogue import find_recipe
from toolkit.collapse.answers import (
    answer_entropy,
    answer_shares,
    coverage_at_k,
    distinct_at_k,
)
from toolkit.collapse.constrained import fit_covering, fit_picking, product_policy
from toolkit.collapse.drift import (
    expected_diversity,
    gini_diversity,
    sample_drift,
    sample_exact_refits,
)
from toolkit.collapse.filtering import FilteringRuns, filter_repeatedly
from toolkit.collapse.flow import entropy_velocity, gradient_velocity, ordinary_flow
from toolkit.collapse.switches import measure, throw_switches
from toolkit.collapse.tempering import temperature_for_entropy, tempered
from toolkit.display import BookFigure
from toolkit.divergences import entropy, kl
from toolkit.figures import collapse as draw
from toolkit.language import Testbed, ToyLanguage, default_testbed, sum_reward
from toolkit.optima import tilted_policy
from toolkit.passk import pass_at_k
from toolkit.policies import (
    response_log_probs,
    response_probs,
    sample_responses,
    sampled_score_gradient,
)
from toolkit.training import train
from toolkit.updates import Adam, policy_gradient, supervised

TESTBED = default_testbed()
PI_REF = response_probs(TESTBED.ref_logits, TESTBED.language)
RESTRICTED = tilted_policy(PI_REF, TESTBED.reward, beta=0.0)
BITS = ToyLanguage(n_tokens=2, length=2)
SEEDS = st.integers(0, 2**32 - 1)


def random_policy(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return softmax(2 * np.random.default_rng(seed).standard_normal(shape), axis=-1)


def small_testbed(reward: np.ndarray, seed: int = 0) -> Testbed:
    logits = np.random.default_rng(seed).standard_normal((len(reward), 3, 2))
    return Testbed(language=BITS, ref_logits=logits, reward=reward)


# The optimum


@given(SEEDS, BETAS)
def test_the_optimum_keeps_support_and_proportions_within_each_reward_level(seed, beta):
    pi_ref = random_policy(seed, (1, 7))
    pi_ref[0, seed % 7] = 0.0
    pi_ref /= pi_ref.sum()
    reward = np.random.default_rng(seed).integers(0, 3, size=(1, 7)).astype(float)
    pi = tilted_policy(pi_ref, reward, beta)
    assert_array_equal(pi > 0, pi_ref > 0)
    for level in np.unique(reward):
        inside = (reward == level) & (pi_ref > 0)
        if inside.any():
            assert_allclose(np.ptp(np.log(pi[inside] / pi_ref[inside])), 0, atol=1e-9)


def test_the_optimum_has_the_entropy_of_the_reference_at_every_beta():
    wanted = answer_entropy(PI_REF, TESTBED.reward)
    assert_allclose(wanted, [3.50, 1.36, 0.32, 0.85], atol=0.006)  # independent values
    for beta in (10.0, 0.5, 0.05, 0.0):
        pi = tilted_policy(PI_REF, TESTBED.reward, beta)
        assert_allclose(answer_entropy(pi, TESTBED.reward), wanted)
    assert kl(RESTRICTED, PI_REF).mean() == pytest.approx(1.72, abs=0.005)


# Measures


def test_entropy_takes_no_notice_of_wrong_answers():
    pi = np.array([[0.3, 0.1, 0.6], [0.0, 0.5, 0.5]])
    reward = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    by_hand = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert_allclose(answer_entropy(pi, reward), [by_hand, 0.0])


def test_where_nothing_is_right_entropy_is_undefined_and_not_zero():
    pi = np.array([[0.0, 1.0], [0.5, 0.5]])
    reward = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert_array_equal(answer_entropy(pi, reward), [np.nan, 0.0])
    assert_array_equal(answer_shares(pi, reward), [[np.nan, np.nan], [1.0, 0.0]])
    assert_array_equal(distinct_at_k(pi, reward, 5)[:1], [0.0])


@given(SEEDS, st.integers(1, 40))
def test_one_right_answer_makes_distinct_and_coverage_equal_to_pass_at_k(seed, k):
    pi = random_policy(seed, (3, 2, 5))
    reward = np.zeros((2, 5))
    reward[:, 2] = 1
    expected = pass_at_k(pi[..., 2], k)
    assert_allclose(distinct_at_k(pi, reward, k), expected)
    assert_allclose(coverage_at_k(pi, reward, k), expected)


def test_distinct_and_coverage_by_listing_every_draw():
    pi = np.array([[0.5, 0.3, 0.2]])
    reward, wanted = np.array([[1.0, 0.0, 1.0]]), np.array([[0.2, 0.0, 0.8]])
    distinct = coverage = 0.0
    for draws in product(range(3), repeat=3):
        p = np.prod(pi[0, list(draws)])
        distinct += p * sum(reward[0, y] for y in set(draws))
        coverage += p * sum(wanted[0, y] for y in set(draws))
    assert_allclose(distinct_at_k(pi, reward, 3), distinct)
    assert_allclose(coverage_at_k(pi, wanted, 3), coverage)


@given(SEEDS, st.integers(1, 100))
def test_a_policy_on_one_right_answer_has_pass_at_k_of_one_and_covers_its_share(
    seed, k
):
    wanted = random_policy(seed, (1, 6))
    best = wanted[0].argmax()
    pi = np.eye(6)[[best]]
    assert_allclose(coverage_at_k(pi, wanted, k), wanted[:, best])
    assert_allclose(pass_at_k(pi.sum(axis=-1), k), 1)


@pytest.mark.usefixtures("no_type_checker")
def test_measures_refuse_graded_rewards_and_misfits():
    pi = np.array([[0.5, 0.5]])
    with pytest.raises(ValueError, match=r"reward must be 0 or 1 .* \(0, 1\) is 0\.5"):
        answer_entropy(pi, np.array([[1.0, 0.5]]))
    with pytest.raises(ValueError, match=r"reward must have .* of pi, \(1, 2\)"):
        answer_entropy(pi, np.array([[1.0, 0.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="wanted must have rows that sum to 1"):
        coverage_at_k(pi, np.array([[0.5, 0.4]]), 2)


# The exact gradient


@given(SEEDS)
def test_entropy_changes_by_minus_the_covariance_of_log_pi_and_the_velocity(seed):
    rng = np.random.default_rng(seed)
    theta, velocity = rng.standard_normal((2, 3, 6))
    pi = softmax(theta, axis=-1)
    h = 1e-5
    ahead = entropy(softmax(theta + h * velocity, axis=-1))
    behind = entropy(softmax(theta - h * velocity, axis=-1))
    change = (ahead - behind) / (2 * h)
    assert_allclose(entropy_velocity(pi, velocity), change, rtol=1e-6, atol=1e-8)


@given(SEEDS)
def test_the_ordinary_velocity_is_the_gradient_of_the_expected_reward(seed):
    rng = np.random.default_rng(seed)
    theta, reward = rng.standard_normal((2, 1, 5))
    pi = softmax(theta, axis=-1)
    h = 1e-6 * np.eye(5)
    numeric = (softmax(theta + h, axis=-1) - softmax(theta - h, axis=-1)) @ reward[0]
    assert_allclose(gradient_velocity(pi, reward)[0], numeric / 2e-6, atol=1e-8)


def test_the_natural_gradient_walks_along_the_optima_of_the_kl_objective():
    pi_ref = random_policy(5, (1, 6))
    reward = np.array([[1.0, 0.0, 1.0, 0.0, 0.3, 1.0]])

    def ascent(_, theta):
        return gradient_velocity(softmax(theta)[None], reward, natural=True)[0]

    for time in (0.5, 4.0, 20.0):
        path = solve_ivp(ascent, (0, time), np.log(pi_ref[0]), rtol=1e-9, atol=1e-10)
        end = softmax(path.y[:, -1])
        assert_allclose(end, tilted_policy(pi_ref, reward, 1 / time)[0], atol=1e-7)


def test_the_natural_gradient_leaves_entropy_among_right_answers_alone():
    pi = random_policy(3, (1, 8))
    reward = np.repeat([[1.0, 0.0]], 4, axis=0).reshape(1, 8)
    step = 1e-3 * gradient_velocity(pi, reward, natural=True)
    moved = softmax(np.log(pi) + step, axis=-1)
    assert_allclose(answer_entropy(moved, reward), answer_entropy(pi, reward))


@given(SEEDS)
def test_along_the_ordinary_flow_the_likelier_of_two_right_answers_pulls_ahead(seed):
    pi_ref = random_policy(seed, (1, 5))
    reward = np.array([[1.0, 1.0, 1.0, 0.0, 0.0]])
    flow = ordinary_flow(pi_ref, reward, np.array([0.0, 3.0, 30.0]))[:, 0]
    order = np.argsort(pi_ref[0, :3])
    log_ratios = np.diff(np.log(flow[:, :3][:, order]), axis=1)
    assert np.all(np.diff(log_ratios, axis=0) >= -1e-6)
    assert np.all(np.diff(answer_entropy(flow[:, None], reward), axis=0) <= 1e-6)


def test_the_ordinary_flow_without_sampling_collapses_onto_the_references_favourite():
    end = ordinary_flow(PI_REF, TESTBED.reward, np.array([1000.0]))[0]
    assert np.all(np.sum(end * TESTBED.reward, axis=1) > 0.998)
    assert np.all(answer_entropy(end, TESTBED.reward) < 0.01)
    assert_array_equal(end.argmax(axis=1), RESTRICTED.argmax(axis=1))


def test_flow_refuses_zeros_and_times_that_go_back():
    pi, reward = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]])
    with pytest.raises(ValueError, match=r"pi must be positive .* \(0, 1\) is 0"):
        entropy_velocity(pi, reward)
    with pytest.raises(ValueError, match="times must increase"):
        ordinary_flow(np.array([[0.5, 0.5]]), reward, np.array([1.0, 1.0]))
    with pytest.raises(ValueError, match="logit_velocity must be finite"):
        entropy_velocity(np.array([[0.5, 0.5]]), np.array([[np.inf, 0.0]]))


# REINFORCE and SFT, sampled


@pytest.fixture(scope="module")
def after_300() -> dict[str, np.ndarray]:
    """Policies after 300 steps, 64 runs a method, no KL term."""
    methods = {
        "SFT": supervised(RESTRICTED),
        "RLOO": policy_gradient("leave-one-out"),
        "no baseline": policy_gradient("none"),
    }
    return {
        name: train(
            TESTBED.ref_logits,
            TESTBED.reward,
            TESTBED.language,
            method,
            steps=300,
            group_size=8,
            learning_rate=0.05,
            n_runs=64,
            rng=np.random.default_rng(1),
        ).pi[-1]
        for name, method in methods.items()
    }


def test_sft_on_the_restricted_reference_keeps_its_spread(after_300):
    spread = answer_entropy(after_300["SFT"], TESTBED.reward)
    assert_allclose(spread.mean(axis=0), [3.3, 1.2, 0.3, 0.8], atol=0.1)


def test_rloo_without_kl_collapses(after_300):
    spread = answer_entropy(after_300["RLOO"], TESTBED.reward)
    assert 0.005 < spread[:, 0].min() < 0.05
    assert 0.5 < spread[:, 0].max() < 1.2
    assert_allclose(np.median(spread[:, 1:], axis=0), [0.04, 0.03, 0.035], atol=0.015)
    assert spread[:, 1:].max() < 0.15


def test_rloo_ends_on_the_references_favourite_where_there_is_a_clear_one(after_300):
    favourite = RESTRICTED.argmax(axis=1)
    winner = answer_shares(after_300["RLOO"], TESTBED.reward).argmax(axis=-1)
    agreement = (winner == favourite).mean(axis=0)
    assert np.all(RESTRICTED.max(axis=1)[1:] > 0.6)
    assert_array_equal(agreement[1:], 1)
    assert agreement[0] < 0.6


@pytest.mark.parametrize(("baseline", "moves"), [("leave-one-out", 0), ("none", 1)])
def test_when_every_answer_is_right_only_the_lack_of_a_baseline_moves(baseline, moves):
    run = train(
        np.zeros((1, 1, 4)),
        np.ones((1, 4)),
        ToyLanguage(n_tokens=4, length=1),
        policy_gradient(baseline),
        steps=1000,
        group_size=8,
        learning_rate=0.05,
        n_runs=32,
        rng=np.random.default_rng(0),
    )
    spread = entropy(run.pi[-1])
    if moves:
        assert spread.mean() < 1.0
        # no answer is favoured: 4 standard errors of a share at most 1/2 wide
        assert_allclose(run.pi[-1].mean(axis=0)[0], 0.25, atol=4 * 0.5 / np.sqrt(32))
    else:
        assert_array_equal(run.pi[-1], 0.25)


# Drift


def test_one_round_of_drift_by_listing_every_draw():
    q, n = 0.3, 5
    exact = sum(
        comb(n, c) * q**c * (1 - q) ** (n - c) * 2 * (c / n) * (1 - c / n)
        for c in range(n + 1)
    )
    law = expected_diversity(np.array([q, 1 - q]), n, 1)
    assert_allclose(law, [2 * q * (1 - q), exact])


def test_drift_follows_the_wright_fisher_law():
    shares, rng = np.full(4, 0.25), np.random.default_rng(0)
    law = expected_diversity(shares, 50, 20)
    runs = gini_diversity(sample_drift(shares, 50, 20, n_runs=4000, rng=rng))
    standard_error = runs[1:].std(axis=1) / np.sqrt(4000)
    assert law[-1] == pytest.approx(0.5007, abs=5e-5)
    assert np.all(np.abs(runs.mean(axis=1) - law)[1:] < 4 * standard_error)


def test_drift_keeps_shares_on_average_and_loses_answers_for_good():
    shares, rng = np.array([0.6, 0.3, 0.1]), np.random.default_rng(1)
    q = sample_drift(shares, 10, 40, n_runs=2000, rng=rng)
    assert_allclose(q[-1].mean(axis=0), shares, atol=4 * 0.5 / np.sqrt(2000))
    assert np.all((q[1:] > 0) <= (q[:-1] > 0))
    assert (q[-1] == 1).any(axis=1).mean() > 0.8  # most runs have one answer left


def test_exact_refits_follow_the_law_when_everything_is_right():
    rng = np.random.default_rng(2)
    pi = sample_exact_refits(
        np.full((1, 4), 0.25),
        np.ones((1, 4)),
        rounds=5,
        n_samples=8,
        n_runs=4000,
        rng=rng,
    )
    runs = gini_diversity(pi[:, :, 0])
    law = expected_diversity(np.full(4, 0.25), 8, 5)
    assert_allclose(runs.mean(axis=1), law, atol=4 * 0.5 / np.sqrt(4000))


def test_a_refit_with_nothing_right_keeps_the_policy():
    pi_ref = np.array([[0.2, 0.8], [0.98, 0.02]])
    reward = np.array([[0.0, 0.0], [0.0, 1.0]])
    pi = sample_exact_refits(
        pi_ref, reward, rounds=1, n_samples=4, n_runs=200, rng=np.random.default_rng(0)
    )[1]
    assert_array_equal(pi[:, 0], np.broadcast_to(pi_ref[0], (200, 2)))
    lucky = pi[:, 1, 1] == 1  # with probability 1 - 0.98^4 = 0.08
    assert 0 < lucky.sum() < 200 * 0.2
    assert_array_equal(pi[~lucky, 1], np.broadcast_to(pi_ref[1], (sum(~lucky), 2)))


@pytest.mark.usefixtures("no_type_checker")
def test_drift_refuses_what_it_cannot_draw():
    with pytest.raises(ValueError, match="n must be from 1"):
        expected_diversity(np.array([0.5, 0.5]), 0, 3)
    with pytest.raises(ValueError, match=r"shares must hold probabilities .* -0\.1"):
        sample_drift(
            np.array([1.1, -0.1])[::-1], 5, 3, n_runs=1, rng=np.random.default_rng(0)
        )
    with pytest.raises(ValueError, match=r"reward must have the shape of pi_ref"):
        sample_exact_refits(
            np.array([[0.5, 0.5]]),
            np.ones((2, 2)),
            rounds=1,
            n_samples=1,
            n_runs=1,
            rng=np.random.default_rng(0),
        )


# Iterated filtering


@pytest.fixture(scope="module")
def filtered() -> FilteringRuns:
    return filter_repeatedly(TESTBED, n_runs=64, rng=np.random.default_rng(0))


def test_filtering_makes_every_prompt_right_and_most_of_them_narrow(filtered):
    success = np.sum(filtered.pi[-1] * TESTBED.reward, axis=-1)
    spread = answer_entropy(filtered.pi[-1], TESTBED.reward)
    assert success.min() > 0.99
    assert np.all(spread.mean(axis=0) < answer_entropy(PI_REF, TESTBED.reward))


def test_published_entropies_lie_among_the_runs_and_zero_everywhere_is_rare(filtered):
    spread = answer_entropy(filtered.pi[-1], TESTBED.reward)
    published = np.array([0.0, 0.38, 0.35, 0.0])  # the chapter's own log
    assert np.all(spread.min(axis=0) <= published + 0.01)
    assert np.all(spread.max(axis=0) >= published)
    assert np.mean(np.all(spread < 0.05, axis=1)) < 0.1
    assert np.any(spread[:, 2] > answer_entropy(PI_REF, TESTBED.reward)[2])
    mean_kl = kl(filtered.pi[-1], np.broadcast_to(PI_REF, filtered.pi[-1].shape)).mean(
        1
    )
    assert mean_kl.min() < 2.4 < 3.16 < mean_kl.max()


def test_with_nothing_kept_a_prompts_policy_stays_to_the_last_bit(filtered):
    nothing = filtered.n_kept == 0
    assert nothing.any()  # prompt 0 is right once in sixty draws
    assert_array_equal(filtered.pi[1:][nothing], filtered.pi[:-1][nothing])
    assert np.all(filtered.pi[1:][~nothing] != filtered.pi[:-1][~nothing])


def test_a_prompt_without_right_answers_never_changes():
    reward = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]])
    testbed = small_testbed(reward)
    runs = filter_repeatedly(testbed, rounds=3, n_runs=4, rng=np.random.default_rng(0))
    start = response_probs(testbed.ref_logits, BITS)
    assert_array_equal(runs.n_kept[..., 0], 0)
    assert_array_equal(runs.pi[:, :, 0], np.broadcast_to(start[0], (4, 4, 4)))
    assert np.all(np.isnan(answer_entropy(runs.pi[-1], reward)[:, 0]))


def test_with_no_right_answer_anywhere_the_loop_does_nothing():
    testbed = small_testbed(np.zeros((2, 4)))
    runs = filter_repeatedly(testbed, rounds=2, n_runs=2, rng=np.random.default_rng(0))
    assert_array_equal(runs.pi[2], runs.pi[0])


def test_filtering_agrees_with_a_plain_loop():
    testbed = small_testbed(sum_reward(BITS, np.array([0, 1]), modulus=2), seed=3)
    settings = {"n_samples": 6, "sft_steps": 4, "batch_size": 5, "learning_rate": 0.1}
    fast = filter_repeatedly(
        testbed, rounds=3, n_runs=3, rng=np.random.default_rng(7), **settings
    )
    for run, child in enumerate(np.random.default_rng(7).spawn(3)):
        logits = testbed.ref_logits.copy()
        for t in range(3):
            pi = response_probs(logits, BITS)
            ys = _draw_by_tokens(logits, child.random((2, 2, 6)))
            order = child.random((4, 12))
            right = np.take_along_axis(testbed.reward, ys, axis=1) == 1
            assert_array_equal(fast.n_kept[t, run], right.sum(axis=1))
            optimiser = Adam(learning_rate=0.1)
            for keys in order:
                kept = np.flatnonzero(right.ravel())
                first = kept[np.argsort(keys[kept])][:5]
                weights = np.zeros(12)
                weights[first] = 1 / max(len(first), 1)
                gradient = sampled_score_gradient(
                    logits, ys, weights.reshape(2, 6), BITS
                )
                optimiser.ascend(logits, gradient)
            pi = response_probs(logits, BITS)
            assert_allclose(fast.pi[t + 1, run], pi, rtol=1e-9)


def _draw_by_tokens(logits: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    probs = softmax(logits, axis=-1)
    first = (uniforms[0] >= probs[:, 0, :1]).astype(int)
    rows = np.take_along_axis(probs[:, 1:, 0], first, axis=1)
    return 2 * first + (uniforms[1] >= rows)


def test_an_unfinished_fit_leans_to_the_favourite_and_a_perfect_one_does_not(filtered):
    at = (..., 1, RESTRICTED[1].argmax())
    perfect = sample_exact_refits(
        PI_REF,
        TESTBED.reward,
        rounds=10,
        n_samples=64,
        n_runs=1000,
        rng=np.random.default_rng(3),
    )[-1]
    fair = answer_shares(perfect, TESTBED.reward)[at]
    loop = answer_shares(filtered.pi[-1], TESTBED.reward)[at]
    share = RESTRICTED[1].max()
    assert abs(fair.mean() - share) < 4 * fair.std() / np.sqrt(1000)
    assert loop.mean() - share > 2.5 * loop.std() / np.sqrt(64)


def test_a_run_is_the_same_alone_as_among_others():
    settings = {"rounds": 2, "n_samples": 16, "sft_steps": 5}
    alone = filter_repeatedly(
        TESTBED, n_runs=1, rng=np.random.default_rng(4), **settings
    )
    among = filter_repeatedly(
        TESTBED, n_runs=3, rng=np.random.default_rng(4), **settings
    )
    assert_allclose(alone.pi[:, 0], among.pi[:, 0], rtol=1e-10)
    assert_array_equal(alone.n_kept[:, 0], among.n_kept[:, 0])


def test_filtering_refuses_graded_rewards_and_empty_rounds():
    graded = replace(TESTBED, reward=TESTBED.reward / 2)
    with pytest.raises(ValueError, match="reward must be 0 or 1"):
        filter_repeatedly(graded, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="n_samples must be from 1"):
        filter_repeatedly(TESTBED, n_samples=0, rng=np.random.default_rng(0))


# A constrained policy


@given(SEEDS)
def test_any_other_product_is_further_by_its_distance_to_the_covering_fit(seed):
    language = ToyLanguage(n_tokens=3, length=3)
    target = random_policy(seed, (2, 27))
    other = product_policy(random_policy(seed + 1, (2, 3, 3)), language)
    fit = fit_covering(target, language)
    assert_allclose(kl(target, other), kl(target, fit) + kl(fit, other))


@given(SEEDS)
def test_a_target_that_is_a_product_is_its_own_fit_in_both_directions(seed):
    language = ToyLanguage(n_tokens=3, length=3)
    target = product_policy(random_policy(seed, (1, 3, 3)), language)
    fits = fit_picking(target, language, n_starts=2, rng=np.random.default_rng(seed))
    assert_allclose(fit_covering(target, language), target)
    assert_allclose(fits.pi, np.broadcast_to(target, fits.pi.shape), atol=1e-8)


@given(SEEDS)
def test_a_picking_fit_is_a_resting_place(seed):
    language = ToyLanguage(n_tokens=2, length=2)
    target = random_policy(seed, (1, 4))
    rng = np.random.default_rng(seed)
    fits = fit_picking(target, language, n_starts=3, rng=rng)
    assert fits.converged.all()
    assert_allclose(kl(fits.best, target), fits.best_kl)
    for pi, reached in zip(fits.pi[:, 0], fits.reverse_kl[:, 0], strict=True):
        tokens = np.array(
            [[pi[:2].sum(), pi[2:].sum()], [pi[::2].sum(), pi[1::2].sum()]]
        )
        for t in range(2):
            nudged = tokens[None].copy()
            nudged[0, t] = 0.999 * nudged[0, t] + 0.001 * rng.dirichlet(np.ones(2))
            assert kl(product_policy(nudged, language), target)[0] >= reached - 1e-9


@pytest.mark.parametrize(("beta", "covers"), [(0.3, True), (0.1, False)])
def test_among_even_answers_the_fit_covers_when_kl_is_dear_and_picks_when_cheap(
    beta, covers
):
    # linearised around even tokens a sweep multiplies a deviation by 1/(V beta), V = 5
    language = ToyLanguage(n_tokens=5, length=2)
    reward = sum_reward(language, np.array([0]), modulus=5)
    target = tilted_policy(np.full((1, 25), 1 / 25), reward, beta)
    fits = fit_picking(target, language, n_starts=16, rng=np.random.default_rng(0))
    if covers:
        assert_allclose(fits.pi, 1 / 25, atol=1e-6)
    else:
        assert fits.pi.max(axis=-1).min() > 0.99
        assert len(np.unique(fits.pi.argmax(axis=-1))) > 1
    assert_allclose(fit_covering(target, language), 1 / 25)


def test_on_the_testbed_one_direction_covers_and_is_often_wrong_the_other_picks():
    target = tilted_policy(PI_REF, TESTBED.reward, 0.1)
    covering = fit_covering(target, TESTBED.language)
    picks = fit_picking(
        target, TESTBED.language, n_starts=16, rng=np.random.default_rng(0)
    )
    assert np.sum(covering * TESTBED.reward, axis=1)[0] < 0.25
    assert np.all(np.sum(picks.best * TESTBED.reward, axis=1) > 0.99)
    assert np.all(answer_entropy(picks.best, TESTBED.reward) < 0.01)
    assert np.all(kl(target, covering) < kl(target, picks.best))
    assert np.all(kl(picks.best, target) < kl(covering, target))


def test_constrained_fits_refuse_zeros_and_languages_that_end():
    with pytest.raises(ValueError, match=r"target must be positive .* \(0, 3\) is 0"):
        fit_picking(
            np.array([[0.5, 0.25, 0.25, 0.0]]),
            BITS,
            n_starts=1,
            rng=np.random.default_rng(0),
        )
    ending = ToyLanguage(n_tokens=2, length=2, has_end=True)
    with pytest.raises(ValueError, match="one length, but it has an end token"):
        fit_covering(np.full((1, 3), 1 / 3), ending)
    with pytest.raises(ValueError, match="one column for each of the 4 responses"):
        fit_covering(np.full((1, 3), 1 / 3), BITS)


# Temperature


@settings(max_examples=12)  # each looks sixty times
@given(SEEDS, st.floats(0.3, 5.0))
def test_the_temperature_that_was_applied_is_found_again(seed, temperature):
    language = ToyLanguage(n_tokens=3, length=2)
    logits = np.random.default_rng(seed).standard_normal((2, 1, 4, 3))
    given_temperature = np.full((2, 1), temperature)
    hot = response_log_probs(tempered(logits, given_temperature), language)
    found = temperature_for_entropy(logits, language, entr(np.exp(hot)).sum(axis=-1))
    assert_allclose(found, given_temperature, rtol=1e-5)


def test_temperature_refuses_entropies_out_of_reach_and_cold_zero():
    language = ToyLanguage(n_tokens=2, length=1)
    logits = np.array([[[1.0, 0.0]]])
    with pytest.raises(ValueError, match=r"wanted must be an entropy .* 0\.7 is not"):
        temperature_for_entropy(logits, language, np.array([0.7]))
    with pytest.raises(ValueError, match="temperature must be above 0, but one is 0"):
        tempered(logits, np.array([0.0]))
    with pytest.raises(ValueError, match="temperature must have the leading axes"):
        tempered(logits, np.array([1.0, 1.0]))


# The switches


@pytest.fixture(scope="module")
def switches():
    return throw_switches(TESTBED, n_runs=8, steps=400, rng=np.random.default_rng(0))


def test_every_switch_lowers_diversity_and_none_lowers_pass_at_k(switches):
    assert len(switches) == 5
    for switch in switches:
        assert np.all(switch.on.entropy < switch.off.entropy), switch.cause
        assert np.all(switch.on.distinct < switch.off.distinct), switch.cause
        assert np.all(switch.on.coverage < switch.off.coverage), switch.cause
        assert np.all(switch.on.pass_at_k > 0.999), switch.cause
        assert np.all(switch.on.success > 0.95), switch.cause


def test_the_switches_that_do_not_sample_are_the_closed_forms(switches):
    by_cause = {switch.cause: switch for switch in switches}
    off = by_cause["constrained policy"].off
    target = tilted_policy(PI_REF, TESTBED.reward, 0.1)
    assert_allclose(off.success, np.sum(target * TESTBED.reward, axis=1))
    assert_allclose(off.entropy, answer_entropy(PI_REF, TESTBED.reward))
    loop = by_cause["finite samples in a loop"].off
    assert_allclose(loop.entropy, answer_entropy(RESTRICTED, TESTBED.reward))
    assert_allclose(loop.success, 1)
    exact = by_cause["ordinary gradient"].off
    late = tilted_policy(PI_REF, TESTBED.reward, 1 / 1000)
    assert_allclose(exact.distinct, distinct_at_k(late, TESTBED.reward, 256))


def test_a_measurement_of_several_runs_is_the_mean_of_each():
    runs = np.stack([PI_REF, RESTRICTED])
    both = measure(runs, TESTBED, 16)
    one, other = measure(PI_REF, TESTBED, 16), measure(RESTRICTED, TESTBED, 16)
    assert_allclose(both.coverage, (one.coverage + other.coverage) / 2)
    assert_allclose(both.distinct, (one.distinct + other.distinct) / 2)


def test_sampling_the_coverage_finds_the_computed_one():
    rng = np.random.default_rng(0)
    draws = sample_responses(np.tile(PI_REF, (2000, 1, 1)), 32, rng=rng)
    wanted = sample_responses(np.tile(RESTRICTED, (2000, 1, 1)), 1, rng=rng)
    found = (draws == wanted).any(axis=-1).mean(axis=0)
    assert_allclose(
        found, coverage_at_k(PI_REF, RESTRICTED, 32), atol=4 * 0.5 / 2000**0.5
    )


def test_switches_refuse_a_price_that_is_no_price():
    with pytest.raises(ValueError, match="beta must be above 0"):
        throw_switches(TESTBED, beta=0.0, rng=np.random.default_rng(0))


# Figures


def drawn(figure: BookFigure) -> list[Axes]:
    """Draw every panel on axes of its own."""
    axes = [Figure().subplots() for _ in figure.panels]
    for panel, ax in zip(figure.panels, axes, strict=True):
        panel.draw(ax)
    return axes


def test_the_lines_of_the_proportions_figure_are_apart_by_the_tilt():
    tilted = {"β = 0.5": tilted_policy(PI_REF, TESTBED.reward, 0.5)[1]}
    figure = draw.proportions_figure(PI_REF[1], TESTBED.reward[1], tilted)
    assert "factor of 7.4 at β = 0.5" in figure.alt  # exp(1 / 0.5) = 7.389
    (axes,) = drawn(figure)
    upper, _, lower, _ = (line.get_ydata() for line in axes.lines)
    assert_allclose(upper / lower, np.exp(2))
    shown = PI_REF[1] >= draw.SMALLEST_SHOWN
    assert len(figure.table["optimum"]) == shown.sum()


def test_the_filtering_figure_draws_every_run_and_the_published_one(filtered):
    spread = answer_entropy(filtered.pi[-1], TESTBED.reward)
    mean_kl = kl(filtered.pi[-1], np.broadcast_to(PI_REF, filtered.pi[-1].shape)).mean(
        1
    )
    published = np.array([0.0, 0.38, 0.35, 0.0])
    figure = draw.filtering_figure(
        spread, mean_kl, answer_entropy(PI_REF, TESTBED.reward), 1.72, published, 3.17
    )
    left, right = drawn(figure)
    for x in range(4):
        assert_array_equal(left.lines[x].get_ydata(), np.sort(spread[:, x]))
    assert_array_equal(left.lines[4].get_ydata(), published)
    assert_array_equal(right.lines[0].get_xdata(), np.sort(mean_kl))
    assert right.lines[2].get_xdata() == [3.17]


def test_a_square_has_an_area_in_proportion_to_its_probability():
    even, sure = np.full(4, 0.25), np.array([0.0, 1.0, 0.0, 0.0])
    figure = draw.constrained_figure(
        {"even": even, "sure": sure}, np.array([0.0, 1.0, 1.0, 0.0]), n_tokens=2
    )
    sizes = [axes.collections[0].get_sizes() for axes in drawn(figure)]
    assert_allclose(sizes[0] / sizes[1].max(), even)
    assert_allclose(sizes[1] / sizes[1].max(), sure)
    assert "even: 0.50 right, largest 0.25; sure: 1.00 right" in figure.alt


def test_every_figure_of_the_section_has_a_recipe_that_makes_it():
    made = [
        find_recipe("11.4.1").figure(beta=(0.5,)),
        find_recipe("11.4.2").figure(steps=25, seeds=2),
        find_recipe("11.4.3").figure(seeds=2),
        find_recipe("11.4.4").figure(rounds=1, seeds=2),
        find_recipe("11.4.5").figure(seeds=8),
        find_recipe("11.4.6").figure(starts=8),
    ]
    assert [figure.number for figure in made] == [f"11.4.{i}" for i in range(1, 7)]
    assert "0.501" in made[4].alt  # the law's value for n = 50, whatever was sampled
