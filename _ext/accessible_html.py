"""Mend what the page generators get wrong for readers who use a screen reader."""

from typing import Any

from sphinx.application import Sphinx


def mend(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mend the body of one page."""
    body = context.get("body")
    if not body:
        return
    # A list of references claims to be a list but has no list items.
    context["body"] = body.replace(
        '<div role="list" class="citation-list">', '<div class="citation-list">'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step."""
    app.connect("html-page-context", mend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
