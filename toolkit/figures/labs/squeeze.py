"""Figures of laboratory 4, on squeezing and expanding."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.labs.squeeze import AnswerCounts
from toolkit.style import COLOUR, DASHES, INK, SHADES

ROUTES = {
    "RL, no KL term": (COLOUR["RL"], "s"),
    "RL, with KL price": (COLOUR["KL-regularised"], "D"),
    "SFT, base's own right answers": (COLOUR["SFT"], "o"),
    "SFT, another teacher": (SHADES[4], "^"),
}


def answers_figure(
    base: AnswerCounts,
    routes: Mapping[str, Mapping[str, AnswerCounts]],
    limit: AnswerCounts,
) -> BookFigure:
    """Return Figure L4.1: right against wrong answers left, by way of training.

    Parameters
    ----------
    base
        Of the reference.
    routes
        By name of the way, then of the stop on it, in order: counts of every run.
    limit
        Of the KL optimum as its price goes to zero.
    """

    def draw(ax: Axes) -> None:
        for name, stops in routes.items():
            colour, marker = ROUTES[name]
            x = [base.wrong.mean(), *(c.wrong.mean() for c in stops.values())]
            y = [base.right.mean(), *(c.right.mean() for c in stops.values())]
            ax.plot(x, y, color=colour, lw=0.8, ls=DASHES[list(routes).index(name)])
            ax.plot(x[1:], y[1:], marker, color=colour, label=name)
            for stop, counts in stops.items():
                ax.plot(
                    counts.wrong, counts.right, ".", color=colour, ms=2.5, alpha=0.7
                )
                ax.annotate(
                    stop,
                    (counts.wrong.mean(), counts.right.mean()),
                    xytext=(5, 3),
                    textcoords="offset points",
                    fontsize=7,
                )
        ax.plot(limit.wrong, limit.right, "*", color=COLOUR["KL-regularised"], ms=10)
        ax.lines[-1].set_label("KL optimum, price to zero")
        ax.plot(base.wrong, base.right, "x", color=COLOUR["base"], ms=8, label="base")
        ax.set(xlabel="different wrong answers", ylabel="different right answers")
        ax.set(xlim=(-4, None), ylim=(0, None))
        legend_below(ax, ncols=2)

    told = "; ".join(
        f"{name}: "
        + ", ".join(
            f"{c.right.mean():.1f} and {c.wrong.mean():.1f} ({stop})"
            for stop, c in stops.items()
        )
        for name, stops in routes.items()
    )
    return BookFigure(
        number="L4.1",
        alt=(
            "Different right answers in 256 samples against different wrong ones. From "
            f"the base at {base.right.mean():.1f} right and {base.wrong.mean():.1f} "
            f"wrong: {told}. The KL optimum with its price going to zero has "
            f"{limit.right.mean():.1f} and {limit.wrong.mean():.1f}."
        ),
        panels=(Panel(draw=draw, size=(5.6, 3.8)),),
        table=stack(
            ("way", "stop"),
            {
                (name, stop): {"right": c.right, "wrong": c.wrong}
                for name, stops in routes.items()
                for stop, c in stops.items()
            },
        ),
        numbers={
            f"{what}, {name}, {stop}": float(getattr(c, what).mean())
            for name, stops in routes.items()
            for stop, c in stops.items()
            for what in ("right", "wrong")
        },
    )


def labels_figure(
    n_labels: Int[np.ndarray, " n"],
    laws: Mapping[str, Float[np.ndarray, "n 2"]],
    found: Mapping[str, Mapping[int, Float[np.ndarray, " runs"]]],
    decay: Mapping[str, float],
) -> BookFigure:
    """Return Figure L4.2: right answers by number of labels, and how visits decay.

    Parameters
    ----------
    n_labels
        Numbers of labels of the laws, increasing.
    laws
        Different labels expected, and right answers expected from a perfect fit, by
        name of the teacher.
    found
        Right answers of fine-tuned runs, by name of the teacher and number of labels.
    decay
        Decay of visits with rank; the first entry is the base's.
    """
    names = list(decay)

    def draw_laws(ax: Axes) -> None:
        for name, law in laws.items():
            colour, marker = ROUTES[name]
            ax.plot(n_labels, law[:, 0], color=colour, lw=0.8, ls="dotted")
            ax.plot(n_labels, law[:, 1], color=colour, label=name)
            for n, runs in found[name].items():
                ax.plot(np.full(len(runs), n), runs, marker, color=colour, ms=3)
        ax.set(xscale="log", xlabel="labels a prompt", ylabel="different right answers")
        ticks = n_labels[:: max(1, len(n_labels) // 6)]
        ax.set_xticks(ticks, [f"{n}" for n in ticks])
        ax.set_xticks([], minor=True)
        ax.set_title("(a) what the labels hold")
        legend_below(ax, ncols=1)

    def draw_decay(ax: Axes) -> None:
        at = np.arange(len(names))[::-1]
        times = np.array(list(decay.values())) / decay[names[0]]
        ax.axvline(1, color=INK, lw=1, ls="dashed")
        ax.plot(times, at, "o", color=SHADES[0])
        ax.set_yticks(at, names)
        ax.set(xlabel="decay of visits, times the base's", xscale="log")
        ax.set(xlim=(0.2, 12), ylim=(-0.5, len(names) - 0.5))
        ax.set_xticks([0.25, 0.5, 1, 2, 4, 8], ["1/4", "1/2", "1", "2", "4", "8"])
        ax.set_xticks([], minor=True)
        ax.grid(visible=False, axis="y")
        ax.set_title("(b) steeper: fewer paths")

    times = ", ".join(
        f"{name} {value:.3f} (x {value / decay[names[0]]:.2g})"
        for name, value in decay.items()
    )
    told = "; ".join(
        f"{name}: " + ", ".join(f"{runs.mean():.0f} at {n}" for n, runs in by_n.items())
        for name, by_n in found.items()
    )
    return BookFigure(
        number="L4.2",
        alt=(
            "Two panels. (a) Different right answers in 256 samples against labels a "
            "prompt: fine-tuned runs lie on what a perfect fit to the labels would "
            f"show. {told}. (b) Decay of visits with rank: {times}."
        ),
        panels=(
            Panel(draw=draw_laws),
            Panel(draw=draw_decay, size=(3.8, 2.6)),
        ),
        table=stack(
            ("curve",),
            {
                (f"{kind}, {name}",): {"x": n_labels, "y": law[:, i]}
                for name, law in laws.items()
                for i, kind in enumerate(("labels", "perfect fit"))
            }
            | {
                (f"trained, {name}",): {
                    "x": np.array(list(by_n)),
                    "y": np.array([runs.mean() for runs in by_n.values()]),
                }
                for name, by_n in found.items()
            }
            | {
                ("decay",): {
                    "x": np.arange(len(names)),
                    "y": np.array(list(decay.values())),
                }
            },
        ),
        numbers={
            f"right answers, {name}, {n} labels": float(runs.mean())
            for name, by_n in found.items()
            for n, runs in by_n.items()
        }
        | {f"decay, {name}": value for name, value in decay.items()},
    )
