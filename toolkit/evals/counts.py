"""The table that every evaluation log is read into: problem, samples, right ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from toolkit._checks import as_counts, check_same_shape


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts:
    """How many samples each problem had, and how many of them were right.

    Attributes
    ----------
    problems
        Name of each problem: text that is not empty, each once.
    n
        Number of samples of each problem, 1 or more.
    c
        Number of right ones, from 0 to n.
    groups
        Name of the group (the benchmark, the subject) of each problem, if known.

    Raises
    ------
    ValueError
        If there is no problem, a name is empty or there twice, the columns differ in
        length, or a count is out of its range.
    TypeError
        If a name is not text or a count not a whole number.

    Examples
    --------
    >>> table = Counts(problems=("a", "b"), n=np.array([4, 4]), c=np.array([0, 3]))
    >>> table.n_problems
    2
    """

    problems: tuple[str, ...]
    n: Int[np.ndarray, " problems"]
    c: Int[np.ndarray, " problems"]
    groups: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _check_names(self.problems, "problems")
        first: dict[str, int] = {}
        for i, name in enumerate(self.problems):
            if first.setdefault(name, i) != i:
                raise ValueError(
                    f"problems must be there once each, but entries {first[name]} and "
                    f"{i} are both {name!r}"
                )
        n = as_counts(self.n, "n", low=1, ndim=1)
        c = as_counts(self.c, "c", low=0, ndim=1)
        _check_length(len(n), "n", len(self.problems))
        check_same_shape(n, "n", c, "c")
        if np.any(c > n):
            i = int(np.argmax(c > n))
            raise ValueError(
                f"c must be at most n, but problem {self.problems[i]!r} has "
                f"c = {c[i]}, n = {n[i]}"
            )
        if self.groups is not None:
            _check_names(self.groups, "groups")
            _check_length(len(self.groups), "groups", len(self.problems))
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "c", c)

    @property
    def n_problems(self) -> int:
        """Number of problems."""
        return len(self.problems)

    def take(self, rows: Int[np.ndarray, " chosen"]) -> "Counts":
        """Return the table of the problems at these positions, in this order.

        >>> table = Counts(problems=("a", "b"), n=np.array([4, 4]), c=np.array([0, 3]))
        >>> table.take(np.array([1])).problems
        ('b',)
        """
        groups = self.groups
        return Counts(
            problems=tuple(self.problems[i] for i in rows),
            n=self.n[rows],
            c=self.c[rows],
            groups=None if groups is None else tuple(groups[i] for i in rows),
        )


def _check_names(names: Sequence[str], what: str) -> None:
    if not names:
        raise ValueError(f"{what} must not be empty")
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"{what} must hold text, but entry {i} is {name!r}")
        if not name.strip():
            raise ValueError(f"{what} must hold names, but entry {i} is {name!r}")


def _check_length(found: int, what: str, n_problems: int) -> None:
    if found != n_problems:
        raise ValueError(
            f"{what} must have one entry for each of the {n_problems} problems, "
            f"but it has {found}"
        )
