"""Let a reader edit and run the cells of a page, in the page.

A page with cells says where the client's files are; ``_static/live.js`` offers to run
the code and loads them when the reader asks. Python comes from the server that
``make live`` starts (``tools/live.py``), or with the site, if ``make browser-python``
has fetched it: then the toolkit and what it imports go with it, as wheels.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from project_facts import project
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from wheels import library_wheel, repack

LOGGER = logging.getLogger(__name__)
CLIENT = Path(__file__).with_name("live")
FOLDER = "live"
PYTHON = f"{FOLDER}/python"
LOCK = "pyodide-lock.json"
PURE = ["jaxtyping", "wadler-lindig"]  # what the toolkit imports besides NumPy
OFFER = '<meta name="live-cells" content="{folder}/" data-python="{python}" />'


def fetched(app: Sphinx) -> Path:
    """Return where the browser's Python is, if it has been fetched."""
    return Path(app.srcdir, "_build", "browser-python")


def note_python(app: Sphinx, config: Config) -> None:
    """Write all pages again when the browser's Python comes or goes."""
    config.live_python = (fetched(app) / LOCK).exists()
    if not config.live_python:
        LOGGER.info("the pages carry no Python; make browser-python fetches one")


def has_code(doctree: nodes.document) -> bool:
    """Return whether a page has a cell."""
    return any(
        "cell" in found.get("classes", []) for found in doctree.findall(nodes.container)
    )


def offer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Tell the script where the client's files and Python's are."""
    if doctree is None or not has_code(doctree):
        return
    to = context["pathto"]
    python = f"{to(PYTHON, 1)}/" if app.config.live_python else ""
    tag = OFFER.format(folder=to(FOLDER, 1), python=python)
    context["metatags"] = "\n".join([context.get("metatags", ""), tag, ""])


def copy_files(app: Sphinx, exception: Exception | None) -> None:
    """Put the client and, if it was fetched, Python into the site."""
    if exception or app.builder.format != "html":
        return
    shutil.copytree(CLIENT, Path(app.outdir, FOLDER), dirs_exist_ok=True)
    folder = Path(app.outdir, PYTHON)
    if not app.config.live_python:
        shutil.rmtree(folder, ignore_errors=True)
        return
    folder.mkdir(exist_ok=True)
    for path in fetched(app).iterdir():
        if path.name != LOCK:
            link_or_copy(path, folder / path.name)
    lock = json.loads((fetched(app) / LOCK).read_text())
    if wheel := library_wheel(app):
        shutil.copy(wheel, folder)
        name = project(app.srcdir)["name"]
        packages = app.config.toolkit_cache_packages
        add_wheel(lock, name, packages, [*PURE, "numpy"], wheel)
    for name in PURE:
        add_wheel(lock, name, [name.replace("-", "_")], [], repack(name, folder))
    (folder / LOCK).write_text(json.dumps(lock, sort_keys=True))


def link_or_copy(source: Path, target: Path) -> None:
    """Make a file appear in a second place, without its bytes where that can be."""
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def add_wheel(
    lock: dict[str, Any],
    name: str,
    imports: list[str],
    depends: list[str],
    wheel: Path,
) -> None:
    """Enter a wheel into Pyodide's list of packages."""
    content = wheel.read_bytes()
    lock["sizes"][name] = len(content)
    lock["packages"][name] = {
        "depends": depends,
        "file_name": wheel.name,
        "imports": imports,
        "install_dir": "site",
        "name": name,
        "package_type": "package",
        "sha256": hashlib.sha256(content).hexdigest(),
        "unvendored_tests": False,
        "version": wheel.name.split("-")[1],
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the setting and the steps."""
    app.add_config_value("live_python", False, "html", [bool])
    app.connect("config-inited", note_python)
    app.connect("html-page-context", offer, priority=900)
    app.connect("build-finished", copy_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
