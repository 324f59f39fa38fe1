"""What a bonus on the report does to everything else the agent does.

The best policy for the reward plus a weighted bonus: a certain failure can be reported
with full confidence, and so becomes worth something.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real

from toolkit._checks import as_float
from toolkit.agents.mdp import FiniteMDP
from toolkit.agents.reflection import Verdicts, best_report, expected_bonus
from toolkit.agents.values import ending_probabilities, optimal_values


def with_bonus(
    mdp: FiniteMDP, verdicts: Verdicts, bonus: str, weight: float
) -> FiniteMDP:
    """Return the process whose reward includes the bonus of the best report.

    An exit is a certain failure, which the agent can report with full confidence: it
    earns the whole bonus.

    Parameters
    ----------
    mdp
        The coding agent's process: outcomes right, wrong, exited.
    verdicts
        What the checker says.
    bonus
        Of ``BONUSES``.
    weight
        How much the bonus counts, lambda, 0 or more.

    Raises
    ------
    ValueError
        If ``bonus`` is unknown or ``weight`` is negative.
    """
    weight = as_float(weight, "weight", low=0)
    z = best_report(verdicts.right, bonus)
    ones, zeros = np.ones_like(z), np.zeros_like(z)
    when_right = np.sum(expected_bonus(z, ones, bonus) * verdicts.if_right, axis=1)
    when_wrong = np.sum(expected_bonus(z, zeros, bonus) * verdicts.if_wrong, axis=1)
    earned = np.stack([when_right, when_wrong, np.ones(len(z))], axis=1)
    return mdp.paying(mdp.reward + weight * earned)


def exit_threshold(verdicts: Verdicts, bonus: str) -> Float[np.ndarray, " statuses"]:
    """Return the weight of the bonus above which exiting beats answering, by status.

    ``lambda > c / (1 - expected bonus)`` with c the chance to be right.

    Parameters
    ----------
    verdicts
        What the checker says.
    bonus
        Of ``BONUSES``.
    """
    z = best_report(verdicts.right, bonus)
    earned = expected_bonus(z, verdicts.right, bonus) * verdicts.probability
    chance = np.sum(verdicts.right * verdicts.probability, axis=1)
    return chance / (1 - earned.sum(axis=1))


@dataclass(frozen=True, eq=False, kw_only=True)
class SideEffect:
    """What the best policy does as the bonus grows.

    Attributes
    ----------
    weight
        Weights of the bonus.
    success
        True success of the best policy.
    exits
        How often it exits.
    """

    weight: Float[np.ndarray, " weights"]
    success: Float[np.ndarray, " weights"]
    exits: Float[np.ndarray, " weights"]


def bonus_side_effect(
    mdp: FiniteMDP,
    verdicts: Verdicts,
    bonus: str,
    weights: Real[np.ndarray, " weights"],
) -> SideEffect:
    """Return success and exits of the best policy for reward plus weighted bonus.

    Parameters
    ----------
    mdp
        The coding agent's process.
    verdicts
        What the checker says.
    bonus
        Of ``BONUSES``.
    weights
        How much the bonus counts.

    Raises
    ------
    ValueError
        If ``bonus`` is unknown or a weight is negative.
    """
    endings = [
        ending_probabilities(
            mdp, optimal_values(with_bonus(mdp, verdicts, bonus, float(w))).policy
        ).sum(axis=0)
        for w in weights
    ]
    success, _, exits = np.array(endings).T
    return SideEffect(
        weight=np.asarray(weights, dtype=np.float64), success=success, exits=exits
    )
