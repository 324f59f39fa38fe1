"""Charts of section 11.0, on the toy language."""

import numpy as np
from jaxtyping import Float

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.slider import Slider
from toolkit.optima import tilted_success
from toolkit.price import coin_kl

BETAS = (0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0, 5.0, 10.0)


def optimum_chart(p_ref: Float[np.ndarray, " prompts"], beta: float) -> BookChart:
    """Return success at the optimum, prompt by prompt, with beta to turn.

    Parameters
    ----------
    p_ref
        Success of the reference policy, by prompt.
    beta
        Where the slider stands at first.
    """
    prompts = [f"prompt {x + 1}" for x in range(len(p_ref))]

    def says(beta: float) -> str:
        p = tilted_success(p_ref, beta)
        above = [name for name, at in zip(prompts, p, strict=True) if at > 0.5]
        return (
            f"At β = {beta:g} the optimum is right with probability "
            f"{', '.join(f'{x:.3f}' for x in p)}: {p.mean():.3f} on average, for "
            f"{coin_kl(p, p_ref).mean():.3f} nats. More often right than wrong: "
            f"{', '.join(above) or 'none'}."
        )

    return bar_chart(
        name="optimum",
        title="Success at the optimum",
        x=Axis(title=""),
        y=Axis(title="probability of being right", low=0, high=1),
        sliders=[
            Slider(
                name="beta",
                label="price of a nat of KL, β",
                values=sorted({*BETAS, beta}),
                start=beta,
            )
        ],
        curves=[
            Curve(name="reference", x=prompts, y=p_ref),
            Curve(
                name="optimum",
                x=prompts,
                y=lambda beta: tilted_success(p_ref, beta),
                formula="datum.p * exp(1 / beta) / (1 + datum.p * (exp(1 / beta) - 1))",
                knows={"p": p_ref},
                follows=("beta",),
                role="KL-regularised",
            ),
        ],
        says=says,
    )
