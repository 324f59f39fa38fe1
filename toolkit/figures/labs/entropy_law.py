"""Figures of laboratory 2, on entropy and reward."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.labs.entropy_law import EntropyFit, EntropyShares
from toolkit.style import COLOUR, INK, SHADES

Path = Mapping[str, Float[np.ndarray, " points"]]
LOOKS = {
    "sampled RL": (COLOUR["RL"], "none", "o"),
    "exact gradient": (COLOUR["RL"], "solid", "none"),
    "natural gradient": (COLOUR["KL-regularised"], (0, (5, 1.5)), "none"),
    "base, cooled": (COLOUR["base"], (0, (1.5, 1.5)), "none"),
}


def paths_figure(
    paths: Mapping[str, Mapping[str, Path]], fits: Mapping[str, EntropyFit]
) -> BookFigure:
    """Return Figure L2.1: reward against entropy along four paths, on two testbeds.

    Parameters
    ----------
    paths
        By testbed and name of the path: ``"entropy"`` and ``"reward"`` of its points.
    fits
        The law fitted to the sampled points, by testbed.
    """

    def draw(name: str, letter: str, ax: Axes) -> None:
        for path, (colour, dashes, marker) in LOOKS.items():
            points = paths[name][path]
            ax.plot(
                points["entropy"],
                points["reward"],
                color=colour,
                ls=dashes,
                marker=marker,
                ms=2.5,
                label=path,
            )
        sampled = paths[name]["sampled RL"]["entropy"]
        h = np.linspace(sampled.min(), sampled.max(), 50)
        ax.plot(h, fits[name].predict(h), color=INK, lw=1, ls="dashed", label="fit")
        ax.set(xlabel="entropy (nats per token)", ylabel="reward")
        ax.set_xlim(0, None)
        ax.set_title(f"({letter}) {name}")
        legend_below(ax, ncols=2)

    ends = {
        name: {path: (p["entropy"][-1], p["reward"][-1]) for path, p in found.items()}
        for name, found in paths.items()
    }
    told = "; ".join(
        f"{name}: "
        + ", ".join(f"{path} {h:.2f} and {r:.2f}" for path, (h, r) in found.items())
        for name, found in ends.items()
    )
    return BookFigure(
        number="L2.1",
        alt=(
            "Two panels, one a testbed: reward against entropy per token along four "
            "paths. Sampled RL lies near the fitted law; the other paths reach other "
            f"rewards at the same entropy. Entropy and reward at the ends. {told}."
        ),
        panels=tuple(
            Panel(draw=partial(draw, name, letter))
            for letter, name in zip("ab", paths, strict=True)
        ),
        table=stack(
            ("testbed", "path"),
            {(n, path): p for n, found in paths.items() for path, p in found.items()},
        ),
        numbers={
            f"{what}, {name}": value
            for name, fit in fits.items()
            for what, value in (
                ("a", fit.a),
                ("b - a", fit.ceiling),
                ("R squared", fit.r_squared),
            )
        }
        | {
            f"{what} at the end, {path}, {name}": float(values[i])
            for name, found in ends.items()
            for path, values in found.items()
            for i, what in enumerate(("entropy", "reward"))
        },
    )


def shares_figure(shares: EntropyShares) -> BookFigure:
    """Return Figure L2.2: what right and wrong samples do to entropy, by prompt."""
    at = np.arange(1, len(shares.right) + 1)

    def draw(ax: Axes) -> None:
        ax.bar(at - 0.2, shares.right, 0.38, color=SHADES[3], label="right")
        ax.bar(
            at + 0.2,
            shares.wrong,
            0.38,
            color=COLOUR["lost"],
            hatch="//",
            edgecolor=INK,
            lw=0.3,
            label="wrong",
        )
        ax.axhline(0, color=INK, lw=0.8)
        ax.set(xlabel="prompt", ylabel="change of entropy (nats)", xticks=at)
        ax.grid(visible=False, axis="x")
        legend_below(ax)

    return BookFigure(
        number="L2.2",
        alt=(
            "Bars, two a prompt: the change of entropy that right and wrong samples "
            "bring along the exact gradient. Right: "
            f"{', '.join(f'{v:+.2f}' for v in shares.right)} nats; wrong: "
            f"{', '.join(f'{v:+.2f}' for v in shares.wrong)} nats."
        ),
        panels=(Panel(draw=draw),),
        table={
            "prompt": at,
            "right (nats)": shares.right,
            "wrong (nats)": shares.wrong,
        },
        numbers={
            f"{name}, prompt {x}": float(v)
            for name, values in (("right", shares.right), ("wrong", shares.wrong))
            for x, v in zip(at, values, strict=True)
        },
    )


def brakes_figure(
    ends: Mapping[str, Mapping[str, Float[np.ndarray, " runs"]]],
) -> BookFigure:
    """Return Figure L2.3: where runs with several brakes end.

    Parameters
    ----------
    ends
        ``"entropy"`` and ``"reward"`` of every run, by name of the brake.
    """
    colours = (COLOUR["RL"], *SHADES[:1], COLOUR["KL-regularised"], *SHADES[1:])
    rank = np.arange(len(ends))[::-1]

    def draw(what: str, letter: str, ax: Axes) -> None:
        for i, (y, values) in enumerate(zip(rank, ends.values(), strict=True)):
            runs, colour = values[what], colours[i % len(colours)]
            ax.plot(runs, np.full(len(runs), y), ".", color=colour, ms=4)
            ax.plot(runs.mean(), y, "D", color=colour, ms=5)
        ax.set(xlabel=what, ylim=(-0.6, len(ends) - 0.4))
        ax.set_yticks(rank, list(ends) if letter == "a" else [""] * len(ends))
        ax.set_title(f"({letter}) {what.partition(' ')[0]}")

    told = "; ".join(
        " and ".join(f"{runs.mean():.3f}" for runs in found.values()) + f", {name}"
        for name, found in ends.items()
    )
    return BookFigure(
        number="L2.3",
        alt=(
            "Two panels, a row a brake, a point a run, a diamond the mean: entropy per "
            f"token and reward at the end of training, means {told}."
        ),
        panels=(
            Panel(draw=partial(draw, "entropy (nats per token)", "a"), size=(4.4, 3.0)),
            Panel(draw=partial(draw, "reward", "b"), size=(2.6, 3.0)),
        ),
        table=stack(
            ("brake",),
            {(n,): {w: np.sort(v) for w, v in e.items()} for n, e in ends.items()},
        ),
        numbers={
            f"{what}, {name}": float(runs.mean())
            for name, found in ends.items()
            for what, runs in found.items()
        },
    )
