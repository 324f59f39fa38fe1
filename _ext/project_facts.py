"""What ``pyproject.toml`` says about the book, for the other extensions here."""

import tomllib
from pathlib import Path
from typing import Any


def project(source_folder: str | Path) -> dict[str, Any]:
    """Return the ``[project]`` table of the book in ``source_folder``."""
    return tomllib.loads(Path(source_folder, "pyproject.toml").read_text())["project"]
