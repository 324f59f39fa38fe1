"""Numbers that papers report, kept as data so that no page has to type them."""

import csv
from collections.abc import Mapping
from importlib.resources import files

import numpy as np

from toolkit._checks import check_choice

SOURCES = (
    "antoniadis2026",
    "antoniadis2026-filtering",
    "chu2025",
    "huan2025",
    "mukherjee2025",
    "prorl2025",
    "shenfeld2026",
    "yue2025",
)


def reported(source: str) -> Mapping[str, np.ndarray]:
    """Return a paper's reported numbers as columns.

    Parameters
    ----------
    source
        One of ``SOURCES``. The file ``toolkit/data/<source>.csv`` opens with what the
        numbers are and how they are known.

    Returns
    -------
    mapping
        Column name (with its unit) to values: integers or floats where all cells
        are, else text.

    Raises
    ------
    ValueError
        If the source is unknown.

    Examples
    --------
    >>> published = reported("antoniadis2026")
    >>> dict(zip(published["quantity"], published["value"]))["pass@1 RL"]
    np.float64(0.4)
    """
    check_choice(source, "source", SOURCES)
    text = files("toolkit").joinpath("data", f"{source}.csv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    header, *rows = csv.reader(lines)
    columns = zip(*rows, strict=True)
    return {name: _column(list(c)) for name, c in zip(header, columns, strict=True)}


def _column(cells: list[str]) -> np.ndarray:
    for kind in (np.int64, np.float64):
        try:
            return np.array([kind(cell) for cell in cells])
        except ValueError:
            continue
    return np.array(cells)
