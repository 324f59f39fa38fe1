"""The beginning of a file: of what kind it is, which fields it has, its first rows.

A format is recognised by this alone; the file's name says nothing.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolkit.evals.reading.archive import open_archive
from toolkit.evals.reading.errors import LogError, missing_package
from toolkit.evals.reading.nested import File, Walk, open_file

LONGEST_ROW = 32 * 2**20  # bytes; longer rows of a text file are refused
N_ROWS = 50  # rows looked at
ENCODINGS = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 and UTF-32 begin like this
ZSTANDARD = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, kw_only=True)
class Head:
    """The beginning of a file.

    Attributes
    ----------
    path
        The file.
    kind
        ``"csv"``, ``"jsonl"`` (an object a line), ``"json array"``, ``"json object"``,
        ``"parquet"`` or ``"zip"``.
    fields
        Names of the fields of the first rows, or of the columns.
    rows
        The first rows.
    places
        Where the first values stand in one large JSON object: ``"eval.task"``.
    delimiter
        What separates the cells of a CSV file.
    gzipped
        Whether the file is compressed by gzip.
    """

    path: Path
    kind: str
    fields: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    places: frozenset[str] = frozenset()
    delimiter: str = ","
    gzipped: bool = False

    def has(self, *names: str) -> bool:
        """Return whether all of these are fields."""
        return set(names) <= set(self.fields)

    def has_one(self, names: Iterable[str]) -> bool:
        """Return whether one of these or more are fields."""
        return any(name in self.fields for name in names)

    def only_one(self, names: Iterable[str]) -> str | None:
        """Return the one of these that is a field; None if none is, or several are."""
        found = [name for name in names if name in self.fields]
        return found[0] if len(found) == 1 else None

    def stands(self, start: str, end: str = "") -> bool:
        """Return whether a value stands at a place that begins and ends like this."""
        return any(p.startswith(start) and p.endswith(end) for p in self.places)

    def values(self, name: str) -> list[Any]:
        """Return the values of a field in the first rows, missing ones left out."""
        return [row[name] for row in self.rows if row.get(name) is not None]


def look_at(path: Path | str) -> Head:
    """Return the beginning of a file.

    Parameters
    ----------
    path
        Text in UTF-8 (perhaps compressed by gzip), a parquet file or a zip archive.

    Raises
    ------
    LogError
        If the file is empty, is none of these, or its first row cannot be read.
    OSError
        If there is no such file.
    """
    path = Path(path)
    with path.open("rb") as raw:
        if not raw.seekable():
            raise LogError("a log is read twice: write what a pipe gives to a file")
        magic = raw.read(4)
    if not magic:
        raise LogError("the file is empty")
    if magic == b"PAR1":
        return _parquet(path)
    if magic == b"PK\x03\x04":
        return _zip(path)
    if magic == ZSTANDARD:
        raise LogError("the file is compressed by zstd; decompress it first")
    gzipped = magic.startswith(b"\x1f\x8b")
    with open_file(path, gzipped=gzipped) as file:
        return _text(path, file, gzipped=gzipped)


def _text(path: Path, file: File, *, gzipped: bool) -> Head:
    start = file.read(4096)
    if start.startswith(ENCODINGS) or b"\0" in start:
        raise LogError("the file must be UTF-8 text, parquet or a zip archive")
    first = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    file.seek(0)
    if first == b"[":
        walk = Walk(file)
        rows = _objects(
            [walk.value() for _, _ in zip(range(N_ROWS), walk.items(), strict=False)]
        )
        return Head(
            path=path,
            kind="json array",
            fields=_fields(rows),
            rows=rows,
            gzipped=gzipped,
        )
    if first == b"{":
        rows = _json_lines(file)
        if rows:
            fields = _fields(rows)
            return Head(
                path=path, kind="jsonl", fields=fields, rows=rows, gzipped=gzipped
            )
        file.seek(0)
        places = frozenset(_places(Walk(file)))
        return Head(path=path, kind="json object", places=places, gzipped=gzipped)
    return _csv(path, file, gzipped=gzipped)


def _json_lines(file: File) -> tuple[Mapping[str, Any], ...]:
    """Return the first rows; none if the first line is no whole object."""
    rows: list[Mapping[str, Any]] = []
    size = 0
    while len(rows) < N_ROWS and size < LONGEST_ROW:
        line = file.readline(LONGEST_ROW)
        if not line:
            break
        size += len(line)
        line = line.removeprefix(b"\xef\xbb\xbf") if size == len(line) else line
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            break  # the first line: another kind; a later one: found by the reader
        if not isinstance(row, dict):
            break
        rows.append(row)
    if len(rows) == 1 and not file.readline(1) and _is_nested(rows[0]):
        return ()
    return tuple(rows)


def _places(walk: Walk) -> Iterator[str]:
    """Yield where the first values of a log of its own stand, such as "eval.task"."""
    for name in walk.members():
        yield name
        if name == "eval" and walk.peek() == "{":
            for inner in walk.members():
                yield f"eval.{inner}"
                if walk.peek() == "[":  # of samples
                    for _ in walk.items():
                        sample = walk.value()
                        if isinstance(sample, dict):
                            yield from (f"eval.{inner}.item.{key}" for key in sample)
                            return
                else:
                    walk.value()
        elif walk.peek() in "[{":
            return  # may be large
        else:
            walk.value()


def _is_nested(row: Mapping[str, Any]) -> bool:
    """Return whether the only line of a file is a log of its own, not a row of one."""
    return any(key in ("eval", "samples") for key in row)


def _objects(items: list[Any]) -> tuple[Mapping[str, Any], ...]:
    for item in items:
        if not isinstance(item, dict):
            raise LogError(
                f"a JSON array must hold an object for each row, but it holds {item!r}"
            )
    return tuple(items)


def _fields(rows: tuple[Mapping[str, Any], ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in rows for name in row))


def _csv(path: Path, file: File, *, gzipped: bool) -> Head:
    data = file.read(2**20)
    try:  # the last character may be cut in two
        text = data.decode("utf-8-sig", "strict" if len(data) < 2**20 else "ignore")
    except UnicodeDecodeError as error:
        raise LogError(
            f"the file must be UTF-8 text, but byte {error.start} is not"
        ) from None
    delimiter = max(",\t;", key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        lines = [row for row, _ in zip(reader, range(N_ROWS + 1), strict=False)]
    except csv.Error as error:
        raise LogError(f"the file is no CSV: {error}") from None
    header = next((row for row in lines if row), [])
    if len(header) < 2:
        raise LogError(
            "the file is neither JSON, parquet, a zip archive nor CSV with a header"
        )
    for i, name in enumerate(header):
        if not name.strip() or name.lower() in (n.lower() for n in header[:i]):
            raise LogError(
                f"the columns of a CSV must have names, all different, but column "
                f"{i + 1} is called {name!r}"
            )
    rows = tuple(
        dict(zip(header, row, strict=True)) for row in lines if len(row) == len(header)
    )
    return Head(
        path=path,
        kind="csv",
        fields=tuple(header),
        rows=rows[1:],
        delimiter=delimiter,
        gzipped=gzipped,
    )


def _parquet(path: Path) -> Head:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise missing_package(error, "to read parquet") from None
    try:
        with parquet.ParquetFile(path) as file:
            names = tuple(file.schema_arrow.names)
            batch = next(file.iter_batches(batch_size=N_ROWS), None)
            rows = () if batch is None else tuple(batch.to_pylist())
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise LogError(f"the file is no whole parquet file: {error}") from None
    return Head(path=path, kind="parquet", fields=names, rows=rows)


def _zip(path: Path) -> Head:
    with open_archive(path) as archive:
        return Head(path=path, kind="zip", places=frozenset(archive.names))
