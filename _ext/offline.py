"""Let a page ask nothing of any other site.

Equations are typeset by MathJax, copied from an installed package; only the parts that
TeX equations need. Scripts for widgets and for live cells, which would come from
another site and which no page uses, are left out.
"""

import importlib.metadata
import shutil
from pathlib import Path

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
    config.mathjax3_config = {
        **(config.mathjax3_config or {}),
        "loader": {"load": LOADED},
    }


def copy_mathjax(app: Sphinx) -> None:
    """Copy the parts of MathJax that the pages load."""
    if app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / "mathjax"
    for part in PARTS:
        source = mathjax_folder() / part
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / part, dirs_exist_ok=True)
        else:
            shutil.copy(source, target / part)


def drop_live_cells(app: Sphinx, config: Config) -> None:
    """Unplug the extension for live cells: its scripts load from another site."""
    for listeners in app.events.listeners.values():
        listeners[:] = [
            listener
            for listener in listeners
            if not listener.handler.__module__.startswith("sphinx_thebe")
        ]
    sheets = app.registry.css_files
    sheets[:] = [sheet for sheet in sheets if sheet[0] != "sphinx-thebe.css"]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the steps."""
    app.connect("config-inited", set_mathjax)
    app.connect("config-inited", drop_live_cells)
    app.connect("builder-inited", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
