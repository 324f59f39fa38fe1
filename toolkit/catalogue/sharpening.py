"""Recipes of the figures of section 11.1."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count
from toolkit.capacity import (
    CollapseRuns,
    base_rates,
    flow_pass_at_k_law,
    softmax_flow,
    tilted_rates,
    train_shared,
)
from toolkit.catalogue.recipes import ORIGINAL, SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures import sharpening as draw
from toolkit.language import default_testbed, shared_testbed
from toolkit.optima import pass_at_k_allocation, tilted_success
from toolkit.passk import (
    decompose_difference,
    hardest_problem_tail,
    k_grid,
    mean_pass_at_k,
)
from toolkit.policies import expected_reward, response_probs
from toolkit.reported import reported

PROMPT_BETAS = (1.0, 0.5, 0.15)
SHARED_BETAS = (0.3, 0.1, 0.03)
KEPT = (0, 100, 200, 300, 500, 750, 1000, 2000, 3000, 5000)


def reported_change() -> BookFigure:
    """Make Figure 11.1.1."""
    return draw.reported_change_figure(reported("yue2025"))


def log_odds(prompt_beta: tuple[float, ...] = PROMPT_BETAS) -> BookFigure:
    """Make Figure 11.1.2."""
    p = np.linspace(0.01, 0.99, 99)
    return draw.log_odds_figure(p, _tilted(p, prompt_beta))


def published(
    prompt_beta: tuple[float, ...] = PROMPT_BETAS,
    beta: tuple[float, ...] = SHARED_BETAS,
    steps: int = 1500,
    seeds: int = 64,
    seed: int = 1,
    k_max: int = 256,
) -> BookFigure:
    """Make Figure 11.1."""
    testbed, shared = default_testbed(), shared_testbed()
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    p_ref = expected_reward(pi_ref, testbed.reward)
    optima = {"base": base_rates(shared)}
    optima |= {f"β = {b:g}": tilted_rates(shared, b) for b in beta}
    runs = _runs((steps,), seeds, seed)
    return draw.published_figure(
        k_grid(k_max),
        {"base": p_ref} | _tilted(p_ref, prompt_beta),
        optima,
        runs.rates[0],
        shared.frequencies,
    )


def spread(
    steps: int = 1500, seeds: int = 64, seed: int = 1, k: int = 256
) -> BookFigure:
    """Make Figure 11.1.3."""
    kept = tuple(sorted({*KEPT, as_count(steps, "steps", low=1)}))
    runs = _runs(kept, seeds, seed)
    return draw.spread_figure(runs, k, steps)


def tail(seeds: int = 64, seed: int = 1, k: int = 256) -> BookFigure:
    """Make Figure 11.1.4."""
    f = shared_testbed().frequencies
    times = np.geomspace(10, 1e5, 25)
    runs = _runs(tuple(sorted({*KEPT, 1500})), seeds, seed)
    late = runs.steps >= 500
    excess = runs.pass_at_k(k)[late] - f[0]
    steps = runs.steps[late]
    return draw.tail_figure(
        times,
        mean_pass_at_k(softmax_flow(f, times), k, f) - f[0],
        flow_pass_at_k_law(f, k, times) - f[0],
        steps,
        excess,
        np.polyfit(np.log(steps), np.log(excess.mean(1)), 1)[0],
    )


def decomposition(
    beta: float = 0.1, steps: int = 1500, seed: int = 1, k_max: int = 256
) -> BookFigure:
    """Make Figure 11.1.5."""
    shared, k = shared_testbed(), k_grid(k_max)
    f = shared.frequencies
    rates = {
        "base": base_rates(shared),
        f"β = {beta:g}": tilted_rates(shared, beta),
        "RL": _runs((steps,), 1, seed).rates[0, 0],
    }
    every_k = np.arange(1, k_max + 1)
    parts = decompose_difference(rates["base"], rates["RL"], every_k, f)
    tails = {
        name: (1 - mean_pass_at_k(p, k, f), hardest_problem_tail(p, k, f))
        for name, p in rates.items()
    }
    return draw.decomposition_figure(parts, tails, k)


def allocation(steps: int = 1500, seed: int = 1, k_max: int = 256) -> BookFigure:
    """Make Figure 11.1.6."""
    shared, k = shared_testbed(), k_grid(k_max)
    f = shared.frequencies
    rates = {"base": base_rates(shared), "RL": _runs((steps,), 1, seed).rates[0, 0]}
    shares = np.array([pass_at_k_allocation(f, int(n)) for n in k])
    best = [mean_pass_at_k(p, int(n), f) for p, n in zip(shares, k, strict=True)]
    reached = {name: mean_pass_at_k(p, k, f) for name, p in rates.items()}
    return draw.allocation_figure(k, shares, f, reached | {"best": np.array(best)})


def _tilted(
    p: Float[np.ndarray, " n"], betas: Sequence[float]
) -> dict[str, Float[np.ndarray, " n"]]:
    return {f"β = {b:g}": tilted_success(p, b) for b in betas}


@cache
def _runs(steps: tuple[int, ...], seeds: int, seed: int) -> CollapseRuns:
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    return train_shared(shared_testbed(), steps=steps, n_runs=seeds, rng=rng)


RECIPES = (
    Recipe(
        number="11.1.1",
        title="GRPO against its base model over training, as reported",
        page="chapter11/sharpening",
        make=reported_change,
        deviation="Drawn by us from the numbers in Yue et al. (2025), tables 2 and 3.",
    ),
    Recipe(
        number="11.1.2",
        title="Success at the KL-regularised optimum: a shift of the log-odds",
        page="chapter11/sharpening",
        make=log_odds,
        deviation="Ours. Exact.",
    ),
    Recipe(
        number="11.1",
        title="pass@k with a policy per prompt and with one policy for five tasks",
        page="chapter11/sharpening",
        make=published,
        reproduces=f"Figure 11.1 of {ORIGINAL}",
        deviation=(
            "Same language, rewards, betas and optimiser; our own stream of random "
            "numbers, so the RL curve is another draw, and a band shows all runs. The "
            "published figure has one run and no band. Base, optima and the crossing "
            "agree to every digit printed."
        ),
        digits=SAMPLED,
    ),
    Recipe(
        number="11.1.3",
        title="The published setting over many runs and over training",
        page="chapter11/sharpening",
        make=spread,
        deviation="Ours. Sampled: 64 runs of the published setting.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.1.4",
        title="What is left of pass@256 above its limit",
        page="chapter11/sharpening",
        make=tail,
        deviation="Ours. Left exact, right sampled.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.1.5",
        title="Problems gained and lost, and the hardest problem",
        page="chapter11/sharpening",
        make=decomposition,
        deviation="Ours. The base and the optimum are exact, RL is one run.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.1.6",
        title="The allocation over tasks that is best for each k",
        page="chapter11/sharpening",
        make=allocation,
        deviation="Ours. Exact but for the RL curve, which is one run.",
        digits=SAMPLED,
    ),
)
