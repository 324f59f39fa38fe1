"""Recipes of the laboratories' figures, one module a laboratory."""

from toolkit.catalogue.labs import entropy_law, exploration

RECIPES = (
    *exploration.RECIPES,
    *entropy_law.RECIPES,
)
