"""Charts of section 11.4, on diversity collapse."""

import numpy as np
from jaxtyping import Float

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.collapse.drift import expected_diversity, gini_diversity

SAMPLES = (2, 5, 10, 20, 50, 100, 250, 1000)


def filtering_chart(
    spread: Float[np.ndarray, "points runs prompts"],
    h_ref: Float[np.ndarray, " prompts"],
    *,
    n_shown: int = 16,
) -> BookChart:
    """Return entropies along single runs of filtering, with run and round to turn.

    Parameters
    ----------
    spread
        Entropy among right answers before the first round and after each.
    h_ref
        That of the reference restricted to right answers.
    n_shown
        How many of the runs the reader can turn to.
    """
    prompts = [f"prompt {x + 1}" for x in range(len(h_ref))]
    runs, rounds = range(1, n_shown + 1), range(len(spread))

    def says(run: int, rounds: int) -> str:
        h = spread[rounds, run - 1]
        gone = [name for name, value in zip(prompts, h, strict=True) if value < 0.05]
        return (
            f"Run {run} after {rounds} rounds: {', '.join(f'{x:.2f}' for x in h)} nats "
            f"(reference: {', '.join(f'{x:.2f}' for x in h_ref)}). Collapsed: "
            f"{', '.join(gone) or 'none'}."
        )

    return bar_chart(
        name="filtering",
        title="Entropy among right answers, one run at a time",
        x=Axis(title=""),
        y=Axis(title="entropy among right answers, nats", low=0),
        sliders=[
            Slider(name="run", label="run (random numbers)", values=runs, start=1),
            Slider(name="rounds", label="rounds", values=rounds, start=len(spread) - 1),
        ],
        curves=[
            Curve(name="reference", x=prompts, y=h_ref),
            Curve(
                name="this run",
                x=prompts,
                y=lambda run, rounds: spread[rounds, run - 1],
                follows=("run", "rounds"),
                role="RL",
            ),
            Curve(
                name="all runs (mean, range)",
                x=prompts,
                y=lambda rounds: spread[rounds].mean(axis=0),
                low=lambda rounds: spread[rounds].min(axis=0),
                high=lambda rounds: spread[rounds].max(axis=0),
                follows=("rounds",),
                role="3",
            ),
        ],
        says=says,
    )


def drift_chart(
    start: Float[np.ndarray, " answers"], *, rounds: int, n: int
) -> BookChart:
    """Return the law of drift, with the number of kept samples to turn.

    Parameters
    ----------
    start
        Shares of the answers before the first round.
    rounds
        Number of rounds.
    n
        Kept samples a round, where the slider stands at first.
    """
    t = np.arange(rounds + 1)
    at_start = float(gini_diversity(start))

    def law(n: int) -> np.ndarray:
        return expected_diversity(start, n, rounds=rounds)

    def says(n: int) -> str:
        half = np.log(2) / -np.log1p(-1 / n)
        return (
            f"With {n:,} kept samples the law leaves {law(n)[-1]:.4f} of "
            f"{at_start:.4f} after {rounds} rounds; half is gone after {half:.0f}."
        )

    return line_chart(
        name="drift",
        title="Expected diversity under a perfect fit",
        x=Axis(title="rounds"),
        y=Axis(title="probability that two draws differ", low=0, high=1),
        sliders=[
            Slider(
                name="n",
                label="kept samples a round, n",
                values=sorted({*SAMPLES, n}),
                start=n,
                shown=",",
            )
        ],
        curves=[
            Curve(name="before", x=t, y=np.full(len(t), at_start), dash=2),
            Curve(
                name="law",
                x=t,
                y=law,
                formula=f"{at_start!r} * pow(1 - 1 / n, datum.x)",
                follows=("n",),
                role="theory",
            ),
        ],
        says=says,
    )
