"""Time a seed of Figure 11.1's RLOO run: many seeds at once against one by one.

The yardstick is the loop one writes first. At every step it lists all 625 responses,
draws from the list, pushes the gradient through every prefix and takes a textbook Adam
step; then it does the next seed.
"""

import time
from collections.abc import Callable

import numpy as np
from scipy.special import log_softmax

from toolkit.capacity import train_shared
from toolkit.language import SharedTestbed, shared_testbed
from toolkit.sampling import SampledTree, look_up
from toolkit.updates import Adam, advantages

STEPS, GROUP, RATE = 1500, 16, 0.05
SEEDS, ROUNDS = 64, 5


def train_one_by_one(testbed: SharedTestbed, rng: np.random.Generator) -> np.ndarray:
    """Return the rates by task after RLOO, in a loop that lists every response."""
    language = testbed.language
    rows, tokens = language.prefixes, language.tokens
    slots = (rows * language.n_tokens + tokens).ravel()
    n_responses = language.n_responses
    logits = testbed.ref_logits[0].copy()
    mean, square = np.zeros_like(logits), np.zeros_like(logits)
    for step in range(1, STEPS + 1):
        log_tokens = log_softmax(logits, axis=1)
        pi = np.exp(log_tokens[rows, tokens].sum(axis=1))
        sampled = rng.choice(n_responses, size=GROUP, p=pi / pi.sum())
        rewards = testbed.reward[0, sampled]
        others = (rewards.sum() - rewards) / (GROUP - 1)
        weights = np.bincount(sampled, rewards - others, n_responses) / GROUP
        spread = np.repeat(weights, language.length)
        mass = np.bincount(slots, spread, logits.size).reshape(logits.shape)
        gradient = mass - np.exp(log_tokens) * mass.sum(axis=1, keepdims=True)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rescaled = mean / (1 - 0.9**step)
        logits += RATE * rescaled / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    pi = np.exp(log_softmax(logits, axis=1)[rows, tokens].sum(axis=1))
    return testbed.solves @ pi


def train_together(testbed: SharedTestbed, rng: np.random.Generator) -> np.ndarray:
    """Return the rates by task of 64 such runs."""
    return train_shared(
        testbed,
        steps=STEPS,
        n_runs=SEEDS,
        group_size=GROUP,
        learning_rate=RATE,
        rng=rng,
    ).rates


def shares(testbed: SharedTestbed, rng: np.random.Generator) -> dict[str, float]:
    """Return the share of a run's time that goes to each part of a step."""
    tree = SampledTree(testbed.ref_logits, testbed.language, n_runs=SEEDS)
    optimiser = Adam(learning_rate=RATE)
    spent = dict.fromkeys(["draw uniforms", "sample", "weigh", "gradient", "Adam"], 0.0)

    def timed(part: str, action: Callable, *arguments: object) -> object:
        start = time.perf_counter()
        result = action(*arguments)
        spent[part] += time.perf_counter() - start
        return result

    def weigh(responses: np.ndarray) -> np.ndarray:
        return advantages(look_up(testbed.reward, responses), "leave-one-out") / GROUP

    shape = (testbed.language.length, SEEDS, 1, GROUP)
    for _ in range(STEPS):
        uniforms = timed("draw uniforms", rng.random, shape)
        batch = timed("sample", tree.sample, uniforms)
        weights = timed("weigh", weigh, batch.responses)
        gradient = timed("gradient", tree.score_gradient, batch, weights)
        timed("Adam", optimiser.ascend, tree.flat_logits, gradient)
    return {part: seconds / sum(spent.values()) for part, seconds in spent.items()}


def seconds(action: Callable[[], object]) -> float:
    """Return how long ``action`` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Print the time of a seed both ways, the ratio, and where the time goes."""
    testbed = shared_testbed()
    one, together = [], []
    for child in np.random.default_rng(0).spawn(ROUNDS):  # in turns: a busy machine
        one.append(seconds(lambda rng=child: train_one_by_one(testbed, rng)))
        together.append(seconds(lambda rng=child: train_together(testbed, rng)))
    alone, many = min(one), min(together) / SEEDS
    print(f"RLOO on the shared testbed, {STEPS} steps of {GROUP} samples, per seed")
    print(f"  one by one, listing all responses   {1000 * alone:7.1f} ms")
    print(f"  {SEEDS} seeds at once                    {1000 * many:7.1f} ms")
    print(f"  ratio                               {alone / many:7.1f}")
    parts = shares(testbed, np.random.default_rng(0))
    print("  of which " + ", ".join(f"{p} {100 * s:.0f}%" for p, s in parts.items()))


if __name__ == "__main__":
    main()
