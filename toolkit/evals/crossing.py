"""The first k at which RL is below its base, as a confidence set."""

from dataclasses import dataclass

import numpy as np

from toolkit.evals.bands import Band


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
