"""Read the evidence table from ``claims.json``, strictly, and pick rows from it."""

import datetime
import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib.resources import files
from typing import Any, get_args

from toolkit.evidence.records import Claim
from toolkit.evidence.rules import check_claim, check_unique, check_word
from toolkit.evidence.vocabulary import KINDS, STATUSES


def load(*, today: datetime.date | None = None) -> tuple[Claim, ...]:
    """Return the evidence table, checked.

    Parameters
    ----------
    today
        No date in the table may be later; the machine's date by default.

    Returns
    -------
    tuple of Claim
        The six rows of the chapter first, then by section.

    Raises
    ------
    ValueError
        If a record is malformed: see :func:`parse`.

    Examples
    --------
    >>> table = load()
    >>> table[0].kind, table[0].status
    ('mathematical fact', 'settled')
    """
    text = files("toolkit.evidence").joinpath("claims.json").read_text("utf-8")
    return parse(json.loads(text), today=today)


def parse(raw: object, *, today: datetime.date | None = None) -> tuple[Claim, ...]:
    """Return the claims that ``raw``, decoded JSON, describes.

    Parameters
    ----------
    raw
        A list of objects whose keys are the attributes of :class:`Claim`.
    today
        No date may be later; the machine's date by default.

    Returns
    -------
    tuple of Claim
        In the same order.

    Raises
    ------
    ValueError
        If a key is unknown or missing, a value has the wrong type or is empty, a word
        is not in its vocabulary, a date is malformed or in the future, an id or a row
        is there twice, a claim has no source or one that the bibliography lacks, a
        mathematical fact has no test, or the last change is not the status.
    """
    if not isinstance(raw, list):
        raise ValueError(f"claims must be a list, but it is {_type_name(raw)}")
    claims = tuple(
        _record(Claim, entry, _place(i, entry)) for i, entry in enumerate(raw)
    )
    for claim in claims:
        check_claim(claim, today or datetime.date.today())
    check_unique("id", [claim.id for claim in claims])
    check_unique("row", [claim.row for claim in claims if claim.row is not None])
    return claims


def select(
    claims: Iterable[Claim],
    *,
    kind: str | None = None,
    status: str | None = None,
) -> tuple[Claim, ...]:
    """Return the claims of one kind and one status, in their order.

    Parameters
    ----------
    claims
        The table or a part of it.
    kind
        A word of ``KINDS``, or None for all.
    status
        A word of ``STATUSES``, or None for all.

    Returns
    -------
    tuple of Claim
        Those that match both.

    Raises
    ------
    ValueError
        If a word is not in its vocabulary.

    Examples
    --------
    >>> {claim.status for claim in select(load(), kind="mathematical fact")}
    {'settled'}
    """
    if kind is not None:
        check_word(kind, KINDS, "kind")
    if status is not None:
        check_word(status, STATUSES, "status")
    return tuple(
        claim
        for claim in claims
        if kind in (None, claim.kind) and status in (None, claim.status)
    )


def _record(cls: type[Any], raw: object, where: str) -> Any:
    """Return ``raw`` as a record of type ``cls``, its keys and types checked."""
    if not isinstance(raw, Mapping):
        raise ValueError(f"{where} must be an object, but it is {_type_name(raw)}")
    known = {field.name: field for field in fields(cls)}
    for name in raw:
        if name not in known:
            allowed = ", ".join(known)
            raise ValueError(f"{where} has an unknown key {name!r}; known: {allowed}")
    for name, field in known.items():
        if name not in raw and field.default is MISSING:
            raise ValueError(f"{where} must have the key {name!r}, but has not")
    values = {
        name: _value(known[name].type, value, f"{where}: {name}")
        for name, value in raw.items()
    }
    return cls(**values)


def _value(kind: Any, raw: object, where: str) -> Any:
    """Return ``raw`` as a value of the annotation ``kind``."""
    if kind is str:
        if not isinstance(raw, str) or not raw.strip():
            raise ValueError(
                f"{where} must be text that is not empty, but it is {raw!r}"
            )
        return raw
    if kind == int | None:
        if raw is not None and type(raw) is not int:
            raise ValueError(
                f"{where} must be a whole number or null, but it is {raw!r}"
            )
        return raw
    if not isinstance(raw, list):
        raise ValueError(f"{where} must be a list, but it is {_type_name(raw)}")
    item = get_args(kind)[0]
    read = _record if is_dataclass(item) else _value
    return tuple(read(item, entry, f"{where}[{i}]") for i, entry in enumerate(raw))


def _place(i: int, entry: object) -> str:
    """Return how to name the claim at position ``i`` in an error."""
    found = entry.get("id") if isinstance(entry, Mapping) else None
    return f"claim {found!r}" if isinstance(found, str) else f"claim number {i + 1}"


def _type_name(value: object) -> str:
    return type(value).__name__
