"""Laboratory 5: answers that forget the prompt while entropy looks well."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from tests.strategies import st
from toolkit.divergences import entropy, kl
from toolkit.labs.templates import (
    entropy_twin,
    generic_prior,
    information,
    optimal_templates,
    prompt_entropy,
    small_ratio_law,
    train_templates,
)

G = generic_prior()


@given(seed=st.integers(0, 1000), n=st.integers(2, 6))
def test_entropy_splits_into_what_varies_and_what_tells_prompts_apart(seed, n):
    pi = np.random.default_rng(seed).dirichlet(np.ones(5), size=n)
    total = entropy(pi.mean(axis=0, keepdims=True))[0]
    assert prompt_entropy(pi) + information(pi) == pytest.approx(total)
    assert -1e-12 < information(pi) < np.log(n) + 1e-12
    divergences = kl(pi, np.tile(pi.mean(axis=0), (n, 1)))
    assert information(pi) == pytest.approx(divergences.mean())


@given(ratio=st.floats(0, 12), seed=st.integers(0, 100))
def test_the_optimum_beats_any_other_policy(ratio, seed):
    best = optimal_templates(G, ratio)
    other = np.random.default_rng(seed).dirichlet(np.ones(9), size=8)
    right = np.arange(8), np.arange(1, 9)

    def objective(pi):
        return ratio * pi[right] - kl(pi, np.tile(G, (8, 1)))

    assert np.all(objective(best) >= objective(other) - 1e-9)


@given(ratio=st.floats(1e-4, 0.05), generic=st.floats(0.2, 0.95))
def test_information_starts_with_the_square_of_the_ratio(ratio, generic):
    g = generic_prior(8, generic)
    law = small_ratio_law(g, ratio)
    assert information(optimal_templates(g, ratio)) == pytest.approx(
        law, rel=0.08, abs=1e-12
    )


def test_the_law_for_small_ratios_breaks_down_at_one():
    found = [information(optimal_templates(G, e)) for e in (0.1, 1.0)]
    assert_allclose(found, [0.00012, 0.0198], rtol=0.05)
    assert small_ratio_law(G, 0.1) == pytest.approx(0.00011, abs=5e-6)
    assert found[1] > 1.5 * small_ratio_law(G, 1.0)


@pytest.mark.parametrize(
    ("generic", "h", "twin", "told"),
    [(0.8, 0.916, 4.335, 1.176), (0.9, 0.533, 5.965, 1.656)],
)
def test_entropy_is_blind_at_its_twin(generic, h, twin, told):
    g = generic_prior(8, generic)
    found = entropy_twin(g)
    assert found == pytest.approx(twin, abs=3e-3)
    for ratio, informed in ((0.0, 0.0), (found, told)):
        pi = optimal_templates(g, ratio)
        assert prompt_entropy(pi) == pytest.approx(h, abs=6e-4)
        assert information(pi) == pytest.approx(informed, abs=2e-3)


def test_entropy_peaks_in_between():
    ratios = np.linspace(0, 8, 801)
    h = np.array([prompt_entropy(optimal_templates(G, float(e))) for e in ratios])
    assert ratios[h.argmax()] == pytest.approx(2.85, abs=0.02)
    assert h.max() == pytest.approx(1.185, abs=6e-4)


def test_a_flat_prior_has_no_twin():
    with pytest.raises(ValueError, match="g must have a generic template"):
        entropy_twin(generic_prior(8, 1 / 9))


@pytest.mark.parametrize(
    ("share", "told", "h", "reward"),
    [
        (1.0, 2.055, 0.040, 0.995),
        (0.5, 1.525, 0.655, 0.795),
        (0.25, 0.282, 1.150, 0.242),
        (0.125, 0.050, 1.004, 0.091),
    ],
)
def test_a_small_informative_share_loses_the_prompt_and_the_filter_keeps_it(
    share, told, h, reward
):
    run = train_templates(G, share)
    found = (run.information, run.entropy, run.reward)
    assert_allclose(np.ravel(found), [told, h, reward], atol=6e-4)
    run = train_templates(G, share, keep=share)
    found = (run.information, run.entropy, run.reward)
    assert_allclose(np.ravel(found), [2.055, 0.040, 0.995], atol=6e-4)


def test_information_falls_while_entropy_stands_still():
    run = train_templates(G, 0.25, steps=[300, 1350], step_size=1.0)
    assert_allclose(run.information[:, 0], [1.09, 0.46], atol=0.01)
    assert_allclose(run.entropy[:, 0], [0.841, 0.820], atol=2e-3)


@pytest.mark.parametrize(
    ("share", "keep", "told", "reward", "within"),
    [
        (0.25, 1.0, 0.412, 0.269, 0.02),
        (0.25, 0.25, 2.040, 0.991, 0.01),
        (0.125, 0.25, 1.558, 0.797, 0.06),
    ],
)
def test_sampled_runs_do_as_the_reference_runs(share, keep, told, reward, within):
    run = train_templates(
        G,
        share,
        keep=keep,
        n_samples=8,
        steps=600,
        n_runs=5,
        rng=np.random.default_rng(1),
    )
    assert run.information[-1].mean() == pytest.approx(told, abs=within)
    assert run.reward[-1].mean() == pytest.approx(reward, abs=within)


def test_a_filter_that_keeps_as_many_useless_prompts_acts_as_a_share_of_one_half():
    """What a kept share means: informative among kept, not among all."""
    run = train_templates(
        G,
        0.125,
        keep=0.25,
        n_samples=8,
        steps=1200,
        n_runs=3,
        rng=np.random.default_rng(1),
    )
    law = information(optimal_templates(G, 0.5 / 0.1))
    assert run.information[-1].mean() == pytest.approx(law, abs=0.1)


def test_with_a_table_a_prompt_the_filter_cannot_help():
    rewards = [
        train_templates(G, 0.25, keep=keep, shared=False, step_size=16.0).reward[-1, 0]
        for keep in (1.0, 0.25)
    ]
    assert min(rewards) > 0.99


def test_from_the_generic_prior_the_filter_finds_the_informative_prompts():
    rewards = [
        train_templates(
            G,
            0.25,
            keep=keep,
            start=0.0,
            n_samples=8,
            steps=600,
            n_runs=3,
            rng=np.random.default_rng(1),
        ).reward[-1]
        for keep in (1.0, 0.25)
    ]
    assert rewards[0].max() < 0.3
    assert rewards[1].min() > 0.95


def test_impossible_settings_are_refused():
    with pytest.raises(ValueError, match="share must be a multiple of 1/8"):
        train_templates(G, 0.3)
    with pytest.raises(TypeError, match="rng must be a Generator"):
        train_templates(G, 0.25, n_samples=8)
