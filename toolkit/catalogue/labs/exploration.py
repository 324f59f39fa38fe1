"""Recipes of the figures of laboratory 1."""

import numpy as np

from toolkit._checks import as_count
from toolkit.capacity import base_rates, tilted_rates, train_shared
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import exploration as draw
from toolkit.labs.exploration import (
    CLOCKS,
    first_sight_law,
    reset_rates,
    sample_takeoff,
    takeoff_time,
    turning_points,
)
from toolkit.language import default_testbed, shared_testbed
from toolkit.passk import k_grid, mean_pass_at_k
from toolkit.policies import expected_reward, response_probs
from toolkit.training import train
from toolkit.updates import policy_gradient

PAGE = "chapter11/labs/exploration"


def leash(
    beta: float = 0.3, optima: tuple[int, ...] = (1, 2, 4, 8), k_max: int = 256
) -> BookFigure:
    """Make Figure L1.1."""
    testbed = shared_testbed()
    solved = reset_rates(testbed, beta, optima)
    names = [f"m = {m}" for m in optima]
    longest = np.linspace(0, max(optima) / beta, 101)
    path = [tilted_rates(testbed, 1 / x) for x in longest[1:]]
    return draw.leash_figure(
        k_grid(k_max),
        {"base": base_rates(testbed)} | dict(zip(names, solved, strict=True)),
        longest,
        np.array([base_rates(testbed), *path]),
        turning_points(testbed),
        testbed.frequencies,
    )


def resets(
    steps: int = 250, optima: int = 6, seeds: int = 6, seed: int = 1, k: int = 256
) -> BookFigure:
    """Make Figure L1.2."""
    seed = as_count(seed, "seed", low=0)
    shared, testbed = shared_testbed(), default_testbed()
    kept = [steps * m for m in range(optima + 1)]
    every = {"no reset": None, "resets": steps}
    runs = {
        name: train_shared(
            shared,
            steps=kept,
            n_runs=seeds,
            beta=0.3,
            reset_every=each,
            rng=np.random.default_rng(seed),
        )
        for name, each in every.items()
    }
    exact = reset_rates(shared, 0.3, range(optima + 1))
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    prompts = {"base": expected_reward(pi_ref, testbed.reward)[None]}
    for name, each in every.items():
        trained = train(
            testbed.ref_logits,
            testbed.reward,
            testbed.language,
            policy_gradient(),
            steps=4 * steps,
            group_size=16,
            learning_rate=0.05,
            n_runs=seeds,
            beta=0.5,
            reset_every=each,
            rng=np.random.default_rng(seed),
        )
        prompts[name] = expected_reward(trained.pi[-1], testbed.reward)
    return draw.resets_figure(
        runs, mean_pass_at_k(exact, np.array([1, k]), shared.frequencies), k, prompts
    )


def takeoff(
    start: tuple[float, ...] = (1e-2, 3e-3, 1e-3), seeds: int = 32, seed: int = 1
) -> BookFigure:
    """Make Figure L1.3."""
    p = np.geomspace(1e-6, 0.1, 26)
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    sampled = {
        rare: sample_takeoff(rare, steps=600, n_runs=seeds, rng=rng) for rare in start
    }
    return draw.takeoff_figure(
        p,
        {clock: takeoff_time(p, clock) for clock in CLOCKS},
        np.array([first_sight_law(float(rare), 16) for rare in p]),
        sampled,
    )


RECIPES = (
    Recipe(
        number="L1.1",
        title="Several optima in turn: a longer leash and an earlier crossing",
        page=PAGE,
        make=leash,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="L1.2",
        title="Training with and without resets, shared and separate policies",
        page=PAGE,
        make=resets,
        deviation="Ours. Sampled: 6 runs each; the dashed lines are exact.",
        digits=SAMPLED,
    ),
    Recipe(
        number="L1.3",
        title="How long a rare success takes",
        page=PAGE,
        make=takeoff,
        deviation="Ours. Left exact, right 32 sampled runs a point.",
        digits=SAMPLED,
    ),
)
