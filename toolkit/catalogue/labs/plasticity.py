"""Recipes of the figures of laboratory 7."""

import numpy as np

from toolkit._checks import as_count
from toolkit.catalogue.recipes import Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import plasticity as draw
from toolkit.labs.plasticity import (
    carried_over,
    learning_time,
    learning_time_bounds,
    measure_drift,
    policies_with,
    sample_drifted,
    settled_policy,
)

PAGE = "chapter11/labs/plasticity"
FAVOURITES = 1 - 0.1 - 0.8 * np.geomspace(0.5, 1e-4, 12)


def delay(answers: int = 10, cases: int = 600, seed: int = 1) -> BookFigure:
    """Make Figure L7.1."""
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    settled = settled_policy(1 - np.geomspace(0.5, 1e-4, 12), answers)
    held = policies_with(1 / answers, FAVOURITES * (1 - 1 / answers) / 0.9, answers)
    p = np.geomspace(1e-5, 0.5, 60)[:-1]
    base = learning_time(np.full((1, answers), 1 / answers), 0)[0]
    bounds = [p, *(bound / base for bound in learning_time_bounds(p, answers))]
    return draw.delay_figure(
        {
            "random direction": measure_drift(
                sample_drifted(cases, answers, rng=rng), 0
            ),
            "settled on another answer": measure_drift(settled, 1),
            "far, new answer kept": measure_drift(held, 0),
        },
        np.column_stack(bounds),
    )


def carried(
    success: tuple[float, ...] = (0.9, 0.99, 0.999, 0.9999), answers: int = 10
) -> BookFigure:
    """Make Figure L7.2."""
    kept = np.linspace(0, 1, 41)
    base = learning_time(np.full((1, answers), 1 / answers), 0)[0]
    delays = {}
    for reached in success:
        first = settled_policy(np.array([reached]), answers)
        starts = carried_over(np.repeat(first, len(kept), axis=0), kept)
        delays[f"{reached:.6g}"] = learning_time(starts, 1) / base
    return draw.carried_figure(kept, delays)


RECIPES = (
    Recipe(
        number="L7.1",
        title="How long a new answer takes, against distance and lost support",
        page=PAGE,
        make=delay,
        deviation="Ours. Exact times; 600 of the policies are drawn at random.",
    ),
    Recipe(
        number="L7.2",
        title="How long a new answer takes if part of the change is carried over",
        page=PAGE,
        make=carried,
        deviation="Ours. Exact.",
    ),
)
