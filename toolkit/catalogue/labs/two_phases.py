"""Recipes of the figures of laboratory 6."""

import numpy as np

from toolkit.catalogue.recipes import Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import two_phases as draw
from toolkit.labs.two_phases import poor_habit, single_good_plan, train_exactly

PAGE = "chapter11/labs/two-phases"


def phases(
    types: tuple[int, ...] = (1, 4, 16, 64), singled: int = 16, step: float = 0.4
) -> BookFigure:
    """Make Figure L6.1."""
    courses = {
        n: train_exactly(poor_habit(n, step=step), np.linspace(0, 300 + 25 * n, 2001))
        for n in sorted({*types, singled})
    }
    return draw.phases_figure(courses, np.linspace(0.5, 0.85, 8), singled)


def entropies(types: int = 16, until: float = 3000.0) -> BookFigure:
    """Make Figure L6.2."""
    times = np.linspace(0, until, 2001)
    return draw.entropies_figure(
        train_exactly(poor_habit(types), times),
        {
            "poor habit, five good plans": train_exactly(poor_habit(types), times),
            "poor habit, one good plan": train_exactly(
                single_good_plan(types, habit=0.9), times
            ),
            "no habit, one good plan": train_exactly(
                single_good_plan(types, habit=1 / 6), times
            ),
        },
    )


RECIPES = (
    Recipe(
        number="L6.1",
        title="Planning and execution under one reward, in two clocks",
        page=PAGE,
        make=phases,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="L6.2",
        title="Entropy of plans and of tokens",
        page=PAGE,
        make=entropies,
        deviation="Ours. Exact.",
    ),
)
