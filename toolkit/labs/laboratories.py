"""All recipes of the laboratories on one testbed: what each does to coverage."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import as_count, check_type
from toolkit.brakes import zero_top_covariance
from toolkit.capacity import task_rates
from toolkit.divergences import entropy
from toolkit.labs.entropy_keepers import (
    by_entropy_bonus,
    by_kl_price,
    with_entropy_bonus,
)
from toolkit.labs.negatives import one_sided, with_drawn_outcomes
from toolkit.labs.pass_at_k_training import group_pass_at_k, labelled
from toolkit.language import SharedTestbed
from toolkit.optima import tilted_policy
from toolkit.passk import mean_pass_at_k
from toolkit.policies import response_probs, sample_responses
from toolkit.training import Trajectory, fit_exactly, train
from toolkit.updates import Method, policy_gradient

GROUP = 16  # samples a step, as in all laboratories
RATE = 0.05  # Adam's
SLOW_RATE = 0.01  # for pass@k training, which loses its smallest tasks at the other
LABELS = 256  # of supervised fine-tuning


@dataclass(frozen=True, eq=False, kw_only=True)
class Path:
    """One recipe's policies along training.

    Attributes
    ----------
    steps
        Updates done.
    rates
        Success probability of each task.
    entropy
        Of the responses, in nats.
    frequencies
        How often each task is asked.
    """

    steps: Int[np.ndarray, " steps"]
    rates: Float[np.ndarray, "steps runs tasks"]
    entropy: Float[np.ndarray, "steps runs"]
    frequencies: Float[np.ndarray, " tasks"]

    def pass_at_k(self, k: int) -> Float[np.ndarray, "steps runs"]:
        """Return mean pass@k of every run at every kept step."""
        return mean_pass_at_k(self.rates, k, self.frequencies)

    def when(self, pass_at_1: float) -> Int[np.ndarray, " runs"] | None:
        """Return the place in ``steps`` where each run first has that pass@1.

        None if a run never has.
        """
        reached = self.pass_at_k(1) >= pass_at_1
        return np.argmax(reached, axis=0) if reached.any(axis=0).all() else None


def recipe_paths(
    testbed: SharedTestbed,
    *,
    steps: int = 600,
    n_runs: int = 6,
    price_for: float = 0.35,
    rng: np.random.Generator,
) -> dict[str, Path]:
    """Train by every recipe of the laboratories, with the same samples and steps.

    Parameters
    ----------
    testbed
        The shared testbed.
    steps
        Updates; policies are kept at 51 of them, evenly spaced.
    n_runs
        Runs of each recipe.
    price_for
        The pass@1 whose exact optimum sets the KL price and the entropy bonus.
    rng
        Parent of the generators.

    Returns
    -------
    dict
        A path by recipe. Its first point is the base.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    check_type(testbed, "testbed", SharedTestbed)
    steps = as_count(steps, "steps", low=50)
    n_runs = as_count(n_runs, "n_runs", low=1)
    kept = np.linspace(0, steps, 51).astype(np.int64)
    beta = by_kl_price(testbed, price_for).price
    alpha = by_entropy_bonus(testbed, price_for).price
    streams = iter(rng.spawn(20))
    rloo = policy_gradient()

    def run(
        method: Method = rloo,
        bed: SharedTestbed = testbed,
        learning_rate: float = RATE,
        **options: Any,
    ) -> Trajectory:
        return train(
            bed.ref_logits,
            bed.reward,
            bed.language,
            method,
            steps=kept.tolist(),
            group_size=GROUP,
            learning_rate=learning_rate,
            n_runs=n_runs,
            rng=next(streams),
            **options,
        )

    def judged(positive: float, negative: float) -> Trajectory:
        rule = one_sided(positive, negative)
        return run(with_drawn_outcomes(rule, rng=next(streams)))

    recipes: dict[str, Callable[[], Trajectory]] = {
        "nothing": run,
        "positives only": lambda: judged(1.0, 0.0),
        "negatives only": lambda: judged(0.0, 1.0),
        "covariance brake": lambda: run(brake=zero_top_covariance(0.1)),
        "KL price": lambda: run(beta=beta),
        "KL price, resets": lambda: run(beta=3 * beta, reset_every=steps // 6),
        "entropy bonus": lambda: run(
            bed=with_entropy_bonus(testbed, alpha), beta=alpha
        ),
        "pass@4 training": lambda: run(
            group_pass_at_k(testbed.frequencies, 4),
            labelled(testbed),
            learning_rate=SLOW_RATE,
        ),
        "SFT, many labels": lambda: _fine_tune(testbed, kept, n_runs, next(streams)),
    }
    return {name: _path(testbed, recipe()) for name, recipe in recipes.items()}


def _fine_tune(
    testbed: SharedTestbed,
    kept: Int[np.ndarray, " steps"],
    n_runs: int,
    rng: np.random.Generator,
) -> Trajectory:
    """Fit each run to labels of its own: tasks by frequency, the base's answers."""
    pi_ref = response_probs(testbed.ref_logits, testbed.language)
    solved = [tilted_policy(pi_ref, each[None], 0.0)[0] for each in testbed.solves]
    source = testbed.frequencies @ np.array(solved)
    drawn = sample_responses(source[None], LABELS * n_runs, rng=rng)
    counts = np.stack(
        [
            np.bincount(part, minlength=len(source))
            for part in np.split(drawn[0], n_runs)
        ]
    )
    return fit_exactly(
        testbed.ref_logits,
        counts[:, None] / LABELS,
        testbed.language,
        steps=kept.tolist(),
        learning_rate=RATE,
    )


def _path(testbed: SharedTestbed, run: Trajectory) -> Path:
    pi = run.pi
    return Path(
        steps=run.steps,
        rates=task_rates(pi, testbed),
        entropy=entropy(pi)[..., 0],
        frequencies=testbed.frequencies,
    )
