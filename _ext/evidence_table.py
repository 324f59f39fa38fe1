"""Tie the evidence table to the book: checks, files to download, badges.

The table is data of the toolkit; a cell of the evidence page shows it. The build stops
when the table names a page, a test or a work that does not exist. On any page
``{claim}`an-id``` is a badge with the claim's kind and status that leads to its row.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole

from toolkit import evidence
from toolkit.evidence.markup import cite_id, claim_id
from toolkit.evidence.page import BADGES, DOWNLOADS

LOGGER = logging.getLogger(__name__)
PAGE = "chapter11/evidence"


class ClaimRole(ReferenceRole):
    """A badge for the claim with this id; ``text <id>`` chooses the words."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the badge, as a link whose address is filled in at the end."""
        claims = {claim.id: claim for claim in evidence.load()}
        claim = claims.get(self.target)
        if claim is None:
            message = f"the evidence table has no claim {self.target!r}"
            return [], [self.inliner.reporter.error(message, line=self.lineno)]
        text = (
            self.title if self.has_explicit_title else f"{claim.kind}, {claim.status}"
        )
        badge = nodes.inline("", text, classes=["badge", BADGES[claim.kind]])
        return [nodes.reference("", "", badge, claim=claim_id(claim))], []


def lead_to_rows(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Fill in the addresses of the badges; without the table they stay bare."""
    for link in list(doctree.findall(nodes.reference)):
        if "claim" not in link:
            continue
        if PAGE in app.env.found_docs:
            address = app.builder.get_relative_uri(docname, PAGE)
            link["refuri"] = f"{address}#{link['claim']}"
            link["internal"] = True
        else:
            link.replace_self(link.children)


def name_citations(app: Sphinx, config: Config) -> None:
    """Give the works in a list of references the ids that the table links to."""
    config.bibtex_cite_id = cite_id("{key}")


def check_table(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Stop the build if the table does not fit the book."""
    if PAGE not in env.found_docs:
        return
    try:
        evidence.check_repository(Path(app.srcdir))
    except ValueError as error:
        raise ExtensionError(str(error)) from error


def write_downloads(app: Sphinx, exception: Exception | None) -> None:
    """Put the table next to its page, as files."""
    if exception or app.builder.format != "html" or PAGE not in app.env.found_docs:
        return
    folder = Path(app.outdir, PAGE).parent
    for name, write in DOWNLOADS.items():
        (folder / name).write_text(write(evidence.load()), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the role and the steps."""
    app.add_role("claim", ClaimRole())
    app.connect("config-inited", name_citations)
    app.connect("env-before-read-docs", check_table)
    app.connect("doctree-resolved", lead_to_rows)
    app.connect("build-finished", write_downloads)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
