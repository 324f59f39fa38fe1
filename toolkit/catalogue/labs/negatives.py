"""Recipes of the figures of laboratory 9."""

import numpy as np

from toolkit._checks import as_count
from toolkit.capacity import base_rates, task_rates
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.collapse.answers import distinct_at_k
from toolkit.display import BookFigure
from toolkit.figures.labs import negatives as draw
from toolkit.labs.negatives import answers_kept, usual_rules
from toolkit.labs.pass_at_k_training import (
    climb_pass_at_k,
    group_pass_at_k,
    labelled,
)
from toolkit.language import default_testbed, shared_testbed
from toolkit.optima import pass_at_k_allocation
from toolkit.passk import k_grid
from toolkit.policies import response_probs
from toolkit.training import train
from toolkit.updates import Adam, PlainAscent

PAGE = "chapter11/labs/negatives"
OPTIMISERS = {"Adam, 0.05": (Adam, 0.05), "plain ascent, 1": (PlainAscent, 1.0)}


def kept(
    success: tuple[float, ...] = (0.7, 0.9, 0.97),
    draws: int = 256,
    seeds: int = 8,
    seed: int = 1,
) -> BookFigure:
    """Make Figure L9.1."""
    testbed = default_testbed()
    seed = as_count(seed, "seed", low=0)
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    found = {
        name: answers_kept(
            testbed,
            usual_rules(),
            success=success,
            draws=draws,
            optimiser=optimiser,
            learning_rate=rate,
            n_runs=seeds,
            rng=np.random.default_rng(seed),
        )
        for name, (optimiser, rate) in OPTIMISERS.items()
    }
    base = float(distinct_at_k(pi_ref, testbed.reward, draws).sum())
    return draw.kept_figure(found, base, draws)


def allocation(
    trained_on: tuple[int, ...] = (2, 4, 8),
    k_max: int = 256,
    seeds: int = 8,
    seed: int = 1,
) -> BookFigure:
    """Make Figure L9.2."""
    testbed = shared_testbed()
    seed = as_count(seed, "seed", low=0)
    f, base = testbed.frequencies, base_rates(testbed)
    ks = np.arange(1, 33)
    named = labelled(testbed)
    sampled = {
        k: task_rates(
            train(
                named.ref_logits,
                named.reward,
                named.language,
                group_pass_at_k(f, k),
                steps=1500,
                group_size=16,
                learning_rate=0.01,
                n_runs=seeds,
                rng=np.random.default_rng(seed),
            ).pi[-1],
            testbed,
        )
        for k in trained_on
    }
    return draw.allocation_figure(
        ks,
        np.array([pass_at_k_allocation(f, int(k)) for k in ks]),
        sampled,
        {"base": base}
        | {f"on pass@{k}": climb_pass_at_k(base, f, k) for k in (1, 4, 16)},
        f,
        k_grid(k_max),
    )


RECIPES = (
    Recipe(
        number="L9.1",
        title="Right answers left by learning from positives, negatives and both",
        page=PAGE,
        make=kept,
        deviation="Ours. 8 sampled runs of each rule.",
        digits=SAMPLED,
    ),
    Recipe(
        number="L9.2",
        title="What training on pass@k makes of five tasks",
        page=PAGE,
        make=allocation,
        deviation="Ours. Lines exact; points are 8 sampled runs each.",
        digits=SAMPLED,
    ),
)
