"""The chart of laboratory 3: how fast skills are learnt."""

from collections.abc import Mapping

from jaxtyping import Float
from numpy import ndarray

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.labs.formats import FormatPath


def practice_chart(
    paths: Mapping[float, FormatPath],
    accuracy: Float[ndarray, " formats"],
    *,
    practice: float,
) -> BookChart:
    """Return the masses of the formats over time, with practice to turn.

    Parameters
    ----------
    paths
        The flow at the same times, by learning rate of the skills.
    accuracy
        Of each format at the start.
    practice
        Where the slider stands at first.
    """
    times = next(iter(paths.values())).times

    def says(practice: float) -> str:
        last = paths[practice].mass[-1]
        shares = ", ".join(f"{share:.3f}" for share in last)
        return (
            f"λ = {practice:g}: masses {shares} at time {times[-1]:,.0f}; format "
            f"{last.argmax() + 1} wins."
        )

    def curve(f: int) -> Curve:
        return Curve(
            name=f"accuracy {accuracy[f]:g} at first",
            x=times,
            y=lambda practice: paths[practice].mass[:, f],
            follows=("practice",),
            role=("1", "4", "5")[f],
            dash=f,
        )

    return line_chart(
        name="practice",
        title="Three formats, skills learnt by use",
        x=Axis(title="time", log=10),
        y=Axis(title="mass", low=0, high=1),
        sliders=[
            Slider(
                name="practice", label="practice, λ", values=list(paths), start=practice
            )
        ],
        curves=[curve(f) for f in range(len(accuracy))],
        says=says,
    )
