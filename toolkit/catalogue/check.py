"""Recompute every figure and compare its numbers with the stored ones."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

from toolkit.catalogue.recipes import Recipe, recipes
from toolkit.display import BookFigure

STORED = files("toolkit") / "data" / "figures.json"
STORED_DIGITS = 8  # more than any figure promises, fewer than a rounding error shows


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One number of a figure, stored and computed again.

    Attributes
    ----------
    figure, name
        Which number of which figure.
    stored, computed
        Its two values; ``nan`` where one is missing.
    digits
        Significant digits in which they must agree.
    """

    figure: str
    name: str
    stored: float
    computed: float
    digits: int

    @property
    def agrees(self) -> bool:
        """Whether the values agree, relative to the stored one, or both are tiny."""
        if math.isnan(self.stored) and math.isnan(self.computed):
            return False
        tolerance = 0.5 * 10.0 ** (1 - self.digits)
        return math.isclose(
            self.stored, self.computed, rel_tol=tolerance, abs_tol=tolerance / 100
        )


def stored_numbers(number: str) -> Mapping[str, float]:
    """Return the numbers of a figure as they are stored, by name.

    Parameters
    ----------
    number
        The figure's, as cited.

    Raises
    ------
    ValueError
        If nothing is stored for it.

    Examples
    --------
    >>> round(stored_numbers("L8.1")["overlap of tiny updates"], 3)
    0.586
    """
    known = json.loads(STORED.read_text("utf-8"))
    if number not in known:
        raise ValueError(f"no numbers are stored for a figure {number!r}")
    return known[number]


def compare(recipe: Recipe, figure: BookFigure) -> list[Comparison]:
    """Compare each number of a figure with the stored one."""
    stored = json.loads(STORED.read_text("utf-8")).get(recipe.number, {})
    computed = figure.summary()
    return [
        Comparison(
            figure=recipe.number,
            name=name,
            stored=stored.get(name, math.nan),
            computed=computed.get(name, math.nan),
            digits=recipe.digits,
        )
        for name in dict.fromkeys([*stored, *computed])
    ]


def compare_all() -> Iterator[list[Comparison]]:
    """Make every figure again, in turn, and compare its numbers."""
    return (compare(recipe, recipe.figure()) for recipe in recipes().values())


def numbers_to_store() -> str:
    """Return the JSON to store: every figure's numbers, as computed now."""
    numbers = {
        number: {
            name: float(f"{value:.{STORED_DIGITS}g}")
            for name, value in recipe.figure().summary().items()
        }
        for number, recipe in recipes().items()
    }
    return json.dumps(numbers, indent=1, ensure_ascii=False) + "\n"
