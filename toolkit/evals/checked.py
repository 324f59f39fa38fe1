"""What simulation said about the intervals and the split (``tools/coverage.py``)."""

import csv
from collections.abc import Mapping
from importlib.resources import files

import numpy as np

from toolkit._checks import check_choice


def coverage() -> Mapping[str, np.ndarray]:
    """Return how often bands and confidence sets held the truth, as columns.

    A row is a population of problems and a number of them; ``usual band, new`` is the
    one without corrections for few problems, which has no version for these problems.
    A set is that of the first k below.

    Examples
    --------
    >>> sorted(set(coverage()["problems"].tolist()))
    [30, 100, 500]
    """
    rows = _rows("coverage.csv")
    new, these = (
        [row for row in rows if row["target"] == target] for target in ("new", "these")
    )

    def share(some: list[dict[str, str]], name: str) -> np.ndarray:
        return np.array([float(row[name]) for row in some])

    return {
        "population": np.array([row["population"] for row in new]),
        "problems": np.array([int(row["problems"]) for row in new]),
        "usual band, new": share(new, "peer"),
        "band, new": share(new, "band"),
        "set, new": share(new, "first_below"),
        "band, these": share(these, "band"),
        "set, these": share(these, "first_below"),
    }


def coverage_runs() -> int:
    """Return how many benchmarks were simulated for each entry of :func:`coverage`."""
    return int(_rows("coverage.csv")[0]["runs"])


def split_errors(k: int) -> Mapping[str, np.ndarray]:
    """Return the root mean square error of each estimate of what was lost, as columns.

    Parameters
    ----------
    k
        A k of the simulation: 1, 8 or 32, of 64 samples.

    Raises
    ------
    ValueError
        If k is not one of these.

    Examples
    --------
    >>> list(split_errors(32))
    ['population', 'problems', 'observed', 'halves', 'corrected']
    """
    rows = _rows("split_errors.csv")
    check_choice(str(k), "k", tuple(dict.fromkeys(row["k"] for row in rows)))
    rows = [row for row in rows if row["k"] == str(k)]
    places = list(dict.fromkeys((row["population"], row["problems"]) for row in rows))
    found = {
        (row["population"], row["problems"], row["estimate"]): float(row["error"])
        for row in rows
    }
    return {
        "population": np.array([population for population, _ in places]),
        "problems": np.array([int(size) for _, size in places]),
        **{
            name: np.array([found[*place, name] for place in places])
            for name in ("observed", "halves", "corrected")
        },
    }


def _rows(name: str) -> list[dict[str, str]]:
    text = files("toolkit").joinpath("data", name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()[1:]))
