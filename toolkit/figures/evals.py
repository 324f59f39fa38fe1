"""Figures of the page on evaluation logs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.evals.bands import Band
from toolkit.evals.comparison import Split
from toolkit.evals.curves import Curves
from toolkit.evals.lost import Changes
from toolkit.figures.curves import legend_below, plot_pass_at_k, tick_powers_of_two
from toolkit.style import COLOUR, INK


def curves_figure(curves: Curves, bands: Mapping[str, Band]) -> BookFigure:
    """Return Figure E.1: both curves, and their difference with its bands.

    Parameters
    ----------
    curves
        Of the pair.
    bands
        By what they are about: ``"new problems"`` and ``"these problems"``.
    """
    means = {"base": curves.base, "RL": curves.rl}

    def draw_curves(ax: Axes) -> None:
        plot_pass_at_k(curves.k, means, ax=ax)
        ax.set(ylim=(min(c[0] for c in means.values()) - 0.05, 1))
        ax.set_title("(a) both curves")

    def draw_difference(ax: Axes) -> None:
        for i, (name, band) in enumerate(bands.items()):
            colour = (COLOUR["KL-regularised"], COLOUR["RL"])[i % 2]
            ax.fill_between(
                band.k, band.low, band.high, color=colour, alpha=0.25, lw=0, label=name
            )
            for edge in (band.low, band.high):
                ax.plot(band.k, edge, color=colour, lw=0.8, ls=("-", "--")[i % 2])
        ax.plot(curves.k, curves.difference, color=INK, label="RL minus base")
        ax.axhline(0, color=COLOUR["base"], lw=1)
        ax.set_xscale("log", base=2)
        tick_powers_of_two(ax, int(curves.k[-1]))
        ax.set(xlabel="samples per prompt, k", ylabel="RL minus base")
        ax.set_title("(b) difference, 95% bands")
        legend_below(ax, ncols=2)

    first = curves.first_below
    ends = "; ".join(
        f"{name}, {band.low[-1]:+.3f} to {band.high[-1]:+.3f} at k = {band.k[-1]}"
        for name, band in bands.items()
    )
    table: dict[tuple[str, ...], dict[str, np.ndarray]] = {
        ("RL minus base", "curve"): {"k": curves.k, "value": curves.difference},
        ("base", "curve"): {"k": curves.k, "value": curves.base},
        ("RL", "curve"): {"k": curves.k, "value": curves.rl},
    }
    for name, band in bands.items():
        table[name, "low"] = {"k": band.k, "value": band.low}
        table[name, "high"] = {"k": band.k, "value": band.high}
    return BookFigure(
        number="E.1",
        alt=(
            f"Two panels against k. (a) pass@k: the base from {curves.base[0]:.3f} to "
            f"{curves.base[-1]:.3f}, RL from {curves.rl[0]:.3f} to "
            f"{curves.rl[-1]:.3f}; "
            + (f"RL is below from k = {first}" if first else "RL is never below")
            + f". (b) RL minus base with its bands: {ends}."
        ),
        panels=(Panel(draw=draw_curves), Panel(draw=draw_difference)),
        table=stack(("line", "part"), table),
        numbers={
            "base, k = 1": curves.base[0],
            "RL, k = 1": curves.rl[0],
            "base, last k": curves.base[-1],
            "RL, last k": curves.rl[-1],
            **{
                f"{name}, width at k = 1": band.high[0] - band.low[0]
                for name, band in bands.items()
            },
        },
    )


def answers_figure(
    answers: Mapping[str, tuple[float, float]], seen: float, k_max: int
) -> BookFigure:
    """Return Figure E.2: ranges for the first k below, by what they are about.

    Parameters
    ----------
    answers
        Ends of each range by name; an infinite one ends past the last k.
    seen
        The first k below in the curves.
    k_max
        Largest k.
    """
    names = list(answers)
    low = np.array([float(a) for a, _ in answers.values()])
    high = np.array([float(b) for _, b in answers.values()])

    def draw(ax: Axes) -> None:
        at = np.arange(len(names))[::-1]
        for y, a, b in zip(at, low, high, strict=True):
            ax.plot([a, min(b, 2 * k_max)], [y, y], "|-", color=COLOUR["RL"], ms=9)
            if np.isinf(b):
                ax.text(1.5 * k_max, y + 0.18, "or never", ha="center", fontsize=8)
        ax.axvline(seen, color=INK, ls="dotted", lw=1)
        ax.set_xscale("log", base=2)
        tick_powers_of_two(ax, k_max)
        ax.set_yticks(at, names)
        ax.set(xlabel="first k with RL below", xlim=(1, 2 * k_max))
        ax.set(ylim=(-0.6, len(names) - 0.4))
        ax.grid(visible=False, axis="y")

    said = "; ".join(
        f"{name}, {a:g} to {b:g}" for name, a, b in zip(names, low, high, strict=True)
    )
    return BookFigure(
        number="E.2",
        alt=(
            f"One bar a range for the first k with RL below: {said}. In the curves it "
            f"is {seen:g}."
        ),
        panels=(Panel(draw=draw, size=(4.4, 0.7 + 0.3 * len(names))),),
        table={"about": np.array(names), "low": low, "high": high},
        numbers={"in the curves": seen},
    )


def split_figure(split: Split) -> BookFigure:
    """Return Figure E.3: what was gained and lost, in four ways.

    Parameters
    ----------
    split
        All four, with standard errors of the corrected one.
    """
    found = {
        "observed": split.observed,
        "by chance alone": split.floor,
        "halves": split.halves,
        "corrected": split.corrected,
    }
    ways = {name: parts for name, parts in found.items() if parts is not None}
    styles: dict[str, dict[str, Any]] = {
        "observed": {"ls": "dashed", "marker": "o", "mfc": "none"},
        "by chance alone": {"ls": "dotted", "marker": "s", "mfc": "none"},
        "halves": {"ls": "dashdot", "marker": "^", "mfc": "none"},
        "corrected": {"ls": "solid", "marker": "o"},
    }

    def draw(part: str, error: np.ndarray, title: str, ax: Axes) -> None:
        for name, parts in ways.items():
            size = np.abs(getattr(parts, part))
            ax.plot(parts.k, size, color=COLOUR[part], label=name, ms=4, **styles[name])
        middle = np.abs(getattr(split.corrected, part))
        ax.fill_between(
            split.k, middle - error, middle + error, color=COLOUR[part], alpha=0.2, lw=0
        )
        ax.set_xscale("log", base=2)
        tick_powers_of_two(ax, int(split.k[-1]))
        ax.set(xlabel="samples per prompt, k", ylabel=f"pass@k {part}", ylim=(0, None))
        ax.set_title(title)
        legend_below(ax, ncols=2)

    last = "; ".join(
        f"{name} {parts.gained[-1]:.4f} and {-parts.lost[-1]:.4f} at k = {parts.k[-1]}"
        for name, parts in ways.items()
    )
    return BookFigure(
        number="E.3",
        alt=f"Two panels against k, pass@k gained and lost: {last}.",
        panels=(
            Panel(draw=partial(draw, "gained", split.gained_error, "(a) gained")),
            Panel(draw=partial(draw, "lost", split.lost_error, "(b) lost")),
        ),
        table=stack(
            ("way",),
            {
                (name,): {"k": parts.k, "gained": parts.gained, "lost": parts.lost}
                for name, parts in ways.items()
            },
        ),
        numbers={
            f"{name}, {part}, last k": getattr(parts, part)[-1]
            for name, parts in ways.items()
            for part in ("gained", "lost")
        },
    )


def lost_figure(changes: Changes) -> BookFigure:
    """Return Figure E.4: right samples of every problem, and which were probably lost.

    Parameters
    ----------
    changes
        Probabilities of every problem.
    """
    pair = changes.pair
    x, y = pair.base.c / pair.base.n, pair.rl.c / pair.rl.n
    floor = 0.5 / max(pair.base.n.max(), pair.rl.n.max())
    kinds: dict[str, tuple[Float[np.ndarray, " some"], str, str]] = {
        "neither": (np.maximum(changes.lost, changes.gained) < 0.5, "base", "."),
        "probably gained": (changes.gained >= 0.5, "gained", "^"),
        "probably lost": (changes.lost >= 0.5, "lost", "o"),
    }

    def draw(ax: Axes) -> None:
        for name, (rows, role, mark) in kinds.items():
            ax.plot(
                np.maximum(x[rows], floor), np.maximum(y[rows], floor), mark,
                color=COLOUR[role], alpha=0.6, ms=4, mfc="none", label=name,
            )  # fmt: skip
        ax.plot([floor, 1], [floor, 1], color=INK, lw=0.8, ls="dotted")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ticks = [floor, 0.01, 0.1, 1]
        ax.set_xticks(ticks, ["0", "0.01", "0.1", "1"])
        ax.set_yticks(ticks, ["0", "0.01", "0.1", "1"])
        ax.minorticks_off()
        ax.set(xlabel="share right, base", ylabel="share right, RL")
        legend_below(ax)

    sizes = ", ".join(f"{int(rows.sum())} {name}" for name, (rows, *_) in kinds.items())
    lost = kinds["probably lost"][0]
    most = f"{x[lost].max():.3f} of the base's samples" if lost.any() else "none"
    return BookFigure(
        number="E.4",
        alt=(
            "A point a problem, share of right samples of RL against that of the base, "
            f"logarithmic axes with 0 at their ends. At k = {changes.k}: {sizes}. "
            f"Those lost had at most {most} right."
        ),
        panels=(Panel(draw=draw, size=(4.0, 3.4)),),
        table={
            "base": x, "RL": y, "P(lost)": changes.lost, "P(gained)": changes.gained,
        },
        numbers={name: float(rows.sum()) for name, (rows, *_) in kinds.items()},
    )  # fmt: skip
