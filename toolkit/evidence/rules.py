"""What must hold within one record of the evidence table."""

import datetime
import re
from collections.abc import Mapping, Sequence

from toolkit.evidence.records import Claim
from toolkit.evidence.vocabulary import (
    BASES,
    DOCUMENTS,
    KINDS,
    SECOND_HAND,
    STATUSES,
    VERDICTS,
    WAYS_OF_KNOWING,
)
from toolkit.evidence.works import works

CHAPTER_ROWS = range(1, 7)  # the rows of the chapter's own table
HEARD = "second-hand"  # what numbers are called that we did not see in the work


def check_claim(claim: Claim, today: datetime.date) -> None:
    """Raise unless what a claim says is consistent."""
    where = f"claim {claim.id!r}"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", claim.id):
        raise ValueError(f"{where}: id must be lower-case words joined by hyphens")
    if not re.fullmatch(r"11\.[0-6]", claim.section):
        raise ValueError(
            f"{where}: section must be 11.0 to 11.6, not {claim.section!r}"
        )
    if claim.row is not None and claim.row not in CHAPTER_ROWS:
        raise ValueError(f"{where}: row must be 1 to 6, but it is {claim.row}")
    check_word(claim.kind, KINDS, f"{where}: kind")
    check_word(claim.status, STATUSES, f"{where}: status")
    _check_date(claim.as_of, today, f"{where}: as_of")
    _check_sources(claim, where)
    for statement in claim.statements:
        at = f"{where}: statement of {statement.document!r}"
        check_word(statement.document, DOCUMENTS, f"{at}: document")
        check_word(statement.verdict, VERDICTS, f"{at}: verdict")
        check_word(statement.basis, BASES, f"{at}: basis")
    _check_links(claim, where)
    _check_fact(claim, where)
    _check_history(claim, today, where)


def _check_sources(claim: Claim, where: str) -> None:
    """Raise unless there is a source, each known once and in a way we name."""
    if not claim.sources:
        raise ValueError(f"{where}: sources must name at least one work, but is empty")
    for source in claim.sources:
        if not source.known:
            raise ValueError(f"{where}: source {source.key!r}: known must not be empty")
        if source.key not in works():
            raise ValueError(
                f"{where}: source must be a key of works.json, not {source.key!r}; "
                "python -m tools.evidence renews that file from references.bib"
            )
        for way in source.known:
            check_word(way, WAYS_OF_KNOWING, f"{where}: source {source.key!r}: known")
        heard = SECOND_HAND.intersection(source.known) and not source.is_second_hand
        if heard and re.search(r"\d", source.reports) and HEARD not in source.reports:
            raise ValueError(
                f"{where}: source {source.key!r}: reports must say which numbers are "
                f"{HEARD}, since only a part was seen in the work"
            )
    check_unique(f"{where}: source", [source.key for source in claim.sources])


def _check_links(claim: Claim, where: str) -> None:
    """Raise unless links and test ids have their form."""
    links = list(claim.demonstrations)
    for statement in claim.statements:
        links += statement.demonstrations
    for link in links:
        if not re.fullmatch(r"(labs/)?[a-z0-9-]+\.md#[A-Za-z0-9-]+", link):
            raise ValueError(
                f"{where}: a link must look like page.md#label, not {link!r}"
            )
    for test in claim.tests:
        if not re.fullmatch(r"tests/(labs/)?test_\w+\.py::(Test\w+::)?test_\w+", test):
            raise ValueError(
                f"{where}: a test must look like tests/test_x.py::test_y, not {test!r}"
            )


def _check_fact(claim: Claim, where: str) -> None:
    """Raise unless a mathematical fact is settled, and tested, and nothing else is."""
    is_fact = claim.kind == "mathematical fact"
    if is_fact != (claim.status == "settled"):
        raise ValueError(
            f"{where}: a mathematical fact must be settled and nothing else may be, "
            f"but kind is {claim.kind!r} and status {claim.status!r}"
        )
    if is_fact and not claim.tests:
        raise ValueError(f"{where}: a settled mathematical fact must have a test")


def _check_history(claim: Claim, today: datetime.date, where: str) -> None:
    """Raise unless the history runs forward in time to the present status."""
    if not claim.history:
        raise ValueError(f"{where}: history must have at least one entry, but is empty")
    for change in claim.history:
        _check_date(change.date, today, f"{where}: history: date")
        check_word(change.status, STATUSES, f"{where}: history: status")
    dates = [change.date for change in claim.history]
    if dates != sorted(dates) or dates[-1] > claim.as_of:
        raise ValueError(
            f"{where}: history must run forward and end by {claim.as_of}, not {dates}"
        )
    if claim.history[-1].status != claim.status:
        raise ValueError(
            f"{where}: status must be the last of the history, "
            f"{claim.history[-1].status!r}, but it is {claim.status!r}"
        )


def check_word(word: str, vocabulary: Mapping[str, str], where: str) -> None:
    """Raise unless ``word`` is in the vocabulary."""
    if word not in vocabulary:
        known = ", ".join(vocabulary)
        raise ValueError(f"{where} must be one of {known}, but it is {word!r}")


def _check_date(date: str, today: datetime.date, where: str) -> None:
    """Raise unless ``date`` is a month like 2026-10, and no later than today."""
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", date):
        raise ValueError(f"{where} must be a month like 2026-10, but it is {date!r}")
    if date > f"{today:%Y-%m}":
        raise ValueError(f"{where} must not be in the future, but it is {date}")


def check_unique(name: str, values: Sequence[object]) -> None:
    """Raise if a value is there twice."""
    for i, value in enumerate(values):
        if value in values[:i]:
            raise ValueError(f"{name} must be unique, but {value!r} is there twice")
