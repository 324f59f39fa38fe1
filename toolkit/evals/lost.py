"""Which problems RL probably lost, and how sure that is."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_count, as_float
from toolkit.evals.estimates import distinct_rows
from toolkit.evals.joint import JointLaw, posterior_mean
from toolkit.evals.pairs import Pair
from toolkit.passk import pass_at_k


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """What is known of each problem's change in pass@k.

    Attributes
    ----------
    pair
        The two tables.
    k
        Number of samples.
    margin
        A problem is lost if its pass@k fell by more than this, gained if it rose by
        more.
    lost, gained
        Probability of either, for each problem.
    expected
        Expected change in pass@k of each problem.
    """

    pair: Pair
    k: int
    margin: float
    lost: Float[np.ndarray, " problems"]
    gained: Float[np.ndarray, " problems"]
    expected: Float[np.ndarray, " problems"]

    def most_likely_lost(self, at_least: float = 0.5) -> Int[np.ndarray, " some"]:
        """Return the positions of problems lost with this probability or more.

        The surest first; of equally sure ones, the larger loss first, then by name.
        """
        at_least = as_float(at_least, "at_least", low=0, high=1)
        order = np.lexsort((self.expected, -self.lost))
        return order[self.lost[order] >= at_least]


def probable_changes(pair: Pair, law: JointLaw, k: int, margin: float = 0.1) -> Changes:
    """Return how likely each problem was lost or gained at k.

    Parameters
    ----------
    pair
        The two tables.
    law
        Their joint law of success rates, of :func:`~toolkit.evals.joint.fit_joint_law`.
    k
        Number of samples.
    margin
        By how much pass@k must have changed to count.

    Raises
    ------
    ValueError
        If k is below 1 or ``margin`` not from 0 to 1.

    Notes
    -----
    By Bayes' rule from each problem's counts, with the joint law as what is known
    before. A test for each problem by itself would find hardly any of the losses that
    make a crossover: they are of problems with a few right samples, none of which is
    significant alone.
    """
    k = as_count(k, "k", low=1)
    margin = as_float(margin, "margin", low=0, high=1, open_high=True)
    solved = pass_at_k(law.grid, np.array([k]))[:, 0]
    change = solved[None, :] - solved[:, None]
    rows = distinct_rows(pair)
    found = {
        "lost": (change < -margin).astype(float),
        "gained": (change > margin).astype(float),
        "expected": change,
    }
    per_problem = {
        name: posterior_mean(law, rows, quantity)[rows.row_of]
        for name, quantity in found.items()
    }
    return Changes(pair=pair, k=k, margin=margin, **per_problem)
