"""Offer every page with code as a notebook, with the library that it needs.

The notebooks hold the page's text and code and no results; the same page gives the same
bytes. They lie in the site's ``notebooks`` folder beside the toolkit's wheel, and the
page's menu for downloads offers both.
"""

import shutil
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from sphinx.application import Sphinx
from wheels import library_wheel

FOLDER = "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
NOTE = """\
> A page of *{title}*, version {version}, as a notebook. It runs from any folder once
> its library is installed, from the wheel that lies beside it on the site:
> `pip install {wheel} notebook`, or in a clone of the book: `pip install . notebook`.
>
> The text is MyST Markdown: references, captions and the numbers in its sentences show
> on the page."""


def notebook(page: Path, note: str) -> str:
    """Return a page as a notebook without results, with a note at its top."""
    cells = [new_markdown_cell(note), *jupytext.read(page, fmt="md:myst").cells]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return nbformat.writes(new_notebook(cells=cells, metadata={"kernelspec": KERNEL}))


def runs_code(page: Path) -> bool:
    """Return whether a source file is a notebook with code."""

    def is_code(cell: NotebookNode) -> bool:
        return cell.cell_type == "code"

    if page.suffix != ".md" or "format_name: myst" not in page.read_text("utf-8"):
        return False
    return any(map(is_code, jupytext.read(page, fmt="md:myst").cells))


def write_notebooks(app: Sphinx, exception: Exception | None) -> None:
    """Write the notebook of every page with code, and the wheel they need."""
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(exist_ok=True)
    wheel = library_wheel(app)
    if wheel:
        shutil.copy(wheel, folder)
    note = NOTE.format(
        title=app.config.html_title,
        version=app.config.version,
        wheel=wheel.name if wheel else "",
    )
    for docname in sorted(app.env.found_docs):
        page = Path(app.env.doc2path(docname))
        if runs_code(page):
            name = f"{Path(docname).name}.ipynb"
            (folder / name).write_text(notebook(page, note), "utf-8")


def offer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Add both files to the menu that offers the page's source."""
    menus = context.get("header_buttons", [])
    menu = next((m for m in menus if m.get("label") == "download-buttons"), None)
    if (
        doctree is None
        or menu is None
        or not runs_code(Path(app.env.doc2path(pagename)))
    ):
        return
    to = context["pathto"]
    files = {f"{Path(pagename).name}.ipynb": "this page as a notebook"}
    if wheel := library_wheel(app):
        files[wheel.name] = "the library that it needs"
    for name, what in files.items():
        menu["buttons"].append(
            {
                "type": "link",
                "url": to(f"{FOLDER}/{name}", 1),
                "text": Path(name).suffix,
                "tooltip": f"Download {what}",
                "icon": "fas fa-download",
                "label": "download-notebook",
            }
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the two steps."""
    app.connect("html-page-context", offer, priority=900)
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
