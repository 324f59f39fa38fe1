"""Mean pass@k of both models over one fixed set of problems."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_count
from toolkit.evals.estimates import distinct_rows, largest_k, pass_table, past_reach
from toolkit.evals.pairs import Pair


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves:
    """Unbiased estimates of both models' mean pass@k.

    Where every problem has k samples, low and high are equal. Elsewhere the problems
    that lack samples count with their last estimate in one and with 1 in the other.

    Attributes
    ----------
    k
        1, 2, ..., the largest k.
    base_low, base_high, rl_low, rl_high
        Mean pass@k, all over the same problems.
    n_short
        Number of problems that lack samples at each k.
    """

    k: Int[np.ndarray, " n_k"]
    base_low: Float[np.ndarray, " n_k"]
    base_high: Float[np.ndarray, " n_k"]
    rl_low: Float[np.ndarray, " n_k"]
    rl_high: Float[np.ndarray, " n_k"]
    n_short: Int[np.ndarray, " n_k"]

    @property
    def base(self) -> Float[np.ndarray, " n_k"]:
        """Middle of the base's range."""
        return (self.base_low + self.base_high) / 2

    @property
    def rl(self) -> Float[np.ndarray, " n_k"]:
        """Middle of RL's range."""
        return (self.rl_low + self.rl_high) / 2

    @property
    def difference(self) -> Float[np.ndarray, " n_k"]:
        """RL minus base."""
        return self.rl - self.base

    @property
    def first_below(self) -> int | None:
        """Smallest k at which RL's curve is below the base's, None if at no k."""
        below = np.flatnonzero(self.difference < -1e-12)
        return int(self.k[below[0]]) if len(below) else None


def mean_curves(pair: Pair, k_max: int | None = None) -> Curves:
    """Return both curves, averaged over the same problems at every k.

    Parameters
    ----------
    pair
        The two tables.
    k_max
        Largest k; by default the largest for which at most one problem in twenty lacks
        samples (:func:`~toolkit.evals.estimates.largest_k`).

    Raises
    ------
    ValueError
        If no problem has ``k_max`` samples in both tables.

    Notes
    -----
    Averaging at each k over the problems with k samples or more would change the
    problems along the curve. What a problem with n samples says about k > n is that
    pass@k lies between pass@n and 1.
    """
    k_max = largest_k(pair) if k_max is None else as_count(k_max, "k_max", low=1)
    smaller = np.minimum(pair.base.n, pair.rl.n)
    if k_max > smaller.max():
        raise ValueError(
            f"k_max must be at most {smaller.max()}, the most samples a problem has in "
            f"both tables, but it is {k_max}"
        )
    rows = distinct_rows(pair)
    share = rows.times / rows.times.sum()
    ends = {}
    for model, counts in {"base": rows.base, "rl": rows.rl}.items():
        n, c = counts.T
        low = pass_table(n, c, k_max)
        ends[f"{model}_low"] = share @ low
        ends[f"{model}_high"] = share @ np.where(past_reach(n, k_max), 1.0, low)
    k = np.arange(1, k_max + 1)
    return Curves(k=k, n_short=(smaller[:, None] < k).sum(axis=0), **ends)
