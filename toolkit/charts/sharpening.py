"""Charts of section 11.1, on sharpening and new capability."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from toolkit.capacity import CollapseRuns
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.passk import mean_pass_at_k


def shared_policy_chart(
    k: Int[np.ndarray, " n_k"],
    base: Float[np.ndarray, " tasks"],
    optima: Mapping[float, Float[np.ndarray, " tasks"]],
    runs: CollapseRuns,
    *,
    beta: float,
    steps: int,
) -> BookChart:
    """Return Figure 11.1(b) with beta and the training time to turn.

    Parameters
    ----------
    k
        Numbers of samples, increasing.
    base
        Success by task under the base.
    optima
        Success by task at the optimum, by beta.
    runs
        RL runs, kept at several steps. The first is drawn as the line, all as the band.
    beta, steps
        Where the sliders stand at first; ``steps`` is one of the kept.
    """
    f, kept = runs.frequencies, runs.steps.tolist()
    at_base = mean_pass_at_k(base, k, f)
    best = {b: mean_pass_at_k(rates, k, f) for b, rates in optima.items()}
    trained = dict(zip(kept, runs.pass_at_k(k), strict=True))

    def says(beta: float, steps: int) -> str:
        rl, optimum = trained[steps][0], best[beta]
        return (
            f"RL after {steps:,} steps: pass@1 = {rl[0]:.2f}, "
            f"pass@{k[-1]} = {rl[-1]:.2f}. Optimum at β = {beta:g}: {optimum[0]:.2f} "
            f"and {optimum[-1]:.2f}. Base: {at_base[0]:.2f} and {at_base[-1]:.2f}."
        )

    return line_chart(
        name="shared_policy",
        title="pass@k of one policy for five tasks",
        x=Axis(title="number of samples, k", log=2, ticks=2 ** np.arange(0, 9, 2)),
        y=Axis(title="pass@k", low=0, high=1.03),
        sliders=[
            Slider(
                name="beta", label="price of KL, β", values=list(optima), start=beta
            ),
            Slider(name="steps", label="RL steps", values=kept, start=steps, shown=","),
        ],
        curves=[
            Curve(name="base", x=k, y=at_base),
            Curve(
                name="optimum at β",
                x=k,
                y=lambda beta: best[beta],
                follows=("beta",),
                role="KL-regularised",
                dash=1,
            ),
            Curve(
                name="RL, no KL term (band: all runs)",
                x=k,
                y=lambda steps: trained[steps][0],
                low=lambda steps: trained[steps].min(axis=0),
                high=lambda steps: trained[steps].max(axis=0),
                follows=("steps",),
                role="RL",
            ),
        ],
        says=says,
    )
