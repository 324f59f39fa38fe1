"""Figures of section 11.3, on the digits: order of methods, and what predicts it."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.figures.tradeoffs import (
    DIRECTIONS,
    METHODS,
    draw_trade_offs,
    fit_panels,
    in_words,
    means_at,
    points_table,
    pooled_points,
    quality,
    quality_numbers,
    trade_table,
)
from toolkit.forgetting.snapshots import Prediction, Snapshots
from toolkit.forgetting.sweep import Sweep
from toolkit.style import COLOUR

Place = tuple[str, float]
"""A setting, and an accuracy on the new task."""

Matched = tuple[np.ndarray, list[np.ndarray]]
"""Learning rates with enough runs at a place, by number, and those runs' accuracies."""


def trade_off_figure(
    results: Mapping[str, Snapshots], level: float, title: str
) -> BookFigure:
    """Return Figure 11.3.3: old-task against new-task accuracy along fine-tuning.

    Parameters
    ----------
    results
        By method, from one set of base networks at one learning rate.
    level
        The accuracy at which methods are compared: a dotted line.
    title
        The setting.
    """
    start = min(float(result.new[0].mean()) for result in results.values())
    levels = np.unique([*np.arange(np.floor(100 * start) / 100, 0.995, 0.01), level])
    curves = {method: result.trade_off(levels) for method, result in results.items()}
    means = means_at(curves, level)

    def draw(ax: Axes) -> None:
        draw_trade_offs(curves, ax)
        ax.axvline(level, color=COLOUR["base"], lw=1, ls="dotted")
        ax.set(xlabel="accuracy on the new task", ylabel="accuracy on the old task")
        ax.set(ylim=(0, 1.03))
        ax.set_title(title)

    return BookFigure(
        number="11.3.3",
        alt=(
            "Accuracy on the old task against accuracy on the new one, a curve a "
            f"method, {title}. All start at the base, top left. When the new task "
            f"first reaches {level:g}, mean accuracy on the old one is: "
            f"{in_words(means)}."
        ),
        panels=(Panel(draw=draw, size=(4.0, 3.2)),),
        table=stack(("panel", "curve"), trade_table("a", curves)),
        numbers={f"old accuracy, {method}": mean for method, mean in means.items()},
    )


def matched_figure(
    sweep: Sweep, panels: tuple[tuple[str, float], ...], at_least: int = 6
) -> BookFigure:
    """Return Figure 11.3.4: the order of methods, by learning rate and setting.

    Parameters
    ----------
    sweep
        The stored results.
    panels
        Setting and accuracy on the new task, one pair a panel.
    at_least
        Runs that must reach the accuracy for a point to be drawn.
    """
    rates = np.array(sweep.plan.learning_rates)
    methods = [m for m in METHODS if m in dict.fromkeys(_methods_of(sweep))]
    found = {
        (panel, method): _matched(sweep, *panel, method, at_least)
        for panel in panels
        for method in methods
    }

    def draw(panel: tuple[str, float], title: str, ax: Axes) -> None:
        for method in methods:
            colour, dashes, marker = METHODS[method]
            at, old = found[panel, method]
            ax.fill_between(
                rates[at],
                [o.min() for o in old],
                [o.max() for o in old],
                color=colour,
                alpha=0.12,
                lw=0,
            )
            ax.plot(
                rates[at],
                [o.mean() for o in old],
                color=colour,
                ls=dashes,
                marker=marker,
                label=method,
            )
        ax.set(xscale="log", xlabel="learning rate", ylim=(0, 1.03))
        ax.set(xlim=(rates[0] / 1.3, rates[-1] * 1.3))
        ax.set(ylabel="accuracy on the old task")
        ax.set_title(title)
        legend_below(ax, ncols=2)

    titles = [
        f"({letter}) {setting}, new task at {level:.2f}"
        for letter, (setting, level) in zip("abcd", panels, strict=False)
    ]
    numbers = {
        f"{setting}, new task at {level:g}, {method}, learning rate {rates[i]:g}": (
            float(runs.mean())
        )
        for ((setting, level), method), (at, old) in found.items()
        for i, runs in zip(at, old, strict=True)
    }
    ends = "; ".join(
        f"{title[4:]}: " + in_words({m: found[panel, m][1][-1].mean() for m in methods})
        for panel, title in zip(panels, titles, strict=True)
    )
    best = _best_everywhere(found)
    return BookFigure(
        number="11.3.4",
        alt=(
            f"{len(panels)} panels: accuracy on the old task at a matched accuracy on "
            f"the new one, against the learning rate. {best} At {rates[-1]:g}, {ends}."
        ),
        panels=tuple(
            Panel(draw=partial(draw, panel, title), size=(3.4, 3.2))
            for panel, title in zip(panels, titles, strict=True)
        ),
        table=stack(
            ("setting", "new accuracy", "method"),
            {
                (setting, f"{level:g}", method): {
                    "learning rate": rates[at],
                    "runs": np.array([len(o) for o in old]),
                    "old accuracy, mean": np.array([o.mean() for o in old]),
                    "lowest": np.array([o.min() for o in old]),
                    "highest": np.array([o.max() for o in old]),
                }
                for ((setting, level), method), (at, old) in found.items()
            },
        ),
        numbers=numbers,
    )


def predictor_figure(
    results: Mapping[tuple[str, float], Snapshots], shown: int = 0
) -> BookFigure:
    """Return Figure 11.3.5: old-task accuracy against either KL, with the fits.

    Parameters
    ----------
    results
        By method and learning rate, from one setting.
    shown
        Number of the base network whose fine-tuned copies are drawn.
    """
    points = pooled_points(results, shown)
    return BookFigure(
        number="11.3.5",
        alt=(
            f"Two panels, {len(points['old'])} snapshots of copies of one base "
            "network. Accuracy on the old task (a) against forward KL: "
            f"{quality(points, 'forward KL')}; (b) against reverse KL: "
            f"{quality(points, 'reverse KL')}."
        ),
        panels=fit_panels(points, "ab", "accuracy on the old task"),
        table=stack(("panel", "curve"), points_table(points)),
        numbers=quality_numbers(points),
    )


def prediction_figure(
    reported: Mapping[str, np.ndarray], ours: Mapping[str, Prediction]
) -> BookFigure:
    """Return Figure 11.3.6: R^2 of both divergences, the paper's beside ours.

    Parameters
    ----------
    reported
        The columns of ``reported("shenfeld2026")``.
    ours
        By experiment.
    """
    values: dict[tuple[str, str], np.ndarray] = {}
    for row in zip(*reported.values(), strict=True):
        if row[1] in DIRECTIONS:
            values[f"paper: {row[0]}", str(row[1])] = np.array([row[2]])
    for name, prediction in ours.items():
        values[name, "forward KL"] = prediction.forward
        values[name, "reverse KL"] = prediction.reverse
    rows = list(dict.fromkeys(row for row, _ in values))

    def draw(ax: Axes) -> None:
        for (_, colour, marker), (direction, shift) in zip(
            DIRECTIONS.values(),
            zip(DIRECTIONS, (-0.13, 0.13), strict=True),
            strict=True,
        ):
            for (row, which), r2 in values.items():
                if which == direction:
                    at = rows.index(row) + shift
                    ax.hlines(at, r2.min(), r2.max(), color=colour, lw=1.5)
                    ax.plot(r2.mean(), at, marker, color=colour, ms=6)
            ax.plot([], [], marker, color=colour, label=direction)
        ax.set_yticks(range(len(rows)), rows)
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.set(xlabel="R² of a quadratic fit", xlim=(0, 1))
        legend_below(ax)

    said = "; ".join(
        f"{row}, {direction} {r2.mean():.2f}" for (row, direction), r2 in values.items()
    )
    return BookFigure(
        number="11.3.6",
        alt=f"R squared of quadratic fits, mean over base models: {said}.",
        panels=(Panel(draw=draw, size=(4.2, 2.8)),),
        table=stack(
            ("experiment", "predictor"),
            {
                key: {
                    "R^2, mean": np.array([r2.mean()]),
                    "lowest": np.array([r2.min()]),
                    "highest": np.array([r2.max()]),
                }
                for key, r2 in values.items()
            },
        ),
        numbers={f"R^2, {row}, {d}": r2.mean() for (row, d), r2 in values.items()},
    )


def _best_everywhere(found: Mapping[tuple[Place, str], Matched]) -> str:
    """Say which method is highest, if one is wherever all of them have a point."""
    columns: dict[tuple[Place, int], dict[str, float]] = {}
    for (panel, method), (at, old) in found.items():
        for i, runs in zip(at, old, strict=True):
            columns.setdefault((panel, i), {})[method] = runs.mean()
    best = {
        max(means, key=lambda method: means[method])
        for means in columns.values()
        if len(means) == max(map(len, columns.values()))
    }
    if len(best) != 1:
        return ""
    return f"The highest wherever all methods have a point: {best.pop()}."


def _methods_of(sweep: Sweep) -> list[str]:
    return [m for m, _ in sweep.all_snapshots(sweep.plan.settings[0].name)]


def _matched(
    sweep: Sweep, setting: str, level: float, method: str, at_least: int
) -> Matched:
    """Return which learning rates have enough runs at the level, and those runs."""
    at, old = [], []
    for i, rate in enumerate(sweep.plan.learning_rates):
        runs = sweep.snapshots(setting, method, rate).old_at(level)
        runs = runs[np.isfinite(runs)]
        if len(runs) >= at_least:
            at.append(i)
            old.append(runs)
    return np.array(at, dtype=int), old
