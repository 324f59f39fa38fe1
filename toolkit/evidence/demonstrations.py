"""From every claim to where it is shown and to the module that computes it."""

from pathlib import PurePosixPath

from toolkit.evidence.loading import load
from toolkit.evidence.markup import (
    cell,
    heading,
    link_to_claim,
    link_to_page,
    row,
    rows,
    table,
    text,
)
from toolkit.evidence.page import PAGE, Listing
from toolkit.evidence.records import Claim

UNSHOWN = "on no page yet"


def modules(claim: Claim) -> tuple[str, ...]:
    """Return the toolkit modules whose tests check the claim or its demonstration.

    ``tests/test_optima.py::test_x`` checks ``toolkit.optima``; a test file named for a
    part of a package, as ``test_agents_values.py``, stands for the package, and so do
    the files in the folder ``tests/labs``.
    """
    files = (PurePosixPath(test.partition("::")[0]) for test in claim.tests)
    names = (
        file.parent.name
        if file.parent.name == "labs"
        else file.stem.removeprefix("test_").partition("_")[0]
        for file in files
    )
    return tuple(dict.fromkeys(names))


def demonstration_map() -> Listing:
    """Return every claim with its demonstration and the module behind it."""
    claims = load()
    columns = ("Claim", "Section", "Shown in", "Modules")
    body = rows(
        row(
            heading(
                "Claim", f"{text(claim.claim)} {link_to_claim(claim, 'details', PAGE)}"
            ),
            cell("Section", text(claim.section)),
            cell("Shown in", _shown(claim)),
            cell("Modules", ", ".join(f"<code>{m}</code>" for m in modules(claim))),
        )
        for claim in claims
    )
    lines = (
        f"{claim.section}  {claim.id}  {', '.join(claim.demonstrations) or '-'}  "
        f"{', '.join(modules(claim)) or '-'}"
        for claim in claims
    )
    caption = "Claims, where they are shown, and what computes them"
    return Listing(body=table(caption, columns, body), lines=tuple(lines))


def _shown(claim: Claim) -> str:
    links = ", ".join(map(link_to_page, claim.demonstrations))
    return links or UNSHOWN
