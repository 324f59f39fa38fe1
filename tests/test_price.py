import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from toolkit.landing import land
from toolkit.language import default_testbed
from toolkit.optima import tilted_policy
from toolkit.policies import response_probs
from toolkit.price import price_of_success
from toolkit.updates import policy_gradient, supervised

RIGHT = np.array([[1.0, 1.0, 0.0, 0.0, 0.0]])


def distribution(weights):
    return np.array([weights]) / np.sum(weights)


WEIGHTS = st.lists(st.floats(0.01, 1), min_size=5, max_size=5).map(distribution)


@given(WEIGHTS, WEIGHTS)
def test_both_divergences_are_what_they_are_called(pi, ref):
    price = price_of_success(pi, ref, RIGHT)
    assert_allclose(price.reverse, np.sum(pi * np.log(pi / ref), axis=1), atol=1e-12)
    assert_allclose(price.forward, np.sum(ref * np.log(ref / pi), axis=1), atol=1e-12)


@given(WEIGHTS, WEIGHTS)
def test_neither_divergence_is_below_its_floor(pi, ref):
    price = price_of_success(pi, ref, RIGHT)
    assert price.reverse >= price.reverse_floor - 1e-12
    assert price.forward >= price.forward_floor - 1e-12


@given(WEIGHTS, st.floats(0.2, 20))
def test_a_tilted_policy_pays_the_floor_in_both_directions(ref, beta):
    price = price_of_success(tilted_policy(ref, RIGHT, beta), ref, RIGHT)
    assert_allclose(price.reverse, price.reverse_floor, rtol=1e-9, atol=1e-12)
    assert_allclose(price.forward, price.forward_floor, rtol=1e-9, atol=1e-12)


@given(WEIGHTS, WEIGHTS)
def test_the_surcharge_is_the_divergence_within_right_and_within_wrong(pi, ref):
    price = price_of_success(pi, ref, RIGHT)

    def within(a, b, part):
        q, p = a[part], b[part]
        return np.sum(q * np.log((q / q.sum()) / (p / p.sum())))

    for above, among_right, a, b in (
        (price.reverse - price.reverse_floor, price.reverse_right, pi, ref),
        (price.forward - price.forward_floor, price.forward_right, ref, pi),
    ):
        right, wrong = within(a, b, RIGHT == 1), within(a, b, RIGHT == 0)
        assert_allclose(among_right, [right], atol=1e-12)
        assert_allclose(above, [right + wrong], atol=1e-12)


def test_certain_success_from_a_wrong_prone_reference_costs_minus_log_p():
    ref = np.array([[0.1, 0.1, 0.8, 0.0, 0.0]])
    pi = np.array([[0.5, 0.5, 0.0, 0.0, 0.0]])
    price = price_of_success(pi, ref, RIGHT)
    assert_allclose(price.reverse, [-np.log(0.2)])
    assert_allclose(price.reverse_floor, [-np.log(0.2)])
    assert np.isinf(price.forward)


@pytest.mark.parametrize("right", [np.full((1, 5), 0.5), np.ones((1, 4))])
def test_what_is_right_must_be_0_or_1_and_fit(right):
    pi = np.full((1, 5), 0.2)
    with pytest.raises((ValueError, TypeError), match="right"):
        price_of_success(pi, pi, right)


METHODS = {"RL": (policy_gradient(), 0.0)}


def test_a_landing_is_the_first_look_with_enough_success():
    def landing(success):
        rng = np.random.default_rng(3)
        return land(
            default_testbed(), METHODS, success=success, max_steps=60, n_runs=3, rng=rng
        )["RL"]

    first = landing(0.5)
    assert np.all(first.success >= 0.5)
    assert set(first.steps % 10) == {0}
    later = landing(np.nextafter(first.success.max(), 1))
    assert later.steps[first.success.argmax()] > first.steps[first.success.argmax()]


def test_fine_tuning_on_kl_minimal_labels_pays_less_than_on_one_label():
    testbed = default_testbed()
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    minimal = tilted_policy(pi_ref, testbed.reward, 0.0)
    single = np.zeros_like(minimal)
    single[np.arange(4), minimal.argmax(axis=1)] = 1  # even the likeliest one
    found = land(
        testbed,
        {"minimal": (supervised(minimal), 0.0), "single": (supervised(single), 0.0)},
        success=0.9,
        max_steps=400,
        n_runs=2,
        rng=np.random.default_rng(0),
    )
    worst = found["minimal"].reverse_surcharge.max()
    assert worst < found["single"].reverse_surcharge.min()


def test_a_method_that_does_not_arrive_is_named():
    with pytest.raises(ValueError, match=r"max_steps .* 'RL' to reach success 0\.99"):
        land(
            default_testbed(),
            METHODS,
            success=0.99,
            max_steps=20,
            rng=np.random.default_rng(0),
        )
