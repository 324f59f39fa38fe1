"""A file as a table of DuckDB, through Ibis: read as a stream."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from toolkit.evals.reading.errors import LogError, missing_package
from toolkit.evals.reading.grouping import Table
from toolkit.evals.reading.head import LONGEST_ROW, Head
from toolkit.evals.reading.nested import open_file
from toolkit.evals.reading.progress import progress

TEXT = "VARCHAR"
SETTINGS = (  # let the progress be asked for, without DuckDB's own bar
    "enable_progress_bar = true",
    "enable_progress_bar_print = false",
)
JSON_FORMATS = {"jsonl": "newline_delimited", "json array": "array"}


@contextmanager
def open_table(
    head: Head,
    fields: Iterable[str],
    *,
    bar: bool,
    types: Mapping[str, str] | None = None,
) -> Iterator[Table]:
    """Give the fields of a file as a table, and errors of the engine as ours.

    Nothing is read until the table is queried.

    Parameters
    ----------
    head
        The file: CSV, JSON lines, a JSON array or parquet.
    fields
        Names of the fields to read, as text; the others are skipped. Parquet keeps
        its types.
    bar
        Show a progress bar.
    types
        DuckDB's types of fields of a JSON file that are not to be read as text.

    Raises
    ------
    LogError
        If a package is missing, or the file cannot be read to its end.
    """
    try:
        import duckdb
        import ibis
        import pyarrow
    except ImportError as error:
        raise missing_package(error, "to read a log") from None
    columns = {name: (types or {}).get(name, TEXT) for name in dict.fromkeys(fields)}
    connection = ibis.duckdb.connect(preserve_insertion_order=False)
    try:
        for setting in SETTINGS:
            connection.con.execute(f"SET {setting}")
        table = _table(connection, head, columns)
        with progress(lambda: connection.con.query_progress() / 100, wanted=bar):
            yield table.select(*columns)
    except (
        duckdb.Error,
        ibis.common.exceptions.IbisError,
        pyarrow.ArrowException,
    ) as error:
        raise LogError(_explain(head, error)) from None
    finally:
        connection.disconnect()


def _table(connection: Any, head: Head, columns: dict[str, str]) -> Table:
    path = str(head.path)
    compression = "gzip" if head.gzipped else "uncompressed"
    if head.kind == "parquet":
        return connection.read_parquet(path)
    if head.kind == "csv":
        return connection.read_csv(
            path,
            columns=dict.fromkeys(head.fields, TEXT),
            auto_detect=False,
            header=True,
            delim=head.delimiter,
            quote='"',
            escape='"',
            max_line_size=LONGEST_ROW,
            compression=compression,
        )
    return connection.read_json(
        path,
        columns=columns,
        format=JSON_FORMATS[head.kind],
        records="true",
        maximum_object_size=LONGEST_ROW,
        compression=compression,
    )


def _explain(head: Head, error: Exception) -> str:
    """Return why the engine failed, in a sentence."""
    if head.kind == "jsonl" and (found := _first_bad_line(head)):
        return found
    lines = [line.strip() for line in str(error).splitlines()]
    said = " ".join(line for line in lines if line).split("Possible ")[0]
    said = said.replace(f'"{head.path}"', "the file").split(" Try ")[0]
    return f"the file cannot be read to its end: {said[:200].strip()}"


def _first_bad_line(head: Head) -> str | None:
    """Return which line of a file of JSON lines is none, and why."""
    with open_file(head.path, gzipped=head.gzipped) as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_ROW), b""), 1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not text.strip():
                continue
            try:
                row = json.loads(text.decode())
            except UnicodeDecodeError as error:
                return f"line {number:,} is not UTF-8 (byte {error.start + 1})"
            except (ValueError, RecursionError) as error:
                end = "" if line.endswith(b"\n") else ": the file may be cut off"
                return f"line {number:,} is no whole JSON object ({error}){end}"
            if not isinstance(row, dict):
                return f"line {number:,} must be a JSON object, but it is {row!r:.60}"
    return None
