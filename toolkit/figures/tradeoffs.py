"""Drawings of section 11.3: old task against new, and old task against a divergence."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from toolkit.display import Panel
from toolkit.figures.curves import legend_below
from toolkit.forgetting.snapshots import Snapshots, fit_quadratic
from toolkit.style import COLOUR, DASHES

METHODS = {  # method: its colour, line and marker
    "KL-minimal labels": (COLOUR["SFT"], "solid", "s"),
    "even labels": (COLOUR["SFT"], DASHES[3], "P"),
    "two labels": (COLOUR["SFT"], DASHES[1], "^"),
    "one label": (COLOUR["SFT"], DASHES[2], "v"),
    "RL": (COLOUR["RL"], "solid", "D"),
    "RL sampled": (COLOUR["RL"], "solid", "D"),
    "RL exact": (COLOUR["RL"], DASHES[1], "o"),
    "RL, β = 0.1": (COLOUR["KL-regularised"], "solid", "X"),
    "RL, β = 0.3": (COLOUR["KL-regularised"], DASHES[1], "p"),
}
DIRECTIONS = {  # divergence: its column, colour and marker
    "forward KL": ("forward_kl", COLOUR["KL-regularised"], "o"),
    "reverse KL": ("reverse_kl", COLOUR["base"], "s"),
}

Curves = Mapping[str, tuple[np.ndarray, np.ndarray]]
"""By method: levels of success on the new task, and old-task success by run there."""

Points = dict[str, np.ndarray]
"""Columns: the method, old-task success, and both divergences."""


def draw_trade_offs(curves: Curves, ax: Axes) -> None:
    """Draw old-task against new-task success by method: mean and range of runs."""
    for method, (levels, old) in curves.items():
        colour, dashes, marker = METHODS[method]
        ax.fill_between(levels, old.min(1), old.max(1), color=colour, alpha=0.12, lw=0)
        ax.plot(
            levels,
            old.mean(1),
            color=colour,
            ls=dashes,
            marker=marker,
            markevery=4,
            label=method,
        )
    legend_below(ax, ncols=2)


def trade_table(panel: str, curves: Curves) -> dict[tuple[str, ...], Points]:
    """Return the numbers of :func:`draw_trade_offs`, for ``stack``."""
    return {
        (panel, f"{method}, {how}"): {"x": levels, "old": getattr(old, name)(1)}
        for method, (levels, old) in curves.items()
        for how, name in (("mean", "mean"), ("lowest", "min"), ("highest", "max"))
    }


def means_at(curves: Curves, level: float) -> dict[str, float]:
    """Return the mean over runs at one level, by method, where all runs reach it."""
    found = {}
    for method, (levels, old) in curves.items():
        at = np.flatnonzero(np.isclose(levels, level))
        if len(at):
            found[method] = float(old[at[0]].mean())
    return found


def in_words(means: Mapping[str, float]) -> str:
    """Return ``KL-minimal labels 0.92, one label 0.47``."""
    return ", ".join(f"{method} {mean:.2f}" for method, mean in means.items())


def pooled_points(results: Mapping[tuple[str, float], Snapshots], run: int) -> Points:
    """Return one run's snapshots after step 0, those of all methods together."""
    columns: dict[str, list[np.ndarray]] = {
        "method": [],
        "old": [],
        "forward_kl": [],
        "reverse_kl": [],
    }
    for (method, _), result in results.items():
        columns["method"].append(np.full(len(result.steps) - 1, method, dtype="<U32"))
        for name in ("old", "forward_kl", "reverse_kl"):
            columns[name].append(getattr(result, name)[1:, run])
    return {name: np.concatenate(parts) for name, parts in columns.items()}


def fit_panels(points: Points, letters: str, ylabel: str) -> tuple[Panel, ...]:
    """Return a panel a divergence: points by method, and the quadratic fit."""

    def draw(direction: str, letter: str, ax: Axes) -> None:
        x = points[DIRECTIONS[direction][0]]
        for method in dict.fromkeys(points["method"]):
            at = points["method"] == method
            colour, _, marker = METHODS[str(method)]
            ax.plot(
                x[at],
                points["old"][at],
                marker,
                color=colour,
                ms=3,
                label=method,
                mew=0,
            )
        fit = fit_quadratic(x, points["old"])
        grid = np.linspace(0, x.max(), 60)
        ax.plot(grid, fit(grid), color=COLOUR["theory"], ls="dashed", lw=1)
        ax.set(xlabel=f"{direction} on the new task (nats)", ylabel=ylabel)
        ax.set(ylim=(0, 1.03))
        ax.set_title(f"({letter}) {direction}: R² = {fit.r_squared:.2f}")
        legend_below(ax, ncols=2)

    return tuple(
        Panel(draw=partial(draw, direction, letter), size=(3.4, 3.2))
        for direction, letter in zip(DIRECTIONS, letters, strict=True)
    )


def points_table(points: Points) -> dict[tuple[str, ...], Points]:
    """Return the numbers of :func:`fit_panels`, for ``stack``."""
    return {
        (f"points, {direction}", str(method)): {
            "x": points[column][points["method"] == method],
            "old": points["old"][points["method"] == method],
        }
        for direction, (column, _, _) in DIRECTIONS.items()
        for method in dict.fromkeys(points["method"])
    }


def quality_numbers(points: Points) -> dict[str, float]:
    """Return R^2 of the quadratic fit against each divergence."""
    return {
        f"R^2, {direction}": fit_quadratic(points[column], points["old"]).r_squared
        for direction, (column, _, _) in DIRECTIONS.items()
    }


def quality(points: Points, direction: str) -> str:
    """Say R^2 in words."""
    return f"R squared {quality_numbers(points)[f'R^2, {direction}']:.2f}"
