"""Charts of section 11.2, on generalization and memorization."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from toolkit.charts.bars import bar_chart
from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve
from toolkit.charts.lines import line_chart
from toolkit.charts.slider import Slider
from toolkit.generalization.chain import Chain, off_path
from toolkit.generalization.recovery import ChainRuns
from toolkit.generalization.sweep import RateSweep

LEAVE = "(datum.slip + kick - datum.slip * kick)"
MIXING = f"({LEAVE} + (1 - kick) * datum.recovery)"
ON_PATH = f"1 - {LEAVE} * (1 - pow(1 - {MIXING}, datum.x)) / {MIXING}"
DASH = {"SFT": 1, "RL": 0, "DAgger": 2}
ROLES = {"SFT": "SFT", "RL": "RL", "DAgger": "KL-regularised"}


def kicks_chart(
    chain: Chain,
    runs: Mapping[str, ChainRuns],
    kicks: Float[np.ndarray, " kicks"],
    *,
    kick: float,
) -> BookChart:
    """Return who is still on the path after each decision, with the kicks to turn.

    Parameters
    ----------
    chain
        The task.
    runs
        Trained policies by method. Where there are several their mean and range is
        drawn; the browser computes the curve of a single one.
    kicks
        Probabilities of a kick.
    kick
        The one the slider starts at.
    """
    t = np.arange(chain.horizon + 1)

    def on_path(method: str, kick: float) -> np.ndarray:
        run = runs[method]
        return 1 - off_path(run.slip[:, None], run.recovery[:, None], t, kick=kick)

    def curve(method: str) -> Curve:
        run, role = runs[method], ROLES[method]
        if len(run.slip) > 1:
            return Curve(
                name=f"{method} (mean, range)",
                x=t,
                y=lambda kick: on_path(method, kick).mean(axis=0),
                low=lambda kick: on_path(method, kick).min(axis=0),
                high=lambda kick: on_path(method, kick).max(axis=0),
                follows=("kick",),
                role=role,
                dash=DASH[method],
            )
        rates = {"slip": run.slip[0], "recovery": run.recovery[0]}
        return Curve(
            name=method,
            x=t,
            y=lambda kick: on_path(method, kick)[0],
            formula=ON_PATH,
            knows={name: np.full(len(t), rate) for name, rate in rates.items()},
            follows=("kick",),
            role=role,
            dash=DASH[method],
        )

    def says(kick: float) -> str:
        ends = [f"{name} {on_path(name, kick)[:, -1].mean():.2f}" for name in runs]
        return (
            f"With kicks of probability {kick:g}, on the path after {chain.horizon} "
            f"decisions: {', '.join(ends)}."
        )

    return line_chart(
        name="kicks",
        title="On the path, by decision",
        x=Axis(title="decisions taken"),
        y=Axis(title="probability of being on the path", low=0, high=1.03),
        sliders=[
            Slider(
                name="kick",
                label="probability of a kick",
                values=kicks.tolist(),
                start=kick,
            )
        ],
        curves=[curve(method) for method in runs],
        says=says,
    )


def rule_rate_chart(sweep: RateSweep, base: float, *, rule_rate: float) -> BookChart:
    """Return success before and after the rule changes, with its learning rate to turn.

    Parameters
    ----------
    sweep
        Every method at every learning rate of the rule.
    base
        Success of the base policy under the new rule.
    rule_rate
        The learning rate that the slider starts at.
    """
    methods = list(sweep.runs)
    rates = sweep.rule_rates.tolist()
    after = {name: sweep.out_of_distribution(name) for name in methods}
    play = {name: sweep.answers_in_play(name) for name in methods}
    trained = {
        name: np.array(
            [[run.in_distribution for run in row] for row in sweep.runs[name]]
        )
        for name in methods
    }

    def across(found: Mapping[str, np.ndarray], rate: float) -> list[np.ndarray]:
        return [found[name][rates.index(rate)] for name in methods]

    def means(found: Mapping[str, np.ndarray], rate: float) -> np.ndarray:
        return np.array([runs.mean() for runs in across(found, rate)])

    def says(rho: float) -> str:
        shown = ", ".join(
            f"{name} {value:.2f} with {n:.1f} answers in play"
            for name, value, n in zip(
                methods, means(after, rho), means(play, rho), strict=True
            )
        )
        return f"At ρ = {rho:g}, under the new rule: {shown}. The base has {base:.2f}."

    return bar_chart(
        name="rule_rate",
        title="Equally good under the old rule; under the new one?",
        x=Axis(title=""),
        y=Axis(title="success", low=0, high=1),
        sliders=[
            Slider(
                name="rho",
                label="learning rate of the rule, ρ",
                values=rates,
                start=rule_rate,
            )
        ],
        curves=[
            Curve(name="base, new rule", x=methods, y=np.full(len(methods), base)),
            Curve(
                name="trained, old rule",
                x=methods,
                y=lambda rho: means(trained, rho),
                follows=("rho",),
                role="3",
            ),
            Curve(
                name="trained, new rule (range over labels)",
                x=methods,
                y=lambda rho: means(after, rho),
                low=lambda rho: np.array([a.min() for a in across(after, rho)]),
                high=lambda rho: np.array([a.max() for a in across(after, rho)]),
                follows=("rho",),
                role="lost",
            ),
        ],
        says=says,
    )
