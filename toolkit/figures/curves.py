"""Drawings that several sections share."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int, Real
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from toolkit.style import COLOUR, DASHES, INK, SHADES


def plot_pass_at_k(
    k: Int[np.ndarray, " n_k"],
    curves: Mapping[str, Float[np.ndarray, " n_k"]],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw mean pass@k against k, one labelled line per curve.

    Parameters
    ----------
    k
        Numbers of samples.
    curves
        Mean pass@k by name. ``"base"`` and ``"RL"`` have their book colours, any other
        name is a member of the KL-regularised family, strongest colour last.
    ax
        Where to draw; new axes by default.
    """
    ax = ax or plt.subplots()[1]
    plot_family(k, curves, ax=ax)
    ax.set_xscale("log", base=2)
    ax.set(xlabel="samples per prompt, k", ylabel="pass@k", ylim=(0, 1.03))
    tick_powers_of_two(ax, int(k[-1]))
    legend_below(ax)
    return ax


def plot_family(
    x: Real[np.ndarray, " n"],
    curves: Mapping[str, Real[np.ndarray, " n"]],
    *,
    ax: Axes,
) -> None:
    """Draw one line per curve: a role in its own colour, others as one family.

    Members of the family differ in dashes too, so that grey print tells them apart.
    """
    family = [name for name in curves if name not in COLOUR]
    for name, curve in curves.items():
        i = family.index(name) if name in family else 0
        colour = COLOUR.get(name, SHADES[i % len(SHADES)])
        dashes = DASHES[(i + 1) % len(DASHES)] if name in family else "solid"
        ax.plot(x, curve, color=colour, ls=dashes, label=name)


def legend_below(ax: Axes, ncols: int = 3) -> None:
    """Name the lines in rows below the axes, where nothing can run through them."""
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.22),
        ncols=ncols,
        handlelength=1.8,
        columnspacing=1.2,
    )


def label_line_end(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    """Write ``text`` just right of a line's last point."""
    ax.annotate(
        text,
        xy=(x, y),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=colour,
        fontsize=8,
    )


def tick_powers_of_two(ax: Axes, largest: int) -> None:
    """Tick a base-2 axis at 1, 4, 16, ... up to ``largest``."""
    ax.set_xticks([4**i for i in range(int(np.log2(largest) / 2) + 1)])
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.xaxis.set_minor_locator(NullLocator())


def plot_spread(
    x: Real[np.ndarray, " n"],
    runs: Float[np.ndarray, "n runs"],
    *,
    colour: str,
    label: str,
    ax: Axes,
) -> None:
    """Draw the mean over runs as points on a line, and their full range as a band."""
    ax.fill_between(x, runs.min(1), runs.max(1), color=colour, alpha=0.2, lw=0)
    ax.plot(x, runs.mean(1), "o-", color=colour, label=label)


def plot_bars_before_after(
    labels: Sequence[str],
    before: Float[np.ndarray, " bars"],
    after: Float[np.ndarray, " bars"],
    *,
    ax: Axes,
) -> None:
    """Draw two bars a label: the base's and RL's, the second hatched."""
    at = np.arange(len(labels))
    ax.bar(at - 0.2, before, 0.38, color=COLOUR["base"], label="base")
    ax.bar(
        at + 0.2,
        after,
        0.38,
        color=COLOUR["RL"],
        hatch="//",
        edgecolor=INK,
        lw=0.3,
        label="RL",
    )
    ax.set_xticks(at, labels)
    ax.grid(visible=False, axis="x")
