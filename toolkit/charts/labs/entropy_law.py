"""The chart of laboratory 2: how much is held back."""

from collections.abc import Mapping

from jaxtyping import Float, Int
from numpy import ndarray

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider

Path = Mapping[str, Float[ndarray, " points"]]


def brakes_chart(
    steps: Int[ndarray, " points"], paths: Mapping[float, Path], *, share: float
) -> BookChart:
    """Return entropy and reward along training, with the share held back to turn.

    Parameters
    ----------
    steps
        Numbers of updates.
    paths
        ``"entropy"`` and ``"reward"`` there, by share of tokens dropped; 0 is one.
    share
        Where the slider stands at first.
    """

    def says(share: float) -> str:
        end = {name: values[-1] for name, values in paths[share].items()}
        return (
            f"{share:.0%} dropped: {end['entropy']:.2f} nats a token and a reward of "
            f"{end['reward']:.3f} after {steps[-1]} steps."
        )

    def curve(what: str, role: str, dash: int) -> list[Curve]:
        return [
            Curve(
                name=f"{what}, nothing dropped",
                x=steps,
                y=paths[0.0][what],
                dash=0 if what == "reward" else 3,
            ),
            Curve(
                name=f"{what}, with the brake",
                x=steps,
                y=lambda share: paths[share][what],
                follows=("share",),
                role=role,
                dash=dash,
            ),
        ]

    return line_chart(
        name="brakes",
        title="Entropy and reward with tokens of largest covariance dropped",
        x=Axis(title="steps"),
        y=Axis(title="nats per token, or reward", low=0, high=1.02),
        sliders=[
            Slider(
                name="share",
                label="share of tokens dropped",
                values=list(paths),
                start=share,
                shown=".0%",
            )
        ],
        curves=[*curve("reward", "RL", 1), *curve("entropy", "KL-regularised", 2)],
        says=says,
    )
