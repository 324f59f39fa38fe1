"""Chart of laboratory 8, on which weights a rounded update changes."""

import numpy as np
from jaxtyping import Float

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.labs.sparse_updates import change_probability, expected_overlap


def rounded_chart(weights: Float[np.ndarray, " weights"], *, power: float) -> BookChart:
    """Return which weights change, with the size of the update to turn.

    Parameters
    ----------
    weights
        bfloat16 weights that the shares are taken over.
    power
        Where the slider stands at first: log10 of the update's size.
    """
    sizes = np.geomspace(1e-5, 0.1, 161)
    powers = [-7, -6.5, -6, -5.5, -5, -4.5, -4, -3.5, -3]

    def says(power: float) -> str:
        p = change_probability(weights, 10.0**power)
        return (
            f"Updates of size 10^{power:g} change {p.mean():.1%} of the weights; an "
            f"unrelated update of that size changes {expected_overlap(p, p):.1%} of "
            "these too."
        )

    return line_chart(
        name="rounded",
        title="Which weights a random update changes",
        x=Axis(title="size of the weight", log=10),
        y=Axis(title="chance to change", low=0, high=1),
        sliders=[
            Slider(
                name="power",
                label="size of the update, power of ten",
                values=powers,
                start=power,
            )
        ],
        curves=[
            Curve(
                name="bfloat16",
                x=sizes,
                y=lambda power: change_probability(sizes, 10.0**power),
                follows=("power",),
                role="KL-regularised",
            )
        ],
        says=says,
    )
