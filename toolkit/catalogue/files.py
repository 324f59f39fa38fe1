"""Write a figure to files: images, data, settings and citation, all or nothing."""

import csv
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from toolkit.catalogue.citation import cite_bibtex, cite_csl, cite_text, version
from toolkit.catalogue.recipes import Recipe
from toolkit.display import BookFigure


def write_files(
    recipe: Recipe, figure: BookFigure, changed: Mapping[str, Any], folder: Path
) -> list[Path]:
    """Write ``figure-11-1.svg``, ``.png``, ``.pdf``, ``.csv``, ``.json`` and ``.bib``.

    The files are made elsewhere and moved at the end, so that a failure leaves the
    folder as it was.

    Parameters
    ----------
    recipe
        The figure's recipe.
    figure
        The figure, made with the settings ``changed``.
    changed
        Settings that differ from the page's.
    folder
        Where to write; made if it is missing.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    OSError
        If the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        base = Path(made) / file_stem(recipe)
        for ending, drawing in figure.images().items():
            base.with_suffix(f".{ending}").write_bytes(drawing)
        base.with_suffix(".csv").write_text(as_csv(recipe, figure, changed), "utf-8")
        base.with_suffix(".json").write_text(as_json(recipe, figure, changed), "utf-8")
        base.with_suffix(".bib").write_text(cite_bibtex(recipe), "utf-8")
        names = sorted(path.name for path in Path(made).iterdir())
        for name in names:
            shutil.move(Path(made) / name, folder / name)
    return [folder / name for name in names]


def file_stem(recipe: Recipe) -> str:
    """Return the name of the figure's files without ending, e.g. ``figure-11-1``."""
    return recipe.label.replace("fig", "figure", 1)


def as_csv(recipe: Recipe, figure: BookFigure, changed: Mapping[str, Any]) -> str:
    """Return the numbers drawn, under comments that say what they are."""
    buffer = io.StringIO()
    for line in [cite_text(recipe), _variant(changed), recipe.deviation]:
        if line:
            buffer.write(f"# {line}\n")
    for name, value in (recipe.settings | dict(changed)).items():
        buffer.write(f"# {name} = {value}\n")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(figure.table)
    writer.writerows(zip(*(c.tolist() for c in figure.table.values()), strict=True))
    return buffer.getvalue()


def as_json(recipe: Recipe, figure: BookFigure, changed: Mapping[str, Any]) -> str:
    """Return what was made, with which settings and versions, and the numbers."""
    numbers = {
        name: {"value": value, "digits": recipe.digits}
        for name, value in figure.summary().items()
    }
    record = {
        "figure": recipe.number,
        "title": recipe.title,
        "variant": _variant(changed),
        "reproduces": recipe.reproduces,
        "deviation": recipe.deviation,
        "description": figure.alt,
        "settings": recipe.settings | dict(changed),
        "numbers": numbers,
        "versions": versions(),
        "citation": {
            "text": cite_text(recipe),
            "bibtex": cite_bibtex(recipe),
            "csl": cite_csl(recipe),
        },
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def versions() -> dict[str, str]:
    """Return the versions that a figure's numbers depend on."""
    found = {"toolkit": version(), "python": sys.version.split()[0]}
    return found | {name: metadata.version(name) for name in ("numpy", "scipy")}


def _variant(changed: Mapping[str, Any]) -> str:
    if not changed:
        return ""
    shown = ", ".join(f"{name} = {value}" for name, value in changed.items())
    return f"A variant, not the figure as published: {shown}."
