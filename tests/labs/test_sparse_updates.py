"""Rounding to bfloat16: the format itself, and the law of what changes."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri

from tests.strategies import no_type_checker, st  # noqa: F401
from toolkit.labs.sparse_updates import (
    bfloat16_spacing,
    change_probability,
    expected_overlap,
    round_to_bfloat16,
    sample_changes,
    small_update_overlap,
    typical_weights,
    update_size_for,
)

WEIGHTS = typical_weights(20_000)
MANY = typical_weights(200_000)
NUMBERS = st.floats(-1e30, 1e30).filter(lambda x: x == 0 or abs(x) > 1e-30)
SIZES = st.floats(1e-6, 1e-2)


def grid(n: int = 4000) -> np.ndarray:
    return (np.arange(n) + 0.5) / n


# The number format


@given(NUMBERS)
def test_a_rounded_number_is_the_nearest_one_that_bfloat16_has(x):
    x = float(np.float32(x))
    found = float(round_to_bfloat16(np.array([x]))[0])
    if x == 0:
        assert found == 0
        return
    _, exponent = np.frexp(x)
    spacing = np.ldexp(1.0, int(exponent) - 8)
    assert found / spacing == np.round(x / spacing)  # NumPy rounds ties to even too
    assert abs(found - x) <= spacing / 2


@given(NUMBERS)
def test_rounding_twice_is_rounding_once(x):
    once = round_to_bfloat16(np.array([x]))
    assert_array_equal(round_to_bfloat16(once), once)


def test_a_number_has_eight_bits():
    assert_array_equal(
        round_to_bfloat16(np.array([256.0, 257.0, 258.0])), [256, 256, 258]
    )
    assert_array_equal(round_to_bfloat16(np.array([259.0])), [260])  # 258 is odd / 2


def test_the_spacing_is_the_step_to_the_next_number():
    w = np.abs(WEIGHTS)
    following = round_to_bfloat16(w.astype(float) + 0.6 * bfloat16_spacing(w))
    assert_allclose(following - w, bfloat16_spacing(w), rtol=0, atol=0)


# The law


@given(SIZES)
def test_the_changed_share_follows_the_law(size):
    rng = np.random.default_rng(0)
    changed = sample_changes(WEIGHTS, size, rng=rng).mean()
    assert changed == pytest.approx(change_probability(WEIGHTS, size).mean(), abs=0.015)


@pytest.mark.parametrize(
    ("size", "changed", "overlap", "beyond_tolerance"),
    [
        (1e-6, 0.012, 0.59, 0.000),
        (1e-5, 0.116, 0.587, 0.075),
        (3e-5, 0.318, 0.620, 0.302),
        (1e-4, 0.675, 0.752, None),
        (1e-3, 0.964, 0.965, None),
    ],
)
def test_random_updates_give_the_measured_shares(
    size, changed, overlap, beyond_tolerance
):
    rng = np.random.default_rng(1)
    one, other = (sample_changes(MANY, size, rng=rng) for _ in range(2))
    p = change_probability(MANY, size)
    assert one.mean() == pytest.approx(changed, abs=0.003)
    assert p.mean() == pytest.approx(changed, abs=0.001)
    tolerance = 0.02 if size < 5e-6 else 0.005
    both = (one & other).sum() / one.sum()
    assert both == pytest.approx(expected_overlap(p, p), abs=tolerance)
    assert both == pytest.approx(overlap, abs=tolerance)
    if beyond_tolerance is not None:
        beyond = sample_changes(MANY, size, tolerance=1e-5, rng=rng).mean()
        assert beyond == pytest.approx(beyond_tolerance, abs=0.003)


@pytest.mark.parametrize("size", [1e-6, 3e-6])
def test_small_updates_overlap_alike_whatever_the_weights(size):
    limit = 2 - np.sqrt(2)
    u = grid(20_000)
    shapes = {
        "normal": 0.02 * ndtri(u),
        "uniform": 0.1 * (u - 0.5),
        "heavy tails": 0.02 * np.tan(np.pi * (u - 0.5)),
    }
    for weights in shapes.values():
        p = change_probability(round_to_bfloat16(weights), size)
        assert expected_overlap(p, p) == pytest.approx(limit, abs=0.02)


def test_the_limit_depends_on_the_shape_of_the_updates():
    normal, laplace = ndtri(grid()), -np.log(1 - grid())
    assert small_update_overlap(normal, normal) == pytest.approx(2 - 2**0.5, abs=1e-3)
    assert small_update_overlap(laplace, laplace) == pytest.approx(0.5, abs=1e-3)
    # a much larger update changes whatever the smaller one does
    assert small_update_overlap(normal, 1e6 * normal) == pytest.approx(1, abs=1e-3)


@given(SIZES, SIZES)
def test_unrelated_updates_overlap_by_chance_or_more(first, second):
    p, q = change_probability(WEIGHTS, first), change_probability(WEIGHTS, second)
    assert expected_overlap(p, q) >= q.mean() - 1e-12
    # what both change is the same set, whichever comes first
    assert expected_overlap(p, q) * p.mean() == pytest.approx(
        expected_overlap(q, p) * q.mean()
    )


@given(st.floats(0.001, 0.99))
def test_the_size_for_a_share_gives_that_share(share):
    size = update_size_for(WEIGHTS, share)
    assert change_probability(WEIGHTS, size).mean() == pytest.approx(share)


@pytest.mark.parametrize(
    ("shares", "overlaps"),
    [
        ((0.367, 0.367), (0.630, 0.630)),
        ((0.367, 0.146), (0.331, 0.832)),
        ((0.129, 0.230), (0.751, 0.421)),
    ],
)
def test_unrelated_updates_of_the_reported_sizes(shares, overlaps):
    p, q = (change_probability(WEIGHTS, update_size_for(WEIGHTS, s)) for s in shares)
    assert expected_overlap(p, q) == pytest.approx(overlaps[0], abs=0.002)
    assert expected_overlap(q, p) == pytest.approx(overlaps[1], abs=0.002)


def test_in_float32_nearly_every_update_leaves_a_trace():
    rng = np.random.default_rng(0)
    weights = MANY.astype(np.float32)
    updated = (weights + 1e-6 * rng.normal(size=len(MANY))).astype(np.float32)
    assert (updated != weights).mean() > 0.998


# What is refused


@pytest.mark.usefixtures("no_type_checker")
def test_refusals_name_the_argument():
    with pytest.raises(
        ValueError, match=r"values must fit bfloat16, but one is 1e\+39"
    ):
        round_to_bfloat16(np.array([1.0, 1e39]))
    with pytest.raises(ValueError, match=r"weights must be 1\.2e-38 or more in size"):
        bfloat16_spacing(np.array([1.0, 0.0]))
    with pytest.raises(ValueError, match="n must be even, but it is 3"):
        typical_weights(3)
    with pytest.raises(ValueError, match="first must change some weight"):
        expected_overlap(np.zeros(2), np.ones(2))
    with pytest.raises(ValueError, match="first must hold an update"):
        small_update_overlap(np.zeros(2), np.ones(2))
    with pytest.raises(ValueError, match="changed_share must be above 0 and below 1"):
        update_size_for(WEIGHTS, 1.0)
