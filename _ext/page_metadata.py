"""Tell reference managers, search engines and messengers what a page is.

Every page gets a title, an author, a date and its first sentence as a description; its
address only where the site's is known (``Documentation`` in ``pyproject.toml``).
"""

import html
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from toolkit.catalogue.citation import YEAR

SENTENCE = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)
GREEK = {
    "\\beta": "β",
    "\\pi": "π",
    "\\ge": "≥",
    "\\le": "≤",
    "\\times": "×",
    "\\Vert": "‖",
}


def first_sentence(doctree: nodes.document) -> str:
    """Return the first sentence of a page's text, without markup."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(in_words(paragraph).split())
        match = SENTENCE.match(text)
        if match:
            return match[0]
    return ""


def in_words(node: nodes.Node) -> str:
    r"""Return a node's text, equations in plain letters.

    >>> in_words(nodes.math("", r"\beta \le \text{two}"))
    'β ≤ two'
    """
    if isinstance(node, nodes.raw):
        return ""
    if isinstance(node, nodes.math):
        return plain(node.astext())
    if isinstance(node, nodes.Text):
        return node.astext()
    return "".join(map(in_words, node.children))


def plain(tex: str) -> str:
    """Return an equation of a line in plain letters."""
    for name, letter in GREEK.items():
        tex = re.sub(re.escape(name) + r"(?![a-z])", letter, tex)
    return re.sub(r"\\[a-zA-Z]+|\\.|[{}]", "", tex)


def add_metadata(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Add a page's tags."""
    if doctree is None:
        return
    book, author = app.config.html_title, app.config.author
    title = app.env.titles[pagename].astext()
    description = first_sentence(doctree) or title
    named = {
        "description": description,
        "citation_title": title,
        "citation_inbook_title": book,
        "citation_author": author,
        "citation_publication_date": str(YEAR),
        "citation_language": app.config.language,
    }
    properties = {
        "og:type": "article",
        "og:site_name": book,
        "og:title": title,
        "og:description": description,
    }
    if app.config.html_baseurl:
        address = app.config.html_baseurl + app.builder.get_target_uri(pagename)
        named["citation_public_url"] = properties["og:url"] = address
    tags = [
        f'<meta {kind}="{key}" content="{html.escape(value)}" />'
        for kind, found in (("name", named), ("property", properties))
        for key, value in found.items()
    ]
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags, ""])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step."""
    app.connect("html-page-context", add_metadata)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
