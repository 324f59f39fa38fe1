"""Figure of section 11.6, on what ties the sections together."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.landing import Landing
from toolkit.style import COLOUR, INK, SHADES

MARKERS = ("o", "s", "^", "D", "v")


def price_figure(
    landings: Mapping[str, Landing],
    entropies: Mapping[str, Float[np.ndarray, " runs"]],
    ref_entropy: float,
) -> BookFigure:
    """Return Figure 11.6.1: what each method pays beyond the price of success.

    Parameters
    ----------
    landings
        Each method's policies at equal success.
    entropies
        Their entropy among right answers, mean over prompts, each run, in nats.
    ref_entropy
        That of the reference.
    """
    axis = "KL(ref ‖ policy) above its floor, nats"

    def scatter(ax: Axes, heights: Mapping[str, np.ndarray]) -> None:
        for i, (name, landing) in enumerate(landings.items()):
            colour = COLOUR["RL"] if name == "RL" else SHADES[i - 1]
            ax.plot(
                landing.forward_surcharge,
                heights[name],
                MARKERS[i],
                color=colour,
                label=name,
                alpha=0.8,
            )
        ax.set(xlabel=axis, xlim=(0, None))

    def draw_prices(ax: Axes) -> None:
        scatter(ax, {n: landing.reverse_surcharge for n, landing in landings.items()})
        ax.plot(0, 0, "*", color=INK, ms=9, clip_on=False, label="tilted policy")
        ax.set(ylabel="KL(policy ‖ ref) above its floor, nats", ylim=(0, None))
        ax.set_title("(a) both directions")
        legend_below(ax, ncols=2)

    def draw_entropy(ax: Axes) -> None:
        scatter(ax, entropies)
        ax.axhline(ref_entropy, color=COLOUR["base"], ls="dashed", label="reference")
        ax.set(ylabel="entropy among right answers, nats", ylim=(0, None))
        ax.set_title("(b) diversity")
        legend_below(ax, ncols=2)

    means = "; ".join(
        f"{name} {landing.forward_surcharge.mean():.2f} and "
        f"{landing.reverse_surcharge.mean():.2f}"
        for name, landing in landings.items()
    )
    spread = "; ".join(f"{name} {h.mean():.2f}" for name, h in entropies.items())
    return BookFigure(
        number="11.6.1",
        alt=(
            "Two panels, one mark a run, all at equal success. (a) KL above its floor, "
            f"reference first and policy first: {means} nats. The tilted policy is at "
            f"zero. (b) Entropy among right answers: {spread}; the reference has "
            f"{ref_entropy:.2f}."
        ),
        panels=(Panel(draw=draw_prices), Panel(draw=draw_entropy)),
        table=stack(
            ("method",),
            {
                (name,): {
                    "KL(ref||policy) above floor (nats)": landing.forward_surcharge,
                    "KL(policy||ref) above floor (nats)": landing.reverse_surcharge,
                    "entropy among right answers (nats)": entropies[name],
                }
                for name, landing in landings.items()
            },
        ),
    )
