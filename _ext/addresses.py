"""Links that need the repository's or the site's address, only when it is known.

Both come from ``[project.urls]`` in ``pyproject.toml``. With ``Repository``: buttons to
the repository, to edit the page and to report an issue. With ``Documentation``:
canonical addresses. Without: none of these.
"""

from project_facts import project
from sphinx.application import Sphinx
from sphinx.config import Config

BRANCH = "main"


def set_addresses(app: Sphinx, config: Config) -> None:
    """Fill in the theme's options from the two settings."""
    urls = project(app.srcdir).get("urls", {})
    repository = urls.get("Repository", "").rstrip("/")
    documentation = urls.get("Documentation", "").rstrip("/")
    options = dict(config.html_theme_options)
    options["repository_url"] = repository
    options["repository_branch"] = BRANCH
    options["path_to_docs"] = ""
    for button in ("repository", "edit_page", "issues"):
        options[f"use_{button}_button"] = bool(repository)
    options["launch_buttons"] = {}
    config.html_theme_options = options
    config.html_baseurl = f"{documentation}/" if documentation else ""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step, before the theme reads its options."""
    app.connect("config-inited", set_addresses)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
