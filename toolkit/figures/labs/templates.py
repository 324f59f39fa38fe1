"""Figures of laboratory 5, on template collapse."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.labs.templates import TemplateRuns
from toolkit.style import COLOUR, INK, SHADES


def optimum_figure(
    ratio: Float[np.ndarray, " n"],
    entropy: Float[np.ndarray, " n"],
    information: Float[np.ndarray, " n"],
    law: Float[np.ndarray, " n"],
    twin: float,
) -> BookFigure:
    """Return Figure L5.1: entropy and information at the optimum.

    Parameters
    ----------
    ratio
        Share of informative prompts over price, increasing from 0.
    entropy, information
        ``H(Z|X)`` and ``I(X; Z)`` there.
    law
        What the information comes down to for small ratios.
    twin
        The ratio at which entropy is what it was at 0.
    """
    told = np.interp(twin, ratio, information)
    small = ratio <= 2

    def draw(ax: Axes) -> None:
        ax.plot(ratio, entropy, color=COLOUR["base"], label="entropy, H(Z|X)")
        ax.plot(ratio, information, color=COLOUR["KL-regularised"], ls=(0, (5, 1.5)))
        ax.lines[-1].set_label("information, I(X; Z)")
        ax.plot(ratio[small], law[small], color=INK, lw=1, ls="dotted", label="law")
        ax.axhline(entropy[0], color=COLOUR["base"], lw=0.7)
        ax.plot([0, twin], [entropy[0]] * 2, "o", color=COLOUR["base"])
        ax.plot([0, twin], [0, told], "o", color=COLOUR["KL-regularised"])
        ax.set(xlabel="informative share over price, s/α", ylabel="nats", ylim=(0, 2.2))
        legend_below(ax)

    peak = int(entropy.argmax())
    return BookFigure(
        number="L5.1",
        alt=(
            "Entropy and information at the optimum against the informative share over "
            f"the price. Entropy starts at {entropy[0]:.3f} nats, peaks at "
            f"{entropy[peak]:.3f} at {ratio[peak]:.2f}, and is back at its start at "
            f"{twin:.3f} (dots), where information has gone from 0 to {told:.3f}."
        ),
        panels=(Panel(draw=draw, size=(4.6, 2.8)),),
        table={
            "ratio": ratio,
            "entropy (nats)": entropy,
            "information (nats)": information,
            "law (nats)": law,
        },
        numbers={
            "entropy at 0": entropy[0],
            "highest entropy": entropy[peak],
            "twin": twin,
            "information at the twin": told,
        },
    )


def course_figure(runs: Mapping[str, TemplateRuns]) -> BookFigure:
    """Return Figure L5.2: entropy, information and reward over training.

    Parameters
    ----------
    runs
        Exact runs at the same steps, by name.
    """
    looks = (("-", COLOUR["RL"]), ("--", COLOUR["KL-regularised"]))
    panels = ("entropy (nats)", "information (nats)", "reward")

    def draw(what: str, letter: str, ax: Axes) -> None:
        for (name, run), (dashes, colour) in zip(runs.items(), looks, strict=True):
            values = getattr(run, what.partition(" ")[0])[:, 0]
            ax.plot(run.steps, values, dashes, color=colour, label=name)
        ax.set(xlabel="steps", ylabel=what, ylim=(0, None))
        ax.set_title(f"({letter}) {what.partition(' ')[0]}")
        legend_below(ax, ncols=1)

    told = "; ".join(
        f"{name}: entropy {run.entropy[0, 0]:.2f} to {run.entropy[-1, 0]:.2f}, "
        f"information {run.information[0, 0]:.2f} to {run.information[-1, 0]:.2f}, "
        f"reward {run.reward[0, 0]:.2f} to {run.reward[-1, 0]:.2f}"
        for name, run in runs.items()
    )
    return BookFigure(
        number="L5.2",
        alt=(
            "Three panels: entropy within prompts, information about the prompt and "
            f"reward on informative prompts, against steps. {told}."
        ),
        panels=tuple(
            Panel(draw=partial(draw, what, letter), size=(2.6, 2.6))
            for letter, what in zip("abc", panels, strict=True)
        ),
        table=stack(
            ("run",),
            {
                (name,): {
                    "steps": run.steps,
                    "entropy (nats)": run.entropy[:, 0],
                    "information (nats)": run.information[:, 0],
                    "reward": run.reward[:, 0],
                }
                for name, run in runs.items()
            },
        ),
        numbers={
            f"{what} at the end, {name}": float(getattr(run, what)[-1, 0])
            for name, run in runs.items()
            for what in ("entropy", "information", "reward")
        },
    )


def filter_figure(
    shares: Float[np.ndarray, " n"],
    laws: Mapping[str, Float[np.ndarray, " n"]],
    sampled: Mapping[str, Mapping[float, Float[np.ndarray, " runs"]]],
) -> BookFigure:
    """Return Figure L5.3: information against the informative share, by filter.

    Parameters
    ----------
    shares
        Shares of informative prompts, increasing.
    laws
        Information at the optimum, by name of the filter.
    sampled
        Information of sampled runs, by the same names and by share.
    """
    colours = (COLOUR["RL"], SHADES[3], COLOUR["KL-regularised"])
    markers = "so^"

    def draw(ax: Axes) -> None:
        for i, (name, law) in enumerate(laws.items()):
            ax.plot(shares, law, color=colours[i], ls=("-", ":", "--")[i], label=name)
            for share, runs in sampled[name].items():
                at = np.full(len(runs), share)
                ax.plot(at, runs, markers[i], color=colours[i], ms=3)
        ax.set(xlabel="share of informative prompts, s", ylabel="information (nats)")
        ax.set(xlim=(0, 1.02), ylim=(0, 2.2))
        legend_below(ax)

    told = "; ".join(
        f"{name}: "
        + ", ".join(f"{runs.mean():.3f} at {share:g}" for share, runs in found.items())
        for name, found in sampled.items()
    )
    return BookFigure(
        number="L5.3",
        alt=(
            "Information about the prompt against the share of informative prompts. "
            "Without a filter it falls to nothing as the share falls; keeping only "
            f"informative prompts it stays. Means of sampled runs, {told}."
        ),
        panels=(Panel(draw=draw, size=(4.6, 2.8)),),
        table=stack(
            ("filter", "kind"),
            {
                (name, "optimum"): {"share": shares, "information (nats)": law}
                for name, law in laws.items()
            }
            | {
                (name, "sampled, mean"): {
                    "share": np.array(list(found)),
                    "information (nats)": np.array([r.mean() for r in found.values()]),
                }
                for name, found in sampled.items()
            },
        ),
        numbers={
            f"information, sampled, {name}, s = {share:g}": float(runs.mean())
            for name, found in sampled.items()
            for share, runs in found.items()
        },
    )
