"""What ``pyproject.toml`` says about the book, for the other extensions here."""

import tomllib
from pathlib import Path
from typing import Any


def project(source_folder: str | Path) -> dict[str, Any]:
    """Return the ``[project]`` table of the book in ``source_folder``."""
    return _facts(source_folder)["project"]


def build_backend(source_folder: str | Path) -> str | None:
    """Return what builds the wheel of the book's library, None if nothing does."""
    return _facts(source_folder).get("build-system", {}).get("build-backend")


def _facts(source_folder: str | Path) -> dict[str, Any]:
    return tomllib.loads(Path(source_folder, "pyproject.toml").read_text())
