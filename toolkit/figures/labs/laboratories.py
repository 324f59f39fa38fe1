"""The figure of the laboratories' opening page: all recipes side by side."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.labs.laboratories import Path
from toolkit.style import COLOUR, SHADES

MEASURES = ("pass@1", "pass@16", "pass@256")
LOOK = dict(
    zip(
        MEASURES,
        (("o", COLOUR["RL"]), ("s", SHADES[1]), ("^", COLOUR["KL-regularised"])),
        strict=True,
    )
)


def recipes_figure(paths: Mapping[str, Path], pass_at_1: float) -> BookFigure:
    """Return Figure L.1: recipes ordered by pass@256 at the end of training.

    Parameters
    ----------
    paths
        Policies along training, by recipe.
    pass_at_1
        Hollow marks stand where a recipe first has it.
    """
    ends = {
        name: {
            measure: path.pass_at_k(int(measure.partition("@")[2]))[-1]
            for measure in MEASURES
        }
        | {"entropy": path.entropy[-1]}
        for name, path in paths.items()
    }
    base = next(iter(paths.values()))
    start = {m: float(base.pass_at_k(int(m[5:]))[0].mean()) for m in MEASURES}
    start["entropy"] = float(base.entropy[0].mean())
    order = sorted(ends, key=lambda name: float(ends[name]["pass@256"].mean()))
    names = [*order, "base"]
    matched = {}
    for name in order:
        place = paths[name].when(pass_at_1)
        if place is not None:
            runs = np.arange(len(place))
            matched[name] = {
                m: float(paths[name].pass_at_k(int(m[5:]))[place, runs].mean())
                for m in MEASURES
            } | {"entropy": float(paths[name].entropy[place, runs].mean())}

    def draw_measure(measure: str, ax: Axes, marker: str, colour: str) -> None:
        for y, name in enumerate(order):
            runs = ends[name][measure]
            ax.hlines(y, runs.min(), runs.max(), color=colour, lw=1.2)
            label = measure if y == 0 else "_"
            ax.plot(runs.mean(), y, marker, color=colour, label=label)
            if name in matched:
                ax.plot(
                    matched[name][measure], y, marker, color=colour, fillstyle="none"
                )
        ax.plot(start[measure], len(order), marker, color=colour)

    def finish(ax: Axes, title: str) -> None:
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(-0.6, len(names) - 0.4)
        ax.set_title(title)

    def draw_coverage(ax: Axes) -> None:
        for measure in MEASURES:
            draw_measure(measure, ax, *LOOK[measure])
        ax.set(xlabel="pass@k", xlim=(0, 1.04))
        finish(ax, "(a) coverage")
        legend_below(ax)

    def draw_entropy(ax: Axes) -> None:
        draw_measure("entropy", ax, "D", COLOUR["base"])
        ax.set(xlabel="response entropy (nats)", xlim=(0, None))
        finish(ax, "(b) entropy")

    told = "; ".join(
        f"{name}: {', '.join(f'{v.mean():.2f}' for v in ends[name].values())}"
        for name in order
    )
    steps = int(base.steps[-1])
    return BookFigure(
        number="L.1",
        alt=(
            f"Recipes on the shared testbed after {steps} steps, ordered by pass@256; "
            f"hollow where pass@1 is first {pass_at_1:g}. In turn pass@1, pass@16, "
            f"pass@256 and response entropy in nats. {told}; base: "
            f"{', '.join(f'{v:.2f}' for v in start.values())}."
        ),
        panels=(
            Panel(draw=draw_coverage, size=(3.7, 3.6)),
            Panel(draw=draw_entropy, size=(3.3, 3.6)),
        ),
        table=stack(
            ("recipe", "what"),
            {
                (name, what): {
                    "mean": np.array([runs.mean()]),
                    "lowest": np.array([runs.min()]),
                    "highest": np.array([runs.max()]),
                    "at the pass@1": np.array(
                        [matched.get(name, {}).get(what, np.nan)]
                    ),
                }
                for name in order
                for what, runs in ends[name].items()
            },
        ),
        numbers={
            f"{what}, {name}": float(runs.mean())
            for name in order
            for what, runs in ends[name].items()
        },
    )
