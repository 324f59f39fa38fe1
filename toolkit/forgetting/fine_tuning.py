"""Pretrain networks on two tasks, then fine-tune them on one, by five methods."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from scipy.special import log_softmax, rel_entr, softmax

from toolkit._checks import as_count, as_float, check_choice
from toolkit.forgetting.digits import N_DIGITS, Split, draw_split, load_digits
from toolkit.forgetting.gradients import (
    label_gradient,
    sampled_success_gradient,
    success_gradient,
)
from toolkit.forgetting.labels import (
    ONE_LABEL,
    TWO_LABELS,
    even_labels,
    kl_minimal_labels,
    listed_labels,
)
from toolkit.forgetting.network import Network
from toolkit.forgetting.snapshots import Snapshots, as_kept_steps
from toolkit.updates import Adam

METHODS = ("KL-minimal labels", "two labels", "one label", "RL sampled", "RL exact")
N_INPUTS = 65
BATCH_SIZE = 64
GROUP_SIZE = 8  # samples an image, for sampled RL
REPEATS = 10  # how often each parity image stands in the pretraining set


@dataclass(frozen=True)
class Setting:
    """What is pretrained, and on how much of the new task.

    Attributes
    ----------
    name
        As the figures call it.
    hidden
        Units of each hidden layer.
    n_parity_images
        Images that pretraining sees with their parity; each counts ten times. The old
        task's training images are seen once each.
    pretraining_steps
        Of Adam.
    pretraining_rate
        Its learning rate.
    """

    name: str = "one layer"
    hidden: tuple[int, ...] = (128,)
    n_parity_images: int = 60
    pretraining_steps: int = 2000
    pretraining_rate: float = 2e-3

    def __post_init__(self) -> None:
        as_count(self.n_parity_images, "n_parity_images", low=1, high=1200)
        as_count(self.pretraining_steps, "pretraining_steps", low=1)

    @property
    def network(self) -> Network:
        """The network's layers, inputs and answers included."""
        return Network(sizes=(N_INPUTS, *self.hidden, N_DIGITS))


@dataclass(frozen=True, eq=False, kw_only=True)
class Base:
    """Pretrained networks, one a run, and the images each may train on.

    Attributes
    ----------
    network
        Their layers.
    weights
        After pretraining.
    split
        Training and test images of each run.
    """

    network: Network
    weights: Float[np.ndarray, "runs weights"]
    split: Split

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self.weights)


def pretrain(setting: Setting, *, n_runs: int, rng: np.random.Generator) -> Base:
    """Train networks on the old task and, on few images, on the new one.

    On the new task the labels are spread evenly over the five digits of the right
    parity, so the base has no favourite among the right answers.

    Parameters
    ----------
    setting
        The network and what it sees.
    n_runs
        Number of networks, trained side by side.
    rng
        Parent of one generator a run: split, first weights, batches.

    Returns
    -------
    Base
        The networks.
    """
    n_runs = as_count(n_runs, "n_runs", low=1)
    children = rng.spawn(n_runs)
    split, network = draw_split(children), setting.network
    weights = network.initial_weights(children)
    data = load_digits()
    inputs = np.concatenate([data.new_inputs, data.old_inputs])
    labels = np.concatenate(
        [even_labels(data.correct), np.eye(N_DIGITS)[data.old_answers]]
    )
    parity = np.tile(split.train[:, : setting.n_parity_images], REPEATS)
    seen = np.concatenate([parity, split.train + len(data.new_inputs)], axis=1)
    shape = (setting.pretraining_steps, BATCH_SIZE)
    batches = np.stack(
        [child.integers(seen.shape[1], size=shape) for child in children], 1
    )
    optimiser = Adam(learning_rate=setting.pretraining_rate)
    for batch in batches:
        chosen = np.take_along_axis(seen, batch, axis=1)
        activations = network.activations(weights, inputs[chosen])
        push = label_gradient(softmax(activations[-1], axis=-1), labels[chosen])
        optimiser.ascend(
            weights, network.gradient(weights, activations, push / BATCH_SIZE)
        )
    return Base(network=network, weights=weights, split=split)


def fine_tune(
    base: Base,
    method: str,
    *,
    learning_rate: float,
    steps: Sequence[int],
    rng: np.random.Generator,
) -> Snapshots:
    """Fine-tune every base network on the parity of all its training images.

    Parameters
    ----------
    base
        The pretrained networks; they are not changed.
    method
        One of ``METHODS``: supervised on three choices of labels, or RL with a reward
        of 1 for a right answer and no KL term, sampled or by the exact gradient.
    learning_rate
        Of Adam.
    steps
        Numbers of updates to keep the results at, increasing; 0 is added.
    rng
        Parent of one generator a run. A fresh one of the same seed shows every method
        the same batches.

    Returns
    -------
    Snapshots
        Accuracies and divergences on each run's test images.
    """
    check_choice(method, "method", METHODS)
    as_float(learning_rate, "learning_rate", low=0, open_low=True)
    kept = as_kept_steps(steps)
    network, inputs = base.network, load_digits().new_inputs
    streams = [child.spawn(2) for child in rng.spawn(base.n_runs)]
    shape = (int(kept[-1]), BATCH_SIZE)
    n_train = base.split.train.shape[1]
    batches = np.stack([first.integers(n_train, size=shape) for first, _ in streams], 1)
    push = _push(base, method, [second for _, second in streams])
    weights = base.weights.copy()
    optimiser = Adam(learning_rate=learning_rate)
    log_pi_0 = _new_task_log_probs(base, weights)
    rows = [_measure(base, weights, log_pi_0)]
    for done, until in pairwise(kept):
        for batch in batches[done:until]:
            images = np.take_along_axis(base.split.train, batch, axis=1)
            activations = network.activations(weights, inputs[images])
            upward = push(softmax(activations[-1], axis=-1), batch) / BATCH_SIZE
            optimiser.ascend(weights, network.gradient(weights, activations, upward))
        rows.append(_measure(base, weights, log_pi_0))
    new, old, forward, reverse = np.array(rows).transpose(1, 0, 2)
    return Snapshots(
        steps=kept, new=new, old=old, forward_kl=forward, reverse_kl=reverse
    )


def _push(
    base: Base, method: str, rngs: list[np.random.Generator]
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return what turns probabilities, and places in the training set, into a push."""
    runs = np.arange(base.n_runs)[:, None]
    correct = load_digits().correct[base.split.train]
    if method == "RL exact":
        return lambda pi, batch: success_gradient(pi, correct[runs, batch])
    if method == "RL sampled":
        size = (BATCH_SIZE, GROUP_SIZE)
        return lambda pi, batch: sampled_success_gradient(
            pi, correct[runs, batch], np.array([rng.random(size) for rng in rngs])
        )
    labels = _labels(base, method)
    return lambda pi, batch: label_gradient(pi, labels[runs, batch])


def _labels(base: Base, method: str) -> Float[np.ndarray, "runs train answers"]:
    """Return the label distribution that each training image is shown with."""
    data, train = load_digits(), base.split.train
    if method == "KL-minimal labels":
        logits = base.network.logits(base.weights, data.new_inputs[train])
        return kl_minimal_labels(softmax(logits, axis=-1), data.correct[train])
    listed = {"two labels": TWO_LABELS, "one label": ONE_LABEL}[method]
    return listed_labels(data.correct, listed)[train]


def _new_task_log_probs(base: Base, weights: np.ndarray) -> np.ndarray:
    inputs = load_digits().new_inputs[base.split.test]
    return log_softmax(base.network.logits(weights, inputs), axis=-1)


def _measure(
    base: Base, weights: np.ndarray, log_pi_0: np.ndarray
) -> list[Float[np.ndarray, " runs"]]:
    """Return accuracy on both tasks, forward and reverse KL, on the test images."""
    data, test = load_digits(), base.split.test
    log_pi = _new_task_log_probs(base, weights)
    answer = log_pi.argmax(axis=-1)[..., None]
    right = np.take_along_axis(data.correct[test], answer, axis=-1)[..., 0]
    old_answer = base.network.logits(weights, data.old_inputs[test]).argmax(axis=-1)
    pi_0, pi = np.exp(log_pi_0), np.exp(log_pi)
    return [
        right.mean(axis=1),
        (old_answer == data.old_answers[test]).mean(axis=1),
        _mean_kl(pi_0, pi),
        _mean_kl(pi, pi_0),
    ]


def _mean_kl(p: np.ndarray, q: np.ndarray) -> Float[np.ndarray, " runs"]:
    return rel_entr(p, q).sum(axis=-1).mean(axis=-1)
