"""Figures of section 11.2, on generalization and memorization."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below, plot_family
from toolkit.generalization.chain import Chain
from toolkit.generalization.recovery import ChainRuns
from toolkit.generalization.sweep import RateSweep
from toolkit.style import COLOUR, DASHES, INK

MARKER = {"initial": "o", "SFT": "s", "RL": "D"}
CHAIN_METHODS = {  # method on the chain: its colour and marker
    "SFT": (COLOUR["SFT"], "s"),
    "RL": (COLOUR["RL"], "D"),
    "DAgger": (COLOUR["KL-regularised"], "o"),
}
HANDS_METHODS = {  # method of a sweep: its colour, line and marker
    "RL": (COLOUR["RL"], "solid", "D"),
    "SFT on KL-minimal labels": (COLOUR["SFT"], DASHES[1], "s"),
    "SFT on 1 label": (COLOUR["SFT"], DASHES[2], "o"),
}


def reported_shift_figure(chu: Mapping[str, np.ndarray]) -> BookFigure:
    """Return Figure 11.2.1: Chu et al.'s six rows, out of distribution.

    Parameters
    ----------
    chu
        The columns of ``reported("chu2025")``.
    """
    values = {name: chu[f"{name} (%)"] for name in MARKER}
    change = {name: values[name] - values["initial"] for name in ("SFT", "RL")}

    def draw(shift: str, ax: Axes) -> None:
        rows = chu["shift"] == shift
        at = np.arange(rows.sum())[::-1]
        start = values["initial"][rows]
        for name, offset in (("SFT", -0.14), ("RL", 0.14)):
            end, colour = values[name][rows], COLOUR[name]
            ax.hlines(at + offset, start, end, color=colour, lw=2)
            ax.plot(end, at + offset, MARKER[name], color=colour, label=name, ms=5)
        ax.plot(start, at, "o", color=COLOUR["base"], label="initial", ms=6)
        ax.set_yticks(at, [v.replace(" (", "\n(") for v in chu["variant"][rows]])
        ax.set(xlabel="success (%)", xlim=(0, 100), ylim=(-0.6, at[0] + 0.6))
        ax.grid(visible=False, axis="y")
        legend_below(ax)

    def draw_rule(ax: Axes) -> None:
        draw("rule", ax)
        ax.set_title("(a) a rule changes")

    def draw_visual(ax: Axes) -> None:
        draw("visual", ax)
        ax.set_title("(b) what is seen changes")

    return BookFigure(
        number="11.2.1",
        alt=(
            "Two panels, six rows: one a task and shift. In each, RL lies right of the "
            f"initial model, by {change['RL'].min():.1f} to {change['RL'].max():.1f} "
            f"points, and SFT left of it, by {-change['SFT'].max():.1f} to "
            f"{-change['SFT'].min():.1f} points."
        ),
        panels=(Panel(draw=draw_rule), Panel(draw=draw_visual)),
        table={"variant": chu["variant"], "shift": chu["shift"]}
        | {f"{name} (%)": v for name, v in values.items()},
        numbers={
            f"{name}, {variant}, {shift}": value
            for name, column in values.items()
            for variant, shift, value in zip(
                chu["variant"], chu["shift"], column, strict=True
            )
        },
    )


def kicks_figure(
    chain: Chain,
    runs: Mapping[str, ChainRuns],
    level: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]],
    kicks: Float[np.ndarray, " kicks"],
    sampled: Mapping[str, Float[np.ndarray, " kicks"]],
) -> BookFigure:
    """Return Figure 11.2.2: where three methods stop, and what kicks do to them.

    Parameters
    ----------
    chain
        The task and the base policy.
    runs
        Trained policies by method: ``"SFT"``, ``"RL"``, ``"DAgger"``.
    level
        Recoveries and slips that succeed as often as the methods at their stop.
    kicks
        Probabilities of a kick, a decision.
    sampled
        Share of sampled episodes that succeed, of the first run of each method.
    """
    success = {name: run.success(chain, kicks) for name, run in runs.items()}

    def draw_stops(ax: Axes) -> None:
        ax.plot(*level, color=COLOUR["theory"], lw=1, label="equal success")
        for name, run in runs.items():
            colour, marker = CHAIN_METHODS[name]
            ax.plot(run.recovery, run.slip, marker, color=colour, label=name, ms=5)
        start = (chain.recovery, chain.slip)
        ax.plot(*start, "x", color=COLOUR["base"], ms=7, mew=2, label="base")
        ax.set(xlabel="recovery, q", ylabel="slip, e", xlim=(0, None), ylim=(0, None))
        ax.set_title("(a) where the methods stop")
        legend_below(ax)

    def draw_kicks(ax: Axes) -> None:
        for i, (name, exact) in enumerate(success.items()):
            colour, marker = CHAIN_METHODS[name]
            low, high = exact.min(1), exact.max(1)
            ax.fill_between(kicks, low, high, color=colour, alpha=0.2, lw=0)
            ax.plot(kicks, exact.mean(1), color=colour, ls=DASHES[i], label=name)
            ax.plot(kicks, sampled[name], marker, color=colour)
        ax.set(xlabel="probability of a kick, δ", ylabel="success", ylim=(0, 1.03))
        ax.set_title("(b) with kicks")
        legend_below(ax)

    last = {name: exact[-1].mean() for name, exact in success.items()}
    stops = {
        name: f"e = {run.slip.mean():.3f}, q = {run.recovery.mean():.2f}"
        for name, run in runs.items()
    }
    return BookFigure(
        number="11.2.2",
        alt=(
            "Two panels. (a) Slip against recovery: all methods stop on one line of "
            "equal success, at different places: "
            + "; ".join(f"{name} at {place}" for name, place in stops.items())
            + ". (b) Success against the probability of a kick: all start at "
            f"{success['SFT'][0].mean():.2f}, and part; at {kicks[-1]:.2f} "
            + ", ".join(f"{name} has {value:.2f}" for name, value in last.items())
            + "."
        ),
        panels=(Panel(draw=draw_stops), Panel(draw=draw_kicks)),
        table=stack(
            ("panel", "curve"),
            {("a, q and e", "equal success"): {"x": level[0], "y": level[1]}}
            | {
                ("a, q and e", name): {"x": run.recovery, "y": run.slip}
                for name, run in runs.items()
            }
            | {
                ("b, kick and success", f"{name}, {how}"): {"x": kicks, "y": column}
                for name, exact in success.items()
                for how, column in (
                    ("exact, mean", exact.mean(1)),
                    ("sampled", sampled[name]),
                )
            },
        ),
        numbers={
            f"success, {name}, at kick = {kick:g}": exact[i].mean()
            for name, exact in success.items()
            for i, kick in enumerate(kicks)
        },
    )


def horizon_figure(
    horizons: Int[np.ndarray, " n"],
    errors: Mapping[str, Float[np.ndarray, " n"]],
    laws: Mapping[str, Float[np.ndarray, " n"]],
) -> BookFigure:
    """Return Figure 11.2.3: expected errors against the length of the task.

    Parameters
    ----------
    horizons
        Lengths of the task.
    errors
        Decisions after which the agent is off the path, by name of the recovery rate.
    laws
        The laws they follow, by name.
    """

    def draw(ax: Axes) -> None:
        plot_family(horizons, errors, ax=ax)
        middle = len(horizons) // 2
        for i, (name, law) in enumerate(laws.items()):
            ax.plot(horizons, law, color=INK, ls=(0, (2, 2)), lw=1)
            ax.annotate(
                name,
                (horizons[middle], law[middle]),
                fontsize=8,
                color=INK,
                xytext=((-4, 5), (4, -12))[i % 2],
                textcoords="offset points",
                ha=("right", "left")[i % 2],
            )
        top = max(curve[-1] for curve in errors.values())
        ax.set(xscale="log", yscale="log", ylim=(None, 3 * top))
        ax.set(xlabel="decisions in the task, T", ylabel="expected errors")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.yaxis.set_major_formatter("{x:g}")
        legend_below(ax)

    return BookFigure(
        number="11.2.3",
        alt=(
            "Expected errors against the number of decisions, logarithmic axes. "
            + " ".join(
                f"With {name}: {curve[0]:.3g} at T = {horizons[0]}, {curve[-1]:.3g} at "
                f"T = {horizons[-1]:,}."
                for name, curve in errors.items()
            )
        ),
        panels=(Panel(draw=draw),),
        table=stack(
            ("curve",),
            {
                (name,): {"T": horizons, "errors": curve}
                for name, curve in errors.items()
            }
            | {(name,): {"T": horizons, "errors": law} for name, law in laws.items()},
        ),
    )


def rule_rate_figure(sweep: RateSweep, base: float) -> BookFigure:
    """Return Figure 11.2.4: what is left when the rule changes, and why.

    Parameters
    ----------
    sweep
        Runs by method and learning rate of the rule.
    base
        Success of the base policy on the same hands.
    """
    rho = sweep.rule_rates
    success = {name: sweep.out_of_distribution(name) for name in HANDS_METHODS}
    answers = {name: sweep.answers_in_play(name) for name in HANDS_METHODS}

    def draw(values: Mapping[str, np.ndarray], ax: Axes) -> None:
        for name, (colour, dashes, marker) in HANDS_METHODS.items():
            runs = values[name]
            ax.fill_between(
                rho, runs.min(1), runs.max(1), color=colour, alpha=0.2, lw=0
            )
            ax.plot(
                rho, runs.mean(1), color=colour, ls=dashes, marker=marker, label=name
            )
        ax.set(xscale="log", xlabel="learning rate of the rule, ρ")
        ax.xaxis.set_major_formatter("{x:g}")
        legend_below(ax, ncols=1)

    def draw_success(ax: Axes) -> None:
        draw(success, ax)
        ax.axhline(base, color=COLOUR["base"], lw=1.2)
        ax.annotate("base", (rho[-1], base), ha="right", va="bottom", fontsize=8)
        ax.set(ylabel="success, rule changed", ylim=(0, 1.03))
        ax.set_title("(a) out of distribution")

    def draw_answers(ax: Axes) -> None:
        draw(answers, ax)
        ax.set(ylabel="right answers in play", ylim=(0, None))
        ax.set_title("(b) answers in play at the stop")

    slow = int(np.argmin(rho))
    worst_at_end = min(runs[-1].mean() for runs in success.values())
    return BookFigure(
        number="11.2.4",
        alt=(
            "Two panels against the learning rate of the rule. (a) Success after the "
            f"rule has changed, base {base:.2f}: at {rho[slow]:g} "
            + ", ".join(f"{n} has {v[slow].mean():.3f}" for n, v in success.items())
            + f"; at {rho[-1]:g} all have {worst_at_end:.2f}"
            " or more. (b) Effective number of right answers at the stop: at "
            f"{rho[slow]:g} "
            + ", ".join(f"{n} has {v[slow].mean():.1f}" for n, v in answers.items())
            + "."
        ),
        panels=(Panel(draw=draw_success), Panel(draw=draw_answers)),
        table=stack(
            ("panel", "method"),
            {
                (panel, f"{name}, {how}"): {"rho": rho, "value": getattr(v, how)(1)}
                for panel, values in (("a", success), ("b", answers))
                for name, v in values.items()
                for how in (("mean", "min", "max") if v.shape[1] > 1 else ("mean",))
            },
        ),
        numbers={
            f"{what}, {name}, at rho = {rho[i]:g}": v[i].mean()
            for what, values in (("success", success), ("answers in play", answers))
            for name, v in values.items()
            for i in range(len(rho))
        }
        | {"success, base": base},
    )
