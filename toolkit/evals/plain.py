"""The table of counts as a CSV file: ``problem,n,c`` and, if known, ``group``."""

import csv
import io
import re
from pathlib import Path

import numpy as np

from toolkit._checks import LARGEST_COUNT
from toolkit.evals.counts import Counts

COLUMNS = ("problem", "n", "c")
GROUP = "group"
WHOLE = re.compile(r"[0-9]+")


def to_csv(counts: Counts) -> str:
    r"""Return a table of counts as CSV text.

    Examples
    --------
    >>> to_csv(Counts(problems=("a",), n=np.array([4]), c=np.array([3])))
    'problem,n,c\na,4,3\n'
    """
    text = io.StringIO()
    names = (*counts.problems, *(counts.groups or ()))
    carriage_return = any("\r" in name for name in names)  # csv forgets to quote these
    writer = csv.writer(
        text,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if carriage_return else csv.QUOTE_MINIMAL,
    )
    columns = [counts.problems, counts.n.tolist(), counts.c.tolist()]
    header = [*COLUMNS]
    if counts.groups is not None:
        columns.append(counts.groups)
        header.append(GROUP)
    writer.writerow(header)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def parse_csv(text: str, name: str = "text") -> Counts:
    r"""Return the table of counts that CSV text holds.

    Parameters
    ----------
    text
        A header with ``problem``, ``n`` and ``c`` in any order, ``group`` if wanted,
        then a row a problem. Empty lines are skipped, other columns refused.
    name
        What to call the text in errors.

    Raises
    ------
    ValueError
        If a column is missing, unknown or there twice, a row has another number of
        cells, a count is not a whole number in digits or larger than it can be, or the
        table is not one of :class:`~toolkit.evals.counts.Counts`.

    Examples
    --------
    >>> parse_csv("problem,c,n\nfirst,3,4\n").c
    array([3])
    """
    rows = _rows(text, name)
    if not rows:
        raise ValueError(f"{name} must have a header and rows, but it is empty")
    (_, header), *body = rows
    _check_header(header, name)
    if not body:
        raise ValueError(f"{name} must have a row for each problem, but it has none")
    columns: dict[str, list[str]] = {column: [] for column in header}
    for line, row in body:
        if len(row) != len(header):
            raise ValueError(
                f"{name}, line {line}: a row must have {len(header)} cells like the "
                f"header, but it has {len(row)}"
            )
        for column, cell in zip(header, row, strict=True):
            if column in ("n", "c"):
                _check_whole(cell, f"{name}, line {line}: {column}")
            columns[column].append(cell)
    try:
        return Counts(
            problems=tuple(columns["problem"]),
            n=np.array([int(cell) for cell in columns["n"]]),
            c=np.array([int(cell) for cell in columns["c"]]),
            groups=tuple(columns[GROUP]) if GROUP in columns else None,
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def read_csv(path: Path | str) -> Counts:
    """Return the table of counts that a CSV file holds; see :func:`parse_csv`.

    Raises
    ------
    ValueError
        If the file is not UTF-8 text, or the text is no table of counts.
    OSError
        If the file cannot be read.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} must be UTF-8 text, but byte {error.start} is not"
        ) from None
    return parse_csv(text, str(path))


def _rows(text: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the rows with their line numbers, empty lines left out."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{name}, line {reader.line_num}: {error}") from None


def _check_header(header: list[str], name: str) -> None:
    known = (*COLUMNS, GROUP)
    for column in COLUMNS:
        if column not in header:
            raise ValueError(
                f"{name} must have the columns {', '.join(COLUMNS)}, but its header "
                f"lacks {column!r}: {', '.join(header)}"
            )
    for i, column in enumerate(header):
        if column not in known:
            raise ValueError(
                f"{name} must have the columns {', '.join(COLUMNS)} and perhaps "
                f"{GROUP}, but one is {column!r}"
            )
        if column in header[:i]:
            raise ValueError(f"{name} must have each column once, but not {column!r}")


def _check_whole(cell: str, where: str) -> None:
    if not WHOLE.fullmatch(cell):
        raise ValueError(
            f"{where} must be a whole number in digits, but it is {cell!r}"
        )
    if len(cell) > len(str(LARGEST_COUNT)):
        raise ValueError(f"{where} must be at most {LARGEST_COUNT}, but it is longer")
