"""Chart of laboratory 6, on planning and execution."""

from collections.abc import Mapping

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.labs.two_phases import Course, first_time


def phases_chart(courses: Mapping[int, Course], *, types: int) -> BookChart:
    """Return execution and planning against time, with the number of types to turn.

    Parameters
    ----------
    courses
        By number of types, all on one grid of times.
    types
        Where the slider stands at first.
    """
    times = next(iter(courses.values())).times

    def says(types: int) -> str:
        course = courses[types]
        executed = first_time(times, course.execution, 0.8)
        planned = first_time(times, course.planning_gain, 0.8)
        return (
            f"With {types} {'type' if types == 1 else 'types'} execution is right in "
            f"0.8 of the cases at time {executed:.0f}, and planning has 80% of its "
            f"gain at {planned:,.0f}."
        )

    return line_chart(
        name="phases",
        title="Execution and planning",
        x=Axis(title="time"),
        y=Axis(title="probability", low=0, high=1),
        sliders=[
            Slider(
                name="types",
                label="types of problem, P",
                values=list(courses),
                start=types,
            )
        ],
        curves=[
            Curve(
                name="execution right",
                x=times,
                y=lambda types: courses[types].execution,
                follows=("types",),
                role="KL-regularised",
            ),
            Curve(
                name="plan works",
                x=times,
                y=lambda types: courses[types].planning,
                follows=("types",),
                role="RL",
                dash=1,
            ),
        ],
        says=says,
    )
