"""A row a problem with n and c, as CSV, JSON lines, a JSON array or parquet.

A CSV file with the columns ``problem,n,c`` and perhaps ``group`` needs no engine.
"""

from collections import Counter
from typing import Any

import numpy as np

from toolkit.evals.counts import Counts
from toolkit.evals.plain import COLUMNS, GROUP, read_csv
from toolkit.evals.reading.engine import open_table
from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.fields import check_conditions, need_kind, the_field
from toolkit.evals.reading.format import Format
from toolkit.evals.reading.grouping import keep_where, refuse_mixture, refuse_none_left
from toolkit.evals.reading.head import Head
from toolkit.evals.reading.names import GROUPS, KINDS, MIXED, PROBLEMS
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.result import Reading, number, order, ragged_note

N = ("n", "n_samples", "num_samples")
C = ("c", "n_correct", "num_correct")


def _recognises(head: Head) -> bool:
    return head.kind in KINDS and all(map(head.has_one, (PROBLEMS, N, C)))


def _read(head: Head, options: Options) -> Reading:
    need_kind(head, KINDS, "counts")
    plain = options == Options(progress=options.progress) and not head.gzipped
    if plain and set(COLUMNS) <= set(head.fields) <= {*COLUMNS, GROUP}:
        try:
            return _reading(read_csv(head.path))
        except ValueError as error:
            said = str(error).removeprefix(str(head.path)).lstrip(":, ")
            raise LogError(said) from None
    return _reading(_counts(head, options))


def _counts(head: Head, options: Options) -> Counts:
    names = "names the problem of a row"
    problem = the_field(head, options.problem, PROBLEMS, "--problem", names)
    n = the_field(head, None, N, "a column n", "says how many samples there were")
    c = the_field(head, None, C, "a column c", "says how many were right")
    group = options.group or head.only_one(GROUPS)
    one_value = [name for name in MIXED if head.has(name)]
    asked = check_conditions(head, options)
    fields = [problem, n, c, *asked, *one_value, *([group] if group else [])]
    with open_table(head, fields, bar=options.progress) as table:
        rows = keep_where(table, options.where).to_pyarrow().to_pylist()
        if not rows:
            refuse_none_left(table, options.where)
            raise LogError("the file must have a row for each problem, but it has none")
    for name in one_value:
        refuse_mixture(name, {str(row[name]) for row in rows})
    found = [
        {
            "problem": None if row[problem] is None else str(row[problem]),
            "n": row[n],
            "c": row[c],
            "group": str(row[group]) if group else None,
        }
        for row in rows
    ]
    return _checked(found, has_groups=group is not None)


def _checked(rows: list[dict[str, Any]], *, has_groups: bool) -> Counts:
    """Return the rows as counts, each refusal with the problem's name."""
    nameless = sum(not (row["problem"] or "").strip() for row in rows)
    if nameless:
        raise LogError(
            f"every row must name its problem: {number(nameless, 'row')} without a name"
        )
    (name, times), *_ = Counter(row["problem"] for row in rows).most_common(1)
    if times > 1:
        raise LogError(
            f"a problem must be there once, but {name!r} is there {times:,} times; "
            "choose rows with --where FIELD=VALUE"
        )
    rows = sorted(rows, key=lambda row: order(row["problem"]))
    try:
        return Counts(
            problems=tuple(row["problem"] for row in rows),
            n=np.array([_whole(row, "n") for row in rows]),
            c=np.array([_whole(row, "c") for row in rows]),
            groups=tuple(row["group"] for row in rows) if has_groups else None,
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise LogError(str(error)) from None


def _whole(row: dict[str, Any], name: str) -> int:
    """Return a count that may be text or a float: 128, "128", 128.0."""
    try:
        number = float(row[name])
        if number.is_integer() and abs(number) < 2**53:
            return int(number)
    except (ValueError, TypeError, OverflowError):
        pass
    raise LogError(
        f"{name} must be a whole number, but for problem {row['problem']!r} it is "
        f"{row[name]!r}"
    )


def _reading(counts: Counts) -> Reading:
    return Reading(
        counts=counts,
        format="counts",
        rows=counts.n_problems,
        notes=tuple(ragged_note(counts.n.tolist())),
    )


FORMAT = Format(
    name="counts",
    files="any CSV, JSON or parquet with a row a problem: problem, n, c",
    recognises=_recognises,
    read=_read,
    is_general=True,
)
