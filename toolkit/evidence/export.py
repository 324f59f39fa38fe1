"""Write the evidence table: JSON and CSV, BibTeX of its works, text to read."""

import csv
import dataclasses
import importlib
import io
import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from toolkit.evidence.loading import load, select
from toolkit.evidence.records import Claim
from toolkit.evidence.vocabulary import DOCUMENTS, WAYS_OF_KNOWING
from toolkit.evidence.works import works

WIDTH = 88  # of a line of text


def to_json(claims: Sequence[Claim]) -> str:
    """Return the claims as JSON that :func:`toolkit.evidence.parse` reads back."""
    records = [dataclasses.asdict(claim) for claim in claims]
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def to_csv(claims: Sequence[Claim]) -> str:
    """Return the claims as CSV, one line a claim, a semicolon between values in a cell.

    The columns are those of :func:`flat_row`.
    """
    buffer = io.StringIO()
    names = [field.name for field in dataclasses.fields(Claim)]
    writer = csv.DictWriter(buffer, fieldnames=names, lineterminator="\n")
    writer.writeheader()
    for claim in claims:
        row = flat_row(claim)
        writer.writerow(
            {n: "; ".join(v) if isinstance(v, tuple) else v for n, v in row.items()}
        )
    return buffer.getvalue()


def to_bibtex(claims: Sequence[Claim]) -> str:
    """Return the works that the claims rest on, the claims of each as its keywords."""
    resting: dict[str, list[str]] = {}
    for claim in claims:
        for source in claim.sources:
            resting.setdefault(source.key, []).append(claim.id)
    entries = (
        works()[key].bibtex(keywords=", ".join(ids)) for key, ids in resting.items()
    )
    return "\n".join(entries)


def to_text(claims: Sequence[Claim]) -> str:
    """Return the claims to be read on a terminal."""
    return "\n".join(line for claim in claims for line in _lines(claim))


def frame(
    claims: Iterable[Claim] | None = None,
    *,
    kind: str | None = None,
    status: str | None = None,
) -> Any:
    """Return the claims as a pandas table, one row a claim, its id as the index.

    Parameters
    ----------
    claims
        What to show; the whole table by default.
    kind, status
        As in :func:`toolkit.evidence.select`.

    Returns
    -------
    pandas.DataFrame
        Columns as in :func:`flat_row`; several values stand in a cell as a tuple.

    Raises
    ------
    ModuleNotFoundError
        If pandas is not installed; nothing else here needs it.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        message = "frame needs pandas, which is not installed: pip install pandas"
        raise ModuleNotFoundError(message, name=error.name) from error
    chosen = select(load() if claims is None else claims, kind=kind, status=status)
    names = [field.name for field in dataclasses.fields(Claim)]
    rows = [flat_row(claim) for claim in chosen]
    return pandas.DataFrame(rows, columns=names).set_index("id")


def flat_row(claim: Claim) -> dict[str, Any]:
    """Return a claim with each attribute as one value or a tuple of texts.

    A source is ``key [how it is known]: what it reports``, a statement ``document
    [verdict, basis]: what it says -> reason``, a change ``date status: why``.
    """
    row = {
        field.name: getattr(claim, field.name) for field in dataclasses.fields(Claim)
    }
    row["sources"] = tuple(
        f"{s.key} [{', '.join(s.known)}]: {s.reports}" for s in claim.sources
    )
    row["statements"] = tuple(
        f"{s.document} [{s.verdict}, {s.basis}]: {s.says} -> {s.reason}"
        for s in claim.statements
    )
    row["history"] = tuple(f"{c.date} {c.status}: {c.why}" for c in claim.history)
    return row


def _lines(claim: Claim) -> Iterable[str]:
    """Yield the lines of one claim."""
    yield f"{claim.id}  ({claim.section}; {claim.kind}, {claim.status}, {claim.as_of})"
    yield from _wrapped(claim.claim)
    for source in claim.sources:
        known = "; ".join(WAYS_OF_KNOWING[way] for way in source.known)
        name = works()[source.key].name
        yield from _wrapped(f"Source: {name} ({known}). {source.reports}")
    yield from _wrapped(f"Settings: {claim.settings}")
    yield from _wrapped(f"Toy: {' '.join([claim.toy, *claim.demonstrations])}")
    for test in claim.tests:
        yield f"  Test: {test}"
    yield from _wrapped(f"Caveat: {claim.caveat}")
    for s in claim.statements:
        where = DOCUMENTS[s.document]
        yield from _wrapped(f"{where}: {s.says} [{s.verdict}, {s.basis}] {s.reason}")
    yield ""


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
