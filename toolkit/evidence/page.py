"""The evidence table as a page shows it: HTML for the reader, short lines for a diff.

Links between pages are relative and lead to ``.html``. Works are linked to the list of
references on the evidence page.
"""

import calendar
import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.evidence.export import to_bibtex, to_csv, to_json
from toolkit.evidence.loading import load
from toolkit.evidence.markup import (
    badge,
    cell,
    claim_id,
    definitions,
    heading,
    link_to_claim,
    link_to_page,
    link_to_work,
    listing,
    row,
    rows,
    table,
    text,
)
from toolkit.evidence.records import Claim, Source, Statement
from toolkit.evidence.rules import check_word
from toolkit.evidence.vocabulary import DOCUMENTS, KINDS, STATUSES, WAYS_OF_KNOWING

PAGE = "evidence.html"

DOWNLOADS: Mapping[str, Callable[[Sequence[Claim]], str]] = {
    "evidence.csv": to_csv,
    "evidence.json": to_json,
    "evidence.bib": to_bibtex,
}
"""Files that the build puts next to the page, and what writes each."""

FILES = dict(zip(("CSV", "JSON", "BibTeX"), DOWNLOADS, strict=True))
"""Name and file of each format."""

BADGES: Mapping[str, str] = {
    "mathematical fact": "badge-fact",
    "replicated": "badge-replicated",
    "contested": "badge-contested",
    "recent": "badge-recent",
}
"""Style of each kind."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Listing:
    """Something a page shows, as HTML and as text.

    Attributes
    ----------
    body
        The HTML.
    lines
        The text, a line an entry.
    """

    body: str
    lines: tuple[str, ...]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.body, "text/plain": "\n".join(self.lines)}


def chapter_rows() -> Listing:
    """Return the six rows of the chapter's own table, in its order, for any page."""
    claims = sorted((c for c in load() if c.row is not None), key=lambda c: c.row or 0)
    columns = ("Claim", "Kind of evidence", "Status", "Shown in", "Sources")
    body = rows(
        row(
            heading("Claim", f"{text(claim.claim)} {_to_details(claim)}"),
            cell("Kind", badge(claim.kind, BADGES[claim.kind])),
            cell("Status", text(claim.status)),
            cell("Shown in", _shown(claim)),
            cell("Sources", _cited(claim.sources, PAGE)),
        )
        for claim in claims
    )
    caption = f"The six rows of the chapter, {_month(claims[0])}"
    return Listing(body=table(caption, columns, body), lines=tuple(map(_line, claims)))


def whole_table() -> Listing:
    """Return every claim, with controls to show one kind, status or section."""
    claims = load()
    columns = ("Claim", "Kind and status", "Shown in", "Sources")
    caption = f"{len(claims)} claims, {_month(claims[0])}"
    shown = table(caption, columns, "".join(map(_claim_rows, claims)))
    body = f'<div class="evidence-filterable">{_controls(claims)}{shown}</div>'
    return Listing(body=body, lines=tuple(map(_line, claims)))


def disagreements(document: str) -> Listing:
    """Return where the evidence differs from one of the source texts.

    Parameters
    ----------
    document
        A word of ``DOCUMENTS``.

    Returns
    -------
    Listing
        A row for each statement that does not say what the evidence says.

    Raises
    ------
    ValueError
        If there is no such document.
    """
    check_word(document, DOCUMENTS, "document")
    found = [
        (claim, statement)
        for claim in load()
        for statement in claim.disagreements
        if statement.document == document
    ]
    body = rows(_disagreement_row(claim, statement) for claim, statement in found)
    return Listing(
        body=table(DOCUMENTS[document], ("It says", "Verdict", "Why"), body),
        lines=tuple(f"{s.verdict:<10}  {s.basis:<8}  {c.id}" for c, s in found),
    )


def downloads() -> Listing:
    """Return links to the table as files."""
    links = ", ".join(
        f'<a href="{file}" download>{name}</a>' for name, file in FILES.items()
    )
    body = f'<p class="evidence-downloads">Download the whole table: {links}.</p>'
    return Listing(body=body, lines=tuple(DOWNLOADS))


def _claim_rows(claim: Claim) -> str:
    """Return the two rows of a claim: what one sees, and what one can unfold."""
    kind = f"{badge(claim.kind, BADGES[claim.kind])} {text(claim.status)}"
    first = row(
        heading("Claim", f"{text(claim.claim)} {link_to_claim(claim, '#')}"),
        cell("Kind and status", kind),
        cell("Shown in", _shown(claim)),
        cell("Sources", _cited(claim.sources)),
    )
    summary = "<summary>Settings, reports, caveat, tests, history</summary>"
    more = f"<details>{summary}{_details(claim)}</details>"
    second = row(f'<td role="cell" colspan="4">{more}</td>')
    names = ("kind", "status", "section")
    data = (f' data-{n}="{html.escape(getattr(claim, n))}"' for n in names)
    return rows((first, second), f' id="{claim_id(claim)}"{"".join(data)}')


def _details(claim: Claim) -> str:
    """Return what a claim's row unfolds to."""
    entries = [
        ("Measured in", text(claim.settings)),
        ("What the works report", listing(map(_report, claim.sources))),
        ("What the toy shows", text(claim.toy)),
        ("Caveat", text(claim.caveat)),
    ]
    if claim.tests:
        tests = (f"<code>{text(test)}</code>" for test in claim.tests)
        settled = claim.status == "settled"
        name = "What fails if it is false" if settled else "What is tested of it here"
        entries.append((name, listing(tests)))
    if claim.statements:
        said = listing(map(_statement, claim.statements))
        entries.append(("What the source texts say", said))
    changes = (f"{c.date}, {c.status}: {c.why}" for c in claim.history)
    entries.append(("History of the status", listing(map(text, changes))))
    return definitions(entries)


def _report(source: Source) -> str:
    known = "; ".join(WAYS_OF_KNOWING[way] for way in source.known)
    return f"{link_to_work(source.key)} <em>({known})</em>: {text(source.reports)}"


def _statement(statement: Statement) -> str:
    return (
        f"{DOCUMENTS[statement.document]}: {text(statement.says)} "
        f"<strong>{statement.verdict.capitalize()}</strong>, {_reason(statement)}"
    )


def _disagreement_row(claim: Claim, statement: Statement) -> str:
    where = statement.demonstrations or claim.demonstrations
    links = [*map(link_to_page, where), link_to_claim(claim, "evidence", PAGE)]
    links += [link_to_work(source.key, PAGE) for source in claim.sources]
    more = f'<span class="evidence-links">{", ".join(links)}</span>'
    return row(
        heading("It says", text(statement.says)),
        cell("Verdict", badge(statement.verdict, "badge-verdict")),
        cell("Why", f"{_reason(statement)} {more}"),
    )


def _reason(statement: Statement) -> str:
    return f"<em>{statement.basis}</em>: {text(statement.reason)}"


def _controls(claims: Sequence[Claim]) -> str:
    """Return the selections; they stay hidden where no script makes them work."""
    sections = sorted({claim.section for claim in claims})
    vocabularies = {"kind": KINDS, "status": STATUSES, "section": sections}
    selections = (
        _selection(name, words, [getattr(claim, name) for claim in claims])
        for name, words in vocabularies.items()
    )
    return (
        f'<form class="evidence-controls" hidden>{"".join(selections)}'
        '<button type="reset">Show all</button>'
        '<p class="evidence-count" role="status"></p></form>'
    )


def _selection(name: str, words: Iterable[str], present: Sequence[str]) -> str:
    options = (
        f'<option value="{html.escape(word)}">{text(word)} ({present.count(word)})'
        "</option>"
        for word in words
        if word in present
    )
    return (
        f'<label>{name.capitalize()} <select name="{name}">'
        f'<option value="">all</option>{"".join(options)}</select></label>'
    )


def _shown(claim: Claim) -> str:
    return ", ".join(map(link_to_page, claim.demonstrations)) or "not in this edition"


def _to_details(claim: Claim) -> str:
    return link_to_claim(claim, "details", PAGE)


def _cited(sources: Iterable[Source], page: str = "") -> str:
    return ", ".join(
        link_to_work(source.key, page) + " (second-hand)" * source.is_second_hand
        for source in sources
    )


def _month(claim: Claim) -> str:
    year, month = claim.as_of.split("-")
    return f"{calendar.month_name[int(month)]} {year}"


def _line(claim: Claim) -> str:
    return f"{claim.kind:<17}  {claim.status:<17}  {claim.id}"
