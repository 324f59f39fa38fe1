"""Figures of laboratory 3, on which format survives."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.style import DASHES, INK, SHADES

COLOURS = (SHADES[0], SHADES[3], SHADES[4])


def regimes_figure(
    x: Mapping[str, Float[np.ndarray, " n"]],
    mass: Mapping[str, Float[np.ndarray, "n formats"]],
    accuracy: Float[np.ndarray, " formats"],
    limit: Float[np.ndarray, " formats"],
) -> BookFigure:
    """Return Figure L3.1: the masses of the formats under three rules.

    Parameters
    ----------
    x
        Times or values of 1/beta, by name of the rule.
    mass
        Masses there, by the same names.
    accuracy
        Of each format.
    limit
        Where the last rule ends as 1/beta grows.
    """
    names = list(mass)

    def draw(name: str, letter: str, ax: Axes) -> None:
        for f, share in enumerate(mass[name].T):
            label = f"accuracy {accuracy[f]:g}"
            ax.plot(x[name], share, color=COLOURS[f], ls=DASHES[f], label=label)
        if name == names[-1]:
            ax.hlines(limit, x[name][-1] * 0.9, x[name][-1], color=INK, lw=1)
        ax.set(xlabel="time" if letter == "a" else "leash, 1/β", ylabel="mass")
        ax.set_ylim(0, 1)
        ax.set_title(f"({letter}) {name}")
        legend_below(ax, ncols=1)

    told = "; ".join(
        f"{name}: {', '.join(f'{m:.3f}' for m in shares[-1])}"
        for name, shares in mass.items()
    )
    return BookFigure(
        number="L3.1",
        alt=(
            f"Three panels: masses of three formats, of accuracy "
            f"{', '.join(f'{a:g}' for a in accuracy)}, under three rules. At the right "
            f"edge {told}. Under the first two the most accurate one takes all, under "
            "the third each keeps a share."
        ),
        panels=tuple(
            Panel(draw=partial(draw, name, letter), size=(2.6, 2.6))
            for letter, name in zip("abc", names, strict=True)
        ),
        table=stack(
            ("rule", "format"),
            {
                (name, f"accuracy {a:g}"): {"x": x[name], "mass": shares}
                for name in names
                for a, shares in zip(accuracy, mass[name].T, strict=True)
            },
        ),
        numbers={
            f"mass at the end, {name}, accuracy {a:g}": float(m)
            for name, shares in mass.items()
            for a, m in zip(accuracy, shares[-1], strict=True)
        },
    )


def practice_figure(
    practice: Float[np.ndarray, " n"],
    mass: Float[np.ndarray, "n formats"],
    accuracy: Float[np.ndarray, " formats"],
    edges: Sequence[tuple[float, int, int]],
    critical: Mapping[str, Mapping[float, float]],
) -> BookFigure:
    """Return Figure L3.2: the winner when skills are learnt by use.

    Parameters
    ----------
    practice
        Learning rates of the skills, increasing.
    mass
        Final masses there.
    accuracy
        Of each format at the start.
    edges
        Where the winner changes, as ``edges_of_practice`` gives them.
    critical
        Mass above which the less accurate of two formats wins, by name of the pair and
        by learning rate.
    """

    def draw_masses(ax: Axes) -> None:
        for f, share in enumerate(mass.T):
            label = f"accuracy {accuracy[f]:g}"
            ax.plot(practice, share, color=COLOURS[f], ls=DASHES[f], label=label)
        for edge, _, _ in edges:
            ax.axvline(edge, color=INK, lw=0.8, ls="dotted")
        ax.set(xlabel="practice, λ", ylabel="mass at the end", ylim=(-0.02, 1.02))
        ax.set_title("(a) three formats")
        legend_below(ax, ncols=1)

    def draw_critical(ax: Axes) -> None:
        for i, (name, found) in enumerate(critical.items()):
            ax.plot(
                list(found),
                list(found.values()),
                marker="os"[i % 2],
                ls=DASHES[i],
                color=SHADES[3 * i],
                label=name,
            )
        ax.set(xlabel="practice, λ", ylabel="mass that wins", ylim=(0.5, 1))
        rates = list(next(iter(critical.values())))
        ax.set(xscale="log")
        ax.set_xticks(rates, [f"{rate:g}" for rate in rates])
        ax.set_xticks([], minor=True)
        ax.set_title("(b) two formats")
        legend_below(ax, ncols=1)

    told = ", ".join(f"{edge:.3f}" for edge, _, _ in edges)
    pairs = "; ".join(
        f"{name}: {', '.join(f'{m:.3f} at {p:g}' for p, m in found.items())}"
        for name, found in critical.items()
    )
    return BookFigure(
        number="L3.2",
        alt=(
            "Two panels. (a) Final mass of three formats against the rate at which "
            f"skills are learnt: the winner changes abruptly at {told}, from the "
            "most accurate to the middle one to the most common. (b) The mass above "
            "which the less accurate of two formats wins, falling with practice. "
            f"{pairs}."
        ),
        panels=(Panel(draw=draw_masses), Panel(draw=draw_critical)),
        table=stack(
            ("panel", "curve"),
            {
                ("a", f"accuracy {a:g}"): {"practice": practice, "mass": shares}
                for a, shares in zip(accuracy, mass.T, strict=True)
            }
            | {
                ("b", name): {
                    "practice": np.array(list(found)),
                    "mass": np.array(list(found.values())),
                }
                for name, found in critical.items()
            },
        ),
        numbers={
            f"winner changes from {low + 1} to {high + 1} at": edge
            for edge, low, high in edges
        }
        | {
            f"critical mass, {name}, practice {p:g}": m
            for name, found in critical.items()
            for p, m in found.items()
        },
    )
