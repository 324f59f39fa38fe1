"""Recipe of the figure of section 11.6."""

import numpy as np

from toolkit._checks import as_count
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.collapse.answers import answer_entropy
from toolkit.display import BookFigure
from toolkit.figures.connections import price_figure
from toolkit.landing import land, usual_methods
from toolkit.language import default_testbed
from toolkit.policies import response_probs


def price(success: float = 0.9, seeds: int = 8, seed: int = 1) -> BookFigure:
    """Make Figure 11.6.1."""
    testbed = default_testbed()
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    methods = usual_methods(testbed, rng=rng)
    landings = land(
        testbed, methods, success=success, max_steps=400, n_runs=seeds, rng=rng
    )
    entropies = {
        name: answer_entropy(landing.pi, testbed.reward).mean(axis=-1)
        for name, landing in landings.items()
    }
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    ref_entropy = float(answer_entropy(pi_ref, testbed.reward).mean())
    return price_figure(landings, entropies, ref_entropy)


RECIPES = (
    Recipe(
        number="11.6.1",
        title="What each method pays beyond the price of its success",
        page="chapter11/connections",
        make=price,
        deviation="Ours. Sampled: eight runs a method on the default testbed.",
        digits=SAMPLED,
    ),
)
