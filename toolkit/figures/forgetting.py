"""Figures of section 11.3, on the toy: the price of labels, shared parameters."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.figures.tradeoffs import (
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
from toolkit.forgetting.pythagoras import KLSplit
from toolkit.forgetting.snapshots import Snapshots
from toolkit.style import COLOUR, DASHES, INK


def pythagoras_figure(
    policies: KLSplit, choices: Mapping[str, Float[np.ndarray, " draws"]]
) -> BookFigure:
    """Return Figure 11.3.1: what being right costs, and what the choice of labels adds.

    Parameters
    ----------
    policies
        Splits of many always-right policies, one after the other: as many rows as
        prompts times policies, prompts fastest.
    choices
        Mean surcharge over prompts, by choice of labels: one value, or one for each
        draw of the labels.
    """
    floors = np.unique(policies.floor)
    longest = policies.surcharge.max()

    def draw_identity(ax: Axes) -> None:
        for floor, dashes in zip(floors, DASHES, strict=False):
            at = policies.floor == floor
            ax.plot(
                [0, longest],
                [floor, floor + longest],
                color=COLOUR["theory"],
                ls=dashes,
                lw=1,
                label=f"{floor:.2f}",
            )
            ax.plot(
                policies.surcharge[at],
                policies.total[at],
                "o",
                color=COLOUR["SFT"],
                ms=3,
            )
        ax.set(xlabel="KL(q ‖ π₀ given right), nats", ylabel="KL(q ‖ π₀), nats")
        ax.set(xlim=(0, None), ylim=(0, None))
        ax.set_title("(a) four prompts, by −log p")
        legend_below(ax, ncols=4)

    means = {name: float(drawn.mean()) for name, drawn in choices.items()}
    floor = float(floors.mean())

    def draw_choices(ax: Axes) -> None:
        at = np.arange(len(choices))
        low = [means[n] - d.min() for n, d in choices.items()]
        high = [d.max() - means[n] for n, d in choices.items()]
        ax.barh(at, floor, 0.6, color=COLOUR["base"], label="floor, −log p")
        ax.barh(
            at,
            list(means.values()),
            0.6,
            left=floor,
            color=COLOUR["SFT"],
            hatch="//",
            edgecolor=INK,
            lw=0.3,
            xerr=[low, high],
            error_kw={"ecolor": INK, "lw": 1, "capsize": 2},
            label="on top",
        )
        ax.set_yticks(at, list(choices))
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        ax.set(xlabel="KL(q ‖ π₀), mean of prompts, nats")
        ax.set_title("(b) choices of labels")
        legend_below(ax)

    paid = "; ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    return BookFigure(
        number="11.3.1",
        alt=(
            "Two panels. (a) KL to the base against KL to the base "
            f"restricted to right answers, for {len(policies.floor)} policies that are "
            "always right: on each prompt the points lie on a line of slope 1 that "
            "starts at "
            f"{', '.join(f'{f:.2f}' for f in floors)} nats. (b) Averaged over prompts, "
            f"every choice of labels pays the floor of {floor:.2f} nats; on top come, "
            f"in nats: {paid}."
        ),
        panels=(Panel(draw=draw_identity), Panel(draw=draw_choices)),
        table=stack(
            ("panel", "curve"),
            {
                ("a", f"prompt with floor {f:.2f}"): {
                    "surcharge (nats)": policies.surcharge[policies.floor == f],
                    "total (nats)": policies.total[policies.floor == f],
                }
                for f in floors
            }
            | {
                ("b", f"{name}, {how}"): {
                    "surcharge (nats)": np.array([value]),
                    "total (nats)": np.array([value + floor]),
                }
                for name, drawn in choices.items()
                for how, value in (
                    ("mean", drawn.mean()),
                    ("lowest", drawn.min()),
                    ("highest", drawn.max()),
                )
            },
        ),
        numbers={"floor (nats)": floor}
        | {f"surcharge, {name} (nats)": mean for name, mean in means.items()},
    )


def shared_figure(
    results: Mapping[tuple[str, float], Snapshots],
    compared: Sequence[str],
    *,
    learning_rate: float,
    level: float = 0.9,
    shown: int = 0,
) -> BookFigure:
    """Return Figure 11.3.2: two tasks that share parameters.

    Parameters
    ----------
    results
        By method and learning rate.
    compared
        Methods whose curves the first panel draws.
    learning_rate
        Of those curves.
    level
        Success on the new task at which the description compares them.
    shown
        Number of the map whose snapshots the other panels draw.
    """
    levels = np.arange(0.7, 0.995, 0.01)
    curves = {}
    for method in compared:
        result = results[method, learning_rate]
        reached, old = result.trade_off(levels)
        curves[method] = (reached, old / result.old[0])
    means = means_at(curves, level)
    points = pooled_points(results, shown)

    def draw_trade(ax: Axes) -> None:
        draw_trade_offs(curves, ax)
        ax.set(xlabel="success on the new task", ylabel="share of old success kept")
        ax.set(ylim=(0, 1.03))
        ax.set_title(f"(a) learning rate {learning_rate:g}: mean, range")

    return BookFigure(
        number="11.3.2",
        alt=(
            "Three panels. (a) The share of old-task success that is kept falls as "
            f"success on the new task rises; when that first reaches {level:g}, the "
            f"share is: {in_words(means)}. (b) For one map, old-task success against "
            f"forward KL: {quality(points, 'forward KL')}. (c) Against reverse KL: "
            f"{quality(points, 'reverse KL')}."
        ),
        panels=(
            Panel(draw=draw_trade, size=(3.4, 3.2)),
            *fit_panels(points, "bc", "success on the old task"),
        ),
        table=stack(
            ("panel", "curve"), trade_table("a", curves) | points_table(points)
        ),
        numbers={f"share kept at {level:g}, {m}": mean for m, mean in means.items()}
        | quality_numbers(points),
    )
