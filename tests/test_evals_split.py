"""Gained and lost of two models' counts: bounds, corrections, and who was lost."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.integrate import quad

from tests.test_evals_estimates import SHIPPED, pair_of, rng, table
from toolkit.evals.curves import mean_curves
from toolkit.evals.decomposition import (
    can_be_observed,
    corrected_split,
    noise_floor,
    observed_split,
    resampled_splits,
    split_halves,
)
from toolkit.evals.estimates import distinct_rows
from toolkit.evals.extrapolation import (
    ZeroInflatedBeta,
    extrapolate,
    fit_zero_inflated_beta,
)
from toolkit.evals.joint import JointLaw, fit_joint_law, posterior_mean, rate_grid
from toolkit.evals.lost import probable_changes
from toolkit.evals.pairs import Pair
from toolkit.passk import decompose_difference
from tools.coverage import POPULATIONS, split_errors

N = 4
K = np.array([1, 2])
OUTCOMES = list(product(range(N + 1), range(N + 1)))


def chances(p, q):
    """Return the probability of every outcome (c, d) of 4 samples each."""
    return np.outer(
        stats.binom.pmf(np.arange(N + 1), N, p), stats.binom.pmf(np.arange(N + 1), N, q)
    ).ravel()


@pytest.fixture(scope="module")
def splits():
    """Every outcome's observed split, floor and halves."""
    found = {"observed": [], "floor": [], "halves": []}
    for c, d in OUTCOMES:
        pair = pair_of(N, [c], [d])
        found["observed"].append(observed_split(pair, K))
        found["floor"].append(noise_floor(pair, K))
        found["halves"].append(split_halves(pair, K, rng=rng(), n_splits=400))
    return {
        name: {
            part: np.array([getattr(s, part) for s in some])
            for part in ("gained", "lost", "net")
        }
        for name, some in found.items()
    }


# Observed, floor and halves, against all outcomes


@pytest.mark.parametrize(("p", "q"), [(0.3, 0.3), (0.5, 0.1), (0.2, 0.9), (0, 0.5)])
def test_the_truth_lies_between_halves_and_observed(splits, p, q):
    true = decompose_difference(np.array([p]), np.array([q]), K)
    at = chances(p, q)
    for part in ("gained", "lost"):
        sign = 1 if part == "gained" else -1
        observed = sign * at @ splits["observed"][part]
        halves = sign * at @ splits["halves"][part]
        truth = sign * getattr(true, part)
        assert np.all(observed >= truth - 1e-12)
        assert np.all(halves <= truth + 0.02)  # 400 random splits of each outcome
    assert_allclose(at @ splits["observed"]["net"], true.net, atol=1e-12)
    assert_allclose(at @ splits["halves"]["net"], true.net, atol=0.03)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.8])
def test_the_floor_is_what_is_observed_where_nothing_changed(splits, p):
    at = chances(p, p)
    for part in ("gained", "lost"):
        assert_allclose(
            at @ splits["floor"][part], at @ splits["observed"][part], rtol=1e-12
        )


def test_the_shipped_pair_is_mostly_noise_at_large_k():
    k = np.array([1, 22, 64, 128])
    observed, floor = observed_split(SHIPPED, k), noise_floor(SHIPPED, k)
    assert_allclose(observed.gained, [0.082, 0.020, 0.014, 0.0113], atol=5e-4)
    assert_allclose(observed.lost, [-0.006, -0.020, -0.027, -0.0311], atol=5e-4)
    assert floor.gained[-1] > observed.gained[-1]
    assert -floor.lost[-1] > -observed.lost[-1] / 3


def test_parts_add_up_to_the_difference():
    k = np.arange(1, 129)
    observed = observed_split(SHIPPED, k)
    assert_allclose(observed.net, mean_curves(SHIPPED).difference, atol=1e-12)


def test_refuses_to_compare_signs_across_different_n():
    pair = Pair(base=table(5, [1] * 3), rl=table(10, [3] * 3))
    assert can_be_observed(pair, 2)
    with pytest.raises(ValueError, match="k = 5 and problem 'p00000' has n = 5 and 10"):
        observed_split(pair, np.array([5]))
    with pytest.raises(ValueError, match="k must be at most 2, half the samples"):
        split_halves(pair, np.array([3]), rng=rng())


# The joint law


def test_the_fit_never_gets_less_likely_and_stays_a_law():
    law = fit_joint_law(distinct_rows(SHIPPED))
    assert np.all(np.diff(law.log_likelihood) > -1e-9)
    assert_allclose(law.weight.sum(), 1)
    assert law.weight.min() >= 0


def test_the_fit_finds_two_kinds_of_problems():
    # 300 problems rise from about .1 to .5, 100 fall from about .5 to 0
    draw = rng()
    base = np.r_[draw.binomial(64, 0.1, 300), draw.binomial(64, 0.5, 100)]
    rl = np.r_[draw.binomial(64, 0.5, 300), np.zeros(100, int)]
    law = fit_joint_law(distinct_rows(pair_of(64, base, rl)))
    found = corrected_split(law, np.array([1]))
    assert_allclose([found.gained[0], found.lost[0]], [0.3, -0.125], atol=0.01)


def test_after_many_steps_the_law_is_the_average_posterior():
    rows = distinct_rows(SHIPPED)
    law = fit_joint_law(rows, rate_grid(12), n_steps=3000)
    quantity = rng().random((12, 12))
    average = rows.times @ posterior_mean(law, rows, quantity) / rows.times.sum()
    assert_allclose(average, (law.weight * quantity).sum(), atol=1e-4)


def test_the_corrected_split_is_nearer_to_the_truth_in_simulation():
    for name in ("shipped, harder", "unchanged"):
        errors = split_errors(
            POPULATIONS[name], n_problems=300, n=64, n_runs=10, rng=rng()
        )
        assert np.all(errors["corrected"][1] < 0.85 * errors["observed"][1])


def test_resampled_benchmarks_spread_around_the_estimate():
    k = np.array([1, 128])
    drawn = np.array([s.lost for s in resampled_splits(SHIPPED, k, rng=rng())])
    found = corrected_split(fit_joint_law(distinct_rows(SHIPPED)), k).lost
    assert np.all(np.abs(drawn.mean(0) - found) < 2 * drawn.std(0))


# Which problems


def test_a_clear_loss_is_certain_and_a_clear_gain_is_none():
    draw = rng()
    base, rl = draw.binomial(64, 0.5, 100), draw.binomial(64, 0.5, 100)
    base[:2], rl[:2] = [60, 0], [0, 60]
    pair = pair_of(64, base, rl)
    changes = probable_changes(pair, fit_joint_law(distinct_rows(pair)), 64)
    assert_array_equal(changes.most_likely_lost(0.9), [0])
    assert changes.lost[0] > 0.99
    assert changes.gained[1] > 0.99
    assert_allclose(changes.expected[:2], [-1, 1], atol=0.1)


def test_probabilities_mean_what_they_say():
    # of problems said to be lost with probability q, a share q is
    everything = POPULATIONS["shipped, harder"](rng())
    base, rl = everything.base[:4000], everything.rl[:4000]
    draw = rng()
    pair = pair_of(64, draw.binomial(64, base), draw.binomial(64, rl))
    changes = probable_changes(pair, fit_joint_law(distinct_rows(pair)), 64)
    fell = (1 - base) ** 64 - (1 - rl) ** 64 < -changes.margin
    for low, high in ((0.0, 0.2), (0.2, 0.8), (0.8, 1.0)):
        some = (changes.lost >= low) & (changes.lost <= high)
        error = 0.5 / np.sqrt(some.sum())
        assert_allclose(changes.lost[some].mean(), fell[some].mean(), atol=3 * error)


def test_the_surest_loss_comes_first():
    law = fit_joint_law(distinct_rows(SHIPPED))
    changes = probable_changes(SHIPPED, law, 128)
    found = changes.lost[changes.most_likely_lost(0.5)]
    assert np.all(np.diff(found) <= 0)
    assert found[-1] >= 0.5
    assert len(changes.most_likely_lost(0.0)) == SHIPPED.n_problems


# Past the samples


def test_pass_at_k_of_the_law_is_its_integral():
    law = ZeroInflatedBeta(never=0.25, a=0.8, b=1.7)
    density = stats.beta(0.8, 1.7).pdf
    for k in (1, 7, 200):
        integral, _ = quad(lambda p, k=k: (1 - (1 - p) ** k) * density(p), 0, 1)
        assert_allclose(law.pass_at_k(np.array([k]))[0], 0.75 * integral, rtol=1e-6)


def test_the_fit_finds_the_law_that_made_the_counts():
    draw = rng()
    p = np.where(draw.random(20_000) < 0.2, 0, draw.beta(0.7, 2.0, 20_000))
    law = fit_zero_inflated_beta(table(64, draw.binomial(64, p)))
    assert_allclose([law.never, law.a, law.b], [0.2, 0.7, 2.0], rtol=0.1)


def test_without_a_right_sample_no_problem_is_ever_solved():
    law = fit_zero_inflated_beta(table(8, [0, 0]))
    assert law.pass_at_k(np.array([1, 10**6])).tolist() == [0, 0]


def test_held_out_samples_say_how_wrong_the_model_is():
    found = extrapolate(SHIPPED, np.array([256, 512]), rng=rng())
    assert (found.held_out_n, found.held_out_k) == (32, 128)
    assert np.all(np.diff(found.base) > 0)
    assert np.all(found.rl < found.base)
    # the true difference is -.0198: the model has the sign, on average
    assert abs(found.held_out_errors.mean()) < 0.0198


@pytest.mark.parametrize(
    ("pair", "k", "message"),
    [
        (SHIPPED, 128, "k must be past 128, .* but one is 128"),
        (pair_of(2, [1], [1]), 3, "4 samples or more of nearly every problem"),
    ],
)
def test_refuses_to_extrapolate_without_grounds(pair, k, message):
    with pytest.raises(ValueError, match=message):
        extrapolate(pair, np.array([k]), rng=rng())


def test_a_law_by_hand():
    grid = np.array([0.0, 0.5, 1.0])
    law = JointLaw(grid=grid, weight=np.full((3, 3), 1 / 9), log_likelihood=np.ones(1))
    rows = distinct_rows(pair_of(2, [1], [2]))
    # 1 of 2 right: the base's rate is .5; RL's is 1, or .5 at a quarter the odds
    q = posterior_mean(law, rows, np.broadcast_to(grid, (3, 3)))
    assert_allclose(q, [(1 + 0.25 * 0.5) / 1.25])
