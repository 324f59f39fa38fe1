"""Recipes of the laboratories' figures, one module a laboratory."""

from toolkit.catalogue.labs import entropy_law, exploration, formats, squeeze

RECIPES = (
    *exploration.RECIPES,
    *entropy_law.RECIPES,
    *formats.RECIPES,
    *squeeze.RECIPES,
)
