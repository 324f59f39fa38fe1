"""Recipe of the figure of the laboratories' opening page."""

import numpy as np

from toolkit._checks import as_count
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import laboratories as draw
from toolkit.labs.laboratories import recipe_paths
from toolkit.language import shared_testbed


def recipes(
    steps: int = 600, seeds: int = 4, pass_at_1: float = 0.35, seed: int = 1
) -> BookFigure:
    """Make Figure L.1."""
    paths = recipe_paths(
        shared_testbed(),
        steps=steps,
        n_runs=seeds,
        price_for=pass_at_1,
        rng=np.random.default_rng(as_count(seed, "seed", low=0)),
    )
    return draw.recipes_figure(paths, pass_at_1)


RECIPES = (
    Recipe(
        number="L.1",
        title="Nine recipes on one testbed: coverage and entropy",
        page="chapter11/labs/laboratories",
        make=recipes,
        deviation="Ours. 4 sampled runs of each recipe.",
        digits=SAMPLED,
    ),
)
