"""Figures of section 11.1, on sharpening and new capability."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from scipy.special import logit

from toolkit.capacity import CollapseRuns
from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import (
    label_line_end,
    legend_below,
    plot_bars_before_after,
    plot_family,
    plot_pass_at_k,
    plot_spread,
    tick_powers_of_two,
)
from toolkit.passk import Decomposition, first_k_below, mean_pass_at_k
from toolkit.style import COLOUR, INK


def reported_change_figure(yue: Mapping[str, np.ndarray]) -> BookFigure:
    """Return Figure 11.1.1: Yue et al.'s GRPO runs against their base, over training.

    Parameters
    ----------
    yue
        The columns of ``reported("yue2025")``.
    """
    columns = ("pass@1 (%)", "pass@256 (%)")
    benchmarks = list(dict.fromkeys(yue["benchmark"]))
    runs = np.isin(yue["model"], ["base", "GRPO"])
    steps = np.unique(yue["steps"][runs])
    change = {}
    for column in columns:
        for name in benchmarks:
            values = yue[column][runs & (yue["benchmark"] == name)]
            change[column, name] = values - values[0]

    def draw(column: str, title: str, ax: Axes) -> None:
        plot_family(steps, {name: change[column, name] for name in benchmarks}, ax=ax)
        ax.axhline(0, color=COLOUR["base"], lw=1)
        ax.set(xlabel="GRPO steps", ylabel="points above the base", xticks=steps)
        ax.set_title(title)
        legend_below(ax, ncols=2)

    at_256 = {name: change[columns[1], name] for name in benchmarks}
    return BookFigure(
        number="11.1.1",
        alt=(
            "Two panels, points above the base against training steps. (a) pass@1 "
            "rises on all three benchmarks, by "
            f"{min(change[columns[0], n][-1] for n in benchmarks):.1f} to "
            f"{max(change[columns[0], n][-1] for n in benchmarks):.1f} points after "
            f"{steps[-1]:.0f} steps. (b) pass@256 is {at_256['MATH500'][1]:+.1f} "
            f"points on MATH500 after {steps[1]:.0f} steps and falls with training on "
            f"all three, to {min(c[-1] for c in at_256.values()):.1f} at the lowest."
        ),
        panels=(
            Panel(draw=partial(draw, columns[0], "(a) one sample, k = 1")),
            Panel(draw=partial(draw, columns[1], "(b) many samples, k = 256")),
        ),
        table=stack(
            ("column", "benchmark"),
            {key: {"steps": steps, "change (points)": c} for key, c in change.items()},
        ),
    )


def log_odds_figure(
    p: Float[np.ndarray, " n"], tilted: Mapping[str, Float[np.ndarray, " n"]]
) -> BookFigure:
    """Return Figure 11.1.2: success at the optimum against success under the base.

    Parameters
    ----------
    p
        Success under the base, strictly between 0 and 1, increasing.
    tilted
        Success at the optimum, by name of beta.
    """

    def draw_odds(ax: Axes) -> None:
        curves = {"base": p} | dict(tilted)
        plot_family(logit(p), {n: logit(c) for n, c in curves.items()}, ax=ax)
        ax.set(xlabel="log-odds under the base", ylabel="log-odds at the optimum")
        ax.set_title("(b) log-odds: parallel lines")
        legend_below(ax, ncols=4)

    def draw(ax: Axes) -> None:
        plot_family(p, {"base": p} | dict(tilted), ax=ax)
        ax.set(xlabel="success under the base, p", ylabel="success at the optimum, p*")
        ax.set_title("(a) probability")
        legend_below(ax, ncols=4)

    middle = len(p) // 2
    shown = ", ".join(f"{c[middle]:.2f} at {name}" for name, c in tilted.items())
    return BookFigure(
        number="11.1.2",
        alt=(
            "Two panels. (a) Success at the optimum against success under the base: "
            f"every curve lies above the diagonal; p = {p[middle]:.2f} becomes "
            f"{shown}. (b) The same in log-odds: straight lines parallel to the "
            "diagonal, each 1/beta above it."
        ),
        panels=(Panel(draw=draw), Panel(draw=draw_odds)),
        table=stack(("beta",), {(n,): {"p": p, "p*": c} for n, c in tilted.items()}),
    )


def published_figure(
    k: Int[np.ndarray, " n_k"],
    prompts: Mapping[str, Float[np.ndarray, " prompts"]],
    optima: Mapping[str, Float[np.ndarray, " tasks"]],
    runs: Float[np.ndarray, "runs tasks"],
    frequencies: Float[np.ndarray, " tasks"],
) -> BookFigure:
    """Return Figure 11.1, the chapter's published figure, with its spread over runs.

    Parameters
    ----------
    k
        Numbers of samples, increasing.
    prompts
        Success by prompt, one policy per prompt: ``"base"``, then one entry a beta.
    optima
        Success by task, one policy for all: ``"base"``, then one entry a beta.
    runs
        Success by task of independent RL runs. The first is drawn as the line.
    frequencies
        How often each task is asked.
    """
    left = {name: mean_pass_at_k(p, k) for name, p in prompts.items()}
    tasks = dict(optima) | {"RL": runs[0]}
    middle = {name: mean_pass_at_k(p, k, frequencies) for name, p in tasks.items()}
    all_runs = mean_pass_at_k(runs, k, frequencies)
    base, rl = middle["base"], middle["RL"]
    share = 100 * frequencies
    x, y = "k (a, b) or share of training in % (c)", "pass@k (a, b) or success (c)"

    def draw_prompts(ax: Axes) -> None:
        plot_pass_at_k(k, left, ax=ax)
        ax.set_title("(a) a policy per prompt")

    def draw_shared(ax: Axes) -> None:
        plot_pass_at_k(k, middle, ax=ax)
        low, high = all_runs.min(axis=0), all_runs.max(axis=0)
        ax.fill_between(k, low, high, color=COLOUR["RL"], alpha=0.3, lw=0)
        ax.set_title("(b) one policy for five tasks")

    def draw_tasks(ax: Axes) -> None:
        labels = [f"{percent:.0f}%" for percent in share]
        plot_bars_before_after(labels, tasks["base"], tasks["RL"], ax=ax)
        ax.set(xlabel="task, by share of training", ylabel="success", ylim=(0, 1.03))
        ax.set_title("(c) success by task")
        legend_below(ax)

    crossing = first_k_below(tasks["base"], tasks["RL"], int(k[-1]), frequencies)
    return BookFigure(
        number="11.1",
        alt=(
            "Three panels. (a) One policy per prompt: the pass@k curve of every "
            f"KL-regularised optimum lies above the base's at every k; the base has "
            f"{left['base'][0]:.2f} at k = 1. (b) One policy for five tasks: RL has "
            f"{rl[0]:.2f} against the base's {base[0]:.2f} at k = 1 and {rl[-1]:.2f} "
            f"against {base[-1]:.2f} at k = {k[-1]}, where {len(runs)} runs range from "
            f"{all_runs[:, -1].min():.3f} to {all_runs[:, -1].max():.3f}; the optima "
            "lie between, lower for smaller beta. (c) Success by task: RL has "
            f"{tasks['RL'][0]:.3f} on the most frequent task and at most "
            f"{tasks['RL'][1:].max():.4f} on the others; the base has "
            f"{tasks['base'].min():.2f} to {tasks['base'].max():.2f}."
        ),
        panels=(
            Panel(draw=draw_prompts),
            Panel(draw=draw_shared),
            Panel(draw=draw_tasks),
        ),
        table=stack(
            ("panel", "policy"),
            {("a", n): {x: k, y: c} for n, c in left.items()}
            | {("b", n): {x: k, y: c} for n, c in middle.items()}
            | {("b", "RL, lowest run"): {x: k, y: all_runs.min(axis=0)}}
            | {("b", "RL, highest run"): {x: k, y: all_runs.max(axis=0)}}
            | {("c", n): {x: share, y: tasks[n]} for n in ("base", "RL")},
        ),
        numbers={
            "pass@1 base": base[0],
            "pass@1 RL": rl[0],
            f"pass@{k[-1]} base": base[-1],
            f"pass@{k[-1]} RL": rl[-1],
            f"pass@{k[-1]} RL, mean of runs": all_runs[:, -1].mean(),
            "first k with RL below base": float(crossing or np.nan),
        },
    )


def spread_figure(runs: CollapseRuns, k: int, at_step: int) -> BookFigure:
    """Return Figure 11.1.3: pass@k of every run over training, and at one step.

    Parameters
    ----------
    runs
        RL runs on the shared testbed, kept at several steps.
    k
        Number of samples.
    at_step
        One of the kept steps: where the published run stops.
    """
    curves = runs.pass_at_k(k)
    there = np.sort(curves[np.flatnonzero(runs.steps == at_step)[0]])
    floor = runs.frequencies.max()

    def draw_training(ax: Axes) -> None:
        plot_spread(runs.steps, curves, colour=COLOUR["RL"], label="RL", ax=ax)
        _draw_floor(ax, floor)
        ax.axvline(at_step, color=COLOUR["base"], lw=1, ls="dotted")
        ax.set(xlabel="RL steps", ylabel=f"pass@{k}", ylim=(0.35, 1.03))
        ax.set_title("(a) over training: mean, range")

    def draw_runs(ax: Axes) -> None:
        ax.plot(there, np.arange(1, len(there) + 1), "o", color=COLOUR["RL"], ms=3)
        ax.set(xlabel=f"pass@{k} at {at_step:,} steps", ylabel="runs at or below")
        ax.set_title("(b) every run, where the published one stops")

    return BookFigure(
        number="11.1.3",
        alt=(
            f"Two panels. (a) pass@{k} of {len(there)} runs falls from "
            f"{curves[0].mean():.2f} to {curves[-1].mean():.3f} at "
            f"{runs.steps[-1]:,} steps and is still falling; its floor is {floor:.2f}. "
            f"(b) At {at_step:,} steps the runs range from {there[0]:.3f} to "
            f"{there[-1]:.3f}, mean {there.mean():.3f}."
        ),
        panels=(Panel(draw=draw_training), Panel(draw=draw_runs)),
        table=stack(
            ("panel",),
            {
                ("a, mean",): {"x": runs.steps, f"pass@{k}": curves.mean(1)},
                ("a, lowest",): {"x": runs.steps, f"pass@{k}": curves.min(1)},
                ("a, highest",): {"x": runs.steps, f"pass@{k}": curves.max(1)},
                ("b",): {"x": np.arange(1, len(there) + 1), f"pass@{k}": there},
            },
        ),
    )


def tail_figure(
    times: Float[np.ndarray, " times"],
    flow: Float[np.ndarray, " times"],
    law: Float[np.ndarray, " times"],
    steps: Int[np.ndarray, " steps"],
    sampled: Float[np.ndarray, "steps runs"],
    slope: float,
) -> BookFigure:
    """Return Figure 11.1.4: how pass@256 approaches its limit, exactly and trained.

    Parameters
    ----------
    times
        Times along the exact policy gradient.
    flow, law
        pass@k above its limit there: integrated, and by the 1/t law.
    steps
        Steps of the sampled runs.
    sampled
        pass@k of the sampled runs above its limit.
    slope
        Power of the step number fitted to the sampled runs' mean.
    """
    mean = sampled.mean(1)

    def draw_flow(ax: Axes) -> None:
        ax.loglog(times, flow, "o", color=COLOUR["KL-regularised"], label="exact flow")
        ax.loglog(times, law, color=COLOUR["theory"], ls="dashed", label="1/t law")
        ax.set(xlabel="time", ylabel="pass@256 above 0.40", ylim=(None, 2))
        ax.set_title("(a) exact gradient, even start")
        legend_below(ax)

    def draw_sampled(ax: Axes) -> None:
        plot_spread(steps, sampled, colour=COLOUR["RL"], label="sampled, Adam", ax=ax)
        fit = mean[-1] * (steps / steps[-1]) ** slope
        ax.plot(steps, fit, color=INK, ls="dashed", label=f"power {slope:.1f}")
        ax.set(xscale="log", yscale="log", xlabel="RL steps")
        ax.set(ylabel="pass@256 above 0.40", xticks=steps[::2])
        ax.minorticks_off()
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_title("(b) the trained runs: mean, range")
        legend_below(ax)

    return BookFigure(
        number="11.1.4",
        alt=(
            "Two panels, logarithmic axes. (a) Along the exact gradient pass@256 above "
            f"its limit falls to {flow[-1]:.1e} at time {times[-1]:,.0f}; the 1/t law "
            f"gives {law[-1]:.1e}. (b) In the trained runs it falls from {mean[0]:.2g} "
            f"at {steps[0]:,} steps to {mean[-1]:.2g} at {steps[-1]:,}: like the step "
            f"number to the power {slope:.1f}, faster than 1/t."
        ),
        panels=(Panel(draw=draw_flow), Panel(draw=draw_sampled)),
        table=stack(
            ("curve",),
            {
                ("flow",): {"time or step": times, "pass@256 above limit": flow},
                ("law",): {"time or step": times, "pass@256 above limit": law},
                ("RL, mean",): {"time or step": steps, "pass@256 above limit": mean},
            },
        ),
    )


def decomposition_figure(
    parts: Decomposition,
    tails: Mapping[str, tuple[np.ndarray, np.ndarray]],
    k: Int[np.ndarray, " n_k"],
) -> BookFigure:
    """Return Figure 11.1.5: gains and losses at each k, and who decides in the end.

    Parameters
    ----------
    parts
        Gains and losses of RL against the base.
    tails
        For each policy, ``1 - pass@k`` and its hardest-problem law, at ``k``.
    k
        Numbers of samples of ``tails``.
    """

    def draw_parts(ax: Axes) -> None:
        ax.axhline(0, color=COLOUR["base"], lw=1)
        ax.fill_between(parts.k, 0, parts.gained, color=COLOUR["gained"], alpha=0.35)
        ax.fill_between(parts.k, 0, parts.lost, color=COLOUR["lost"], alpha=0.35)
        for name, y in (("gained", parts.gained), ("lost", parts.lost)):
            ax.plot(parts.k, y, color=COLOUR[name])
            label_line_end(ax, float(parts.k[-1]), float(y[-1]), name, INK)
        ax.plot(parts.k, parts.net, color=INK, ls="dashed")
        net_end = float(parts.net[-1]) + 0.06
        label_line_end(ax, float(parts.k[-1]), net_end, "net (dashed)", INK)
        ax.set_xscale("log", base=2)
        tick_powers_of_two(ax, int(parts.k[-1]))
        ax.set(xlabel="samples per prompt, k", ylabel="RL minus base, pass@k")
        ax.set_title("(a) problems gained and lost")

    def draw_tails(ax: Axes) -> None:
        for name, (miss, tail) in tails.items():
            colour = COLOUR.get(name, COLOUR["KL-regularised"])
            ax.plot(k, miss, color=colour, label=name)
            ax.plot(k, tail, color=INK, ls=(0, (2, 2)), lw=1)
        ax.set_xscale("log", base=2)
        ax.set(yscale="log", ylim=(1e-6, 1.5), ylabel="1 − pass@k")
        tick_powers_of_two(ax, int(k[-1]))
        ax.set(xlabel="samples per prompt, k")
        ax.set_title("(b) dotted: the hardest problem alone")
        legend_below(ax)

    return BookFigure(
        number="11.1.5",
        alt=(
            "Two panels. (a) RL minus base: the gain on the task that rose shrinks "
            f"from {parts.gained[0]:+.2f} at k = 1 to {parts.gained[-1]:+.2f} at "
            f"k = {parts.k[-1]}, the loss on the others grows from "
            f"{parts.lost[0]:+.2f} to {parts.lost[-1]:+.2f}. (b) One minus pass@k "
            "against k: each policy's curve runs into the line of its hardest problem."
        ),
        panels=(Panel(draw=draw_parts), Panel(draw=draw_tails)),
        table=stack(
            ("curve",),
            {
                ("gained",): {"k": parts.k, "value": parts.gained},
                ("lost",): {"k": parts.k, "value": parts.lost},
            }
            | {
                (f"1 - pass@k, {n}",): {"k": k, "value": m}
                for n, (m, _) in tails.items()
            }
            | {(f"tail, {n}",): {"k": k, "value": t} for n, (_, t) in tails.items()},
        ),
    )


def allocation_figure(
    k: Int[np.ndarray, " n_k"],
    shares: Float[np.ndarray, "n_k tasks"],
    frequencies: Float[np.ndarray, " tasks"],
    reached: Mapping[str, Float[np.ndarray, " n_k"]],
) -> BookFigure:
    """Return Figure 11.1.6: the allocation best for each k, and what it reaches.

    Parameters
    ----------
    k
        Numbers of samples.
    shares
        The best success rate of each task, for each k.
    frequencies
        How often each task is asked.
    reached
        Mean pass@k by policy; ``"best"`` is the allocation made for that k.
    """
    tasks = {f"{f:.0%}": shares[:, j] for j, f in enumerate(frequencies)}

    def draw_shares(ax: Axes) -> None:
        plot_family(k, tasks, ax=ax)
        ax.set_xscale("log", base=2)
        tick_powers_of_two(ax, int(k[-1]))
        ax.set(xlabel="k that is optimised", ylabel="success by task", ylim=(0, 1.03))
        ax.set_title("(a) best split, by share of training")
        legend_below(ax, ncols=5)

    def draw_reached(ax: Axes) -> None:
        plot_pass_at_k(k, reached, ax=ax)
        ax.set_title("(b) what it reaches")

    return BookFigure(
        number="11.1.6",
        alt=(
            "Two panels. (a) The split over tasks that maximises pass@k: everything on "
            "the most frequent task at k = 1, "
            f"{int((shares[np.searchsorted(k, 4)] > 0).sum())} tasks served at k = 4, "
            f"nearly even ({shares[-1].min():.3f} to {shares[-1].max():.3f}) at "
            f"k = {k[-1]}. (b) At every k that split is at or above both the base and "
            f"RL; at k = {k[-1]} it has {reached['best'][-1]:.2f}, RL "
            f"{reached['RL'][-1]:.2f}."
        ),
        panels=(Panel(draw=draw_shares), Panel(draw=draw_reached)),
        table=stack(
            ("curve",),
            {(f"task {n}",): {"k": k, "value": c} for n, c in tasks.items()}
            | {(f"pass@k, {n}",): {"k": k, "value": c} for n, c in reached.items()},
        ),
    )


def _draw_floor(ax: Axes, floor: float) -> None:
    ax.axhline(floor, color=INK, ls="dashed", lw=1)
    label = f"floor {floor:.2f}"
    ax.annotate(label, (ax.get_xlim()[1], floor), ha="right", va="bottom", fontsize=8)
