"""Figures of laboratory 8, on which weights a rounded update changes."""

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.style import COLOUR, INK, SHADES


def changed_figure(
    size: Float[np.ndarray, " sizes"],
    law: Float[np.ndarray, "sizes 2"],
    sampled_size: Float[np.ndarray, " points"],
    sampled: Float[np.ndarray, "points 2"],
    limit: float,
    reported: Float[np.ndarray, " 2"],
) -> BookFigure:
    """Return Figure L8.1: how many weights change, and how many twice.

    Parameters
    ----------
    size
        Sizes of the update, increasing.
    law
        Share of weights that change, and the overlap of two unrelated updates.
    sampled_size, sampled
        Sizes of sampled updates, and the same two numbers for them.
    limit
        Overlap of two tiny unrelated updates.
    reported
        Chance level and overlap that a paper reports for two seeds.
    """

    def draw_changed(ax: Axes) -> None:
        ax.plot(size, law[:, 0], color=INK, label="law")
        ax.plot(sampled_size, sampled[:, 0], "o", color=SHADES[0], label="sampled")
        ax.set(xscale="log", xlabel="size of the update", ylabel="share changed")
        ax.set(ylim=(-0.03, 1.05))
        ax.set_title("(a) what one update changes")
        legend_below(ax, ncols=2)

    def draw_overlap(ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], color=COLOUR["base"], ls="dashed", label="chance")
        ax.axhline(limit, color=INK, ls="dotted", lw=1, label="tiny updates")
        ax.plot(*law.T, color=INK, label="law")
        ax.plot(*sampled.T, "o", color=SHADES[0], label="sampled")
        ax.plot(*reported, "D", color=COLOUR["RL"], label="reported, two seeds")
        ax.set(xlabel="share changed by each", ylabel="changed by the other")
        ax.set(xlim=(0, 1), ylim=(0, 1.03))
        ax.set_title("(b) what two unrelated updates share")
        legend_below(ax, ncols=2)

    at = float(np.interp(reported[0], *law.T))
    return BookFigure(
        number="L8.1",
        alt=(
            "Two panels. (a) Share of bfloat16 weights that a random update changes, "
            f"against its size: from {law[0, 0]:.3f} at {size[0]:.0e} to "
            f"{law[-1, 0]:.2f} at {size[-1]:.0e}; sampled points lie on the law. (b) "
            "Share of one update's changed weights that an unrelated one changes too, "
            f"against the share each changes: {limit:.3f} for tiny updates and far "
            "above the diagonal everywhere. Reported for two seeds: "
            f"{reported[1]:.3f} where chance is {reported[0]:.3f}; the law gives "
            f"{at:.3f} there."
        ),
        panels=(Panel(draw=draw_changed), Panel(draw=draw_overlap)),
        table=stack(
            ("panel", "curve"),
            {
                ("a", "law"): {"x": size, "y": law[:, 0]},
                ("a", "sampled"): {"x": sampled_size, "y": sampled[:, 0]},
            }
            | {
                ("b", name): {"x": p[:, 0], "y": p[:, 1]}
                for name, p in (
                    ("law", law),
                    ("sampled", sampled),
                    ("reported", reported[None]),
                )
            },
        ),
        numbers={
            f"changed at {size[0]:.0e}": law[0, 0],
            f"changed at {size[-1]:.0e}": law[-1, 0],
            "overlap of tiny updates": limit,
            f"overlap at {reported[0]:.1%} changed": at,
        },
    )
