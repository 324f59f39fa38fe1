"""Two tasks whose logits hang on the same few parameters.

Prompt x has features F[x]; fine-tuning learns one matrix W for all prompts::

    logits[x] = base_logits[x] + F[x] @ W

Training on the new task moves W, and with it the old task's answers, as far as the
features of the two overlap. With a feature of its own for every prompt (F the identity)
this is a table, and nothing can be forgotten.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int
from scipy.special import softmax

from toolkit._checks import as_count, as_float
from toolkit.divergences import kl
from toolkit.forgetting.gradients import label_gradient, success_gradient
from toolkit.forgetting.labels import (
    ONE_LABEL,
    TWO_LABELS,
    even_labels,
    kl_minimal_labels,
    listed_labels,
)
from toolkit.forgetting.snapshots import Snapshots, as_kept_steps
from toolkit.updates import Adam

N_ANSWERS = 10

Push = Callable[[np.ndarray], np.ndarray]
"""Turns the new task's probabilities into an ascent direction in its logits."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedTasks:
    """A new task with five right answers a prompt, an old one with one, one map.

    Attributes
    ----------
    features
        F: new prompts first, then as many old ones; rows of length 1.
    base_logits
        The policy before fine-tuning.
    correct
        The new task: 1 where the answer has the prompt's parity.
    old_answers
        The old task: the one right answer to each prompt.
    """

    features: Float[np.ndarray, "maps prompts rank"]
    base_logits: Float[np.ndarray, "maps prompts answers"]
    correct: Float[np.ndarray, "maps new answers"]
    old_answers: Int[np.ndarray, "maps old"]

    @property
    def n_new(self) -> int:
        """Number of prompts of the new task."""
        return self.correct.shape[1]

    @property
    def pi_0(self) -> Float[np.ndarray, "maps new answers"]:
        """The policy before fine-tuning, on the new task."""
        return softmax(self.base_logits[:, : self.n_new], axis=-1)


def draw_shared_tasks(
    *,
    n_maps: int,
    n_prompts: int = 20,
    rank: int | None = 20,
    rng: np.random.Generator,
) -> SharedTasks:
    """Draw pairs of tasks that share a random map of low rank.

    The base knows the old task well (its right answer stands out by 4 in the logits)
    and the new one a little (right answers stand out by 1), over normal noise.

    Parameters
    ----------
    n_maps
        Number of independent pairs, worked on side by side.
    n_prompts
        Prompts of each of the two tasks.
    rank
        Number of features, drawn in random directions; None for a feature of its own
        for each prompt: a table.
    rng
        Parent of one generator a map.

    Returns
    -------
    SharedTasks
        The tasks.
    """
    n_maps = as_count(n_maps, "n_maps", low=1)
    n = as_count(n_prompts, "n_prompts", low=1)
    n_features = 2 * n if rank is None else as_count(rank, "rank", low=1)
    features = np.empty((n_maps, 2 * n, n_features))
    base_logits = np.empty((n_maps, 2 * n, N_ANSWERS))
    correct = np.empty((n_maps, n, N_ANSWERS))
    old_answers = np.empty((n_maps, n), dtype=np.intp)
    for i, child in enumerate(rng.spawn(n_maps)):
        parity = child.integers(2, size=n)
        old_answers[i] = child.integers(N_ANSWERS, size=n)
        base_logits[i] = child.normal(size=(2 * n, N_ANSWERS))
        correct[i] = np.arange(N_ANSWERS) % 2 == parity[:, None]
        base_logits[i, :n] += correct[i]
        base_logits[i, np.arange(n, 2 * n), old_answers[i]] += 4
        directions = child.normal(size=(2 * n, n_features))
        features[i] = directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    if rank is None:
        features[:] = np.eye(2 * n)
    return SharedTasks(
        features=features,
        base_logits=base_logits,
        correct=correct,
        old_answers=old_answers,
    )


def shared_methods(
    tasks: SharedTasks, betas: Sequence[float] = (0.1, 0.3)
) -> dict[str, Push]:
    """Return the methods to compare, by name: SFT on four label choices, and RL.

    Parameters
    ----------
    tasks
        The tasks.
    betas
        Prices of a nat of KL for RL with a KL term.
    """
    pi_0, correct = tasks.pi_0, tasks.correct
    labels = {
        "KL-minimal labels": kl_minimal_labels(pi_0, correct),
        "even labels": even_labels(correct),
        "two labels": listed_labels(correct, TWO_LABELS),
        "one label": listed_labels(correct, ONE_LABEL),
    }
    methods: dict[str, Push] = {
        name: partial(label_gradient, labels=shown) for name, shown in labels.items()
    }
    methods["RL"] = partial(success_gradient, correct=correct)
    for beta in betas:
        methods[f"RL, β = {beta:g}"] = partial(
            success_gradient, correct=correct, pi_0=pi_0, beta=beta
        )
    return methods


def fine_tune_shared(
    tasks: SharedTasks, push: Push, *, learning_rate: float, steps: Sequence[int]
) -> Snapshots:
    """Fine-tune the shared map on the new task, by exact gradients and Adam.

    Parameters
    ----------
    tasks
        The tasks; each map is a run.
    push
        The method: see :func:`shared_methods`.
    learning_rate
        Of Adam, in units of a logit.
    steps
        Numbers of updates to keep the results at, increasing; 0 is added.

    Returns
    -------
    Snapshots
        Success is the probability of a right answer, averaged over prompts.
    """
    as_float(learning_rate, "learning_rate", low=0, open_low=True)
    kept = as_kept_steps(steps)
    n_maps, _, rank = tasks.features.shape
    new_features = tasks.features[:, : tasks.n_new]
    shared = np.zeros((n_maps, rank, N_ANSWERS))
    optimiser = Adam(learning_rate=learning_rate)
    rows = [_measure(tasks, shared)]
    for done, until in pairwise(kept):
        for _ in range(done, until):
            pi = softmax(_logits(tasks, shared)[:, : tasks.n_new], axis=-1)
            optimiser.ascend(shared, new_features.swapaxes(1, 2) @ push(pi))
        rows.append(_measure(tasks, shared))
    new, old, forward, reverse = np.array(rows).transpose(1, 0, 2)
    return Snapshots(
        steps=kept, new=new, old=old, forward_kl=forward, reverse_kl=reverse
    )


def _logits(tasks: SharedTasks, shared: np.ndarray) -> np.ndarray:
    return tasks.base_logits + tasks.features @ shared


def _measure(tasks: SharedTasks, shared: np.ndarray) -> list[np.ndarray]:
    """Return new and old success, forward and reverse KL, each one number a map."""
    pi = softmax(_logits(tasks, shared), axis=-1)
    new, old = pi[:, : tasks.n_new], pi[:, tasks.n_new :]
    right = np.take_along_axis(old, tasks.old_answers[..., None], axis=-1)[..., 0]
    pi_0 = tasks.pi_0
    return [
        np.sum(new * tasks.correct, axis=-1).mean(axis=-1),
        right.mean(axis=-1),
        kl(pi_0, new).mean(axis=-1),
        kl(new, pi_0).mean(axis=-1),
    ]
