"""Charts of laboratories 6 to 10."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.labs.entropy_keepers import Kept
from toolkit.labs.sparse_updates import change_probability, expected_overlap
from toolkit.labs.two_phases import Course, first_time
from toolkit.optima import pass_at_k_allocation
from toolkit.passk import mean_pass_at_k

ROLES = {"KL price": "KL-regularised", "entropy bonus": "3", "nothing": "RL"}


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


def split_chart(
    base: Float[np.ndarray, " tasks"],
    frequencies: Float[np.ndarray, " tasks"],
    *,
    k: int,
) -> BookChart:
    """Return the split over tasks that training on pass@k ends at, with k to turn.

    Parameters
    ----------
    base
        Success by task before training.
    frequencies
        How often each task is asked.
    k
        Where the slider stands at first.
    """
    tasks = [f"asked {f:.0%}" for f in frequencies]

    def split(k: int) -> np.ndarray:
        return pass_at_k_allocation(frequencies, k)

    def says(k: int) -> str:
        one, many = mean_pass_at_k(split(k), np.array([1, k]), frequencies)
        before = mean_pass_at_k(base, k, frequencies)
        return (
            f"Trained on pass@{k}: pass@{k} {many:.4f} (base {before:.4f}), at a "
            f"pass@1 of {one:.3f}."
        )

    return bar_chart(
        name="split",
        title="Success by task after training on pass@k",
        x=Axis(title=""),
        y=Axis(title="success on the task", low=0, high=1),
        sliders=[
            Slider(
                name="k",
                label="trained on pass@k, k",
                values=(1, 2, 3, 4, 6, 8, 12, 16, 32),
                start=k,
            )
        ],
        curves=[
            Curve(name="base", x=tasks, y=base, role="base"),
            Curve(name="trained", x=tasks, y=split, follows=("k",), role="RL"),
        ],
        says=says,
    )


def matched_chart(
    kept: Mapping[str, Sequence[Kept]],
    pass_at_1: Sequence[float],
    k: Int[np.ndarray, " n_k"],
    frequencies: Float[np.ndarray, " tasks"],
    *,
    target: float,
) -> BookChart:
    """Return coverage at equal pass@1, with that pass@1 to turn.

    Parameters
    ----------
    kept
        What each way has kept at each of ``pass_at_1``.
    pass_at_1
        Where the ways are compared.
    k
        Numbers of samples.
    frequencies
        How often each task is asked.
    target
        Where the slider stands at first.
    """
    place = {target: i for i, target in enumerate(pass_at_1)}

    def coverage(name: str, target: float) -> np.ndarray:
        return mean_pass_at_k(kept[name][place[target]].rates, k, frequencies)

    def curve(name: str, dash: int) -> Curve:
        return Curve(
            name=name,
            x=k,
            y=lambda target: coverage(name, target),
            follows=("target",),
            role=ROLES[name],
            dash=dash,
        )

    def says(target: float) -> str:
        told = ", ".join(
            f"{name} {kept[name][place[target]].response_entropy:.2f} nats and "
            f"{mean_pass_at_k(kept[name][place[target]].rates, 256, frequencies):.3f}"
            for name in kept
        )
        return f"At pass@1 {target:g}, response entropy and pass@256: {told}."

    return line_chart(
        name="matched",
        title="Coverage at one pass@1",
        x=Axis(title="samples, k", log=2),
        y=Axis(title="pass@k", low=0, high=1),
        sliders=[
            Slider(name="target", label="pass@1", values=list(pass_at_1), start=target)
        ],
        curves=[curve(name, dash) for dash, name in enumerate(kept)],
        says=says,
    )
