"""Figures of laboratory 1, on resets and rare successes."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes

from toolkit.capacity import CollapseRuns
from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below, plot_pass_at_k, plot_spread
from toolkit.labs.exploration import Takeoffs
from toolkit.passk import first_k_below, mean_pass_at_k
from toolkit.style import COLOUR, DASHES, INK, SHADES


def leash_figure(
    k: Int[np.ndarray, " n_k"],
    rates: Mapping[str, Float[np.ndarray, " tasks"]],
    leash: Float[np.ndarray, " n"],
    path: Float[np.ndarray, "n tasks"],
    turns: Float[np.ndarray, " tasks"],
    frequencies: Float[np.ndarray, " tasks"],
) -> BookFigure:
    """Return Figure L1.1: pass@k after several optima in turn, and three fates.

    Parameters
    ----------
    k
        Numbers of samples, increasing.
    rates
        Success by task: ``"base"``, then one entry a number of optima.
    leash
        Values of 1/beta, increasing.
    path
        Success by task along them.
    turns
        Where each task turns, as ``turning_points`` gives it.
    frequencies
        How often each task is asked.
    """
    curves = {name: mean_pass_at_k(p, k, frequencies) for name, p in rates.items()}
    crossing = {
        name: first_k_below(rates["base"], p, int(k[-1]), frequencies)
        for name, p in rates.items()
        if name != "base"
    }
    turning = int(np.flatnonzero((turns > 0) & np.isfinite(turns))[0])
    peak = np.interp(turns[turning], leash, path[:, turning])

    def draw_curves(ax: Axes) -> None:
        plot_pass_at_k(k, curves, ax=ax)
        ax.set_title("(a) after several optima in turn")

    def draw_fates(ax: Axes) -> None:
        for j, p in enumerate(path.T):
            share = f"{frequencies[j]:.0%}"
            ax.plot(leash, p, color=SHADES[j], ls=DASHES[j], label=share)
        ax.plot(turns[turning], peak, "o", color=INK, fillstyle="none")
        ax.set(xlabel="leash, 1/β", ylabel="success on the task")
        ax.set(xlim=(0, leash[-1]), ylim=(0, 1))
        ax.set_title("(b) by share of training")
        legend_below(ax)

    told = ", ".join(f"from k = {n} at {name}" for name, n in crossing.items())
    return BookFigure(
        number="L1.1",
        alt=(
            "Two panels. (a) pass@k against k for the base and after several optima "
            f"in turn: the more optima, the earlier it is below the base, {told}. "
            f"(b) Success on each task against the leash 1/beta up to {leash[-1]:g}: "
            f"the most frequent task rises to {path[-1, 0]:.2f}, the second rises to "
            f"{peak:.3f} at {turns[turning]:.2f} (circle) and then falls, the others "
            "fall from the start."
        ),
        panels=(Panel(draw=draw_curves), Panel(draw=draw_fates)),
        table=stack(
            ("panel", "curve"),
            {("a", name): {"x": k, "y": curve} for name, curve in curves.items()}
            | {
                ("b", f"asked {f:.0%}"): {"x": leash, "y": p}
                for f, p in zip(frequencies, path.T, strict=True)
            },
        ),
        numbers={
            f"pass@{n}, {name}": float(mean_pass_at_k(p, int(n), frequencies))
            for name, p in rates.items()
            for n in (1, k[-1])
        }
        | {f"first k below the base, {name}": n for name, n in crossing.items() if n}
        | {"leash at which the second task turns": turns[turning]},
    )


def resets_figure(
    shared: Mapping[str, CollapseRuns],
    exact: Float[np.ndarray, "steps 2"],
    k: int,
    prompts: Mapping[str, Float[np.ndarray, "runs prompts"]],
) -> BookFigure:
    """Return Figure L1.2: sampled training with and without resets, two testbeds.

    Parameters
    ----------
    shared
        Runs on the shared testbed, ``"resets"`` and ``"no reset"``, at the same steps.
    exact
        pass@1 and pass@k of the optima in turn, at those steps.
    k
        Number of samples of the second line.
    prompts
        Success by prompt on the default testbed: ``"base"`` (one row), ``"no reset"``
        and ``"resets"``.
    """
    colours = {"resets": COLOUR["RL"], "no reset": COLOUR["KL-regularised"]}
    steps = shared["resets"].steps

    def draw_shared(ax: Axes) -> None:
        for name, runs in shared.items():
            values = runs.pass_at_k(np.array([1, k]))
            for i, label in enumerate((name, "_")):
                plot_spread(
                    steps, values[:, :, i], colour=colours[name], label=label, ax=ax
                )
        for i, label in enumerate(("exact", "_")):
            ax.plot(steps, exact[:, i], color=INK, lw=1, ls="dashed", label=label)
        for i, name in enumerate(("pass@1", f"pass@{k}")):
            ax.annotate(name, (steps[1], exact[1, i] - 0.09), fontsize=8)
        ax.set(xlabel="steps", ylabel="pass@k", ylim=(0, 1.05))
        ax.set_title("(a) five tasks, one policy")
        legend_below(ax)

    def draw_prompts(ax: Axes) -> None:
        at = np.arange(1, prompts["base"].shape[1] + 1)
        marks = {"base": "x", "no reset": "s", "resets": "o"}
        for name, p in prompts.items():
            colour = colours.get(name, COLOUR["base"])
            ax.vlines(at, p.min(0), p.max(0), color=colour, lw=1)
            ax.plot(at, p.mean(0), marks[name], color=colour, label=name)
        ax.set(xlabel="prompt", ylabel="success", xticks=at, ylim=(0, 1.05))
        ax.set_title("(b) a policy per prompt")
        legend_below(ax)

    ends = {name: runs.pass_at_k(np.array([1, k]))[-1] for name, runs in shared.items()}
    told = "; ".join(
        f"{name}: pass@1 {v[:, 0].mean():.3f}, pass@{k} {v[:, 1].mean():.3f}"
        for name, v in ends.items()
    )
    return BookFigure(
        number="L1.2",
        alt=(
            f"Two panels. (a) One policy for five tasks over {steps[-1]:,} steps, mean "
            f"and range of {len(ends['resets'])} runs. {told}. The runs follow the "
            "exact values of optima in turn. (b) A policy per prompt: success on four "
            "prompts is "
            + "; ".join(
                f"{name} {', '.join(f'{v:.2f}' for v in p.mean(0))}"
                for name, p in prompts.items()
            )
            + "."
        ),
        panels=(Panel(draw=draw_shared), Panel(draw=draw_prompts)),
        table=stack(
            ("panel", "curve", "what"),
            {
                ("a", name, f"pass@{n}"): {
                    "x": steps,
                    "mean": runs.pass_at_k(n).mean(1),
                    "lowest": runs.pass_at_k(n).min(1),
                    "highest": runs.pass_at_k(n).max(1),
                }
                for name, runs in shared.items()
                for n in (1, k)
            }
            | {
                ("b", name, "success"): {
                    "x": np.arange(1, p.shape[1] + 1),
                    "mean": p.mean(0),
                    "lowest": p.min(0),
                    "highest": p.max(0),
                }
                for name, p in prompts.items()
            },
        ),
        numbers={
            f"{what}, {name}": float(v[:, i].mean())
            for name, v in ends.items()
            for i, what in enumerate(("pass@1", f"pass@{k}"))
        }
        | {
            f"success, {name}, prompt {x + 1}": float(p[:, x].mean())
            for name, p in prompts.items()
            for x in range(p.shape[1])
        },
    )


def takeoff_figure(
    p: Float[np.ndarray, " n"],
    clocks: Mapping[str, Float[np.ndarray, " n"]],
    first_sight: Float[np.ndarray, " n"],
    sampled: Mapping[float, Takeoffs],
) -> BookFigure:
    """Return Figure L1.3: how long a rare success takes, by law and sampled.

    Parameters
    ----------
    p
        Success at the start, increasing.
    clocks
        Time of the exact flow to one half, by name of the clock.
    first_sight
        Expected steps up to the first success.
    sampled
        Sampled runs, by success at the start.
    """
    starts = np.array(list(sampled))
    seen = [runs.seen for runs in sampled.values()]
    more = [runs.learnt - runs.seen for runs in sampled.values()]

    def draw_clocks(ax: Axes) -> None:
        for i, (name, time) in enumerate(clocks.items()):
            ax.plot(p, time, color=SHADES[i], ls=DASHES[i], label=name)
        ax.set(xscale="log", yscale="log", xlabel="success at the start")
        ax.set(ylabel="time to one half")
        ax.set_title("(a) exact flow, three clocks")
        legend_below(ax)

    def draw_sampled(ax: Axes) -> None:
        ax.plot(p, first_sight, color=INK, ls="dashed", label="law, first success")
        for values, marker, colour, name in (
            (seen, "o", COLOUR["RL"], "first success"),
            (more, "^", COLOUR["KL-regularised"], "from there to one half"),
        ):
            ax.vlines(
                starts,
                [np.nanmin(v) for v in values],
                [np.nanmax(v) for v in values],
                color=colour,
                lw=1,
            )
            ax.plot(
                starts,
                [np.nanmean(v) for v in values],
                marker,
                color=colour,
                label=name,
            )
        ax.set(xscale="log", yscale="log", xlabel="success at the start")
        ax.set(ylabel="steps", xlim=(starts.min() / 2, starts.max() * 2))
        ax.set(ylim=(0.7, 2 * max(np.nanmax(v) for v in seen + more)))
        ax.set_title("(b) sampled, with Adam")
        legend_below(ax, ncols=1)

    told = ", ".join(
        f"{np.nanmean(s):.0f} and then {np.nanmean(m):.0f} steps at {start:g}"
        for start, s, m in zip(starts, seen, more, strict=True)
    )
    return BookFigure(
        number="L1.3",
        alt=(
            "Two panels, logarithmic axes. (a) Time from a rare success to one half "
            f"along three exact flows, at a start of {p[0]:g}: "
            + ", ".join(
                f"{time[0]:,.3g} by the {name}" for name, time in clocks.items()
            )
            + ". (b) Sampled training with Adam waits for its first success as the law "
            f"says and is then quick: {told}."
        ),
        panels=(Panel(draw=draw_clocks), Panel(draw=draw_sampled)),
        table=stack(
            ("panel", "curve"),
            {("a", n): {"start": p, "time or steps": t} for n, t in clocks.items()}
            | {
                ("b", name): {
                    "start": starts,
                    "time or steps": np.array([np.nanmean(v) for v in values]),
                }
                for name, values in (("first success", seen), ("from there", more))
            },
        ),
        numbers={
            f"time from {p[0]:g}, {name}": float(time[0])
            for name, time in clocks.items()
        }
        | {
            f"{name}, start {start:g}": float(np.nanmean(v))
            for name, values in (("first success", seen), ("from there", more))
            for start, v in zip(starts, values, strict=True)
        },
    )
