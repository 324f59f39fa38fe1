"""The first k at which RL is below its base, as a confidence set."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from toolkit.evals.bands import Band
from toolkit.evals.estimates import distinct_rows, largest_k, pass_table
from toolkit.evals.pairs import Pair


@dataclass(frozen=True, kw_only=True)
class FirstBelow:
    """A range that holds the first k where RL is truly below, if there is one.

    Attributes
    ----------
    low
        Smallest k in it; None if even the largest k is above it: RL is at or above the
        base as far as one can see.
    high
        Largest k in it; None if no k is shown to be below: it may never happen.
    """

    low: int | None
    high: int | None

    @property
    def is_certain(self) -> bool:
        """Whether RL is shown to be below somewhere."""
        return self.high is not None

    @property
    def is_crossover(self) -> bool:
        """Whether RL is shown to be above first and below later."""
        return self.high is not None and self.low is not None and self.low > 1


def first_below(band: Band) -> FirstBelow:
    """Return the confidence set of the first k at which RL is below the base.

    It holds the true first k with the band's probability.

    Parameters
    ----------
    band
        Difference with its band, for the target of the band.

    Notes
    -----
    A k is left out at the top if RL is shown to be below before: the band, which holds
    at all k at once, is below zero there, which by mistake happens with half of what
    the band's level leaves. A k is left out at the bottom if the interval at that k
    alone is above zero: only one k is the true one, so that the interval for one k is
    enough, with the other half. Yang, Zhang and Chen (2026) use the band for both ends,
    which gives a longer set.

    Examples
    --------
    >>> limits = np.array([0.1, 0.0, -0.3, -0.4])
    >>> band = Band(k=np.arange(1, 5), low=limits - 0.1, high=limits + 0.1,
    ...             point_low=limits - 0.05, point_high=limits + 0.05,
    ...             target="new", level=0.95, critical=2.5)
    >>> first_below(band)
    FirstBelow(low=2, high=3)
    """
    possible = np.flatnonzero(band.point_low <= 0)
    shown = np.flatnonzero(band.high < 0)
    return FirstBelow(
        low=int(band.k[possible[0]]) if len(possible) else None,
        high=int(band.k[shown[0]]) if len(shown) else None,
    )


def resampled_first_below(
    pair: Pair, *, rng: np.random.Generator, n_draws: int = 4000
) -> Float[np.ndarray, " draws"]:
    """Return the first k below in the curves of benchmarks drawn from these problems.

    Infinite where RL's curve is at or above the base's at every k. This is how much the
    curves' crossing would move with the problems. It is no confidence set: the curves'
    crossing is not where the true ones cross on average.

    Parameters
    ----------
    pair
        The two tables; every problem counts with its last estimate past its samples.
    rng
        Draws the benchmarks.
    n_draws
        Number of benchmarks.
    """
    rows, k_max = distinct_rows(pair), largest_k(pair)
    rl = pass_table(rows.rl[:, 0], rows.rl[:, 1], k_max)
    change = rl - pass_table(rows.base[:, 0], rows.base[:, 1], k_max)
    share = rows.times / rows.times.sum()
    times = rng.multinomial(pair.n_problems, share, size=n_draws)
    below = times @ change < -1e-9
    return np.where(below.any(axis=1), below.argmax(axis=1) + 1.0, np.inf)


def all_answers(
    pair: Pair, new: Band, these: Band, *, rng: np.random.Generator, n_draws: int = 4000
) -> Mapping[str, tuple[float, float]]:
    """Return four ranges for the first k below, by what each of them is about.

    The middle 95% of the curves' crossing over resampled benchmarks; the confidence set
    for new problems with the band at both ends, as Yang, Zhang and Chen (2026) have it;
    :func:`first_below` for new problems; and for these problems. Where a range has no
    upper end it is infinite.

    Parameters
    ----------
    pair
        The two tables.
    new, these
        Its bands for both targets.
    rng
        Draws the benchmarks.
    n_draws
        Number of benchmarks.
    """
    moved = resampled_first_below(pair, rng=rng, n_draws=n_draws)
    both = np.flatnonzero(new.low <= 0)
    ends = {
        "new problems, from the band": FirstBelow(
            low=int(new.k[both[0]]) if len(both) else None, high=first_below(new).high
        ),
        "new problems": first_below(new),
        "these problems": first_below(these),
    }
    low, high = np.quantile(moved, [0.025, 0.975], method="inverted_cdf")
    return {
        "curves, problems resampled": (float(low), float(high)),
        **{
            name: (
                np.inf if found.low is None else float(found.low),
                np.inf if found.high is None else float(found.high),
            )
            for name, found in ends.items()
        },
    }
