"""Reflection: the agent says how sure it is, and a bonus depends on what it says.

After an answer a noisy checker says pass or fail. The agent then reports z, its
probability of having been right. With o = 1 for right and 0 for wrong, two bonuses::

    agreement   z o + (1 - z)(1 - o)     linear in z
    Brier       1 - (z - o)^2            a proper score

With c the true probability given status and verdict, the first is highest at z = 0 or
1, whichever side of one half c is; the second at z = c.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from scipy.special import expit, logit

from toolkit._checks import (
    as_count,
    as_float,
    as_floats,
    check_choice,
    check_probabilities,
    check_same_shape,
)

BONUSES = ("agreement", "Brier")


@dataclass(frozen=True, eq=False, kw_only=True)
class Verdicts:
    """What a noisy checker says about answers, and what it is worth knowing.

    Attributes
    ----------
    probability
        Probability of each verdict, pass or fail, after an answer from each status;
        shape (statuses, verdicts).
    right
        Probability c that the answer was right, given status and verdict.
    if_right
        Probability of pass and of fail when the answer is right.
    if_wrong
        The same when it is wrong.
    """

    probability: Float[np.ndarray, "statuses verdicts"]
    right: Float[np.ndarray, "statuses verdicts"]
    if_right: Float[np.ndarray, " verdicts"]
    if_wrong: Float[np.ndarray, " verdicts"]


def checker_verdicts(
    right: Real[np.ndarray, " statuses"], *, pass_right: float, pass_wrong: float
) -> Verdicts:
    """Return what a checker's verdict says, by Bayes' rule.

    Parameters
    ----------
    right
        Probability that an answer from each status is right.
    pass_right
        Probability that the checker passes a right answer.
    pass_wrong
        Probability that it passes a wrong one.

    Raises
    ------
    ValueError
        If a number is no probability, or a verdict never comes.

    Examples
    --------
    A fair coin and a checker that is right nine times in ten:

    >>> checker_verdicts(np.array([0.5]), pass_right=0.9, pass_wrong=0.1).right
    array([[0.9, 0.1]])
    """
    right = as_floats(right, "right", ndim=1)
    check_probabilities(right, "right")
    if_right = np.array([as_float(pass_right, "pass_right", low=0, high=1), 0.0])
    if_wrong = np.array([as_float(pass_wrong, "pass_wrong", low=0, high=1), 0.0])
    if_right[1], if_wrong[1] = 1 - if_right[0], 1 - if_wrong[0]
    both = right[:, None] * if_right
    probability = both + (1 - right[:, None]) * if_wrong
    if np.any(probability == 0):
        raise ValueError(
            "every verdict must be possible in every status, but one is not"
        )
    return Verdicts(
        probability=probability,
        right=both / probability,
        if_right=if_right,
        if_wrong=if_wrong,
    )


def best_report(
    right: Real[np.ndarray, "*shape"], bonus: str
) -> Float[np.ndarray, "*shape"]:
    """Return the report with the highest expected bonus.

    Agreement: 1 where c is above one half, else 0. Brier: c itself.

    Parameters
    ----------
    right
        Probability c of having been right.
    bonus
        Of ``BONUSES``.

    Raises
    ------
    ValueError
        If ``right`` holds no probabilities or ``bonus`` is unknown.
    """
    check_choice(bonus, "bonus", BONUSES)
    right = as_floats(right, "right")
    check_probabilities(right, "right")
    return right.copy() if bonus == "Brier" else np.where(right > 0.5, 1.0, 0.0)


def expected_bonus(
    report: Real[np.ndarray, "*shape"], right: Real[np.ndarray, "*shape"], bonus: str
) -> Float[np.ndarray, "*shape"]:
    """Return the expected bonus of a report, from 0 to 1.

    Parameters
    ----------
    report
        What the agent says, z.
    right
        Probability c that it was right. With 0 or 1 the result is the bonus itself.
    bonus
        Of ``BONUSES``.

    Raises
    ------
    ValueError
        If an array holds no probabilities, shapes differ or ``bonus`` is unknown.

    Examples
    --------
    >>> c = np.array([0.7])
    >>> expected_bonus(c, c, "Brier").round(2)  # 1 - 0.7 * 0.3
    array([0.79])
    """
    check_choice(bonus, "bonus", BONUSES)
    z, c = as_floats(report, "report"), as_floats(right, "right")
    check_probabilities(z, "report")
    check_probabilities(c, "right")
    check_same_shape(z, "report", c, "right")
    if bonus == "agreement":
        return np.asarray(z * c + (1 - z) * (1 - c))
    return np.asarray(1 - c * (1 - z) ** 2 - (1 - c) * z**2)


def train_reports(
    right: Real[np.ndarray, "statuses verdicts"],
    bonus: str,
    *,
    steps: int = 2000,
    learning_rate: float = 0.5,
    start: float = 0.12,
) -> Float[np.ndarray, "statuses verdicts"]:
    """Return the reports after climbing the exact gradient of the expected bonus.

    One logit per status and verdict, ``z = sigmoid(logit)``.

    Parameters
    ----------
    right
        Probability c of having been right.
    bonus
        Of ``BONUSES``.
    steps
        Number of updates.
    learning_rate
        Step size on the logits.
    start
        Report of the untrained agent, strictly between 0 and 1.

    Raises
    ------
    ValueError
        If ``right`` holds no probabilities, ``bonus`` is unknown or a number is out of
        its range.
    """
    check_choice(bonus, "bonus", BONUSES)
    c = as_floats(right, "right")
    check_probabilities(c, "right")
    steps = as_count(steps, "steps", low=0)
    rate = as_float(learning_rate, "learning_rate", low=0)
    start = as_float(start, "start", low=0, high=1, open_low=True, open_high=True)
    logits = np.full(c.shape, logit(start))
    for _ in range(steps):
        z = expit(logits)
        slope = 2 * c - 1 if bonus == "agreement" else 2 * (c - z)
        logits += rate * z * (1 - z) * slope
    return expit(logits)
