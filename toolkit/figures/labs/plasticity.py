"""Figures of laboratory 7, on how long a second task takes."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.labs.plasticity import Drift
from toolkit.style import COLOUR, DASHES, INK, SHADES

PREDICTORS = ("forward KL", "reverse KL", "lost support")


def delay_figure(
    drifts: Mapping[str, Drift], bounds: Float[np.ndarray, "points 3"]
) -> BookFigure:
    """Return Figure L7.1: the delay against the distance, and against lost support.

    Parameters
    ----------
    drifts
        Policies away from the base and their delays, by how they got there.
    bounds
        Probability of the new answer, and the least and the largest delay it allows.
    """
    marks = dict(zip(drifts, (("o", 2.5), ("s", 5.0), ("^", 5.0)), strict=False))
    colours = dict(zip(drifts, ("#7391ad", COLOUR["RL"], SHADES[3]), strict=False))

    def draw_against(name: str, ax: Axes) -> None:
        for group, drift in drifts.items():
            mark, size = marks[group]
            x = drift.forward if name == "distance" else drift.p_new
            ax.plot(x, drift.slowdown, mark, ms=size, color=colours[group], label=group)
        ax.set(yscale="log", ylabel="time, in that of the base")

    def draw_distance(ax: Axes) -> None:
        draw_against("distance", ax)
        ax.axhline(1, color=INK, lw=0.8, ls="dotted")
        ax.set(xlabel="forward KL from the base (nats)")
        ax.set_title("(a) delay and distance")
        legend_below(ax, ncols=1)

    def draw_support(ax: Axes) -> None:
        for i, name in ((1, "least and largest possible"), (2, "_")):
            ax.plot(bounds[:, 0], bounds[:, i], color=INK, ls=DASHES[1], label=name)
        draw_against("support", ax)
        ax.set(xscale="log", xlabel="probability of the new answer")
        ax.invert_xaxis()
        ax.set_title("(b) delay and lost support")
        legend_below(ax, ncols=1)

    told = "; ".join(
        f"{name}, {len(d.slowdown)} policies: forward KL up to {d.forward.max():.2f}, "
        f"delay from {d.slowdown.min():.2g} to {d.slowdown.max():,.3g}"
        for name, d in drifts.items()
    )
    return BookFigure(
        number="L7.1",
        alt=(
            "Two scatter plots of the time to learn a new answer, in units of the "
            f"base's time. {told}. (a) Against forward KL the points scatter, and some "
            "far policies are faster than the base. (b) Against the probability that "
            "the new answer has left, all lie between the two bounds of the law."
        ),
        panels=tuple(
            Panel(draw=draw, size=(3.4, 3.3)) for draw in (draw_distance, draw_support)
        ),
        table=stack(
            ("policies",),
            {
                (name,): {
                    "forward KL": d.forward,
                    "reverse KL": d.reverse,
                    "probability of the new answer": d.p_new,
                    "delay": d.slowdown,
                }
                for name, d in drifts.items()
            },
        ),
        numbers={
            f"{what} delay, {name}": float(value)
            for name, d in drifts.items()
            for what, value in (
                ("least", d.slowdown.min()),
                ("largest", d.slowdown.max()),
            )
        },
    )


def carried_figure(
    kept: Float[np.ndarray, " shares"],
    delays: Mapping[str, Float[np.ndarray, " shares"]],
) -> BookFigure:
    """Return Figure L7.2: the delay against what of the first task is carried over.

    Parameters
    ----------
    kept
        Share of the logits' change that the second task shares, increasing.
    delays
        Time of the second task in that of the base, by success on the first.
    """

    def draw(ax: Axes) -> None:
        for i, (name, delay) in enumerate(delays.items()):
            ax.plot(kept, delay, color=SHADES[i], ls=DASHES[i], label=name)
        ax.set(yscale="log", xlabel="share of the change carried over")
        ax.set(ylabel="time, in that of the base", xlim=(0, 1))
        legend_below(ax, ncols=2)

    told = "; ".join(
        f"{name}: {d[0]:.2g} at {kept[0]:g} and {d[-1]:,.4g} at {kept[-1]:g}"
        for name, d in delays.items()
    )
    return BookFigure(
        number="L7.2",
        alt=(
            "Time to learn a new answer, in units of the base's time and on a "
            "logarithmic axis, against the share of the first task's change that is "
            f"carried over, by success on the first task. {told}."
        ),
        panels=(Panel(draw=draw, size=(4.6, 3.0)),),
        table=stack(
            ("first task",),
            {(n,): {"carried over": kept, "delay": d} for n, d in delays.items()},
        ),
        numbers={
            f"delay, all carried over, {n}": float(d[-1]) for n, d in delays.items()
        },
    )
