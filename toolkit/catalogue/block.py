"""The block under a figure: its data, its files, its small print and its citation."""

import html
import json
from collections.abc import Mapping
from typing import Any

from toolkit.catalogue.citation import cite_bibtex, cite_csl, cite_text
from toolkit.catalogue.files import file_stem, versions
from toolkit.catalogue.recipes import SAMPLED, Recipe

FILES = {
    "csv": "data (CSV)",
    "json": "settings and numbers (JSON)",
    "svg": "SVG",
    "png": "PNG",
    "pdf": "PDF",
    "bib": "citation (BibTeX)",
}


def block(recipe: Recipe, folder: str) -> str:
    """Return the block as HTML: folded on screen, one line with the citation in print.

    Parameters
    ----------
    recipe
        The figure's recipe.
    folder
        Where the figure's files lie, relative to the page, without a final slash.
    """
    stem = f"{folder}/{file_stem(recipe)}"
    links = ", ".join(
        f'<a href="{stem}.{ending}" download>{name}</a>'
        for ending, name in FILES.items()
    )
    sampled = "Sampled" if recipe.digits == SAMPLED else "Exact"
    rows = {
        "Reproduces": html.escape(recipe.reproduces or "nothing published: it is ours"),
        "How it differs": html.escape(recipe.deviation),
        "Files": links,
        "Make it": _code(f"python -m toolkit figure {recipe.number}"),
        "Settings": html.escape(_list(recipe.settings) or "none"),
        "Versions": html.escape(_list(versions())),
        "On another machine": f"{sampled}: expect {recipe.digits} significant digits",
        "Cite": html.escape(cite_text(recipe)),
        "BibTeX": f"<pre>{html.escape(cite_bibtex(recipe).rstrip())}</pre>",
        "CSL-JSON": f"<pre>{html.escape(json.dumps(cite_csl(recipe)))}</pre>",
    }
    entries = "".join(
        f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows.items()
    )
    title = f"Figure {recipe.number}: data, files, citation"
    return (
        f'<details class="figure-block"><summary>{title}</summary><dl>{entries}</dl>'
        f'</details><p class="figure-block-print">{html.escape(cite_text(recipe))}</p>'
    )


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _list(values: Mapping[str, Any]) -> str:
    shown = (
        f"{name} = {' '.join(map(str, value)) if isinstance(value, tuple) else value}"
        for name, value in values.items()
    )
    return ", ".join(shown)
