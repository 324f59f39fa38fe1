"""When is a sample right? True or 1 is, false or 0 is not, the rest is asked for.

:func:`outcome` decides for one value; ``grouping`` says the same to an engine.
"""

import math
from typing import Any

RIGHT_WORDS = ("true",)
WRONG_WORDS = ("false",)
NO_SCORE = ("", "nan", "none", "null")  # a score that is text and says there is none


class OddScoreError(Exception):
    """A value that is neither right nor wrong as it stands."""


def outcome(value: Any, threshold: float | None = None) -> bool | None:
    """Return whether a sample with this score is right; None if it has no score.

    Parameters
    ----------
    value
        The score as the log has it: a bool, a number, or one of these as text.
    threshold
        A sample is right if its score is at least this. Without it, only 0 and 1 are
        understood.

    Raises
    ------
    OddScoreError
        If the value is no score, or one between 0 and 1 without a threshold.

    Examples
    --------
    >>> outcome(True), outcome("0"), outcome(None), outcome(0.7, threshold=0.5)
    (True, False, None, True)
    """
    if value is None:
        return None
    if isinstance(value, str):
        word = value.strip().lower()
        if word in NO_SCORE:
            return None
        if word in RIGHT_WORDS + WRONG_WORDS:
            value = word in RIGHT_WORDS
    if not isinstance(value, (bool, int, float, str)):
        raise OddScoreError(value)
    try:
        score = float(value)
    except (ValueError, OverflowError):
        raise OddScoreError(value) from None
    if math.isnan(score):
        return None
    if threshold is not None:
        return score >= threshold
    if score not in (0.0, 1.0):
        raise OddScoreError(value)
    return score == 1.0


def odd_score_message(example: Any, field: str, n_odd: int | None = None) -> str:
    """Return what to say about scores that are neither right nor wrong."""
    shown = repr(example)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    many = "a sample has" if n_odd in (None, 1) else f"{n_odd:,} samples have"
    try:
        float(example)
    except (TypeError, ValueError, OverflowError):
        return (
            f"{many} no number for a score: {field} is {shown}; name another field "
            "with --score, or log true/false or a number for each sample"
        )
    return (
        f"{many} a score that is neither 0 nor 1: {field} is {shown}; say from which "
        "score on a sample is right: --threshold"
    )
