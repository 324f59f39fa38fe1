"""Iterated filtering: sample, keep what is right, fine-tune on it, repeat.

The pattern behind STaR (Zelikman et al. 2022) and ReST (Gulcehre et al. 2023), in the
form of the chapter's own demonstration: it goes on from the current policy, where STaR
returns to the first one each round, and it keeps a plain threshold, where ReST raises
it. Many runs go side by side; what each run keeps is its own.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import softmax

from toolkit._checks import as_count
from toolkit.collapse.answers import check_right_or_wrong
from toolkit.language import Testbed
from toolkit.policies import response_probs
from toolkit.sampling import Batch, SampledTree, look_up
from toolkit.updates import Adam


@dataclass(frozen=True, eq=False, kw_only=True)
class FilteringRuns:
    """Policies and kept samples along runs of iterated filtering.

    Attributes
    ----------
    pi
        Probability of every response before the first round and after each.
    n_kept
        Right samples of each round, by run and prompt.
    """

    pi: Float[np.ndarray, "points runs prompts responses"]
    n_kept: Int[np.ndarray, "rounds runs prompts"]


def filter_repeatedly(
    testbed: Testbed,
    *,
    rounds: int = 10,
    n_samples: int = 64,
    sft_steps: int = 40,
    batch_size: int = 128,
    learning_rate: float = 0.05,
    n_runs: int = 64,
    rng: np.random.Generator,
) -> FilteringRuns:
    """Run ``n_runs`` loops of sample, filter and fine-tune.

    Each round draws ``n_samples`` responses a prompt from the run's current policy,
    keeps those of reward 1, and takes ``sft_steps`` steps of a fresh Adam on the mean
    log-likelihood of a batch. A batch is ``batch_size`` of the kept samples of all
    prompts together, without replacement, or all of them where fewer were kept.

    A prompt with no right sample in a round keeps its policy exactly; a run with none
    at all keeps all its policies.

    Parameters
    ----------
    testbed
        Language, reference policy and a reward of 0 or 1.
    rounds
        Number of rounds, 0 or more.
    n_samples
        Draws a prompt and round.
    sft_steps
        Steps of fine-tuning a round.
    batch_size
        Samples a step, at most.
    learning_rate
        Of Adam.
    n_runs
        Number of independent runs.
    rng
        Parent of one generator a run.

    Returns
    -------
    FilteringRuns
        Policies before the first round and after each, and what was kept.

    Raises
    ------
    ValueError
        If the reward holds anything but 0 and 1, or a number is out of its range.
    """
    check_right_or_wrong(testbed.reward)
    rounds = as_count(rounds, "rounds", low=0)
    n_samples = as_count(n_samples, "n_samples", low=1)
    sft_steps = as_count(sft_steps, "sft_steps", low=1)
    batch_size = as_count(batch_size, "batch_size", low=1)
    n_runs = as_count(n_runs, "n_runs", low=1)
    children = rng.spawn(n_runs)
    language, n_prompts = testbed.language, len(testbed.reward)
    tree = SampledTree(testbed.ref_logits, language, n_runs=n_runs)
    pi = np.empty((rounds + 1, n_runs, *testbed.reward.shape))
    pi[0] = response_probs(testbed.ref_logits, language)
    n_kept = np.empty((rounds, n_runs, n_prompts), dtype=np.int64)
    for t in range(rounds):
        token_shape = (language.length, n_prompts, n_samples)
        batch = tree.sample(_draw(children, token_shape, axis=1))
        kept = look_up(testbed.reward, batch.responses) == 1
        n_kept[t] = kept.sum(axis=-1)
        order = _draw(children, (sft_steps, n_prompts * n_samples), axis=1)
        weights = _batch_weights(kept.reshape(n_runs, -1), order, batch_size)
        _fine_tune(tree, batch, kept.ravel(), weights, learning_rate)
        pi[t + 1] = response_probs(tree.logits, language)
    return FilteringRuns(pi=pi, n_kept=n_kept)


def _draw(
    children: list[np.random.Generator], shape: tuple[int, ...], *, axis: int
) -> np.ndarray:
    """Return uniform numbers, each run's from its own generator."""
    return np.stack([child.random(shape) for child in children], axis=axis)


def _batch_weights(
    kept: Bool[np.ndarray, "runs samples"],
    order: Float[np.ndarray, "steps runs samples"],
    batch_size: int,
) -> Float[np.ndarray, "steps runs samples"]:
    """Return 1/size for the samples in each step's batch: the kept that come first."""
    size = np.minimum(kept.sum(axis=1), batch_size)
    order = np.where(kept, order, 2.0)  # uniforms are below 1: what is not kept is last
    last = np.take_along_axis(
        np.sort(order, axis=2), np.maximum(size - 1, 0)[None, :, None], axis=2
    )
    chosen = kept & (order <= last)
    return chosen / np.maximum(size, 1)[:, None]


def _fine_tune(
    tree: SampledTree,
    batch: Batch,
    kept: Bool[np.ndarray, " samples"],
    weights: Float[np.ndarray, "steps runs per_run"],
    learning_rate: float,
) -> None:
    """Climb the weighted log-likelihood of the kept samples, in place.

    Only prefixes that a kept sample passes through have a gradient; a fresh Adam leaves
    the others where they are, so they are left out.
    """
    used = batch.running & kept
    if not used.any():
        return
    rows, place = np.unique(batch.rows[used], return_inverse=True)
    tokens = batch.tokens[used]
    sample = np.broadcast_to(np.arange(len(kept)), used.shape)[used]
    logits = tree.flat_logits[:, rows]
    slots = tokens * len(rows) + place
    optimiser = Adam(learning_rate=learning_rate)
    for step_weights in weights.reshape(len(weights), -1):
        mass = np.bincount(slots, step_weights[sample], logits.size)
        mass = mass.reshape(logits.shape)
        gradient = mass - softmax(logits, axis=0) * mass.sum(axis=0)
        optimiser.ascend(logits, gradient)
    tree.flat_logits[:, rows] = logits
