"""Charts of section 11.6, on what connects the others."""

import numpy as np
from jaxtyping import Float

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.price import coin_kl

COIN = "({a} * log({a} / {b}) + (1 - {a}) * log((1 - {a}) / (1 - {b})))"
SUCCESSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def floor_chart(s: Float[np.ndarray, " s"], *, p: float, success: float) -> BookChart:
    """Return the least KL that a success costs, with the reference's success to turn.

    Parameters
    ----------
    s
        Successes of a policy, strictly between 0 and 1.
    p
        Success of the reference, where the slider stands at first.
    success
        The success that the words speak of.
    """

    def says(p: float) -> str:
        reverse, forward = coin_kl(success, p), coin_kl(p, success)
        return (
            f"From {p:g} to {success:g}: at least {reverse:.3f} nats of reverse KL and "
            f"{forward:.3f} of forward KL. Always right: {coin_kl(1.0, p):.3f} and no "
            "bound."
        )

    return line_chart(
        name="floor",
        title="The price of being right",
        x=Axis(title="success of the policy, s", low=0, high=1),
        y=Axis(title="KL that no policy avoids, nats", low=0, high=4),
        sliders=[
            Slider(
                name="p",
                label="success of the reference, p",
                values=sorted({*SUCCESSES, p}),
                start=p,
            )
        ],
        curves=[
            Curve(
                name="reverse, policy first",
                x=s,
                y=lambda p: coin_kl(s, p),
                formula=COIN.format(a="datum.x", b="p"),
                follows=("p",),
                role="KL-regularised",
            ),
            Curve(
                name="forward, reference first",
                x=s,
                y=lambda p: coin_kl(p, s),
                formula=COIN.format(a="p", b="datum.x"),
                follows=("p",),
                role="RL",
                dash=1,
            ),
        ],
        says=says,
    )
