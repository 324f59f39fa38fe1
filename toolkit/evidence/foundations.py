"""What rests on what: the best support of each claim, and the works that carry most."""

from collections import Counter
from collections.abc import Mapping, Sequence

from toolkit.evidence.records import Claim
from toolkit.evidence.vocabulary import KINDS, SECOND_HAND

FOUNDATIONS = (
    "test of this book",
    "paper read",
    "authors' code or page",
    "abstract",
    "second-hand only",
)
"""What a claim can rest on, surest first."""


def foundation(claim: Claim) -> str:
    """Return the surest thing that a claim rests on, one of ``FOUNDATIONS``.

    Examples
    --------
    >>> from toolkit.evidence import load, select
    >>> {foundation(claim) for claim in select(load(), kind="mathematical fact")}
    {'test of this book'}
    """
    known = {way for source in claim.sources for way in source.known}
    if claim.status == "settled":
        return FOUNDATIONS[0]
    if known <= SECOND_HAND:
        return FOUNDATIONS[-1]
    if "paper" in known:
        return FOUNDATIONS[1]
    return FOUNDATIONS[2] if known & {"code", "recomputed"} else FOUNDATIONS[3]


def count_foundations(claims: Sequence[Claim]) -> Mapping[str, Mapping[str, int]]:
    """Return how many claims of each kind rest on what, at best."""
    return {
        kind: Counter(foundation(claim) for claim in claims if claim.kind == kind)
        for kind in KINDS
    }


def count_works(claims: Sequence[Claim]) -> Mapping[str, tuple[int, int]]:
    """Return for each work how many claims rest on it: seen in it, and second-hand.

    Most claims first, then by key.
    """
    seen: Counter[str] = Counter()
    heard: Counter[str] = Counter()
    for claim in claims:
        for source in claim.sources:
            (heard if source.is_second_hand else seen)[source.key] += 1
    keys = sorted(seen | heard, key=lambda key: (-seen[key] - heard[key], key))
    return {key: (seen[key], heard[key]) for key in keys}
