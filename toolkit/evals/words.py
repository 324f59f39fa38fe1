"""A comparison in words: the verdict, and the table below it."""

import numpy as np

from toolkit.evals.comparison import Comparison
from toolkit.passk import Decomposition

MOST_NAMED = 5  # problems named in the verdict


def verdict(comparison: Comparison) -> tuple[str, ...]:
    """Return what a comparison says, a sentence or two on each question.

    Is it a crossover, by how much, what was gained and lost, which problems, and what
    lies past the samples.
    """
    return (
        f"{_crossover(comparison)} {_set(comparison)}",
        _size(comparison),
        _parts(comparison),
        _problems(comparison),
        *_past(comparison),
    )


def summary_table(comparison: Comparison) -> dict[str, list[str]]:
    """Return the numbers at k = 1, 2, 4, ... as columns of text."""
    split, band = comparison.split, comparison.band
    at = split.k - 1
    curves = comparison.curves
    within = [f"{low:+.3f} to {high:+.3f}" for low, high in zip(band.low, band.high,
              strict=True)]  # fmt: skip
    return {
        "k": [str(k) for k in split.k],
        "base": [f"{x:.4f}" for x in curves.base[at]],
        "RL": [f"{x:.4f}" for x in curves.rl[at]],
        "RL - base": [f"{x:+.4f}" for x in curves.difference[at]],
        f"{band.level:.0%} band": [within[i] if i < len(within) else "-" for i in at],
        "gained": _with_errors(split.corrected.gained, split.gained_error),
        "lost": _with_errors(split.corrected.lost, split.lost_error),
        "observed": _both(split.observed, len(at)),
        "by chance": _both(split.floor, len(at)),
        "halves": _both(split.halves, len(at)),
    }


def aligned(columns: dict[str, list[str]]) -> str:
    """Return columns of text as a table for a terminal.

    >>> print(aligned({"k": ["1", "16"], "base": ["0.5", "0.9"]}))
     k  base
     1   0.5
    16   0.9
    """
    cells = [[name, *column] for name, column in columns.items()]
    widths = [max(map(len, column)) for column in cells]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*cells, strict=True)
    )


def _crossover(comparison: Comparison) -> str:
    found, band = comparison.first_below, comparison.band
    k_max = int(band.k[-1])
    above = np.flatnonzero(band.low > 0)
    below = np.flatnonzero(band.high < 0)
    if found.is_crossover and len(above) and above[0] < below[0]:
        return (
            f"A crossover: RL is above the base {_range(band.k[above])} and below it "
            f"{_range(band.k[below])}."
        )
    if found.is_certain:
        return f"RL is below the base {_range(band.k[below])}."
    if len(above) == len(band.k):
        return f"No crossover: RL is above the base {_range(band.k[above])}."
    if comparison.curves.first_below is None:
        return f"No crossover in sight: RL's curve is not below up to k = {k_max}."
    shown = f" It is above {_range(band.k[above])}." if len(above) else ""
    return f"No crossover is certain.{shown}"


def _set(comparison: Comparison) -> str:
    found, curves, level = (
        comparison.first_below,
        comparison.curves,
        f"{comparison.band.level:.0%}",
    )
    n = comparison.pair.n_problems
    about = {
        "new": f"for problems like these {n:,}",
        "these": f"for exactly these {n:,} problems",
    }[comparison.target]
    first = curves.first_below
    seen = f"In the curves the first k below is {first}; " if first else ""
    if found.low is None:
        return f"{seen}{level} confident {about}."
    if found.high is None:
        reach = comparison.band.k[-1]
        text = f"it is {found.low} or later, or never, as far as k = {reach} can tell"
    else:
        text = f"it is from {found.low} to {found.high}"
    if not seen:
        text = text.replace("it is", "The first k below is", 1)
    return f"{seen}{text} ({level} confident, {about})."


def _size(comparison: Comparison) -> str:
    curves = comparison.curves
    parts = [
        f"pass@{curves.k[i]} goes from {curves.base[i]:.3f} to {curves.rl[i]:.3f}"
        for i in dict.fromkeys((0, len(curves.k) - 1))
    ]
    return f"{', '.join(parts)}."


def _parts(comparison: Comparison) -> str:
    split = comparison.split
    k = int(split.k[-1])
    gained, lost = split.corrected.gained[-1], -split.corrected.lost[-1]
    text = (
        f"Corrected for noise, at k = {k} RL gained {gained:.4f} (standard error "
        f"{split.gained_error[-1]:.4f}) and lost {lost:.4f} "
        f"({split.lost_error[-1]:.4f})."
    )
    if split.observed is None or split.floor is None:
        return text
    return (
        f"{text} Observed are {split.observed.gained[-1]:.4f} and "
        f"{-split.observed.lost[-1]:.4f}; with no problem changed, chance alone would "
        f"show {split.floor.gained[-1]:.4f} and {-split.floor.lost[-1]:.4f}."
    )


def _problems(comparison: Comparison) -> str:
    changes = comparison.changes
    lost = changes.most_likely_lost()
    meaning = f"pass@{changes.k} down by more than {changes.margin:g}"
    if not len(lost):
        return f"No problem was probably lost at k = {changes.k} ({meaning})."
    named = ", ".join(
        f"{_short(changes.pair.problems[i])} ({changes.lost[i]:.2f})"
        for i in lost[:MOST_NAMED]
    )
    number = "1 problem was" if len(lost) == 1 else f"{len(lost):,} problems were"
    more = " and more" if len(lost) > MOST_NAMED else ""
    return (
        f"{number} probably lost at k = {changes.k} ({meaning}); the surest, with the "
        f"probability: {named}{more}."
    )


def _past(comparison: Comparison) -> list[str]:
    past = comparison.extrapolation
    if past is None:
        return []
    errors = past.held_out_errors
    return [
        f"Past the samples there is a model, no data: at k = {past.k[-1]:,} it says "
        f"{past.base[-1]:.3f} and {past.rl[-1]:.3f}. From {past.held_out_n} of the "
        f"samples it says RL - base at k = {past.held_out_k} with an error of "
        f"{errors.mean():+.4f}, give or take {errors.std(ddof=1):.4f}."
    ]


def _range(k: np.ndarray) -> str:
    """Return "at k = 3" or "from k = 1 to 10", or in parts if it has gaps."""
    starts = [int(x) for x in k[np.diff(k, prepend=-1) > 1]]
    ends = [int(x) for x in k[np.diff(k, append=k[-1] + 2) > 1]]
    parts = [
        f"{a} to {b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True)
    ]
    return f"at k = {', '.join(parts)}"


def _short(name: str, width: int = 40) -> str:
    name = " ".join(name.split())
    return name if len(name) <= width else f"{name[: width - 3]}..."


def _with_errors(values: np.ndarray, errors: np.ndarray) -> list[str]:
    return [f"{x:+.4f} ({e:.4f})" for x, e in zip(values, errors, strict=True)]


def _both(parts: Decomposition | None, length: int) -> list[str]:
    if parts is None:
        return ["-"] * length
    found = [
        f"{g:+.4f} {x:+.4f}" for g, x in zip(parts.gained, parts.lost, strict=True)
    ]
    return found + ["-"] * (length - len(found))
