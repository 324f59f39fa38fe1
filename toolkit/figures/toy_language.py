"""Figures of section 11.0, on the toy language."""

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.style import COLOUR, DASHES, INK, SHADES


def reference_figure(
    pi_ref: Float[np.ndarray, "prompts responses"],
    reward: Float[np.ndarray, "prompts responses"],
) -> BookFigure:
    """Return Figure 11.0.1: how often the reference is right, and how peaked it is.

    Parameters
    ----------
    pi_ref
        Probability of each response.
    reward
        1 where the response is right, else 0.
    """
    success = (pi_ref * reward).sum(axis=1)
    ranked = np.cumsum(np.sort(pi_ref, axis=1)[:, ::-1], axis=1)
    rank = np.arange(1, ranked.shape[1] + 1)
    names = [f"prompt {x + 1}" for x in range(len(pi_ref))]

    def draw_success(ax: Axes) -> None:
        bars = ax.bar(names, success, 0.6, color=COLOUR["base"])
        ax.bar_label(bars, fmt="%.3f", fontsize=8, color=INK)
        ax.set(ylabel="P(right) under the reference", ylim=(0, 1.03))
        ax.grid(visible=False, axis="x")
        ax.set_title("(a) success")

    def draw_ranked(ax: Axes) -> None:
        for x, name in enumerate(names):
            ax.plot(rank, ranked[x], color=SHADES[x], ls=DASHES[x], label=name)
        ax.set(xscale="log", xlabel="responses, most likely first", ylim=(0, 1.03))
        ax.set(ylabel="probability held")
        ax.xaxis.set_major_formatter("{x:.0f}")
        ax.set_title("(b) spread")
        legend_below(ax, ncols=2)

    enough = [int(np.searchsorted(row, 0.9)) + 1 for row in ranked]
    return BookFigure(
        number="11.0.1",
        alt=(
            "Two panels. (a) The reference policy is right with probability "
            f"{', '.join(f'{p:.3f}' for p in success)} on the four prompts. (b) "
            "Responses ranked by probability: nine tenths of it lie on the first "
            f"{', '.join(map(str, enough))} of {len(rank)}."
        ),
        panels=(Panel(draw=draw_success), Panel(draw=draw_ranked)),
        table=stack(
            ("panel",),
            {("a",): {"prompt or rank": np.arange(1, len(names) + 1), "value": success}}
            | {
                (f"b, {name}",): {"prompt or rank": rank, "value": row}
                for name, row in zip(names, ranked, strict=True)
            },
        ),
    )
