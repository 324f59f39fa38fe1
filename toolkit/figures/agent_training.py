"""Figures of section 11.5: credit assignment, and learning from old episodes."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes

from toolkit.agents.credit import VarianceByHorizon
from toolkit.agents.learning import LearningCurves
from toolkit.agents.staleness import StaleRuns
from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.style import COLOUR, DASHES, INK, SHADES

CREDIT = {  # way of crediting: its colour
    "whole episode": COLOUR["RL"],
    "learned critic": COLOUR["KL-regularised"],
    "exact critic": COLOUR["SFT"],
}
RULE = {  # rule for stale episodes: its colour, marker, line
    "uncorrected": (COLOUR["base"], "o", DASHES[0]),
    "turn ratio": (COLOUR["KL-regularised"], "s", DASHES[1]),
    "turn ratio, clipped": (COLOUR["KL-regularised"], "v", DASHES[2]),
    "episode ratio": (COLOUR["RL"], "^", DASHES[1]),
    "episode ratio, capped": (COLOUR["RL"], "D", DASHES[2]),
    "preference pairs": (COLOUR["SFT"], "P", DASHES[3]),
}


def credit_figure(
    by_horizon: VarianceByHorizon, curves: LearningCurves, best: float
) -> BookFigure:
    """Return Figure 11.5.5: gradient variance by horizon, and learning curves.

    Parameters
    ----------
    by_horizon
        Variance of one episode's gradient estimate.
    curves
        Learning curves of three ways to credit actions.
    best
        Value of the best policy.
    """
    lines = {
        "reward − V(start)": by_horizon.from_start,
        "reward − V(state)": by_horizon.from_state,
        "advantage": by_horizon.advantage,
    }
    looks = ((COLOUR["RL"], "o"), (SHADES[4], "s"), (COLOUR["SFT"], "D"))

    def draw_variance(ax: Axes) -> None:
        for (name, y), (colour, marker) in zip(lines.items(), looks, strict=True):
            ax.loglog(by_horizon.turns, y, f"{marker}-", color=colour, label=name)
        cap = "advantage, cap"
        ax.plot(by_horizon.turns, by_horizon.cap, ":", color=INK, lw=1, label=cap)
        ax.set(xlabel="turns, T", ylabel="variance of the gradient")
        ax.set_xticks(by_horizon.turns, [f"{t}" for t in by_horizon.turns])
        ax.minorticks_off()
        ax.set_title("(a) one episode, exact")
        legend_below(ax, ncols=2)

    def draw_curves(ax: Axes) -> None:
        ax.axhline(best, color=INK, ls=":", lw=1, label="best policy")
        for name, values in curves.values.items():
            _plot_range(curves.n_episodes, values, CREDIT[name], name, ax)
        ax.set(xlabel="episodes", ylabel="success")
        ax.set_title("(b) training: mean, range")
        legend_below(ax, ncols=2)

    def _plot_range(
        x: np.ndarray, runs: np.ndarray, colour: str, name: str, ax: Axes
    ) -> None:
        ax.fill_between(x, runs.min(1), runs.max(1), color=colour, alpha=0.2, lw=0)
        style = DASHES[list(CREDIT).index(name)]
        ax.plot(x, runs.mean(1), color=colour, ls=style, label=name)

    last = {name: values[-1] for name, values in curves.values.items()}
    long = by_horizon.turns[-1]
    return BookFigure(
        number="11.5.5",
        alt=(
            "Two panels. (a) Variance of one episode's gradient against the number of "
            f"turns, logarithmic: at {long} turns "
            + ", ".join(f"{y[-1]:.2f} with {name}" for name, y in lines.items())
            + f"; the last stays below {by_horizon.cap.max():.2f} at any horizon. "
            f"(b) Success over training, best policy {best:.3f}. After "
            f"{curves.n_episodes[-1]:,} episodes: "
            + ", ".join(
                f"{name} {v.mean():.3f} ({v.min():.3f} to {v.max():.3f})"
                for name, v in last.items()
            )
            + "."
        ),
        panels=(Panel(draw=draw_variance), Panel(draw=draw_curves)),
        table=stack(
            ("panel", "curve"),
            {
                ("a", name): {"x": by_horizon.turns, "y": y}
                for name, y in (lines | {"cap": by_horizon.cap}).items()
            }
            | {
                ("b", f"{name}, {kind}"): {"x": curves.n_episodes, "y": y}
                for name, v in curves.values.items()
                for kind, y in (
                    ("mean", v.mean(axis=1)),
                    ("lowest", v.min(axis=1)),
                    ("highest", v.max(axis=1)),
                )
            },
        ),
        numbers={f"variance, {name}, {long} turns": y[-1] for name, y in lines.items()}
        | {f"success at the end, {name}": v.mean() for name, v in last.items()}
        | {f"lowest run at the end, {name}": v.min() for name, v in last.items()},
    )


def staleness_figure(
    lags: Int[np.ndarray, " lags"],
    moment: Float[np.ndarray, " lags"],
    sampled: Mapping[int, Float[np.ndarray, " repeats"]],
    able: StaleRuns,
    misled: StaleRuns,
) -> BookFigure:
    """Return Figure 11.5.6: what stale episodes cost, and which rule bears them.

    Parameters
    ----------
    lags
        Numbers of updates between drawing and using.
    moment
        Exact second moment of the episodes' weights.
    sampled
        Estimates of it from repeated samples, by lag.
    able
        Runs from a start whose own episodes rank the actions rightly.
    misled
        Runs from one whose episodes rank them wrongly.
    """

    def draw_moment(ax: Axes) -> None:
        ax.plot(lags, moment, color=COLOUR["theory"], ls="--", label="exact")
        for lag, repeats in sampled.items():
            label = "sampled" if lag == next(iter(sampled)) else None
            x = np.full(len(repeats), lag)
            ax.plot(x, repeats, "o", color=COLOUR["RL"], ms=3, alpha=0.5, label=label)
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set(xlabel="lag, updates", ylabel="1 + χ²")
        ax.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        ax.minorticks_off()
        ax.xaxis.set_major_formatter("{x:.0f}")
        ax.set_title("(a) second moment of the weights")
        legend_below(ax)

    def draw_runs(runs: StaleRuns, title: str, ax: Axes) -> None:
        names = [f"{lag}" if lag < 1000 else "never" for lag in runs.lags]
        at = np.arange(len(names))
        for i, (name, values) in enumerate(runs.values.items()):
            colour, marker, line = RULE[name]
            x = at + 0.09 * (i - (len(runs.values) - 1) / 2)
            ax.vlines(x, values.min(1), values.max(1), color=colour, lw=1)
            mean = values.mean(axis=1)
            ax.plot(x, mean, color=colour, ls=line, lw=1, marker=marker, label=name)
        ax.set_xticks(at, names)
        ax.set(xlabel="lag, updates", ylabel="success after training")
        ax.set_title(title)
        legend_below(ax, ncols=2)

    def told(runs: StaleRuns) -> str:
        return ", ".join(
            f"{name} {values[0].mean():.3f} to {values[-1].mean():.3f}"
            for name, values in runs.values.items()
        )

    return BookFigure(
        number="11.5.6",
        alt=(
            "Three panels. (a) The second moment of the importance weights rises from "
            f"{moment[0]:.4f} at lag {lags[0]} to {moment[-1]:.2f} at lag {lags[-1]}. "
            f"(b) Success after training from the reference, by rule, from lag "
            f"{able.lags[0]} to {able.lags[-1]}: {told(able)}. (c) The same from a "
            f"start that ends episodes at once, the last lag being never: "
            f"{told(misled)}."
        ),
        panels=(
            Panel(draw=draw_moment, size=(3.4, 2.9)),
            Panel(
                draw=partial(draw_runs, able, "(b) from the reference: mean, range"),
                size=(3.4, 2.9),
            ),
            Panel(
                draw=partial(draw_runs, misled, "(c) from a hasty start: mean, range"),
                size=(3.4, 2.9),
            ),
        ),
        table=stack(
            ("panel", "curve"),
            {("a", "exact"): {"lag": lags, "value": moment}}
            | {
                ("a", f"sampled, lag {lag}"): {
                    "lag": np.full(len(repeats), lag),
                    "value": repeats,
                }
                for lag, repeats in sampled.items()
            }
            | {
                (letter, f"{name}, {kind}"): {"lag": runs.lags, "value": y}
                for letter, runs in (("b", able), ("c", misled))
                for name, v in runs.values.items()
                for kind, y in (("mean", v.mean(axis=1)), ("lowest", v.min(axis=1)))
            },
        ),
        numbers={
            f"second moment, lag {lag}": m for lag, m in zip(lags, moment, strict=True)
        }
        | {
            f"{start}, {name}, lag {lag}": mean
            for start, runs in (("reference", able), ("hasty", misled))
            for name, v in runs.values.items()
            for lag, mean in zip(runs.lags, v.mean(axis=1), strict=True)
        },
    )
