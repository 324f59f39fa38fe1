"""The pieces of HTML that the evidence pages are made of.

Rows and cells say their roles, since on a narrow screen the style sheet lays them out
as cards, and browsers then forget that they were a table.
"""

import html
from collections.abc import Iterable

from toolkit.evidence.records import Claim
from toolkit.evidence.works import works
from toolkit.numbering import figure_number


def text(content: str) -> str:
    """Return ``content`` as HTML text."""
    return html.escape(content, quote=False)


def table(caption: str, columns: Iterable[str], body: str) -> str:
    """Return a table; ``body`` holds its ``tbody`` elements."""
    cells = (
        f'<th role="columnheader" scope="col">{text(name)}</th>' for name in columns
    )
    return (
        '<table class="evidence-table" role="table">'
        f"<caption>{text(caption)}</caption>"
        f'<thead role="rowgroup">{row(*cells)}</thead>{body}</table>'
    )


def rows(content: Iterable[str], attributes: str = "") -> str:
    """Return rows as one group."""
    return f'<tbody role="rowgroup"{attributes}>{"".join(content)}</tbody>'


def row(*cells: str) -> str:
    """Return a row."""
    return f'<tr role="row">{"".join(cells)}</tr>'


def heading(label: str, content: str) -> str:
    """Return the cell that names its row."""
    return f'<th role="rowheader" scope="row" data-label="{label}">{content}</th>'


def cell(label: str, content: str) -> str:
    """Return a cell; a card shows ``label`` before it."""
    return f'<td role="cell" data-label="{label}">{content}</td>'


def listing(items: Iterable[str]) -> str:
    """Return a list."""
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def definitions(entries: Iterable[tuple[str, str]]) -> str:
    """Return terms with what belongs to each."""
    return f"<dl>{''.join(f'<dt>{n}</dt><dd>{v}</dd>' for n, v in entries)}</dl>"


def badge(content: str, style: str) -> str:
    """Return a badge of one of the book's styles."""
    return f'<span class="badge {style}">{text(content)}</span>'


def link_to_page(link: str) -> str:
    """Return a link to ``page.md#label``, named by its figure or its words."""
    page, _, label = link.partition("#")
    figure = figure_number(label)
    name = f"Figure {figure}" if figure else label.replace("-", " ")
    address = f"{page.removesuffix('.md')}.html#{label}"
    return f'<a href="{address}">{text(name)}</a>'


def link_to_work(key: str, page: str = "") -> str:
    """Return a link to a work in the references of ``page``, this one by default."""
    work = works()[key]
    title = html.escape(work.title)
    return f'<a href="{page}#{cite_id(key)}" title="{title}">{text(work.name)}</a>'


def link_to_claim(claim: Claim, content: str, page: str = "") -> str:
    """Return a link to a claim's row on ``page``, this one by default."""
    name = html.escape(f"{content} {claim.claim}")
    address = f"{page}#{claim_id(claim)}"
    return f'<a href="{address}" aria-label="{name}">{text(content)}</a>'


def claim_id(claim: Claim) -> str:
    """Return the id that a claim's row has on the page."""
    return f"claim-{claim.id}"


def cite_id(key: str) -> str:
    """Return the id that a work has in a page's list of references."""
    return f"cite-{key}"
