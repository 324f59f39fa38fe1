"""Recipe of the figure of laboratory 8."""

import numpy as np
from scipy.special import ndtri

from toolkit._checks import as_count
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import sparse_updates as draw
from toolkit.labs.sparse_updates import (
    change_probability,
    expected_overlap,
    sample_changes,
    small_update_overlap,
    typical_weights,
)
from toolkit.reported import reported


def changed(
    update_size: tuple[float, ...] = (1e-6, 1e-5, 3e-5, 1e-4, 1e-3),
    weights: int = 200_000,
    seed: int = 1,
) -> BookFigure:
    """Make Figure L8.1."""
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    w, few = typical_weights(weights), typical_weights(20_000)
    size = np.geomspace(min(update_size), max(update_size), 61)
    chances = [change_probability(few, s) for s in size]
    law = np.array([[p.mean(), expected_overlap(p, p)] for p in chances])
    pairs = [[sample_changes(w, s, rng=rng) for _ in range(2)] for s in update_size]
    found = [[one.mean(), (one & two).sum() / one.sum()] for one, two in pairs]
    updates = ndtri((np.arange(2000) + 0.5) / 2000)
    paper = reported("mukherjee2025")
    return draw.changed_figure(
        size,
        law,
        np.array(update_size),
        np.array(found),
        small_update_overlap(updates, updates),
        np.array([paper["chance (%)"][0], paper["overlap (%)"][0]]) / 100,
    )


RECIPES = (
    Recipe(
        number="L8.1",
        title="What a random update changes in bfloat16, and what two have in common",
        page="chapter11/labs/sparse-updates",
        make=changed,
        deviation="Ours. Lines exact; points from 200,000 weights each.",
        digits=SAMPLED,
    ),
)
