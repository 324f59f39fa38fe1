"""Charts of section 11.5, on agents."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider


def horizon_chart(
    etas: Float[np.ndarray, " etas"],
    gained: Mapping[int, Float[np.ndarray, " etas"]],
    *,
    turns: int,
    eta: float,
) -> BookChart:
    """Return the log-odds that the best policy gains, with the horizon to turn.

    Parameters
    ----------
    etas
        Inverse prices of a nat of KL; ``eta`` is one of them.
    gained
        Log-odds gained by the agent at each of them, by number of turns.
    turns
        Where the slider stands at first.
    eta
        The inverse price that the words speak of.
    """
    here = int(np.flatnonzero(etas == eta)[0])

    def says(turns: int) -> str:
        return (
            f"With {turns} turns and η = {eta:g} the agent's best policy gains "
            f"{gained[turns][here]:.2f} in log-odds, where a single response gains "
            f"{eta:g}. At η = {etas[-1]:g} it is {gained[turns][-1]:.2f}."
        )

    return line_chart(
        name="horizon",
        title="What a price buys, by number of turns",
        x=Axis(title="inverse price of a nat, η"),
        y=Axis(title="log-odds gained by the best policy", low=0, high=float(eta)),
        sliders=[
            Slider(name="turns", label="turns, T", values=list(gained), start=turns)
        ],
        curves=[
            Curve(name="single response", x=etas, y=etas, role="theory", dash=2),
            Curve(
                name="agent",
                x=etas,
                y=lambda turns: gained[turns],
                follows=("turns",),
                role="KL-regularised",
            ),
        ],
        says=says,
    )


def lag_chart(
    moments: Mapping[int, Float[np.ndarray, " updates"]],
    updates: Int[np.ndarray, " updates"],
    *,
    lag: int,
) -> BookChart:
    """Return the share of old episodes that count, with their age to turn.

    Parameters
    ----------
    moments
        Second moment of the full importance weight at each update, by lag; NaN where
        there is no policy so old.
    updates
        Numbers of updates done.
    lag
        Where the slider stands at first.
    """
    last = updates[-1]

    def says(lag: int) -> str:
        end, first = moments[lag][-1], moments[lag][lag]
        return (
            f"Episodes {lag} updates old, after {last} updates: the weight's second "
            f"moment is {end:.3f}, so {1 / end:.0%} of them count; those drawn by the "
            f"reference counted {1 / first:.0%}."
        )

    return line_chart(
        name="lag",
        title="How many old episodes effectively count",
        x=Axis(title="updates done"),
        y=Axis(title="share of episodes that count", low=0, high=1.03),
        sliders=[
            Slider(name="lag", label="lag, in updates", values=list(moments), start=lag)
        ],
        curves=[
            Curve(name="fresh episodes", x=updates, y=np.ones(len(updates)), dash=2),
            Curve(
                name="old episodes",
                x=updates,
                y=lambda lag: 1 / moments[lag],
                follows=("lag",),
                role="RL",
            ),
        ],
        says=says,
    )
