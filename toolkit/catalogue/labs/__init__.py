"""Recipes of the laboratories' figures, one module a laboratory."""

from toolkit.catalogue.labs import exploration

RECIPES = (*exploration.RECIPES,)
