"""Recipes of the figures of section 11.4."""

import numpy as np

from toolkit._checks import as_count
from toolkit.catalogue.recipes import ORIGINAL, SAMPLED, Recipe
from toolkit.collapse.answers import answer_entropy
from toolkit.collapse.constrained import fit_covering, fit_picking
from toolkit.collapse.drift import expected_diversity, gini_diversity, sample_drift
from toolkit.collapse.filtering import filter_repeatedly
from toolkit.display import BookFigure
from toolkit.divergences import entropy, kl
from toolkit.figures import collapse as draw
from toolkit.language import ToyLanguage, default_testbed, sum_reward
from toolkit.optima import tilted_policy
from toolkit.policies import response_probs
from toolkit.reported import reported
from toolkit.training import train
from toolkit.updates import policy_gradient, supervised

KEPT = (0, 25, 50, 75, 100, 150, 200, 250)
MARKS = (0, 100, 300, 600, 1000, 2000, 3000)
PROMPT = 1  # the one drawn in Figure 11.4.1, counted from 0


def proportions(beta: tuple[float, ...] = (1.0, 0.3, 0.1)) -> BookFigure:
    """Make Figure 11.4.1."""
    testbed = default_testbed()
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    tilted = {
        f"β = {b:g}": tilted_policy(pi_ref, testbed.reward, b)[PROMPT] for b in beta
    }
    return draw.proportions_figure(pi_ref[PROMPT], testbed.reward[PROMPT], tilted)


def spread(steps: int = 300, seeds: int = 64, seed: int = 1) -> BookFigure:
    """Make Figure 11.4.2."""
    testbed = default_testbed()
    seed = as_count(seed, "seed", low=0)
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    restricted = tilted_policy(pi_ref, testbed.reward, 0.0)
    methods = {
        "SFT": supervised(restricted),
        "RL": policy_gradient("leave-one-out"),
    }
    kept = sorted({k for k in KEPT if k < steps} | {steps})
    runs = {
        name: train(
            testbed.ref_logits,
            testbed.reward,
            testbed.language,
            method,
            steps=kept,
            group_size=8,
            learning_rate=0.05,
            n_runs=seeds,
            rng=np.random.default_rng(seed),
        ).pi
        for name, method in methods.items()
    }
    return draw.spread_figure(
        np.array(kept),
        {name: answer_entropy(pi, testbed.reward) for name, pi in runs.items()},
        answer_entropy(pi_ref, testbed.reward),
    )


def all_right(seeds: int = 64, seed: int = 1) -> BookFigure:
    """Make Figure 11.4.3."""
    seed = as_count(seed, "seed", low=0)
    baselines = {"leave-one-out": "leave-one-out", "no baseline": "none"}
    runs = {
        name: train(
            np.zeros((1, 1, 4)),
            np.ones((1, 4)),
            ToyLanguage(n_tokens=4, length=1),
            policy_gradient(baseline),
            steps=MARKS,
            group_size=8,
            learning_rate=0.05,
            n_runs=seeds,
            rng=np.random.default_rng(seed),
        ).pi
        for name, baseline in baselines.items()
    }
    return draw.all_right_figure(
        np.array(MARKS), {name: entropy(pi)[..., 0] for name, pi in runs.items()}
    )


def filtering(
    rounds: int = 10, samples: int = 64, seeds: int = 128, seed: int = 1
) -> BookFigure:
    """Make Figure 11.4.4."""
    testbed = default_testbed()
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    restricted = tilted_policy(pi_ref, testbed.reward, 0.0)
    final = filter_repeatedly(
        testbed, rounds=rounds, n_samples=samples, n_runs=seeds, rng=rng
    ).pi[-1]
    log = dict(zip(*reported("antoniadis2026-filtering").values(), strict=True))
    return draw.filtering_figure(
        answer_entropy(final, testbed.reward),
        kl(final, np.broadcast_to(pi_ref, final.shape)).mean(axis=1),
        answer_entropy(pi_ref, testbed.reward),
        float(kl(restricted, pi_ref).mean()),
        np.array([log[f"entropy prompt {x}"] for x in (1, 2, 3, 4)]),
        float(log["KL to the reference"]),
    )


def drift(
    draws: tuple[int, ...] = (10, 50, 250),
    rounds: int = 20,
    seeds: int = 4000,
    seed: int = 1,
) -> BookFigure:
    """Make Figure 11.4.5."""
    even = np.full(4, 0.25)
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    laws = {f"n = {n}": expected_diversity(even, n, rounds) for n in draws}
    sampled = {
        f"n = {n}": gini_diversity(sample_drift(even, n, rounds, n_runs=seeds, rng=rng))
        for n in draws
    }
    return draw.drift_figure(laws, sampled, singled=list(laws)[len(laws) // 2])


def constrained(beta: float = 0.2, starts: int = 64, seed: int = 1) -> BookFigure:
    """Make Figure 11.4.6."""
    pairs = ToyLanguage(n_tokens=5, length=2)
    reward = sum_reward(pairs, np.array([0]), modulus=5)
    target = tilted_policy(np.full((1, 25), 1 / 25), reward, beta)
    rng = np.random.default_rng(as_count(seed, "seed", low=0))
    picked = fit_picking(target, pairs, n_starts=starts, rng=rng).pi[:, 0]
    other = picked[np.argmax(picked.argmax(axis=1) != picked[0].argmax())]
    policies = {
        "target": target[0],
        "forward KL": fit_covering(target, pairs)[0],
        "reverse KL, one start": picked[0],
        "reverse KL, another": other,
    }
    return draw.constrained_figure(policies, reward[0], n_tokens=5)


RECIPES = (
    Recipe(
        number="11.4.1",
        title="The optimum keeps proportions within each reward level",
        page="chapter11/diversity",
        make=proportions,
        deviation="Ours. Exact; responses rarer than 0.0003 are left out.",
    ),
    Recipe(
        number="11.4.2",
        title="Entropy among right answers: SFT against RL without a KL term",
        page="chapter11/diversity",
        make=spread,
        deviation=(
            "Ours: 64 runs in the setting of the original book's demonstration "
            f"({ORIGINAL}, referring to its chapter 1)."
        ),
        digits=SAMPLED,
    ),
    Recipe(
        number="11.4.3",
        title="When every answer is right: drift without a baseline",
        page="chapter11/diversity",
        make=all_right,
        deviation="Ours. 64 sampled runs.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.4.4",
        title="Where runs of iterated filtering end",
        page="chapter11/diversity",
        make=filtering,
        deviation=(
            "Ours: 128 runs in the setting of the original book's demonstration, whose "
            "one logged run is the diamond; its random numbers are not repeated."
        ),
        digits=SAMPLED,
    ),
    Recipe(
        number="11.4.5",
        title="Diversity under repeated refits: law and simulation",
        page="chapter11/diversity",
        make=drift,
        deviation="Ours. Lines exact, points the mean of 4,000 sampled runs.",
        digits=SAMPLED,
    ),
    Recipe(
        number="11.4.6",
        title="Forward KL covers and reverse KL picks, with independent tokens",
        page="chapter11/diversity",
        make=constrained,
        deviation="Ours. Exact, from two random starts of the search.",
    ),
)
