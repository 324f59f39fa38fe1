"""Recipes of the figures of laboratory 3."""

import numpy as np

from toolkit.catalogue.recipes import Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import formats as draw
from toolkit.labs.formats import (
    END,
    critical_mass,
    edges_of_practice,
    format_flow,
    replicator,
    selected_masses,
)

PAGE = "chapter11/labs/formats"
SHARES = (0.6, 0.3, 0.1)
RIGHT = (0.3, 0.4, 0.6)


def regimes(
    prior: tuple[float, ...] = SHARES,
    accuracy: tuple[float, ...] = RIGHT,
) -> BookFigure:
    """Make Figure L3.1."""
    m0, a0 = np.array(prior), np.array(accuracy)
    times, leash = np.linspace(0, 100, 101), np.linspace(0, 20, 101)
    selected = [selected_masses(m0, a0, 1 / x) for x in leash[1:]]
    return draw.regimes_figure(
        {"gradient": times, "KL, answers fixed": leash, "KL, answers chosen": leash},
        {
            "gradient": format_flow(m0, a0, times).mass,
            "KL, answers fixed": replicator(m0, a0, leash),
            "KL, answers chosen": np.array([m0, *selected]),
        },
        a0,
        m0 * a0 / (m0 @ a0),
    )


def practice(
    prior: tuple[float, ...] = SHARES,
    accuracy: tuple[float, ...] = RIGHT,
    rates: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0),
) -> BookFigure:
    """Make Figure L3.2."""
    m0, a0 = np.array(prior), np.array(accuracy)
    grid = np.linspace(0, 1, 41)
    end = np.array([END])
    mass = np.array([format_flow(m0, a0, end, float(x)).mass[-1] for x in grid])
    pairs = {"0.3 and 0.6": (0.3, 0.6), "0.3 and 0.4": (0.3, 0.4)}
    critical = {
        name: {rate: critical_mass(np.array(pair), rate, 1e-3) for rate in rates}
        for name, pair in pairs.items()
    }
    edges = edges_of_practice(m0, a0, grid[::4])
    return draw.practice_figure(grid, mass, a0, edges, critical)


RECIPES = (
    Recipe(
        number="L3.1",
        title="Three formats under three rules",
        page=PAGE,
        make=regimes,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="L3.2",
        title="Which format wins when skills are learnt by use",
        page=PAGE,
        make=practice,
        deviation="Ours. Exact: an adaptive solver to a time of 3,000.",
        digits=3,
    ),
)
