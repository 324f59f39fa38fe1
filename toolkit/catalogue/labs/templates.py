"""Recipes of the figures of laboratory 5."""

import numpy as np

from toolkit._checks import as_count
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import templates as draw
from toolkit.labs.templates import (
    entropy_twin,
    generic_prior,
    information,
    optimal_templates,
    prompt_entropy,
    small_ratio_law,
    train_templates,
)

PAGE = "chapter11/labs/templates"
SHARES = (0.125, 0.25, 0.5, 1.0)


def optimum(generic: float = 0.8, types: int = 8) -> BookFigure:
    """Make Figure L5.1."""
    g = generic_prior(types, generic)
    ratio = np.linspace(0, 8, 161)
    pi = np.array([optimal_templates(g, float(e)) for e in ratio])
    return draw.optimum_figure(
        ratio,
        prompt_entropy(pi),
        information(pi),
        np.array([small_ratio_law(g, float(e)) for e in ratio]),
        entropy_twin(g),
    )


def course(share: float = 0.25, alpha: float = 0.1, steps: int = 3000) -> BookFigure:
    """Make Figure L5.2."""
    g = generic_prior()
    kept = np.linspace(0, steps, 61).astype(int).tolist()
    runs = {
        name: train_templates(
            g, share, alpha=alpha, keep=keep, steps=kept, step_size=1.0
        )
        for name, keep in (("all prompts", 1.0), ("filtered", share))
    }
    return draw.course_figure(runs)


def filtered(
    alpha: float = 0.1, keep: float = 0.25, seeds: int = 5, seed: int = 1
) -> BookFigure:
    """Make Figure L5.3."""
    g = generic_prior()
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    shares = np.linspace(0.02, 1, 50)
    kept_share = np.minimum(1, shares / keep)
    by_filter = {
        "all prompts": (shares, dict.fromkeys(SHARES, 1.0)),
        f"best {keep:.0%} kept": (kept_share, dict.fromkeys(SHARES, keep)),
        "only informative": (np.ones(50), {share: share for share in SHARES}),
    }
    laws = {
        name: np.array(
            [information(optimal_templates(g, float(s) / alpha)) for s in effective]
        )
        for name, (effective, _) in by_filter.items()
    }
    sampled = {
        name: {
            share: train_templates(
                g,
                share,
                alpha=alpha,
                keep=part,
                n_samples=8,
                steps=600,
                n_runs=seeds,
                rng=rng,
            ).information[-1]
            for share, part in parts.items()
        }
        for name, (_, parts) in by_filter.items()
    }
    return draw.filter_figure(shares, laws, sampled)


RECIPES = (
    Recipe(
        number="L5.1",
        title="Entropy and information at the optimum",
        page=PAGE,
        make=optimum,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="L5.2",
        title="Information falls while entropy hardly moves",
        page=PAGE,
        make=course,
        deviation="Ours. Exact gradients, in steps of 1.",
    ),
    Recipe(
        number="L5.3",
        title="Information by the share of informative prompts and by filter",
        page=PAGE,
        make=filtered,
        deviation="Ours. Lines exact, points sampled: 5 runs of 600 steps.",
        digits=SAMPLED,
    ),
)
