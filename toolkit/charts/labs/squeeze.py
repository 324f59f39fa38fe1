"""The chart of laboratory 4: how many samples are drawn."""

from collections.abc import Mapping

import numpy as np

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.slider import Slider
from toolkit.labs.squeeze import AnswerCounts


def samples_chart(
    counts: Mapping[int, Mapping[str, AnswerCounts]], *, k: int
) -> BookChart:
    """Return different right and wrong answers by policy, with the samples to turn.

    Parameters
    ----------
    counts
        By number of samples a prompt, then by name of the policy; the first policy is
        the base.
    k
        Where the slider stands at first.
    """
    names = list(counts[k])

    def mean(k: int, what: str) -> np.ndarray:
        return np.array([getattr(found, what).mean() for found in counts[k].values()])

    def curve(what: str, role: str) -> Curve:
        return Curve(
            name=what, x=names, y=lambda k: mean(k, what), follows=("k",), role=role
        )

    def says(k: int) -> str:
        told = (
            f"{name} {right:.0f} and {wrong:.0f}"
            for name, right, wrong in zip(
                names, mean(k, "right"), mean(k, "wrong"), strict=True
            )
        )
        return f"Right and wrong answers in {k:,} samples: {'; '.join(told)}."

    return bar_chart(
        name="samples",
        title="Different answers, four prompts together",
        x=Axis(title="policy"),
        y=Axis(title="different answers", low=0),
        sliders=[
            Slider(name="k", label="samples a prompt", values=list(counts), start=k)
        ],
        curves=[curve("right", "SFT"), curve("wrong", "lost")],
        says=says,
    )
