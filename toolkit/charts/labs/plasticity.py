"""Chart of laboratory 7, on how long a second task takes."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider


def carried_chart(
    kept: Float[np.ndarray, " shares"],
    delays: Mapping[float, Float[np.ndarray, " shares"]],
    *,
    success: float,
) -> BookChart:
    """Return the delay against what is carried over, with the success to turn.

    Parameters
    ----------
    kept
        Share of the first task's change that is carried over, from 0 to 1.
    delays
        Time of the second task in that of the base, by success on the first.
    success
        Where the slider stands at first.
    """
    middle = len(kept) // 2

    def says(success: float) -> str:
        delay = delays[success]
        return (
            f"After a success of {success:g} on the first task, half of the change "
            f"carried over costs a factor of {delay[middle]:.0f}, all of it "
            f"{delay[-1]:,.0f}."
        )

    return line_chart(
        name="carried",
        title="How long the second task takes",
        x=Axis(title="share of the change carried over"),
        y=Axis(title="time, in that of the base", log=10),
        sliders=[
            Slider(
                name="success",
                label="success on the first task",
                values=list(delays),
                start=success,
            )
        ],
        curves=[
            Curve(name="never trained", x=kept, y=np.ones(len(kept)), dash=2),
            Curve(
                name="second task",
                x=kept,
                y=lambda success: delays[success],
                follows=("success",),
                role="RL",
            ),
        ],
        says=says,
    )
