"""The chart of laboratory 1: optima in turn."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.passk import first_k_below, mean_pass_at_k


def resets_chart(
    k: Int[np.ndarray, " n_k"],
    base: Float[np.ndarray, " tasks"],
    solved: Mapping[int, Float[np.ndarray, " tasks"]],
    frequencies: Float[np.ndarray, " tasks"],
    *,
    optima: int,
) -> BookChart:
    """Return pass@k after m optima in turn, with m to turn.

    Parameters
    ----------
    k
        Numbers of samples, increasing.
    base
        Success by task under the base.
    solved
        Success by task after m optima, by m.
    frequencies
        How often each task is asked.
    optima
        Where the slider stands at first.
    """
    curves = {m: mean_pass_at_k(p, k, frequencies) for m, p in solved.items()}
    below = {
        m: first_k_below(base, p, int(k[-1]), frequencies) for m, p in solved.items()
    }

    def says(m: int) -> str:
        crossing = f"from k = {below[m]} on" if below[m] else "at no k shown"
        return (
            f"m = {m}: pass@1 = {curves[m][0]:.2f}, pass@{k[-1]} = "
            f"{curves[m][-1]:.3f}; below the base {crossing}."
        )

    return line_chart(
        name="resets",
        title="pass@k after several optima in turn",
        x=Axis(title="number of samples, k", log=2, ticks=2 ** np.arange(0, 9, 2)),
        y=Axis(title="pass@k", low=0, high=1.03),
        sliders=[
            Slider(
                name="m", label="optima in turn, m", values=list(solved), start=optima
            )
        ],
        curves=[
            Curve(name="base", x=k, y=mean_pass_at_k(base, k, frequencies)),
            Curve(
                name="after m optima",
                x=k,
                y=lambda m: curves[m],
                follows=("m",),
                role="KL-regularised",
                dash=1,
            ),
        ],
        says=says,
    )
