"""Three ways to keep entropy: matched pass@1, and what differs there."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose

from tests.strategies import no_type_checker, st  # noqa: F401
from toolkit.capacity import base_rates, task_rates
from toolkit.divergences import entropy
from toolkit.labs.entropy_keepers import (
    by_entropy_bonus,
    by_kl_price,
    by_nothing,
    heated,
    overtakes,
    with_entropy_bonus,
)
from toolkit.language import shared_testbed
from toolkit.optima import tilted_policy
from toolkit.passk import mean_pass_at_k
from toolkit.policies import response_probs
from toolkit.training import train
from toolkit.updates import policy_gradient

TESTBED = shared_testbed()
F = TESTBED.frequencies
PI_REF = response_probs(TESTBED.ref_logits, TESTBED.language)
WAYS = (by_kl_price, by_entropy_bonus, by_nothing)


@pytest.fixture(scope="module")
def kept():
    """The three ways at pass@1 = .39."""
    return [way(TESTBED, 0.39) for way in WAYS]


@given(st.floats(0.22, 0.398))
@settings(max_examples=8)
def test_every_way_has_the_pass_at_1_asked_for(target):
    for way in WAYS:
        found = way(TESTBED, target)
        assert mean_pass_at_k(found.rates, 1, F) == pytest.approx(target, abs=1e-9)


def test_prices_and_entropies_at_39_are_the_measured_ones(kept):
    assert_allclose([w.price for w in kept], [0.048, 0.043, 0], atol=6e-4)
    found = [w.response_entropy for w in kept]
    assert_allclose(found, [3.45, 5.16, 0.51], atol=6e-3)
    assert_allclose([w.task_entropy for w in kept], [0.33, 0.33, 0.24], atol=6e-3)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (4, [0.487, 0.496, 0.430]),
        (16, [0.635, 0.641, 0.51]),
        (64, [0.761, 0.730, 0.730]),
        (256, [0.862, 0.800, 0.970]),
        (4096, [0.994, 0.981, 1.000]),
    ],
)
def test_coverage_at_39_is_the_measured_one(kept, k, expected):
    found = [mean_pass_at_k(w.rates, k, F) for w in kept]
    assert_allclose(found, expected, atol=1.1e-3)


def test_coverage_at_35_is_the_measured_one():
    found = [
        mean_pass_at_k(way(TESTBED, 0.35).rates, np.array([4, 64]), F) for way in WAYS
    ]
    expected = [[0.610, 0.967], [0.634, 0.961], [0.529, 0.984]]
    assert_allclose(found, expected, atol=1.1e-3)


@pytest.mark.parametrize(
    ("target", "k"), [(0.30, 32), (0.35, 36), (0.38, 54), (0.39, 80)]
)
def test_where_doing_nothing_overtakes_the_price_of_kl(target, k):
    nothing, price = by_nothing(TESTBED, target), by_kl_price(TESTBED, target)
    found = overtakes(nothing, price, TESTBED)
    assert abs(found - k) <= 1  # the measured flow stops a little past the target


@given(st.floats(0.02, 2.0))
def test_both_closed_forms_have_exponential_tails(price):
    # p_j proportional to c_j exp(f_j / price): the reference's shares, or even ones
    even = np.full_like(PI_REF, 1 / 625)
    for ref, shares in ((PI_REF, base_rates(TESTBED)), (even, np.full(5, 0.2))):
        rates = task_rates(tilted_policy(ref, TESTBED.reward, price), TESTBED)
        law = shares * np.exp((F - F[0]) / price)
        assert_allclose(rates, law / law.sum(), rtol=1e-9)


def test_the_plain_gradient_leaves_an_even_tail(kept):
    price, bonus, nothing = kept
    assert_allclose(nothing.rates[1:], [0.0145, 0.0127, 0.0092, 0.0074], atol=6e-5)
    assert_allclose(price.rates[1:], [0.077, 0.0066, 0.0016, 0.0005], atol=6e-4)
    products = nothing.rates[1:] * (F[0] - F[1:])
    assert_allclose(products, [0.0015, 0.0032, 0.0028, 0.0026], atol=6e-5)
    assert (
        nothing.rates[1] / nothing.rates[4] < 3 < 100 < price.rates[1] / price.rates[4]
    )
    assert bonus.rates[1] / bonus.rates[4] > 100


def test_the_natural_gradient_passes_through_the_kl_optima(kept):
    pi = PI_REF
    for _ in range(20):  # natural steps of 1/20th of 1/price each
        log_pi = np.log(pi) + TESTBED.reward / (20 * kept[0].price)
        pi = np.exp(log_pi - log_pi.max())
        pi = pi / pi.sum()
    assert_allclose(pi, kept[0].pi, atol=1e-12)


def test_heat_brings_back_coverage_here():
    temperature, hot = heated(TESTBED, 0.39)
    assert temperature == pytest.approx(2.61, abs=0.006)
    assert hot.response_entropy == pytest.approx(float(entropy(PI_REF)[0]))
    found = mean_pass_at_k(hot.rates, np.array([1, 4, 16]), F)
    assert_allclose(found, [0.248, 0.640, 0.961], atol=1e-3)


@given(st.floats(0.02, 2.0))
def test_a_price_on_the_lowered_reward_is_an_entropy_bonus(alpha):
    lowered = with_entropy_bonus(TESTBED, alpha)
    even = np.full_like(PI_REF, 1 / 625)
    assert_allclose(
        tilted_policy(PI_REF, lowered.reward, alpha),
        tilted_policy(even, TESTBED.reward, alpha),
        atol=1e-12,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (by_kl_price, [0.704, 0.174, 0.073, 0.030, 0.019]),
        (by_entropy_bonus, [0.661, 0.229, 0.053, 0.034, 0.024]),
    ],
)
def test_sampled_training_at_the_price_ends_near_the_optimum(way, expected):
    price = way(TESTBED, 0.35).price
    testbed = TESTBED if way is by_kl_price else with_entropy_bonus(TESTBED, price)
    run = train(
        testbed.ref_logits, testbed.reward, testbed.language, policy_gradient(),
        steps=800, group_size=16, learning_rate=0.05, n_runs=8, beta=price,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    rates = task_rates(run.pi, TESTBED)[0].mean(axis=0)
    assert_allclose(rates, expected, atol=0.012)


@pytest.mark.usefixtures("no_type_checker")
def test_refusals_name_the_argument():
    for way in WAYS:
        with pytest.raises(ValueError, match=r"pass_at_1 must be at least 0\.2"):
            way(TESTBED, 0.1)
        with pytest.raises(ValueError, match=r"at most|below 0\.4, but it is 0\.4"):
            way(TESTBED, 0.4)
    with pytest.raises(ValueError, match="alpha must be at least 0"):
        with_entropy_bonus(TESTBED, -1.0)
