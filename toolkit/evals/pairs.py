"""Two tables of counts about the same problems, side by side."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from toolkit._checks import check_type
from toolkit.evals.counts import Counts

TARGETS = ("these", "new")  # what an interval is about: these problems, or new ones


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """The problems that both models were asked, ordered by name.

    Attributes
    ----------
    base, rl
        The two tables; row i of both is one problem.
    only_base, only_rl
        Names of the problems that only one table had, which are in neither here.
    """

    base: Counts
    rl: Counts
    only_base: tuple[str, ...] = ()
    only_rl: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Names of the problems."""
        return self.base.problems

    @property
    def groups(self) -> tuple[str, ...] | None:
        """Group of each problem, if either table knew it."""
        return self.rl.groups if self.base.groups is None else self.base.groups

    @property
    def n_problems(self) -> int:
        """Number of problems."""
        return self.base.n_problems

    @property
    def k_max(self) -> int:
        """Largest k that every problem has samples for: the smallest n of both."""
        return int(min(self.base.n.min(), self.rl.n.min()))

    def take(self, rows: Int[np.ndarray, " chosen"]) -> "Pair":
        """Return the pair of the problems at these positions, in this order."""
        return Pair(
            base=self.base.take(rows),
            rl=self.rl.take(rows),
            only_base=self.only_base,
            only_rl=self.only_rl,
        )


def align(base: Counts, rl: Counts) -> Pair:
    """Return the problems that two tables share, side by side.

    The order of the rows does not matter: they are ordered by the problem's name.
    Problems that one table lacks are left out of both, and named in the result.

    Parameters
    ----------
    base, rl
        Counts of the base model and of the one after RL.

    Raises
    ------
    ValueError
        If no problem is in both, or a problem is in different groups.

    Examples
    --------
    >>> base = Counts(problems=("a", "b"), n=np.array([4, 4]), c=np.array([0, 3]))
    >>> rl = Counts(problems=("b", "c"), n=np.array([8, 8]), c=np.array([8, 1]))
    >>> pair = align(base, rl)
    >>> pair.problems, pair.only_base, pair.only_rl
    (('b',), ('a',), ('c',))
    """
    check_type(base, "base", Counts)
    check_type(rl, "rl", Counts)
    place_base = {name: i for i, name in enumerate(base.problems)}
    place_rl = {name: i for i, name in enumerate(rl.problems)}
    shared = sorted(place_base.keys() & place_rl.keys())
    if not shared:
        raise ValueError(
            "base and rl must share problems, but no name is in both: base begins "
            f"with {base.problems[0]!r}, rl with {rl.problems[0]!r}"
        )
    pair = Pair(
        base=base.take(np.array([place_base[name] for name in shared])),
        rl=rl.take(np.array([place_rl[name] for name in shared])),
        only_base=tuple(sorted(place_base.keys() - place_rl.keys())),
        only_rl=tuple(sorted(place_rl.keys() - place_base.keys())),
    )
    _check_same_groups(pair)
    return pair


def _check_same_groups(pair: Pair) -> None:
    if pair.base.groups is None or pair.rl.groups is None:
        return
    rows = zip(pair.problems, pair.base.groups, pair.rl.groups, strict=True)
    for name, of_base, of_rl in rows:
        if of_base != of_rl:
            raise ValueError(
                "base and rl must put a problem into the same group, but "
                f"{name!r} is in {of_base!r} and in {of_rl!r}"
            )
