"""From a tally to counts, with notes on what was assumed on the way."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from toolkit.evals.counts import Counts
from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.tally import Row, Tally

DIGITS = re.compile(r"([0-9]{1,18})")
BY_PROMPT = (
    "the log has no problem id: samples were grouped by the text of their prompt, and "
    "a problem is called by the first 12 digits of that text's SHA-256; a prompt that "
    "stands twice in the benchmark is one problem here"
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """What a log says, and what had to be assumed.

    Attributes
    ----------
    counts
        The table of problems, samples and right ones, ordered by name, numbers in
        names by size.
    format
        Name of the format it was read as.
    rows
        Samples seen, the unscored among them.
    notes
        What a reader should know: assumptions, unequal n, what was left out. Each is
        a sentence without its full stop.
    prompts
        The text behind each problem's name, where samples were grouped by their
        prompt; else empty.
    """

    counts: Counts
    format: str
    rows: int
    notes: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """Return one line: the format, how many problems and samples, pass@1."""
        n, c = self.counts.n, self.counts.c
        span = f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"
        return (
            f"{self.format}: {number(self.counts.n_problems, 'problem')}, "
            f"{number(int(n.sum()), 'sample')} ({span} each), {int(c.sum()):,} right; "
            f"pass@1 {np.mean(c / n):.3f}"
        )


def conclude(
    tally: Tally,
    *,
    format: str,
    unscored: str | None,
    notes: Iterable[str] = (),
    by_prompt: bool = False,
) -> Reading:
    """Return the reading that a tally of samples amounts to.

    Parameters
    ----------
    tally
        What was counted.
    format
        Name of the format.
    unscored
        ``"drop"``, ``"wrong"`` or None: what to do with samples without a score.
    notes
        What the reader of the format assumed.
    by_prompt
        The names are texts of prompts, to be replaced by their digests.

    Raises
    ------
    LogError
        If there is no sample, or some have no score and ``unscored`` is None.

    Examples
    --------
    >>> tally = Tally()
    >>> for outcome in (True, False, None):
    ...     tally.add("a", outcome)
    >>> reading = conclude(tally, format="rows", unscored="drop")
    >>> reading.counts.n, reading.notes
    (array([2]), ('1 of 3 samples has no score and was left out',))
    """
    if not tally.problems:
        raise LogError("the log must hold samples, but it has none")
    said = [*notes, *_unscored_note(tally, unscored)]
    counted = {
        name: (row.rows - row.unscored if unscored == "drop" else row.rows, row)
        for name, row in sorted(tally.problems.items(), key=lambda item: order(item[0]))
    }
    left = {name: pair for name, pair in counted.items() if pair[0] > 0}
    if not left:
        raise LogError("the log must hold scores, but no sample has one")
    if len(left) < len(counted):
        first = next(name for name in counted if name not in left)
        said.append(
            f"{number(len(counted) - len(left), 'problem')} without any score left "
            f"out, the first {_short(first)}"
        )
    n = [n for n, _ in left.values()]
    said += ragged_note(n)
    prompts = {_digest(text): text for text in left} if by_prompt else {}
    return Reading(
        counts=_counts(
            tuple(prompts) if by_prompt else tuple(left),
            n,
            [row for _, row in left.values()],
        ),
        format=format,
        rows=tally.rows,
        notes=tuple([BY_PROMPT, *said] if by_prompt else said),
        prompts=prompts,
    )


def order(name: str) -> list[tuple[bool, int, str]]:
    """Return a key that orders names with the numbers in them by size.

    >>> sorted(["p/10", "p/2"], key=order)
    ['p/2', 'p/10']
    """
    return [
        (False, int(part), "") if part.isdecimal() else (True, 0, part)
        for part in DIGITS.split(name)
    ] + [(True, 0, name)]


def _counts(problems: tuple[str, ...], n: list[int], rows: list[Row]) -> Counts:
    groups = [row.group for row in rows]
    named = tuple(group for group in groups if group is not None)
    try:
        return Counts(
            problems=problems,
            n=np.array(n, dtype=np.int64),
            c=np.array([row.right for row in rows], dtype=np.int64),
            groups=named if len(named) == len(rows) else None,
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise LogError(str(error)) from None


def _unscored_note(tally: Tally, unscored: str | None) -> list[str]:
    if not tally.unscored:
        return []
    first = min((p for p, row in tally.problems.items() if row.unscored), key=order)
    verb = "has" if tally.unscored == 1 else "have"
    said = f"{tally.unscored:,} of {number(tally.rows, 'sample')} {verb} no score"
    if unscored is None:
        raise LogError(
            f"{said} (such as one of problem {_short(first)}); say whether to leave "
            "them out or to count them as wrong: --unscored drop, --unscored wrong"
        )
    was = "was" if tally.unscored == 1 else "were"
    done = "left out" if unscored == "drop" else "counted as wrong"
    return [f"{said} and {was} {done}"]


def ragged_note(n: Sequence[int]) -> list[str]:
    """Return a note if the problems do not all have the same number of samples."""
    if min(n) == max(n):
        return []
    fewer = sum(count < max(n) for count in n)
    return [
        f"n differs between problems: {number(fewer, 'problem')} of {len(n):,} with "
        f"fewer than {max(n):,} samples, the smallest n is {min(n):,}"
    ]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def number(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> number(1, "sample"), number(1200, "sample")
    ('1 sample', '1,200 samples')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _short(name: str) -> str:
    return repr(name if len(name) <= 60 else f"{name[:57]}...")
