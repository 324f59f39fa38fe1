"""Figures of section 11.2, on generalization and memorization."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below, plot_family
from toolkit.figures.style import COLOUR, DASHES, INK
from toolkit.generalization.sweep import RateSweep

MARKER = {"initial": "o", "SFT": "s", "RL": "D"}
HANDS_METHODS = {  # method of a sweep: its colour, line and marker
    "RL": (COLOUR["RL"], "solid", "D"),
    "SFT, KL-minimal labels": (COLOUR["SFT"], DASHES[1], "s"),
    "SFT, 1 label": (COLOUR["SFT"], DASHES[2], "o"),
}


def reported_shift_figure(chu: Mapping[str, np.ndarray]) -> BookFigure:
    """Return Figure 11.2.1: Chu et al.'s six rows, out of distribution.

    Parameters
    ----------
    chu
        The columns of ``reported("chu2025")``.
    """
    values = {name: chu[f"{name} (%)"] for name in MARKER}
    rows = [f"{v}, {s}" for v, s in zip(chu["variant"], chu["shift"], strict=True)]
    change = {name: values[name] - values["initial"] for name in ("SFT", "RL")}

    def draw(ax: Axes) -> None:
        at = np.arange(len(rows))[::-1]
        for name, shift in (("RL", 0.13), ("SFT", -0.13)):
            colour = COLOUR[name]
            ax.hlines(at + shift, values["initial"], values[name], color=colour, lw=2)
            ax.plot(values[name], at + shift, MARKER[name], color=colour, label=name)
        ax.plot(values["initial"], at, "o", color=COLOUR["base"], ms=6, label="initial")
        ax.set_yticks(at, rows)
        ax.set(xlabel="success out of distribution (%)", xlim=(0, 100))
        ax.grid(visible=False, axis="y")
        legend_below(ax)

    return BookFigure(
        number="11.2.1",
        alt=(
            f"Six rows, one a task and shift. In each, RL lies right of the initial "
            f"model, by {change['RL'].min():.1f} to {change['RL'].max():.1f} points, "
            f"and SFT left of it, by {-change['SFT'].max():.1f} to "
            f"{-change['SFT'].min():.1f} points."
        ),
        panels=(Panel(draw=draw, size=(5.2, 3.0)),),
        table=stack(
            ("row", "model"),
            {
                (row, m): {"success (%)": v[[i]]}
                for i, row in enumerate(rows)
                for m, v in values.items()
            },
        ),
    )


def kicks_figure(
    kicks: Float[np.ndarray, " kicks"],
    success: Mapping[str, Float[np.ndarray, "kicks runs"]],
    sampled: Mapping[str, Float[np.ndarray, " kicks"]],
) -> BookFigure:
    """Return Figure 11.2.2: success against the probability of a kick.

    Parameters
    ----------
    kicks
        Probabilities of a kick, a decision.
    success
        Exact success of every run, by method: ``"SFT"``, ``"RL"``, ``"DAgger"``.
    sampled
        Share of sampled episodes that succeed, of the first run of each method.
    """
    looks = {"SFT": (COLOUR["SFT"], "s"), "RL": (COLOUR["RL"], "D")}
    looks["DAgger"] = (COLOUR["KL-regularised"], "o")

    def draw(ax: Axes) -> None:
        for i, (name, runs) in enumerate(success.items()):
            colour, marker = looks[name]
            ax.fill_between(kicks, runs.min(1), runs.max(1), color=colour, alpha=0.2)
            ax.plot(kicks, runs.mean(1), color=colour, ls=DASHES[i], label=name)
            ax.plot(kicks, sampled[name], marker, color=colour, ms=4)
        ax.set(xlabel="probability of a kick, δ", ylabel="success", ylim=(0, 1.03))
        legend_below(ax)

    last = {name: runs[-1].mean() for name, runs in success.items()}
    return BookFigure(
        number="11.2.2",
        alt=(
            "Success against the probability of a kick. The three methods start "
            f"together, at {success['SFT'][0].mean():.2f}, and part: at "
            f"{kicks[-1]:.2f} "
            + ", ".join(f"{name} has {value:.2f}" for name, value in last.items())
            + "."
        ),
        panels=(Panel(draw=draw, size=(4.2, 2.9)),),
        table=stack(
            ("method", "how"),
            {
                (name, how): {"kick": kicks, "success": column}
                for name, runs in success.items()
                for how, column in (
                    ("exact, mean", runs.mean(1)),
                    ("sampled", sampled[name]),
                )
            },
        ),
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
        for name, law in laws.items():
            ax.plot(horizons, law, color=INK, ls=(0, (2, 2)), lw=1)
            middle = 2 * len(horizons) // 3
            ax.annotate(
                name,
                (horizons[middle], law[middle]),
                fontsize=8,
                color=INK,
                xytext=(-4, 3),
                textcoords="offset points",
                ha="right",
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
        panels=(Panel(draw=draw, size=(4.2, 2.9)),),
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
            ax.fill_between(rho, runs.min(1), runs.max(1), color=colour, alpha=0.2)
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
                for how in ("mean", "min", "max")
            },
        ),
    )
