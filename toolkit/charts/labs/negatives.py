"""Chart of laboratory 9, on training on pass@k."""

import numpy as np
from jaxtyping import Float

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.slider import Slider
from toolkit.optima import pass_at_k_allocation
from toolkit.passk import mean_pass_at_k


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
