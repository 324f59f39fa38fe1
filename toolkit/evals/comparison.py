"""Everything there is to say about two models on one benchmark, in one call."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_count
from toolkit.evals.bands import Band, difference_band
from toolkit.evals.counts import Counts
from toolkit.evals.crossing import FirstBelow, first_below
from toolkit.evals.curves import Curves, mean_curves
from toolkit.evals.decomposition import (
    can_be_observed,
    corrected_split,
    noise_floor,
    observed_split,
    resampled_splits,
    split_halves,
)
from toolkit.evals.estimates import distinct_rows, largest_k
from toolkit.evals.extrapolation import Extrapolation, extrapolate
from toolkit.evals.joint import fit_joint_law
from toolkit.evals.lost import Changes, probable_changes
from toolkit.evals.pairs import Pair, align
from toolkit.passk import Decomposition

SMALLEST_GROUP = 10  # problems of a group that is looked at by itself
MOST_GROUPS = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class Split:
    """Gained and lost, in every way there is.

    Attributes
    ----------
    corrected
        Under the joint law of the two rates: the estimate to use.
    lost_error, gained_error
        Its standard errors over problems like these.
    observed, floor
        As the estimates say, and what chance alone would make of no change. None where
        the two models' n differ too much for the first to mean anything.
    halves
        Told apart on half the samples, measured on the other, at the first entries of
        k. None with fewer than 2 samples.
    """

    corrected: Decomposition
    gained_error: Float[np.ndarray, " n_k"]
    lost_error: Float[np.ndarray, " n_k"]
    observed: Decomposition | None
    floor: Decomposition | None
    halves: Decomposition | None

    @property
    def k(self) -> Int[np.ndarray, " n_k"]:
        """Numbers of samples."""
        return self.corrected.k


@dataclass(frozen=True, eq=False, kw_only=True)
class Group:
    """What the curves of one group of problems say."""

    name: str
    n_problems: int
    curves: Curves
    first_below: FirstBelow


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """Two models on one benchmark.

    Attributes
    ----------
    pair
        The problems both were asked.
    target
        What the intervals are about: ``"these"`` problems or ``"new"`` ones like them.
    curves
        Both curves.
    band
        RL minus base, with a band; for ``"these"`` up to half the samples.
    first_below
        Confidence set of the first k at which RL is below.
    groups
        The same for each larger group of problems.
    split
        Gained and lost at k = 1, 2, 4, ... and the largest k.
    changes
        Which problems were probably lost.
    extrapolation
        Past the samples, by a model; None where it cannot be checked.
    notes
        What to know before believing it: problems left out, samples missing.
    """

    pair: Pair
    target: str
    curves: Curves
    band: Band
    first_below: FirstBelow
    groups: tuple[Group, ...]
    split: Split
    changes: Changes
    extrapolation: Extrapolation | None
    notes: tuple[str, ...]


def compare(
    base: Counts,
    rl: Counts,
    target: str = "new",
    *,
    rng: np.random.Generator,
    lost_at: int | None = None,
    n_draws: int = 10_000,
) -> Comparison:
    """Return everything there is to say about two models on one benchmark.

    The order of the rows does not matter.

    Parameters
    ----------
    base, rl
        Counts of the base model and of the one after RL.
    target
        What the intervals are about: ``"these"`` problems, or ``"new"`` problems like
        these.
    rng
        Draws for bands, splits and checks.
    lost_at
        The k at which problems are looked for that were lost; the largest by default.
    n_draws
        Curves drawn for each band.

    Raises
    ------
    ValueError
        If the tables share no problem, the target is unknown or cannot be estimated,
        or ``lost_at`` is past the samples.
    """
    pair = align(base, rl)
    k_max = largest_k(pair)
    lost_at = k_max if lost_at is None else as_count(lost_at, "lost_at", low=1)
    if lost_at > k_max:
        raise ValueError(
            f"lost_at must be at most {k_max}, the samples of nearly every problem, "
            f"but it is {lost_at}"
        )
    band = difference_band(pair, target, rng=rng, n_draws=n_draws)
    law = fit_joint_law(distinct_rows(pair))
    return Comparison(
        pair=pair,
        target=target,
        curves=mean_curves(pair),
        band=band,
        first_below=first_below(band),
        groups=_groups(pair, target, rng, n_draws),
        split=split_all_ways(pair, rng=rng),
        changes=probable_changes(pair, law, lost_at),
        extrapolation=_extrapolation(pair, k_max, rng),
        notes=_notes(pair, k_max),
    )


def _groups(
    pair: Pair, target: str, rng: np.random.Generator, n_draws: int
) -> tuple[Group, ...]:
    if pair.groups is None:
        return ()
    names = np.array(pair.groups)
    largest = Counter(pair.groups).most_common(MOST_GROUPS)
    found = []
    for name, size in sorted(largest, key=lambda item: (-item[1], item[0])):
        if SMALLEST_GROUP <= size < pair.n_problems:
            part = pair.take(np.flatnonzero(names == name))
            if target == "these" and largest_k(part) < 2:
                continue
            band = difference_band(part, target, rng=rng, n_draws=n_draws)
            found.append(
                Group(
                    name=name,
                    n_problems=size,
                    curves=mean_curves(part),
                    first_below=first_below(band),
                )
            )
    return tuple(found)


def split_all_ways(pair: Pair, *, rng: np.random.Generator) -> Split:
    """Return gained and lost at k = 1, 2, 4, ... and the largest k, in every way."""
    k_max, law = largest_k(pair), fit_joint_law(distinct_rows(pair))
    k = np.unique([*(2 ** np.arange(int(np.log2(k_max)) + 1)), k_max])
    resampled = resampled_splits(pair, k, rng=rng)
    comparable = can_be_observed(pair, k_max)
    half = k[k <= k_max // 2]
    return Split(
        corrected=corrected_split(law, k),
        gained_error=np.std([s.gained for s in resampled], axis=0, ddof=1),
        lost_error=np.std([s.lost for s in resampled], axis=0, ddof=1),
        observed=observed_split(pair, k) if comparable else None,
        floor=noise_floor(pair, k) if comparable else None,
        halves=split_halves(pair, half, rng=rng) if len(half) else None,
    )


def _extrapolation(
    pair: Pair, k_max: int, rng: np.random.Generator
) -> Extrapolation | None:
    if k_max < 4:
        return None
    return extrapolate(pair, k_max * np.array([2, 4]), rng=rng)


def _notes(pair: Pair, k_max: int) -> tuple[str, ...]:
    notes = []
    for model, names in {"base": pair.only_base, "RL": pair.only_rl}.items():
        if names:
            notes.append(
                f"{_problems(len(names))} only in the {model} table left out, such as "
                f"{names[0]!r}."
            )
    smaller = np.minimum(pair.base.n, pair.rl.n)
    short = int((smaller < k_max).sum())
    if short:
        fewest = int(np.argmin(smaller))
        notes.append(
            f"{_problems(short)} with fewer than {k_max} samples, down to "
            f"{smaller[fewest]} ({pair.problems[fewest]!r}): past its samples such a "
            "problem counts with the whole range it may have."
        )
    longer = int(smaller.max())
    if longer > k_max:
        notes.append(
            f"k ends at {k_max}: past it, more than one problem in twenty lacks "
            f"samples, although some have {longer}."
        )
    differ = int((pair.base.n != pair.rl.n).sum())
    if differ:
        notes.append(
            f"{_problems(differ)} with different n in the two tables: near the smaller "
            "n, which problems seem to rise or fall depends on n, and where that is "
            "many, the observed split is not shown."
        )
    if pair.n_problems < SMALLEST_GROUP:
        notes.append(f"Only {_problems(pair.n_problems)}: expect little of intervals.")
    return tuple(notes)


def _problems(number: int) -> str:
    return "1 problem" if number == 1 else f"{number:,} problems"
