"""Recipes of the figures of laboratory 10."""

import numpy as np

from toolkit.capacity import base_rates
from toolkit.catalogue.recipes import Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import entropy_keepers as draw
from toolkit.labs.entropy_keepers import compare
from toolkit.language import shared_testbed
from toolkit.passk import k_grid

PAGE = "chapter11/labs/entropy-keepers"
TARGETS = (0.22, 0.26, 0.3, 0.33, 0.35, 0.365, 0.375, 0.383, 0.39, 0.395)


def matched(pass_at_1: float = 0.39, k_max: int = 4096) -> BookFigure:
    """Make Figure L10.1."""
    testbed = shared_testbed()
    kept = compare(testbed, [pass_at_1])
    return draw.matched_figure(
        k_grid(k_max),
        {name: ways[0] for name, ways in kept.items()},
        base_rates(testbed),
        testbed.frequencies,
    )


def order(pass_at_1: tuple[float, ...] = TARGETS, k: int = 256) -> BookFigure:
    """Make Figure L10.2."""
    testbed = shared_testbed()
    kept = compare(testbed, pass_at_1)
    return draw.order_figure(np.array(pass_at_1), kept, k, testbed.frequencies)


RECIPES = (
    Recipe(
        number="L10.1",
        title="Three ways to keep entropy, at one pass@1",
        page=PAGE,
        make=matched,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="L10.2",
        title="Entropy and coverage kept, against pass@1",
        page=PAGE,
        make=order,
        deviation="Ours. Exact.",
    ),
)
