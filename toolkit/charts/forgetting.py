"""Charts of section 11.3, on forgetting."""

from collections.abc import Sequence

import numpy as np

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.slider import Slider
from toolkit.forgetting.fine_tuning import METHODS
from toolkit.forgetting.sweep import Sweep

AT_LEAST = 6  # networks that must get there for a mean over them


def kept_chart(
    sweep: Sweep,
    setting: str,
    levels: Sequence[float],
    *,
    level: float,
    learning_rate: float,
) -> BookChart:
    """Return what each method keeps of the old task, with two choices to turn.

    Parameters
    ----------
    sweep
        The stored runs on the digits.
    setting
        One of its settings.
    levels
        Accuracies on the new task at which methods are compared.
    level, learning_rate
        Where the sliders stand at first.
    """
    rates = sweep.plan.learning_rates
    found = {
        (at, rate): [sweep.snapshots(setting, m, rate).old_at(at) for m in METHODS]
        for at in levels
        for rate in rates
    }
    base = sweep.snapshots(setting, METHODS[0], learning_rate).old[0].mean()

    def over_networks(summary: str, level: float, rate: float) -> np.ndarray:
        there = [runs[np.isfinite(runs)] for runs in found[level, rate]]
        enough = [
            getattr(r, summary)() if len(r) >= AT_LEAST else np.nan for r in there
        ]
        return np.array(enough)

    def says(level: float, rate: float) -> str:
        kept = dict(zip(METHODS, over_networks("mean", level, rate), strict=True))
        shown = [f"{name} {mean:.2f}" for name, mean in kept.items() if mean == mean]
        missing = [name for name, mean in kept.items() if mean != mean]
        late = (
            f" Too few networks get there by {', '.join(missing)}." if missing else ""
        )
        return (
            f"With {level:g} on the new task, learning rate {rate:g}, accuracy on the "
            f"old one: {', '.join(shown) or 'none'}.{late}"
        )

    return bar_chart(
        name="kept",
        title=f"What is kept of the old task, {setting}",
        x=Axis(title=""),
        y=Axis(title="accuracy on the old task", low=0, high=1),
        sliders=[
            Slider(
                name="level",
                label="accuracy reached on the new task",
                values=levels,
                start=level,
                shown=".2f",
            ),
            Slider(
                name="rate", label="learning rate", values=rates, start=learning_rate
            ),
        ],
        curves=[
            Curve(name="before", x=METHODS, y=np.full(len(METHODS), base)),
            Curve(
                name="after (mean and range over networks)",
                x=METHODS,
                y=lambda level, rate: over_networks("mean", level, rate),
                low=lambda level, rate: over_networks("min", level, rate),
                high=lambda level, rate: over_networks("max", level, rate),
                follows=("level", "rate"),
                role="1",
            ),
        ],
        says=says,
    )
