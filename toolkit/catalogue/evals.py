"""Recipes of the figures of the page on evaluation logs."""

import numpy as np

from toolkit._checks import as_count
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.evals.bands import difference_band
from toolkit.evals.comparison import split_all_ways
from toolkit.evals.crossing import all_answers
from toolkit.evals.curves import mean_curves
from toolkit.evals.estimates import distinct_rows
from toolkit.evals.files import pair_of_files
from toolkit.evals.joint import fit_joint_law
from toolkit.evals.lost import probable_changes
from toolkit.figures import evals as draw

PAGE = "chapter11/your-evaluation"
OURS = "Ours, from counts published by Yang, Zhang and Chen (2026)."


def curves(base: str = "", rl: str = "", seed: int = 1) -> BookFigure:
    """Make Figure E.1."""
    pair, rng = pair_of_files(base, rl), _rng(seed)
    return draw.curves_figure(
        mean_curves(pair),
        {
            f"{target} problems": difference_band(pair, target, rng=rng)
            for target in ("new", "these")
        },
    )


def answers(base: str = "", rl: str = "", seed: int = 1) -> BookFigure:
    """Make Figure E.2."""
    pair = pair_of_files(base, rl)
    rng, both = _rng(seed), mean_curves(pair)
    new, these = (difference_band(pair, t, rng=rng) for t in ("new", "these"))
    found = all_answers(pair, new, these, rng=rng)
    first = np.inf if both.first_below is None else both.first_below
    return draw.answers_figure(found, float(first), int(both.k[-1]))


def split(base: str = "", rl: str = "", seed: int = 1) -> BookFigure:
    """Make Figure E.3."""
    pair = pair_of_files(base, rl)
    return draw.split_figure(split_all_ways(pair, rng=_rng(seed)))


def lost(base: str = "", rl: str = "", k: int = 128, margin: float = 0.1) -> BookFigure:
    """Make Figure E.4."""
    pair = pair_of_files(base, rl)
    law = fit_joint_law(distinct_rows(pair))
    return draw.lost_figure(probable_changes(pair, law, k, margin))


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(as_count(seed, "seed", low=0))


RECIPES = (
    Recipe(
        number="E.1",
        title="pass@k of a base and an RL model, and the difference with its bands",
        page=PAGE,
        make=curves,
        deviation=OURS,
        digits=SAMPLED,
    ),
    Recipe(
        number="E.2",
        title="Four answers to where RL falls below its base",
        page=PAGE,
        make=answers,
        deviation=OURS,
        digits=SAMPLED,
    ),
    Recipe(
        number="E.3",
        title="What RL gained and lost, and how much of it is noise",
        page=PAGE,
        make=split,
        deviation=OURS,
        digits=SAMPLED,
    ),
    Recipe(
        number="E.4",
        title="Which problems RL probably lost",
        page=PAGE,
        make=lost,
        deviation=OURS,
    ),
)
