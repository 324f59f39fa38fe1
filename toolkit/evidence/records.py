"""The records of the evidence table: a claim, its sources, its history.

A record says what is claimed as we would put it, how it is known and what tests it.
What each of the four source texts says about it stands in its ``statements``.
"""

from dataclasses import dataclass

from toolkit.evidence.vocabulary import SECOND_HAND


@dataclass(frozen=True, kw_only=True)
class Source:
    """A work that a claim rests on.

    Attributes
    ----------
    key
        Its BibTeX key.
    known
        How we know what it reports, words of ``WAYS_OF_KNOWING``.
    reports
        What it reports, with its numbers and settings.
    """

    key: str
    known: tuple[str, ...]
    reports: str

    @property
    def is_second_hand(self) -> bool:
        """Whether nothing of it was seen in the work, its code or its abstract."""
        return SECOND_HAND.issuperset(self.known)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What one of the source texts says about a claim, and how that stands.

    Attributes
    ----------
    document
        Which text, a word of ``DOCUMENTS``.
    says
        What it says, in our words.
    verdict
        A word of ``VERDICTS``.
    basis
        What the verdict rests on, a word of ``BASES``.
    reason
        The calculation or the citation in a sentence or two.
    demonstrations
        Where to see the reason, as ``page.md#label``; the claim's own by default.
    """

    document: str
    says: str
    verdict: str
    basis: str
    reason: str
    demonstrations: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Change:
    """When a claim's status became what it is, and why.

    Attributes
    ----------
    date
        Year and month, ``2026-10``.
    status
        The status from then on.
    why
        What changed it.
    """

    date: str
    status: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One row of the evidence table.

    Attributes
    ----------
    id
        Lower-case words joined by hyphens; never changes once published.
    section
        Of the chapter, ``11.1`` to ``11.5``.
    claim
        What is claimed, as we would put it.
    kind
        A word of ``KINDS``.
    status
        A word of ``STATUSES``.
    as_of
        Year and month for which kind and status hold, ``2026-10``.
    settings
        What it was measured in, or what it assumes.
    sources
        The works it rests on, at least one.
    toy
        What the toy language shows about it, or why it cannot.
    demonstrations
        Where, as ``page.md#label``.
    tests
        What fails if it is false, as ``tests/test_x.py::test_y``; of a claim about
        models, what fails if its demonstration changes.
    caveat
        What a reader should keep in mind.
    statements
        What the source texts say about it.
    history
        Changes of status, oldest first; the last one is the status now.
    row
        Its row in the chapter's own table, 1 to 6, or None.
    """

    id: str
    section: str
    claim: str
    kind: str
    status: str
    as_of: str
    settings: str
    sources: tuple[Source, ...]
    toy: str
    demonstrations: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    caveat: str
    statements: tuple[Statement, ...] = ()
    history: tuple[Change, ...]
    row: int | None = None

    @property
    def disagreements(self) -> tuple[Statement, ...]:
        """The statements that do not say what the evidence says."""
        return tuple(s for s in self.statements if s.verdict != "agrees")
