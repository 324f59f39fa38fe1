"""Figures of laboratory 10, on ways to keep entropy."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below, tick_powers_of_two
from toolkit.labs.entropy_keepers import Kept
from toolkit.passk import mean_pass_at_k
from toolkit.style import COLOUR, DASHES, SHADES

WAYS = {
    "KL price": (COLOUR["KL-regularised"], "solid", "o"),
    "entropy bonus": (SHADES[3], DASHES[1], "s"),
    "nothing": (COLOUR["RL"], DASHES[2], "^"),
}
"""Colour, dashes and mark of each way to keep entropy."""


def matched_figure(
    k: Int[np.ndarray, " n_k"],
    kept: Mapping[str, Kept],
    base: Float[np.ndarray, " tasks"],
    frequencies: Float[np.ndarray, " tasks"],
) -> BookFigure:
    """Return Figure L10.1: coverage at one pass@1, and the tails behind it.

    Parameters
    ----------
    k
        Numbers of samples.
    kept
        What each way has kept.
    base
        Success by task of the reference.
    frequencies
        How often each task is asked.
    """
    curves = {n: mean_pass_at_k(w.rates, k, frequencies) for n, w in kept.items()}
    before = mean_pass_at_k(base, k, frequencies)
    tasks = np.arange(1, len(frequencies) + 1)

    def draw_curves(ax: Axes) -> None:
        ax.plot(k, before, color=COLOUR["base"], label="base")
        for name, curve in curves.items():
            colour, dash, _ = WAYS[name]
            ax.plot(k, curve, color=colour, ls=dash, label=name)
        ax.set_xscale("log", base=2)
        tick_powers_of_two(ax, int(k[-1]))
        ax.set(xlabel="samples per prompt, k", ylabel="pass@k", ylim=(0, 1.03))
        ax.set_title("(a) coverage")
        legend_below(ax, ncols=2)

    def draw_tails(ax: Axes) -> None:
        ax.plot(tasks, base, "x", color=COLOUR["base"], label="base")
        for name, way in kept.items():
            colour, dash, mark = WAYS[name]
            ax.plot(tasks, way.rates, mark, color=colour, ls=dash, label=name)
        ax.set(yscale="log", xlabel="task", ylabel="success on it", xticks=tasks)
        ax.set_title("(b) the tail")
        legend_below(ax, ncols=2)

    told = "; ".join(
        f"{name}: response entropy {w.response_entropy:.2f} nats, pass@{k[-1]:,} "
        f"{curves[name][-1]:.3f}, rarest task {w.rates.min():.1e}"
        for name, w in kept.items()
    )
    one = next(iter(curves.values()))[0]
    return BookFigure(
        number="L10.1",
        alt=(
            f"Two panels, three policies with a pass@1 of {one:.2f}. (a) pass@k "
            "against k: the lines cross. (b) Success by task on a logarithmic axis: "
            "steep for a KL price and an entropy bonus, nearly flat beyond the first "
            f"task for nothing. {told}."
        ),
        panels=(Panel(draw=draw_curves), Panel(draw=draw_tails)),
        table=stack(
            ("panel", "curve"),
            {("a", "base"): {"x": k, "y": before}}
            | {("a", name): {"x": k, "y": curve} for name, curve in curves.items()}
            | {("b", name): {"x": tasks, "y": w.rates} for name, w in kept.items()},
        ),
        numbers={
            f"{what}, {name}": float(value)
            for name, w in kept.items()
            for what, value in (
                ("response entropy", w.response_entropy),
                ("task entropy", w.task_entropy),
                (f"pass@{k[-1]}", curves[name][-1]),
            )
        },
    )


def order_figure(
    pass_at_1: Float[np.ndarray, " targets"],
    kept: Mapping[str, Sequence[Kept]],
    k: int,
    frequencies: Float[np.ndarray, " tasks"],
) -> BookFigure:
    """Return Figure L10.2: entropy and coverage along the way to the top.

    Parameters
    ----------
    pass_at_1
        Where the ways are compared, increasing.
    kept
        What each way has kept there.
    k
        Number of samples.
    frequencies
        How often each task is asked.
    """
    entropies = {
        n: np.array([w.response_entropy for w in ways]) for n, ways in kept.items()
    }
    coverage = {
        n: np.array([mean_pass_at_k(w.rates, k, frequencies) for w in ways])
        for n, ways in kept.items()
    }

    def draw(values: Mapping[str, np.ndarray], title: str, unit: str, ax: Axes) -> None:
        for name, curve in values.items():
            colour, dash, _ = WAYS[name]
            ax.plot(pass_at_1, curve, color=colour, ls=dash, label=name)
        ax.set(xlabel="pass@1", ylabel=unit)
        ax.set_title(title)
        legend_below(ax, ncols=2)

    def draw_entropy(ax: Axes) -> None:
        draw(entropies, "(a) entropy kept", "response entropy (nats)", ax)

    def draw_coverage(ax: Axes) -> None:
        draw(coverage, "(b) coverage kept", f"pass@{k}", ax)

    told = "; ".join(
        f"{n}: {entropies[n][-1]:.2f} nats and {coverage[n][-1]:.2f}" for n in kept
    )
    return BookFigure(
        number="L10.2",
        alt=(
            "Two panels against pass@1. (a) Response entropy: an entropy bonus keeps "
            f"most, doing nothing least. (b) pass@{k}: near the top the order is the "
            f"reverse. At pass@1 {pass_at_1[-1]:g}: {told}."
        ),
        panels=(Panel(draw=draw_entropy), Panel(draw=draw_coverage)),
        table=stack(
            ("way",),
            {
                (n,): {
                    "pass@1": pass_at_1,
                    "response entropy": entropies[n],
                    f"pass@{k}": coverage[n],
                }
                for n in kept
            },
        ),
        numbers={
            f"{what} at {pass_at_1[-1]:g}, {n}": float(values[n][-1])
            for what, values in (
                ("response entropy", entropies),
                (f"pass@{k}", coverage),
            )
            for n in kept
        },
    )
