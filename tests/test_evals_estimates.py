"""Curves and bands of two models' counts: exact, over fixed problems, and covering."""

from fractions import Fraction
from math import comb

import numpy as np
import passk_inference
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from tests.strategies import no_type_checker  # noqa: F401
from toolkit.evals.bands import Band, difference_band
from toolkit.evals.counts import Counts
from toolkit.evals.crossing import FirstBelow, first_below
from toolkit.evals.curves import mean_curves
from toolkit.evals.estimates import largest_k, miss_table, pass_table
from toolkit.evals.pairs import Pair, align
from toolkit.evals.shipped import shipped_pair
from toolkit.passk import estimate_pass_at_k_curve, pass_at_k
from tools.coverage import POPULATIONS, simulate

SHIPPED = shipped_pair()


def table(n, c, prefix="p"):
    names = tuple(f"{prefix}{i:05d}" for i in range(len(c)))
    n = np.broadcast_to(n, len(c))
    return Counts(problems=names, n=np.array(n), c=np.array(c))


def pair_of(n, c_base, c_rl):
    return Pair(base=table(n, c_base), rl=table(n, c_rl))


def rng():
    return np.random.default_rng(2024)


# The estimates


@given(st.integers(1, 40), st.data())
def test_estimates_are_the_ratio_of_binomials(n, data):
    c = data.draw(st.integers(0, n))
    exact = [float(1 - Fraction(comb(n - c, k), comb(n, k))) for k in range(1, n + 1)]
    found = pass_table(np.array([n]), np.array([c]), n)
    assert_allclose(found[0], exact, rtol=1e-14, atol=1e-15)


def test_the_largest_case_agrees_with_exact_integers():
    for c in (1, 63, 10_000):
        found = miss_table(np.array([10_000]), np.array([c]), 5000)[0, 5000]
        exact = Fraction(comb(10_000 - c, 5000), comb(10_000, 5000))
        assert_allclose(found, float(exact), rtol=1e-11)


def test_the_shipped_curves_are_the_published_ones():
    curves = mean_curves(SHIPPED)
    assert_allclose(curves.base[[0, 15, 31, 127]], [0.6041, 0.8215, 0.8472, 0.8906],
                    atol=5e-5)  # fmt: skip
    assert_allclose(curves.rl[[0, 15, 31, 127]], [0.6801, 0.8253, 0.8427, 0.8708],
                    atol=5e-5)  # fmt: skip
    expected = estimate_pass_at_k_curve(SHIPPED.rl.n, SHIPPED.rl.c, 128)
    assert_allclose(curves.rl, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("group", "first"),
    [(None, 22), ("olympiadbench", 24), ("gaokao2023en", 11), ("aime24", 42),
     ("amc23", None)],
)  # fmt: skip
def test_first_k_below_of_the_shipped_pair_and_its_groups(group, first):
    rows = [i for i, name in enumerate(SHIPPED.groups) if group in (None, name)]
    assert mean_curves(SHIPPED.take(np.array(rows))).first_below == first


# Problems with few samples


def with_one_short_problem():
    def more(counts):
        return Counts(
            problems=(*counts.problems, "short"),
            n=np.append(counts.n, 4),
            c=np.append(counts.c, 2),
        )

    return align(more(SHIPPED.base), more(SHIPPED.rl))


def test_one_problem_with_few_samples_does_not_end_the_curve():
    # The peer's curve ends at k = 4, and the crossover is gone.
    pair = with_one_short_problem()
    curves = mean_curves(pair)
    assert curves.k[-1] == 128
    assert_array_equal(curves.n_short[[3, 4, 127]], [0, 1, 1])
    assert curves.first_below == 22
    # with 2 of 4 right pass@4 is 1 in the estimate, so that its range is a point
    assert_allclose(curves.base_high, curves.base_low, atol=1e-15)
    assert first_below(difference_band(pair, "new", rng=rng())).is_crossover


def test_a_problem_past_its_samples_counts_with_its_whole_range():
    n = np.array([2] + [8] * 39)
    pair = pair_of(n, [0] + [8] * 39, [1] + [8] * 39)
    curves = mean_curves(pair)
    assert_allclose(curves.base_high - curves.base_low, [0, 0, *[1 / 40] * 6])
    assert_allclose(curves.rl_low, [39.5 / 40, *[1] * 7])


def test_the_mean_is_over_the_same_problems_at_every_k():
    # 4 hard problems with 8 samples, 96 easy ones with 16: their own mean is 1
    n = np.array([8] * 4 + [16] * 96)
    pair = pair_of(n, [0] * 4 + [16] * 96, [0] * 4 + [16] * 96)
    curves = mean_curves(pair)
    assert_allclose(curves.base_low, 0.96)
    assert np.all(curves.n_short == np.where(curves.k > 8, 4, 0))


def test_no_more_than_one_problem_in_twenty_may_be_short():
    n = np.array([8] * 6 + [16] * 94)
    assert largest_k(pair_of(n, n, n)) == 8
    with pytest.raises(ValueError, match=r"at most 16, .* but it is 17"):
        mean_curves(pair_of(n, n, n), 17)


# Bands


def test_the_order_of_problems_does_not_matter():
    order = rng().permutation(SHIPPED.n_problems)
    shuffled = align(SHIPPED.base.take(order), SHIPPED.rl.take(order[::-1]))
    for target in ("these", "new"):
        one = difference_band(SHIPPED, target, rng=rng())
        two = difference_band(shuffled, target, rng=rng())
        assert_array_equal(one.low, two.low)


def test_our_band_is_the_peers_before_the_correction_for_few_problems():
    peer = passk_inference.compare(
        SHIPPED.base.c, SHIPPED.base.n, SHIPPED.rl.c, SHIPPED.rl.n, bootstrap=8000
    )
    ours = difference_band(SHIPPED, "new", rng=rng(), n_draws=20_000)
    assert_allclose(ours.critical, peer["critical_value"], atol=0.06)
    assert_allclose(ours.low + ours.high, 2 * np.array(peer["mean"]), atol=1e-12)
    # t with 1,059 degrees of freedom, and half a problem: under 8% wider
    ratio = (ours.high - ours.low) / (np.subtract(peer["upper"], peer["lower"]))
    assert np.all((ratio > 0.97) & (ratio < 1.08))


def test_the_peers_published_set_is_reproduced_and_ours_is_within_it():
    # [11, 61] from the band with 4,000 draws and seed 0 (Yang, Zhang and Chen, 2026)
    rows = pass_table(SHIPPED.rl.n, SHIPPED.rl.c, 128)
    rows = rows - pass_table(SHIPPED.base.n, SHIPPED.base.c, 128)
    peer = passk_inference.simultaneous_band(rows)
    certified = passk_inference.certify(range(1, 129), peer["lower"], peer["upper"])
    assert certified["first_loss_interval"] == [11, 61]
    ours = first_below(difference_band(SHIPPED, "new", rng=rng()))
    assert 11 <= ours.low <= 22 <= ours.high <= 64


def test_the_band_of_these_problems_is_narrower_and_ends_at_half_the_samples():
    new = difference_band(SHIPPED, "new", rng=rng())
    these = difference_band(SHIPPED, "these", rng=rng())
    assert these.k[-1] == 64
    assert np.all(these.high - these.low < (new.high - new.low)[:64])
    with pytest.raises(ValueError, match='at most 64 for target "these", half the'):
        difference_band(SHIPPED, "these", rng=rng(), k_max=65)


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize(
    ("pair", "target", "message"),
    [
        (SHIPPED, "all", "target must be one of 'these', 'new', but it is 'all'"),
        (pair_of(4, [1], [2]), "new", "2 problems or more, but there is 1"),
        (pair_of(1, [1, 0], [0, 1]), "these", "2 samples or more of nearly every"),
    ],
)
def test_refuses_a_target_it_cannot_say_anything_about(pair, target, message):
    with pytest.raises(ValueError, match=message):
        difference_band(pair, target, rng=rng())


def test_one_problem_is_enough_for_these_problems():
    band = difference_band(pair_of(16, [4], [12]), "these", rng=rng())
    assert np.all(band.low < band.high)


def test_without_differences_the_band_is_as_wide_as_what_was_not_seen():
    # The peer answers [-1, 1] for all k; 100 problems that never differ say more.
    band = difference_band(pair_of(8, [8] * 100, [8] * 100), "new", rng=rng())
    assert_allclose(band.low, -band.high)
    assert np.all((band.high > 0.005) & (band.high < 0.05))


def test_the_sampling_covariance_is_unbiased():
    # one problem, 6 samples, rate .3 and .6: all outcomes, weighted
    from toolkit.evals.bands import _moments_these
    from toolkit.evals.estimates import distinct_rows

    n, p, q, k = 6, 0.3, 0.6, np.arange(1, 4)
    chance_base = stats.binom.pmf(np.arange(n + 1), n, p)
    chance_rl = stats.binom.pmf(np.arange(n + 1), n, q)
    expected, seen = np.zeros((3, 3)), np.zeros((3, 3))
    true = pass_at_k(np.array([q]), k)[0] - pass_at_k(np.array([p]), k)[0]
    for c in range(n + 1):
        for d in range(n + 1):
            chance = chance_base[c] * chance_rl[d]
            low, _, covariance = _moments_these(distinct_rows(pair_of(n, [c], [d])), 3)
            expected += chance * covariance
            seen += chance * np.outer(low - true, low - true)
    assert_allclose(expected, seen, rtol=1e-10)


# The first k below


def band_of(low, high, point_low=None):
    low, high = np.array(low), np.array(high)
    return Band(
        k=np.arange(1, len(low) + 1), low=low, high=high,
        point_low=low if point_low is None else np.array(point_low), point_high=high,
        target="new", level=0.95, critical=2.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ([0.1, -0.1, -0.3], [0.3, 0.1, -0.1], FirstBelow(low=2, high=3)),
        ([0.1, 0.1, 0.1], [0.3, 0.3, 0.3], FirstBelow(low=None, high=None)),
        ([-0.1, -0.1], [0.1, 0.1], FirstBelow(low=1, high=None)),
        ([-0.3, -0.3], [-0.1, -0.1], FirstBelow(low=1, high=1)),
    ],
)
def test_confidence_set_by_hand(low, high, expected):
    assert first_below(band_of(low, high)) == expected


def test_only_above_then_below_is_a_crossover():
    assert FirstBelow(low=2, high=3).is_crossover
    assert not FirstBelow(low=1, high=3).is_crossover
    assert not FirstBelow(low=2, high=None).is_certain


# Coverage, in small; tools/coverage.py does it in full


def test_the_band_of_new_problems_covers_on_thirty_where_the_peers_does_not():
    found = simulate(
        POPULATIONS["shipped"], "new", n_problems=30, n=64, n_runs=80, rng=rng()
    )
    error = np.sqrt(0.95 * 0.05 / 80)
    assert found.band >= 0.95 - 2.5 * error
    assert found.first_below >= 0.95 - 2.5 * error
    assert found.peer < 0.90


def test_the_band_of_these_problems_covers_on_thirty():
    found = simulate(
        POPULATIONS["given up"], "these", n_problems=30, n=32, n_runs=80, rng=rng()
    )
    error = np.sqrt(0.95 * 0.05 / 80)
    assert found.band >= 0.95 - 2.5 * error
    assert found.first_below >= 0.95 - 2.5 * error
