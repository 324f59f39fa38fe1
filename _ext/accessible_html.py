"""Mend what the page generators get wrong for readers who use a screen reader."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

FRONT_DOOR = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={home}">
<title>{title}</title>
</head>
<body>
<main><h1>{title}</h1><p><a href="{home}">Read the book</a></p></main>
</body>
</html>
"""


def mend(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Mend the body of one page."""
    body = context.get("body")
    if not body:
        return
    # A list of references calls itself a list, but its items do not call themselves so.
    context["body"] = body.replace('role="doc-biblioentry"', 'role="listitem"')


def write_front_door(app: Sphinx, exception: Exception | None) -> None:
    """Make ``index.html`` a whole page that leads to the first one."""
    home = app.config.root_doc
    if exception is None and app.builder.format == "html" and home != "index":
        page = FRONT_DOOR.format(home=f"{home}.html", title=app.config.html_title)
        Path(app.outdir, "index.html").write_text(page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the steps."""
    app.connect("html-page-context", mend, priority=900)
    app.connect("build-finished", write_front_door, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
