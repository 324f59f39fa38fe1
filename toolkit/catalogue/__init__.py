"""Every figure by its number: how to make it, save it, check it and cite it."""

from toolkit.catalogue.recipes import Recipe as Recipe
from toolkit.catalogue.recipes import find_recipe as find_recipe
from toolkit.catalogue.recipes import recipes as recipes
