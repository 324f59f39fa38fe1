"""Put under every figure of the catalogue its data, files, small print and citation.

The files are made once for each state of the toolkit, kept beside the notebook cache,
and copied into the site's ``figures`` folder, so that the links work without a network
and from a folder.
"""

import shutil
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.display import status_iterator
from toolkit_cache import remove_old_caches

from toolkit.catalogue import Recipe, recipes
from toolkit.catalogue.block import block
from toolkit.catalogue.files import write_files
from toolkit.numbering import figure_number

LOGGER = logging.getLogger(__name__)
FOLDER = "figures"


def by_label() -> dict[str, Recipe]:
    """Return every recipe by its figure's label."""
    return {recipe.label: recipe for recipe in recipes().values()}


def add_blocks(app: Sphinx, doctree: nodes.document) -> None:
    """Append its block to every figure that has a recipe; warn where one lacks it."""
    known = by_label()
    up = "../" * app.env.docname.count("/")
    for figure in list(doctree.findall(nodes.figure)):
        for label in filter(figure_number, figure.get("names", [])):
            if label not in known:
                LOGGER.warning(
                    "no recipe in toolkit.catalogue makes the figure %s",
                    label,
                    location=figure,
                    type="figure_block",
                )
                continue
            made = block(known[label], f"{up}{FOLDER}")
            place = figure.parent.index(figure) + 1
            figure.parent.insert(place, nodes.raw("", made, format="html"))


def write_all(app: Sphinx, exception: Exception | None) -> None:
    """Make the files that are missing for this state of the toolkit, and copy all."""
    if exception or app.builder.format != "html":
        return
    made = Path(app.outdir).parent / ".figures"
    kept = made / app.config.toolkit_fingerprint
    kept.mkdir(parents=True, exist_ok=True)
    remove_old_caches(made, kept.name)
    on_pages = app.env.get_domain("std").anonlabels
    wanted = [recipe for label, recipe in by_label().items() if label in on_pages]
    missing = [recipe for recipe in wanted if not (kept / recipe.label).exists()]
    for recipe in status_iterator(
        missing, "making figure files... ", length=len(missing), stringify_func=_number
    ):
        write_files(recipe, recipe.figure(), {}, kept / recipe.label)
    site = Path(app.outdir) / FOLDER
    site.mkdir(exist_ok=True)
    for recipe in wanted:
        shutil.copytree(kept / recipe.label, site, dirs_exist_ok=True)


def _number(recipe: Recipe) -> str:
    return recipe.number


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the two steps."""
    app.connect("doctree-read", add_blocks)
    app.connect("build-finished", write_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
