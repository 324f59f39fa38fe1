"""Ten ways pass@k is computed wrongly, each with its smallest input.

Every function returns what the wrong way makes of an input and what is right; where no
answer is right without more samples, that is NaN. All ten were met in tools that people
use, or in reports about them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import comb

from toolkit.evals.counts import Counts
from toolkit.evals.curves import mean_curves
from toolkit.evals.pairs import Pair
from toolkit.passk import estimate_pass_at_k


@dataclass(frozen=True, kw_only=True)
class WrongWay:
    """One wrong way.

    Attributes
    ----------
    name
        What is done.
    given
        The input.
    wrong, right
        What comes out, and what should.
    """

    name: str
    given: str
    wrong: float
    right: float


def with_replacement() -> WrongWay:
    """Draw k of the n samples with replacement, or put c/n for the rate."""
    n, c, k = 4, 1, 4
    return WrongWay(
        name="k of the n samples drawn with replacement",
        given=f"{c} right of {n}, k = {k}",
        wrong=1 - (1 - c / n) ** k,
        right=_right(n, c, k),
    )


def more_than_there_are() -> WrongWay:
    """Answer 1 where k is more than the samples, because n - c < k."""
    n, c, k = 2, 0, 5
    return WrongWay(
        name="k above n, answered by the rule for n - c < k",
        given=f"{c} right of {n}, k = {k}",
        wrong=float(n - c < k),
        right=np.nan,
    )


def first_k_only() -> WrongWay:
    """Look at the first k samples only, so that their order decides."""
    samples, k = [0, 0, 0, 1], 2
    return WrongWay(
        name="only the first k samples looked at",
        given="wrong, wrong, wrong, right; k = 2",
        wrong=float(any(samples[:k])),
        right=_right(len(samples), sum(samples), k),
    )


def any_of_all() -> WrongWay:
    """Ask whether any of all n samples is right, whatever k is."""
    n, c, k = 200, 1, 1
    return WrongWay(
        name="any right one of all n, whatever k",
        given=f"{c} right of {n}, k = {k}",
        wrong=float(c > 0),
        right=_right(n, c, k),
    )


def those_with_enough() -> WrongWay:
    """Average over the problems that have k samples: other problems at every k."""
    n = np.array([9] * 20 + [100] * 80)
    c = np.array([9] * 20 + [1] * 80)
    k = 10
    enough = n >= k
    table = Counts(problems=tuple(map(str, range(len(n)))), n=n, c=c)
    curves = mean_curves(Pair(base=table, rl=table), k)
    return WrongWay(
        name="the mean over the problems that have k samples",
        given="20 problems 9 of 9, 80 problems 1 of 100; k = 10",
        wrong=float(estimate_pass_at_k(n[enough], c[enough], k).mean()),
        right=float(curves.base_high[-1]),
    )


def planned_samples() -> WrongWay:
    """Take the number of samples that was asked for, not those that came back."""
    planned, n, c, k = 16, 4, 4, 2
    return WrongWay(
        name="n as planned, not as it came out",
        given=f"{c} right of {n}, {planned} planned, k = {k}",
        wrong=_right(planned, c, k),
        right=_right(n, c, k),
    )


def problems_for_samples() -> WrongWay:
    """Put the number of problems for n and of solved ones for c."""
    n, c, k = 164, 50, 10
    return WrongWay(
        name="problems counted as samples of one problem",
        given=f"{n} problems with one sample each, {c} right; k = {k}",
        wrong=_right(n, c, k),
        right=np.nan,
    )


def equal_to_one() -> WrongWay:
    """Count the scores that equal 1, so that a score of .999 is wrong."""
    scores, threshold = np.full(4, 0.999), 0.5
    return WrongWay(
        name="right means score == 1",
        given="four scores of .999, right from .5; k = 1",
        wrong=float((scores == 1).mean()),
        right=_right(4, int((scores >= threshold).sum()), 1),
    )


def failed_left_out() -> WrongWay:
    """Leave the runs that failed out of the problems."""
    solved, unsolved, failed = 108, 40, 24
    return WrongWay(
        name="problems whose runs failed left out of the mean",
        given=f"{solved} solved, {unsolved} not, {failed} failed; k = 1",
        wrong=solved / (solved + unsolved),
        right=solved / (solved + unsolved + failed),
    )


def floating_binomials() -> WrongWay:
    """Divide two binomials in floating point: one is past the largest number."""
    n, c, k = 1030, 1, 515
    return WrongWay(
        name="a ratio of floating-point binomials",
        given=f"{c} right of {n:,}, k = {k}",
        wrong=float(1 - comb(n - c, k) / comb(n, k)),
        right=_right(n, c, k),
    )


WRONG_WAYS: tuple[Callable[[], WrongWay], ...] = (
    with_replacement,
    more_than_there_are,
    first_k_only,
    any_of_all,
    those_with_enough,
    planned_samples,
    problems_for_samples,
    equal_to_one,
    failed_left_out,
    floating_binomials,
)


def _right(n: int, c: int, k: int) -> float:
    return float(estimate_pass_at_k(np.array([n]), np.array([c]), k)[0])
