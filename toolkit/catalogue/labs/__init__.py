"""Recipes of the laboratories' figures, one module a laboratory."""

from toolkit.catalogue.labs import (
    entropy_keepers,
    entropy_law,
    exploration,
    formats,
    laboratories,
    negatives,
    plasticity,
    sparse_updates,
    squeeze,
    templates,
    two_phases,
)

RECIPES = (
    *laboratories.RECIPES,
    *exploration.RECIPES,
    *entropy_law.RECIPES,
    *formats.RECIPES,
    *squeeze.RECIPES,
    *templates.RECIPES,
    *two_phases.RECIPES,
    *plasticity.RECIPES,
    *sparse_updates.RECIPES,
    *negatives.RECIPES,
    *entropy_keepers.RECIPES,
)
