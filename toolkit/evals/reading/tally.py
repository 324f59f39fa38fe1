"""Rows, right ones and unscored ones of each problem, while a log is read."""

from dataclasses import dataclass, field

from toolkit.evals.reading.errors import LogError


@dataclass
class Row:
    """What was counted for one problem so far."""

    rows: int = 0
    right: int = 0
    unscored: int = 0
    group: str | None = None


@dataclass
class Tally:
    """A row for each problem, by the problem's name; as large as there are problems.

    Examples
    --------
    >>> tally = Tally()
    >>> for outcome in (True, False, None):
    ...     tally.add("a", outcome)
    >>> tally.problems["a"]
    Row(rows=3, right=1, unscored=1, group=None)
    """

    problems: dict[str, Row] = field(default_factory=dict)

    def add(self, problem: str, outcome: bool | None, group: str | None = None) -> None:
        """Count one sample: right, wrong, or without a score (None)."""
        if not problem.strip():
            raise LogError("a sample must say which problem it is of, but one does not")
        row = self.problems.setdefault(problem, Row(group=group))
        row.rows += 1
        row.right += outcome is True
        row.unscored += outcome is None

    @property
    def rows(self) -> int:
        """Number of samples seen."""
        return sum(row.rows for row in self.problems.values())

    @property
    def unscored(self) -> int:
        """Number of samples without a score."""
        return sum(row.unscored for row in self.problems.values())
