"""Chart of laboratory 10, on ways to keep entropy."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float, Int

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.labs.entropy_keepers import Kept
from toolkit.passk import mean_pass_at_k

ROLES = {"KL price": "KL-regularised", "entropy bonus": "3", "nothing": "RL"}


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
