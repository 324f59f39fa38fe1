"""Say on every page which version of the book it belongs to."""

from typing import Any

from project_facts import project
from sphinx.application import Sphinx
from sphinx.config import Config


def set_version(app: Sphinx, config: Config) -> None:
    """Take the version from ``pyproject.toml``."""
    config.version = config.release = project(app.srcdir)["version"]


def show_version(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Put the version below the page's copyright line."""
    context["theme_extra_footer"] = f"<p>Version {app.config.version}</p>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the two steps."""
    app.connect("config-inited", set_version)
    app.connect("html-page-context", show_version)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
