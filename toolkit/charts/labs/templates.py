"""The chart of laboratory 5: the price of KL."""

from collections.abc import Mapping

from jaxtyping import Float
from numpy import ndarray

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider

Points = Float[ndarray, " n"]


def price_chart(
    shares: Points, laws: Mapping[float, Mapping[str, Points]], *, alpha: float
) -> BookChart:
    """Return information by informative share and filter, with the price to turn.

    Parameters
    ----------
    shares
        Shares of informative prompts, increasing.
    laws
        Information at the optimum, by price and then by name of the filter: all
        prompts first, the strictest filter last.
    alpha
        Where the slider stands at first.
    """
    names = list(laws[alpha])

    def says(alpha: float) -> str:
        told = ", ".join(f"{name} {laws[alpha][name][0]:.2f}" for name in names)
        return f"α = {alpha:g}, a share of {shares[0]:g}, information: {told} nats."

    def curve(i: int, role: str) -> Curve:
        return Curve(
            name=names[i],
            x=shares,
            y=lambda alpha: laws[alpha][names[i]],
            follows=("alpha",),
            role=role,
            dash=i,
        )

    return line_chart(
        name="price",
        title="Information about the prompt at the optimum",
        x=Axis(title="share of informative prompts", low=0, high=1),
        y=Axis(title="nats", low=0, high=2.2),
        sliders=[
            Slider(name="alpha", label="price of KL, α", values=list(laws), start=alpha)
        ],
        curves=[curve(0, "RL"), curve(1, "SFT"), curve(2, "KL-regularised")],
        says=says,
    )
