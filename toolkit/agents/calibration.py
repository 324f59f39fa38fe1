"""Is what the agent says about its answers true? The reliability of its reports."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real

from toolkit._checks import as_count, as_floats, check_probabilities
from toolkit.agents.mdp import FiniteMDP, TurnPolicy
from toolkit.agents.reflection import Verdicts, expected_bonus
from toolkit.agents.values import ending_probabilities


def brier_score(
    mdp: FiniteMDP,
    pi: TurnPolicy,
    verdicts: Verdicts,
    report: Real[np.ndarray, "statuses verdicts"],
) -> float:
    """Return the mean of ``(z - o)^2`` over the answers a policy gives.

    Parameters
    ----------
    mdp
        The coding agent's process: its first two outcomes are right and wrong.
    pi
        The policy, one. Exits are not counted.
    verdicts
        What the checker says.
    report
        What the agent says.
    """
    weight = answer_weights(mdp, pi, verdicts)
    score = 1 - expected_bonus(report, verdicts.right, "Brier")
    return float(np.sum(weight * score))


def answer_weights(
    mdp: FiniteMDP, pi: TurnPolicy, verdicts: Verdicts
) -> Float[np.ndarray, "statuses verdicts"]:
    """Return the share of answers from each status with each verdict; sums to 1."""
    answers = ending_probabilities(mdp, pi)[:, :2].sum(axis=1)
    return (answers / answers.sum())[:, None] * verdicts.probability


@dataclass(frozen=True, eq=False, kw_only=True)
class Reliability:
    """What was said against what happened, in bins of the report.

    Attributes
    ----------
    said
        Mean report in each bin that has any.
    happened
        Share of right answers there.
    weight
        Share of the answers there; sums to 1.
    """

    said: Float[np.ndarray, " bins"]
    happened: Float[np.ndarray, " bins"]
    weight: Float[np.ndarray, " bins"]


def reliability(
    mdp: FiniteMDP,
    pi: TurnPolicy,
    verdicts: Verdicts,
    report: Real[np.ndarray, "statuses verdicts"],
    *,
    n_bins: int = 10,
) -> Reliability:
    """Return the reliability diagram of a policy's reports, exactly.

    Parameters
    ----------
    mdp
        The coding agent's process: its first two outcomes are right and wrong.
    pi
        The policy, one. Exits are not counted.
    verdicts
        What the checker says.
    report
        What the agent says.
    n_bins
        Number of equal bins of the report, 1 or more.

    Raises
    ------
    ValueError
        If ``report`` holds no probabilities or a number is out of its range.
    """
    n_bins = as_count(n_bins, "n_bins", low=1)
    z = as_floats(report, "report")
    check_probabilities(z, "report")
    weight = answer_weights(mdp, pi, verdicts)
    bins = np.minimum((z * n_bins).astype(np.intp), n_bins - 1).ravel()
    total = np.bincount(bins, weight.ravel(), minlength=n_bins)
    said = np.bincount(bins, (weight * z).ravel(), minlength=n_bins)
    happened = np.bincount(bins, (weight * verdicts.right).ravel(), minlength=n_bins)
    used = total > 0
    return Reliability(
        said=said[used] / total[used],
        happened=happened[used] / total[used],
        weight=total[used],
    )
