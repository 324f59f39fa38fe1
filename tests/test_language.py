"""The toy language: its lists against plain loops, its testbeds against the chapter."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.strategies import TINY_ENDED
from toolkit.capacity import base_rates
from toolkit.language import (
    ToyLanguage,
    default_testbed,
    reference_logits,
    shared_testbed,
    sum_reward,
    variable_length_testbed,
)
from toolkit.policies import expected_reward, response_probs

SIZES = [
    ToyLanguage(n_tokens=3, length=3),
    ToyLanguage(n_tokens=2, length=5),
    ToyLanguage(n_tokens=4, length=1),
    ToyLanguage(n_tokens=3, length=4, has_end=True),
    ToyLanguage(n_tokens=2, length=6, has_end=True),
]


def strings(language: ToyLanguage) -> list[tuple[int, ...]]:
    """List the responses as the class says they are ordered."""
    content = range(language.n_content)
    full = list(product(content, repeat=language.length))
    if not language.has_end:
        return full
    end = language.n_tokens - 1
    shorter = [
        (*string, end)
        for length in range(language.length)
        for string in product(content, repeat=length)
    ]
    return shorter + full


def test_the_default_language_has_625_responses_over_156_prefixes():
    language = ToyLanguage()
    assert (language.n_responses, language.n_prefixes) == (625, 156)


@pytest.mark.parametrize("language", SIZES)
def test_responses_are_listed_in_the_order_the_class_states(language):
    listed = [tuple(t for t in row if t >= 0) for row in language.tokens.tolist()]
    assert listed == strings(language)
    assert language.n_responses == len(listed)


@pytest.mark.parametrize("language", SIZES)
def test_prefixes_are_numbered_by_length_then_lexicographically(language):
    by_length = [
        prefix
        for length in range(language.length)
        for prefix in product(range(language.n_content), repeat=length)
    ]
    number = {prefix: i for i, prefix in enumerate(by_length)}
    assert language.n_prefixes == len(by_length)
    for response, row in zip(strings(language), language.prefixes, strict=True):
        expected = [number[response[:t]] for t in range(len(response))]
        assert row.tolist() == expected + [-1] * (language.length - len(response))


@pytest.mark.parametrize("language", SIZES)
def test_lengths_count_the_end_token_and_sums_do_not(language):
    end = language.n_tokens - 1 if language.has_end else None
    assert language.lengths.tolist() == [len(s) for s in strings(language)]
    assert language.sums.tolist() == [
        sum(token for token in s if token != end) for s in strings(language)
    ]


@pytest.mark.parametrize("language", SIZES)
def test_reward_is_one_exactly_where_the_content_sums_to_the_target(language):
    reward = sum_reward(language, np.array([0, 2]), modulus=3)
    end = language.n_tokens - 1 if language.has_end else None
    for x, target in enumerate([0, 2]):
        for y, response in enumerate(strings(language)):
            content = [token for token in response if token != end]
            hit = bool(content) and sum(content) % 3 == target
            assert reward[x, y] == hit, (target, response)


def test_an_empty_response_is_never_right_although_its_sum_is_zero():
    reward = sum_reward(TINY_ENDED, np.array([0]), modulus=2)
    assert TINY_ENDED.lengths[0] == 1
    assert reward[0, 0] == 0


def test_reference_success_is_the_published_one():
    testbed = default_testbed()
    p = expected_reward(
        response_probs(testbed.ref_logits, testbed.language), testbed.reward
    )
    assert_allclose(p, [0.017, 0.187, 0.707, 0.439], atol=5e-4)


def test_base_rates_of_the_shared_testbed_are_the_published_ones():
    rates = base_rates(shared_testbed())
    assert_allclose(rates, [0.220, 0.146, 0.275, 0.182, 0.177], atol=5e-4)


def test_right_responses_are_longer_than_wrong_ones_in_the_variable_length_testbed():
    testbed = variable_length_testbed()
    pi = response_probs(testbed.ref_logits, testbed.language)
    lengths = testbed.language.lengths

    def mean_length(where: np.ndarray) -> float:
        weight = pi * where
        return float(np.mean(weight @ lengths / weight.sum(axis=1)))

    assert mean_length(testbed.reward) == pytest.approx(4.53, abs=0.005)
    assert mean_length(1 - testbed.reward) == pytest.approx(3.97, abs=0.005)


def test_every_response_of_the_shared_testbed_solves_one_task():
    testbed = shared_testbed()
    assert_array_equal(testbed.solves.sum(axis=0), np.ones(625))
    task = testbed.language.tokens.sum(axis=1) % 5
    assert_array_equal(testbed.reward[0], testbed.frequencies[task])
    assert_allclose(testbed.frequencies, [0.40, 0.30, 0.15, 0.10, 0.05])


@pytest.mark.parametrize("language", [SIZES[0], SIZES[3]])
def test_reference_logits_are_log_counts_of_a_corpus_drawn_from_one_stream(language):
    """The recipe of the chapter once more, one string at a time."""
    v, size = language.n_tokens, 300
    rng, expected = np.random.default_rng(7), []
    for _ in range(2):
        start = rng.dirichlet(np.full(v, 0.5))
        transitions = rng.dirichlet(np.full(v, 0.5), size=v)
        columns = [rng.choice(v, size, p=start)]
        for _ in range(1, language.length):
            u = rng.random(size)
            following = [
                min(int(np.searchsorted(np.cumsum(transitions[a]), x, "right")), v - 1)
                for a, x in zip(columns[-1], u, strict=True)
            ]
            columns.append(np.array(following))
        counts: dict[tuple[int, ...], np.ndarray] = {}
        for string in np.stack(columns, axis=1).tolist():
            for t, token in enumerate(string):
                row = counts.setdefault(tuple(string[:t]), np.zeros(v))
                row[token] += 1
                if language.has_end and token == v - 1:
                    break
        prefixes = [
            prefix
            for length in range(language.length)
            for prefix in product(range(language.n_content), repeat=length)
        ]
        expected.append([counts.get(prefix, np.zeros(v)) for prefix in prefixes])
    logits = reference_logits(
        language,
        n_prompts=2,
        concentration=0.5,
        rng=np.random.default_rng(7),
        corpus_size=size,
        smoothing=0.25,
    )
    assert_array_equal(logits, np.log(np.array(expected) + 0.25))


def test_another_seed_makes_another_reference_policy():
    assert np.any(default_testbed(1).ref_logits != default_testbed(2).ref_logits)


def test_a_language_too_large_to_list_is_refused_at_once():
    with pytest.raises(ValueError, match=r"at most 10\*\*6 responses"):
        ToyLanguage(n_tokens=5, length=9)
    with pytest.raises(ValueError, match="length must be from 1 to 32"):
        ToyLanguage(n_tokens=5, length=2**31 - 1)


def test_a_target_that_no_sum_reaches_is_refused():
    with pytest.raises(ValueError, match="targets must be below modulus = 5, but 7"):
        sum_reward(ToyLanguage(), np.array([0, 7]), modulus=5)
