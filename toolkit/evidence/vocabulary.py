"""The words of the evidence table, each defined once, for the page and the checks.

Every mapping goes from a word to what it means.
"""

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "mathematical fact": "follows from the definitions, by proof or by calculation; "
    "a test of this book fails if it is false",
    "replicated": "groups that work apart have found it, each in its own setting",
    "contested": "groups report results that pull in different directions",
    "recent": "one group has reported it, or all reports are of the last two years "
    "and none repeats another",
}
"""What sort of evidence a claim has."""

STATUSES: Mapping[str, str] = {
    "settled": "proved, and checked by a test of this book",
    "supported": "the results we know of agree in direction",
    "setting-dependent": "true in some settings and not in others; the row names them",
    "partly replicated": "one group repeated a part of what another found",
    "single group": "we know of no repetition by others",
    "disputed": "published results contradict it, or contradict its explanation",
    "second-hand": "we could not read the work and rely on others' account of it",
}
"""How far a claim can be relied on, at the date the row gives."""

WAYS_OF_KNOWING: Mapping[str, str] = {
    "paper": "read in the paper itself",
    "code": "from the authors' code or their own page",
    "abstract": "from the abstract",
    "recomputed": "computed again here from the published definitions",
    "agreeing notes": "second-hand: independent readers' notes agree on it",
    "notes": "second-hand: from one reader's notes, which name section or table",
    "secondary page": "second-hand: from a single weak page",
}
"""How we know what a work reports, surest first."""

SECOND_HAND = frozenset({"agreeing notes", "notes", "secondary page"})
"""The ways of knowing that never touched the work itself."""

DOCUMENTS: Mapping[str, str] = {
    "chapter": "The chapter",
    "exploration-brakes": "The essay on exploration brakes",
    "abstracts-2026": "The abstracts of 2026",
    "surprising-truth": "The article on surprising truths",
}
"""The four texts this companion was written to check, by what the pages call them."""

VERDICTS: Mapping[str, str] = {
    "agrees": "says what the evidence says",
    "overstated": "true in part, but said more strongly than the evidence allows",
    "incomplete": "leaves out something that changes how one reads it",
    "outdated": "held when it was written",
    "wrong": "contradicted by the work it rests on, or by a calculation",
    "not found": "we found nothing that supports it, and nothing against it",
}
"""How a text stands to the evidence."""

BASES: Mapping[str, str] = {
    "computed": "a calculation in this book shows it",
    "cited": "the work itself shows it",
    "searched": "we looked for it",
}
"""What a verdict rests on."""
