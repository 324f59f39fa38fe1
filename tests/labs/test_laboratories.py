"""All recipes side by side: what holds whatever the seed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.strategies import no_type_checker  # noqa: F401
from toolkit.figures.labs.laboratories import recipes_figure
from toolkit.labs.laboratories import recipe_paths
from toolkit.language import shared_testbed

TESTBED = shared_testbed()


@pytest.fixture(scope="module")
def paths():
    """One run of each recipe."""
    return recipe_paths(TESTBED, steps=300, n_runs=1, rng=np.random.default_rng(3))


def test_every_recipe_starts_at_the_base(paths):
    for path in paths.values():
        assert_allclose(path.pass_at_k(1)[0], 0.200, atol=5e-4)
        assert_allclose(path.entropy[0], path.entropy[0, 0])


def test_every_recipe_raises_pass_at_1(paths):
    for path in paths.values():
        assert np.all(path.pass_at_k(1)[-1] > 0.26)


def test_recipes_that_hold_on_to_something_keep_coverage(paths):
    end = {name: path.pass_at_k(256)[-1].mean() for name, path in paths.items()}
    for name in ("KL price", "entropy bonus", "pass@4 training", "SFT, many labels"):
        assert end[name] > 0.99 > end["nothing"] + 0.02


def test_a_brake_and_a_bonus_keep_more_entropy_than_nothing(paths):
    end = {name: path.entropy[-1].mean() for name, path in paths.items()}
    assert end["entropy bonus"] > end["covariance brake"] > 2 * end["nothing"]


def test_when_finds_the_first_step_with_that_pass_at_1(paths):
    path = paths["nothing"]
    place = path.when(0.35)
    values = path.pass_at_k(1)
    for run, at in enumerate(place):
        assert values[at, run] >= 0.35
        assert np.all(values[:at, run] < 0.35)
    assert paths["pass@4 training"].when(0.35) is None


def test_the_figure_holds_the_numbers_it_was_given(paths):
    numbers = recipes_figure(paths, 0.35).summary()
    for name, path in paths.items():
        assert numbers[f"pass@256, {name}"] == path.pass_at_k(256)[-1].mean()
        assert numbers[f"entropy, {name}"] == path.entropy[-1].mean()


@pytest.mark.usefixtures("no_type_checker")
def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="steps must be from 50"):
        recipe_paths(TESTBED, steps=10, rng=np.random.default_rng(0))
