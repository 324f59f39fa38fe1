"""The tally of a table of rows, computed where the table is.

:func:`tally_table` writes one query in Ibis, so that the same call groups a file in
DuckDB, a frame in Polars or a table of a cluster's engine; what comes back has a row a
problem.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

from toolkit.evals.reading.errors import LogError, missing_package
from toolkit.evals.reading.options import Options
from toolkit.evals.reading.outcomes import (
    NO_SCORE,
    RIGHT_WORDS,
    WRONG_WORDS,
    odd_score_message,
)
from toolkit.evals.reading.result import Reading, conclude, number
from toolkit.evals.reading.tally import Row, Tally

Table: TypeAlias = Any  # an ibis.Table; ibis is imported only where it is needed
Column: TypeAlias = Any
N_SHOWN = 5
ENDS = ("least", "most")


def count_samples(
    table: Table,
    *,
    problem: str,
    score: str,
    threshold: float | None = None,
    group: str | None = None,
    sample: str | None = None,
    unscored: str | None = None,
) -> Reading:
    """Return the counts of a table with one row a sample, wherever it is stored.

    Parameters
    ----------
    table
        A table of Ibis, of any of its engines: ``connection.table("samples")``.
    problem
        Column that names the problem.
    score
        Column that says whether the sample is right: true or false, 1 or 0, or a
        number to compare with ``threshold``.
    threshold
        A sample is right if its score is at least this.
    group
        Column that names the benchmark of a problem.
    sample
        Column that numbers the samples of a problem; a number must not come twice.
    unscored
        ``"drop"`` or ``"wrong"``: what to do with rows without a score. None refuses
        them.

    Returns
    -------
    Reading
        The counts, with notes on what was left out.

    Raises
    ------
    LogError
        If a column is missing, a row has no problem, a score is neither right nor
        wrong, or a sample is there twice.

    Examples
    --------
    >>> import ibis, pyarrow
    >>> rows = {"task": ["a", "a", "b"], "passed": [True, False, True]}
    >>> table = ibis.memtable(pyarrow.table(rows))
    >>> reading = count_samples(table, problem="task", score="passed")
    >>> reading.counts.problems, reading.counts.n, reading.counts.c
    (('a', 'b'), array([2, 1]), array([1, 1]))
    """
    options = Options(threshold=threshold, unscored=unscored)
    tally = tally_table(
        table,
        problem=problem,
        score=score,
        threshold=options.threshold,
        group=group,
        sample=sample,
    )
    return conclude(tally, format="table", unscored=options.unscored)


def tally_table(
    table: Table,
    *,
    problem: str,
    score: str,
    threshold: float | None = None,
    group: str | None = None,
    sample: str | None = None,
    constant: Iterable[str] = (),
) -> Tally:
    """Return the tally of a table with one row a sample; see :func:`count_samples`.

    Columns in ``constant`` must have one value in all rows: counts of several models,
    steps or filters together mean nothing.
    """
    ibis = _ibis()
    constant = tuple(constant)
    for name in (problem, score, group, sample, *constant):
        if name is not None and name not in table.columns:
            raise LogError(
                f"the table must have the column {name!r}, but it has only "
                f"{', '.join(table.columns)}"
            )
    marked = table.select(
        problem=table[problem].cast("string"),
        group=_column(ibis, table, group),
        sample=_column(ibis, table, sample),
        **_judge(table[score], threshold),
        **{f"constant_{i}": _shown(table[name]) for i, name in enumerate(constant)},
    )
    counted = marked.group_by("problem").agg(
        rows=marked.count(),
        right=_number(marked.right),
        unscored=_number(marked.missing),
        odd=_number(marked.odd),
        example=ibis.ifelse(marked.odd, marked.text, ibis.null("string")).max(),
        first_group=marked.group.min(),
        last_group=marked.group.max(),
        grouped=marked.group.count(),
        samples=marked["sample"].nunique(where=marked["sample"].notnull()),
        sampled=marked["sample"].count(),
        **{f"least_{i}": marked[f"constant_{i}"].min() for i in range(len(constant))},
        **{f"most_{i}": marked[f"constant_{i}"].max() for i in range(len(constant))},
    )
    rows = counted.to_pyarrow().to_pylist()
    for i, name in enumerate(constant):
        refuse_mixture(name, {row[f"{end}_{i}"] for row in rows for end in ENDS})
    return _to_tally(rows, score=score, sample=sample)


def keep_where(table: Table, where: Iterable[tuple[str, str]]) -> Table:
    """Return the rows whose fields have these values."""
    for name, value in where:
        table = table.filter(table[name].cast("string").strip() == value)
    return table


def refuse_none_left(table: Table, where: Iterable[tuple[str, str]]) -> None:
    """Refuse conditions that no row of ``table`` satisfies, and say what there is."""
    for name, value in where:
        if keep_where(table, [(name, value)]).limit(1).to_pyarrow().num_rows:
            continue
        values = table.select(value=_shown(table[name])).distinct()
        rows = values.order_by("value").limit(N_SHOWN + 1).to_pyarrow().to_pylist()
        shown = _listed([row["value"] for row in rows])
        raise LogError(f"no row has {name} = {value}; there are: {shown}")


def _judge(column: Column, threshold: float | None) -> dict[str, Column]:
    """Return whether each sample has no score, is right, or has an odd score."""
    value, missing, text = _read_scores(column)
    if threshold is None:
        right, odd = value == 1, value.isnull() | ~value.isin([0.0, 1.0])
    else:
        right, odd = value >= threshold, value.isnull()
    return {
        "missing": missing,
        "right": ~missing & right.fill_null(False),
        "odd": ~missing & odd,
        "text": text,
    }


def _read_scores(column: Column) -> tuple[Column, Column, Column]:
    """Return the scores as numbers, whether one is missing, and as text."""
    kind = column.type()
    if kind.is_boolean():
        return (
            column.cast("int8").cast("float64"),
            column.isnull(),
            column.cast("string"),
        )
    if kind.is_numeric():
        value = column.cast("float64")
        missing = value.isnull() | value.isnan().fill_null(False)
        return value, missing, column.cast("string")
    if not kind.is_string():
        raise LogError(
            f"the scores must be true or false, numbers or text, but the column "
            f"{column.get_name()!r} holds {kind}"
        )
    word = column.strip().lower()
    value = word.try_cast("float64")
    value = word.isin(RIGHT_WORDS).ifelse(1.0, value)
    value = word.isin(WRONG_WORDS).ifelse(0.0, value)
    missing = word.isnull() | word.isin(NO_SCORE).fill_null(False)
    missing = missing | value.isnan().fill_null(False)
    return value, missing, column


def _column(ibis: Any, table: Table, name: str | None) -> Column:
    return ibis.null("string") if name is None else table[name].cast("string")


def _shown(column: Column) -> Column:
    return column.cast("string").fill_null("(none)")


def refuse_mixture(name: str, found: Iterable[str]) -> None:
    """Refuse several values of a field of which counts may have one only."""
    listed = sorted(set(found))
    if len(listed) > 1:
        raise LogError(
            f"the rows have several values of {name} ({_listed(listed)}), which must "
            f"not be counted together; name one: --where {name}={listed[0]}"
        )


def _listed(values: list[str]) -> str:
    return ", ".join([*values[:N_SHOWN], *(["..."] if values[N_SHOWN:] else [])])


def _number(column: Column) -> Column:
    return column.cast("int64").sum()


def _to_tally(rows: list[dict[str, Any]], *, score: str, sample: str | None) -> Tally:
    tally = Tally()
    for row in rows:
        name = row["problem"]
        if name is None or not name.strip():
            raise LogError(
                "every row must say which problem it is of: "
                f"{number(row['rows'], 'row')} without a name"
            )
        if row["first_group"] != row["last_group"] or row["grouped"] not in (
            0,
            row["rows"],
        ):
            raise LogError(
                f"a problem must be in one group, but {name!r} is in "
                f"{row['first_group']!r} and in {row['last_group']!r}"
            )
        if row["sampled"] != row["samples"]:
            raise LogError(
                f"a sample must be there once, but {row['sampled']} rows of problem "
                f"{name!r} have only {row['samples']} values of {sample}: was a log "
                "written twice?"
            )
        tally.problems[name] = Row(
            rows=row["rows"],
            right=row["right"],
            unscored=row["unscored"],
            group=row["first_group"],
        )
    n_odd = sum(row["odd"] for row in rows)
    if n_odd:
        example = max(row["example"] for row in rows if row["odd"])
        raise LogError(odd_score_message(example, score, n_odd))
    return tally


def _ibis() -> Any:
    try:
        import ibis
    except ImportError as error:
        raise missing_package(error, "to group rows") from None
    return ibis
