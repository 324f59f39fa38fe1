"""Recipes of the figures of laboratory 2."""

import numpy as np

from toolkit._checks import as_count
from toolkit._types import ResponseValues
from toolkit.brakes import (
    clip_ratio,
    penalise_top_covariance,
    zero_random,
    zero_top_covariance,
)
from toolkit.catalogue.recipes import SAMPLED, Recipe
from toolkit.display import BookFigure
from toolkit.figures.labs import entropy_law as draw
from toolkit.labs.entropy_law import (
    cooled_path,
    entropy_shares,
    fit_entropy_law,
    natural_path,
    token_entropy,
)
from toolkit.language import Testbed, default_testbed, shared_testbed
from toolkit.policies import expected_reward
from toolkit.sampling import Brake
from toolkit.training import ascend_exactly, train
from toolkit.updates import policy_gradient

PAGE = "chapter11/labs/entropy-law"
FLOWS = {"five tasks": (8.0, 750, 600), "four prompts": (2.0, 750, 300)}
TIMES = np.concatenate([[0.0], np.geomspace(0.1, 300, 60)])
TEMPERATURES = np.linspace(1, 0.3, 15)


def paths(seeds: int = 8, seed: int = 1) -> BookFigure:
    """Make Figure L2.1."""
    seed = as_count(seed, "seed", low=0)
    found, fits = {}, {}
    for name, testbed in (
        ("five tasks", shared_testbed()),
        ("four prompts", default_testbed()),
    ):
        step_size, n_steps, trained = FLOWS[name]
        exact = ascend_exactly(
            testbed.ref_logits,
            testbed.reward,
            testbed.language,
            steps=range(0, n_steps + 1, 5),
            step_size=step_size,
        )
        run = train(
            testbed.ref_logits,
            testbed.reward,
            testbed.language,
            policy_gradient(),
            steps=range(0, trained + 1, 5),
            group_size=16,
            learning_rate=0.05,
            n_runs=seeds,
            rng=np.random.default_rng(seed),
        )
        policies = {
            "sampled RL": run.pi,
            "exact gradient": exact.pi,
            "natural gradient": natural_path(testbed, TIMES)[:, None],
            "base, cooled": cooled_path(testbed, TEMPERATURES)[:, None],
        }
        found[name] = {path: _points(pi, testbed) for path, pi in policies.items()}
        sampled = found[name]["sampled RL"]
        fits[name] = fit_entropy_law(sampled["entropy"], sampled["reward"])
    return draw.paths_figure(found, fits)


def _points(pi: ResponseValues, testbed: Testbed) -> dict[str, np.ndarray]:
    """Return entropy and reward at every point of a path, mean over runs."""
    reward = expected_reward(pi, testbed.reward).mean(axis=-1)
    return {
        "entropy": token_entropy(pi, testbed).mean(axis=1),
        "reward": reward.mean(axis=1),
    }


def shares(steps: int = 750, step_size: float = 2.0) -> BookFigure:
    """Make Figure L2.2."""
    testbed = default_testbed()
    path = ascend_exactly(
        testbed.ref_logits,
        testbed.reward,
        testbed.language,
        steps=range(steps + 1),
        step_size=step_size,
    )
    return draw.shares_figure(entropy_shares(path, testbed, step_size))


def brakes(
    share: tuple[float, ...] = (0.02, 0.05, 0.2), seeds: int = 8, seed: int = 1
) -> BookFigure:
    """Make Figure L2.3."""
    testbed = default_testbed()
    lots = np.random.default_rng(as_count(seed, "seed", low=0) + 1)
    clip = clip_ratio(0.2)
    rules: dict[str, tuple[Brake | None, int]] = {"none": (None, 1)}
    rules |= {f"top {s:.0%} dropped": (zero_top_covariance(s), 1) for s in share}
    rules |= {
        "random 20% dropped": (zero_random(0.2, rng=lots), 1),
        "random 2% of top 20%": (zero_random(0.02, among=0.2, rng=lots), 1),
        "clip alone": (clip, 4),
        "clip, edge kept": (clip_ratio(0.2, keep_gradient=True), 4),
        "clip, top 2% priced": (penalise_top_covariance(0.02, 1.0, clip), 4),
        "clip, top 10% priced": (penalise_top_covariance(0.1, 1.0, clip), 4),
    }
    ends = {}
    for name, (brake, updates) in rules.items():
        pi = train(
            testbed.ref_logits,
            testbed.reward,
            testbed.language,
            policy_gradient(),
            steps=300 // updates,
            group_size=16,
            learning_rate=0.05,
            n_runs=seeds,
            brake=brake,
            updates_per_batch=updates,
            rng=np.random.default_rng(seed),
        ).pi[-1]
        ends[name] = {
            "entropy (nats per token)": token_entropy(pi, testbed),
            "reward": expected_reward(pi, testbed.reward).mean(axis=-1),
        }
    return draw.brakes_figure(ends)


RECIPES = (
    Recipe(
        number="L2.1",
        title="Reward against entropy along four paths",
        page=PAGE,
        make=paths,
        deviation="Ours. Sampled: the mean of 8 runs; the other paths are exact.",
        digits=SAMPLED,
    ),
    Recipe(
        number="L2.2",
        title="What right and wrong samples do to entropy",
        page=PAGE,
        make=shares,
        deviation="Ours. Exact, in steps of 2 of the gradient flow.",
    ),
    Recipe(
        number="L2.3",
        title="Where runs with brakes on entropy end",
        page=PAGE,
        make=brakes,
        deviation=(
            "Ours. Sampled: 8 runs a rule. The rules are those of Cui et al. (2025) "
            "in our reading, with larger shares, since batches are small here."
        ),
        digits=SAMPLED,
    ),
)
