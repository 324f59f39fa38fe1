"""What the user says about a file that the file does not say."""

import math
from dataclasses import dataclass

from toolkit._checks import as_float, check_choice

UNSCORED = ("drop", "wrong")


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to read a log; everything left at None is found in the file, or asked for.

    Attributes
    ----------
    problem
        Field that names the problem.
    score
        Field, metric or scorer that says whether a sample is right.
    threshold
        A sample is right if its score is at least this. Needed where a score is
        neither 0 nor 1.
    where
        Pairs (field, value): only rows whose field has this value are read.
    group
        Field that names the benchmark or the subject of a problem.
    unscored
        What to do with samples that have no score: ``"drop"`` them, so that n becomes
        smaller, or count them as ``"wrong"``. None refuses them.
    progress
        Show a bar on standard error if that is a terminal.

    Raises
    ------
    ValueError
        If ``unscored`` is another word or ``threshold`` is not finite.

    Examples
    --------
    >>> Options(score="acc", threshold=0.5).threshold
    0.5
    """

    problem: str | None = None
    score: str | None = None
    threshold: float | None = None
    where: tuple[tuple[str, str], ...] = ()
    group: str | None = None
    unscored: str | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        if self.unscored is not None:
            check_choice(self.unscored, "unscored", UNSCORED)
        if self.threshold is not None:
            threshold = as_float(self.threshold, "threshold", high=math.inf)
            object.__setattr__(self, "threshold", threshold)
