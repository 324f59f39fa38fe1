"""Figures of laboratory 6, on planning and execution."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from toolkit.display import BookFigure, Panel, stack
from toolkit.figures.curves import legend_below
from toolkit.labs.two_phases import Course, first_time, practice_needed
from toolkit.style import COLOUR, DASHES, INK, SHADES


def phases_figure(
    courses: Mapping[int, Course],
    planning: Float[np.ndarray, " levels"],
    singled: int,
) -> BookFigure:
    """Return Figure L6.1: planning in two clocks, and the phases of one course.

    Parameters
    ----------
    courses
        Training courses by number of types.
    planning
        Chances that the plan works, at which the law is drawn.
    singled
        The number of types whose phases are drawn.
    """
    one = courses[singled]
    end = first_time(one.times, one.execution, 0.8)
    law = np.array(
        [practice_needed(one.problem, q) / one.problem.n_types for q in planning]
    )
    top = float(law[-1])

    def draw_phases(ax: Axes) -> None:
        ax.axvline(end, color=INK, lw=0.8, ls="dotted")
        for i, (name, values) in enumerate(
            (
                ("execution right", one.execution),
                ("plan works", one.planning),
                ("success", one.success),
            )
        ):
            ax.plot(one.times, values, color=SHADES[i], ls=DASHES[i], label=name)
        ax.set(xlabel="time", ylabel="probability", ylim=(0, 1.03))
        ax.set_title(f"(a) {singled} types")
        legend_below(ax, ncols=2)

    def draw_clock(ax: Axes) -> None:
        for i, (n, course) in enumerate(courses.items()):
            shown = course.practice / n <= top
            ax.plot(
                course.practice[shown] / n,
                course.planning[shown],
                color=SHADES[i],
                ls=DASHES[i],
                label=f"{n} types" if n > 1 else "1 type",
            )
        ax.plot(law, planning, "o", color=INK, fillstyle="none", label="law")
        ax.set(xlabel="practice for each type", ylabel="plan works")
        ax.set_title("(b) in the clock of practice")
        legend_below(ax, ncols=2)

    times = {
        n: (
            first_time(c.times, c.execution, 0.8),
            first_time(c.times, c.planning_gain, 0.8),
        )
        for n, c in courses.items()
    }
    told = ", ".join(
        f"{a:,.0f} and {b:,.0f} with {n} types" for n, (a, b) in times.items()
    )
    return BookFigure(
        number="L6.1",
        alt=(
            f"Two panels. (a) With {singled} types of problem execution is right in "
            f"0.8 of the cases at time {end:.0f} (dotted), and planning follows. (b) "
            "Against practice for each type, all courses of planning are one curve, "
            "that of the law. Times at which execution reaches 0.8 and planning 80% "
            f"of its gain: {told}."
        ),
        panels=(Panel(draw=draw_phases), Panel(draw=draw_clock)),
        table=stack(
            ("types",),
            {
                (str(n),): {
                    "time": c.times[::50],
                    "practice": c.practice[::50],
                    "execution": c.execution[::50],
                    "plan works": c.planning[::50],
                }
                for n, c in courses.items()
            },
        ),
        numbers={
            f"time of {what}, {n} types": t
            for n, pair in times.items()
            for what, t in zip(("execution", "planning"), pair, strict=True)
        },
    )


def entropies_figure(course: Course, others: Mapping[str, Course]) -> BookFigure:
    """Return Figure L6.2: entropies along one course, and of plans along others.

    Parameters
    ----------
    course
        The course with two phases.
    others
        Courses with other priors, by what is different.
    """
    end = first_time(course.times, course.execution, 0.8)

    def draw_entropies(ax: Axes) -> None:
        ax.axvline(end, color=INK, lw=0.8, ls="dotted")
        for name, values, colour, dash in (
            ("plans", course.plan_entropy, COLOUR["RL"], "solid"),
            ("a step", course.step_entropy, COLOUR["KL-regularised"], DASHES[1]),
            ("mean token", course.token_entropy, INK, DASHES[2]),
        ):
            ax.plot(course.times, values, color=colour, ls=dash, label=name)
        ax.set(xlabel="time", ylabel="entropy (nats)", ylim=(0, None))
        ax.set_title("(a) whose entropy")
        legend_below(ax)

    def draw_plans(ax: Axes) -> None:
        for i, (name, other) in enumerate(others.items()):
            ax.plot(
                other.times,
                other.plan_entropy,
                color=SHADES[i],
                ls=DASHES[i],
                label=name,
            )
        ax.set(xlabel="time", ylabel="entropy of plans (nats)", ylim=(0, None))
        ax.set_title("(b) from other starts")
        legend_below(ax, ncols=1)

    told = "; ".join(
        f"{name}: {h[0]:.2f}, at most {h.max():.2f}, at last {h[-1]:.2f}"
        for name, h in ((n, c.plan_entropy) for n, c in others.items())
    )
    h, token = course.plan_entropy, course.token_entropy
    return BookFigure(
        number="L6.2",
        alt=(
            f"Two panels. (a) The entropy of plans rises from {h[0]:.2f} to "
            f"{h.max():.2f} nats and ends at {h[-1]:.2f}, while the mean over all "
            f"tokens falls from {token[0]:.2f} to {token[-1]:.2f}. (b) The entropy of "
            f"plans from other starts: {told}."
        ),
        panels=(Panel(draw=draw_entropies), Panel(draw=draw_plans)),
        table=stack(
            ("course",),
            {
                (name,): {
                    "time": c.times[::50],
                    "plans": c.plan_entropy[::50],
                    "mean token": c.token_entropy[::50],
                }
                for name, c in ({"two phases": course} | dict(others)).items()
            },
        ),
        numbers={
            "entropy of plans, first": h[0],
            "entropy of plans, highest": h.max(),
            "entropy of plans, last": h[-1],
            "entropy of a token, first": token[0],
            "entropy of a token, last": token[-1],
        },
    )
