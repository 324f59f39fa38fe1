"""A recipe for each figure: from settings to a drawn figure, in one call."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from toolkit.display import BookFigure
from toolkit.numbering import figure_label

EXACT = 6  # significant digits to expect of a computed figure on any machine
SAMPLED = 2  # of a sampled one: the last bit of exp may differ, and a draw with it

ORIGINAL = "Antoniadis (2026), chapter 11"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How one figure of the book is made.

    Attributes
    ----------
    number
        As cited, e.g. ``"11.1"`` or ``"L1.2"``.
    title
        One line.
    page
        Page it stands on, without its ending.
    make
        Makes the figure. Its keyword arguments are the figure's settings; their
        defaults make the figure as it stands on the page.
    reproduces
        The published figure it repeats, or nothing.
    deviation
        How it differs from what it repeats, or where its numbers come from.
    digits
        Significant digits to expect on another machine.
    """

    number: str
    title: str
    page: str
    make: Callable[..., BookFigure]
    reproduces: str = ""
    deviation: str
    digits: int = EXACT

    @property
    def label(self) -> str:
        """Label of the figure on its page, e.g. ``"fig-11-1"``."""
        return figure_label(self.number)

    @property
    def settings(self) -> dict[str, Any]:
        """Default value of every setting."""
        parameters = inspect.signature(self.make).parameters
        return {name: p.default for name, p in parameters.items()}

    def setting_types(self) -> dict[str, tuple[type, bool]]:
        """Return for every setting its type, and whether it takes several values."""
        hints = get_type_hints(self.make)
        found = {}
        for name in self.settings:
            several = bool(get_args(hints[name]))
            found[name] = (
                get_args(hints[name])[0] if several else hints[name],
                several,
            )
        return found

    def figure(self, **changed: Any) -> BookFigure:
        """Make the figure, with some settings changed.

        Raises
        ------
        ValueError
            If a setting is unknown, or its value out of range.
        """
        unknown = sorted(set(changed) - set(self.settings))
        if unknown:
            known = ", ".join(self.settings) or "none"
            raise ValueError(
                f"figure {self.number} has no setting {unknown[0]!r}; it has: {known}"
            )
        return self.make(**changed)


def recipes() -> Mapping[str, Recipe]:
    """Return every recipe by its figure's number, in reading order."""
    from toolkit.catalogue import (
        agents,
        collapse,
        connections,
        evals,
        evidence,
        forgetting,
        generalization,
        labs,
        sharpening,
        toy_language,
    )

    found = [*toy_language.RECIPES, *sharpening.RECIPES, *generalization.RECIPES]
    found += [*forgetting.RECIPES, *collapse.RECIPES, *evidence.RECIPES]
    found += [*agents.RECIPES, *connections.RECIPES, *evals.RECIPES]
    found += labs.RECIPES
    return {recipe.number: recipe for recipe in found}


def find_recipe(number: str) -> Recipe:
    """Return the recipe of a figure; a letter in its number may be small.

    Raises
    ------
    ValueError
        If no figure has that number.
    """
    known = recipes()
    if number.upper() not in known:
        raise ValueError(
            f"there is no figure {number!r}; the figures are: {', '.join(known)}"
        )
    return known[number.upper()]
