"""Write the pages again when a style sheet, script or template has changed.

Without a change in a page Sphinx stops early and copies no static file, so that a new
style sheet would not reach the site.
"""

import hashlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config


def note_static_files(app: Sphinx, config: Config) -> None:
    """Make a hash of the static files and templates a setting of the book."""
    digest = hashlib.sha256()
    for folder in ("_scripts", "_static", "_templates"):
        for path in sorted(Path(app.srcdir, folder).rglob("*")):
            if path.is_file():
                digest.update(path.name.encode() + path.read_bytes())
    config.static_fingerprint = digest.hexdigest()[:16]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the setting and the step."""
    app.add_config_value("static_fingerprint", "", "html", [str])
    app.connect("config-inited", note_static_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
