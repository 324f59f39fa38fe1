"""Turn one knob of the hands game: how fast the rule is learnt next to the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count, as_floats
from toolkit.generalization.hands import HandsGame, kl_minimal_labels, sampled_labels
from toolkit.generalization.memory import HandsRun, fine_tune, reinforce


@dataclass(frozen=True, eq=False, kw_only=True)
class RateSweep:
    """Every method at every learning rate of the rule, stopped at equal success.

    Attributes
    ----------
    rule_rates
        Learning rates rho of the rule.
    runs
        The runs by method: for each rate a tuple, one run for each draw of labels (a
        single one where nothing is drawn).
    """

    rule_rates: Float[np.ndarray, " rates"]
    runs: Mapping[str, tuple[tuple[HandsRun, ...], ...]]

    def out_of_distribution(self, method: str) -> Float[np.ndarray, "rates draws"]:
        """Return success under the test rule, over the hands whose answers move."""
        return np.array(
            [[run.out_of_distribution for run in row] for row in self.runs[method]]
        )

    def answers_in_play(self, method: str) -> Float[np.ndarray, "rates draws"]:
        """Return the effective number of right answers, mean over hands."""
        return np.array(
            [[run.answers_in_play for run in row] for row in self.runs[method]]
        )


def sweep_rule_rates(
    game: HandsGame,
    rule_rates: Float[np.ndarray, " rates"],
    *,
    n_labels: Sequence[int] = (1,),
    n_draws: int = 6,
    rng: np.random.Generator,
) -> RateSweep:
    """Train by RL and by SFT on several kinds of labels at each rate of the rule.

    Parameters
    ----------
    game
        The hands game.
    rule_rates
        Learning rates rho of the rule; the table's stays at its default.
    n_labels
        Data sets with so many labels a hand are trained on, next to the KL-minimal
        labels.
    n_draws
        Data sets drawn of each size. The same ones are used at every rate.
    rng
        Parent of one generator a data set.

    Returns
    -------
    RateSweep
        Methods ``"RL"``, ``"SFT on KL-minimal labels"``, ``"SFT on 1 label"``, ...

    Raises
    ------
    ValueError
        If a rate is negative, or a number of labels or draws is below 1.
    """
    rule_rates = as_floats(rule_rates, "rule_rates", ndim=1)
    n_draws = as_count(n_draws, "n_draws", low=1)
    rates = [float(rate) for rate in rule_rates]
    target = kl_minimal_labels(game)
    runs: dict[str, tuple[tuple[HandsRun, ...], ...]] = {
        "RL": tuple((reinforce(game, rule_rate=rate),) for rate in rates),
        "SFT on KL-minimal labels": tuple(
            (fine_tune(game, target, rule_rate=rate),) for rate in rates
        ),
    }
    for n in n_labels:
        drawn = [sampled_labels(game, n, rng=child) for child in rng.spawn(n_draws)]
        name = "SFT on 1 label" if n == 1 else f"SFT on {n} labels"
        runs[name] = tuple(
            tuple(fine_tune(game, labels, rule_rate=rate) for labels in drawn)
            for rate in rates
        )
    return RateSweep(rule_rates=rule_rates, runs=runs)
