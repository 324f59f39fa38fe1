"""Let a page ask nothing of any other site.

Equations are typeset by MathJax, copied from an installed package; only the parts that
TeX equations need. Scripts for widgets and for live cells, which would come from
another site and which no page uses, are left out.
"""

import importlib.metadata
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

PARTS = [
    "startup.js",
    "core.js",
    "loader.js",
    "input/tex.js",
    "input/tex/extensions",
    "output/chtml.js",
    "output/chtml/fonts",
    "a11y/assistive-mml.js",
]
LOADED = ["core", "input/tex", "output/chtml", "a11y/assistive-mml"]


def mathjax_folder() -> Path:
    """Return where the installed MathJax lies."""
    files = importlib.metadata.files("sphinx-mathjax-offline") or []
    startup = next(file for file in files if file.name == "startup.js")
    return Path(str(startup.locate())).parent


def set_mathjax(app: Sphinx, config: Config) -> None:
    """Take MathJax from the site itself."""
    config.mathjax_path = "mathjax/startup.js"
    config.mathjax3_config = {**(config.mathjax3_config or {}), "loader": {"load": LOADED}}


def copy_mathjax(app: Sphinx, exception: Exception | None) -> None:
    """Copy the parts of MathJax that the pages load."""
    if exception or app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "mathjax"
    for part in PARTS:
        source = mathjax_folder() / part
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / part, dirs_exist_ok=True)
        else:
            shutil.copy(source, target / part)


def drop_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave out the live-cell scripts: they load from another site."""
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if "thebe" not in str(getattr(script, "filename", script) or "").lower()
        and "THEBE_JS_URL" not in (getattr(script, "attributes", {}).get("body") or "")
    ]
    context["css_files"] = [
        sheet
        for sheet in context.get("css_files", [])
        if "thebe" not in str(getattr(sheet, "filename", sheet) or "")
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the steps."""
    app.connect("config-inited", set_mathjax)
    app.connect("html-page-context", drop_scripts, priority=900)
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
