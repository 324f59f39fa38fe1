"""Give the pages with charts, and no other page, the scripts that draw them.

Vega, Vega-Lite and vega-embed come out of an installed package. They lie outside
``_static``, since Jupyter Book loads every script of that folder on every page. The
scripts are plain files that ask for nothing, so a chart also works on a page opened
from a folder.
"""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import vl_convert
from sphinx.application import Sphinx
from toolkit_cache import remove_old_caches

FOLDER = "charts"
OURS = Path("_scripts", "charts.js")
MARK = 'class="book-chart"'
SHOW_VEGA = "window.vegaEmbed = vegaEmbed;"  # what the bundle hands to the page


def load_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Name the two scripts in the head of a page that has a chart."""
    if MARK not in context.get("body", ""):
        return
    for script in write_scripts(Path(app.srcdir), Path(app.outdir)):
        version = hashlib.sha256(script.read_bytes()).hexdigest()[:8]
        address = context["pathto"](f"{FOLDER}/{script.name}", resource=True)
        tag = f'<script defer src="{address}?v={version}"></script>'
        context["metatags"] = context.get("metatags", "") + tag


def write_scripts(source: Path, site: Path) -> list[Path]:
    """Put the two scripts into the site and return them, in order.

    Bundling Vega takes seconds, so the bundle is kept beside the site.
    """
    made = site.parent / ".charts"
    kept = made / vl_convert.__version__ / "vega.js"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        begun = kept.with_suffix(".begun")
        bundle = vl_convert.javascript_bundle(SHOW_VEGA)
        # Its thousand names must not meet those of the page's other scripts.
        begun.write_text(f"(() => {{{bundle}}})();\n", encoding="utf-8")
        begun.replace(kept)
    remove_old_caches(made, kept.parent.name)
    folder = site / FOLDER
    folder.mkdir(exist_ok=True)
    sources = [kept, source / OURS]
    return [Path(shutil.copy(script, folder)) for script in sources]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step."""
    app.connect("html-page-context", load_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
