"""The Pythagoras identity: what a label distribution costs in KL, in two parts."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from toolkit._checks import as_count, as_floats, check_distributions, check_same_shape
from toolkit._types import PerPrompt, Policy, Reward
from toolkit.divergences import kl
from toolkit.forgetting.labels import as_correct, drawn_labels, kl_minimal_labels


@dataclass(frozen=True, eq=False, kw_only=True)
class KLSplit:
    """How far an always-right policy is from the reference, in nats, in two parts.

    Attributes
    ----------
    floor
        ``-log p``: what every policy pays that is always right.
    surcharge
        ``KL(q || pi_ref restricted to right answers)``: what this one pays on top.
    """

    floor: PerPrompt
    surcharge: PerPrompt

    @property
    def total(self) -> Float[np.ndarray, " prompts"]:
        """``KL(q || pi_ref)``."""
        return self.floor + self.surcharge


def split_kl(labels: Policy, pi_ref: Policy, correct: Reward) -> KLSplit:
    """Return the two parts of ``KL(labels || pi_ref)`` for labels that are all right.

    With p the reference's success probability, for every q that is always right::

        KL(q || pi_ref) = -log p + KL(q || pi_ref restricted to right answers)

    Parameters
    ----------
    labels
        Distribution over answers, one row a prompt: all of it on right ones.
    pi_ref
        Reference policy.
    correct
        1 for a right answer, 0 for a wrong one.

    Returns
    -------
    KLSplit
        Floor and surcharge of each prompt, in nats.

    Raises
    ------
    ValueError
        If a label is wrong, a row is not a distribution, shapes differ, or the
        reference gives a prompt's right answers no probability.

    Notes
    -----
    The identity is Pythagoras' theorem of information geometry (Csiszar, 1975) in its
    simplest case, a condition.

    Examples
    --------
    Two of three answers are right, with probability 1/4 each. Being right costs log 2;
    insisting on one of the two costs another log 2:

    >>> pi_ref = np.array([[0.25, 0.25, 0.5]])
    >>> correct = np.array([[1.0, 1.0, 0.0]])
    >>> parts = split_kl(np.array([[1.0, 0.0, 0.0]]), pi_ref, correct)
    >>> parts.floor / np.log(2), parts.surcharge / np.log(2)
    (array([1.]), array([1.]))
    """
    correct = as_correct(correct)
    restricted = kl_minimal_labels(pi_ref, correct)
    labels = as_floats(labels, "labels", ndim=2)
    check_same_shape(correct, "correct", labels, "labels")
    check_distributions(labels, "labels")
    wrong = (labels > 0) & (correct == 0)
    if np.any(wrong):
        x, y = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"labels must all be right, but prompt {x} has the wrong answer {y} with "
            f"probability {labels[x, y]:g}"
        )
    p = np.sum(pi_ref * correct, axis=-1)
    return KLSplit(floor=-np.log(p), surcharge=kl(labels, restricted))


def sample_splits(
    pi_ref: Policy, correct: Reward, *, n_policies: int, rng: np.random.Generator
) -> KLSplit:
    """Split the KL of random always-right policies, from the nearest one outward.

    Parameters
    ----------
    pi_ref
        Reference policy.
    correct
        1 for a right answer, 0 for a wrong one.
    n_policies
        Number of policies. The first is the KL-minimal one; on the way to the last, its
        logits fade and normal noise takes their place.
    rng
        Source of the noise.

    Returns
    -------
    KLSplit
        Prompts times policies, prompts fastest.
    """
    n_policies = as_count(n_policies, "n_policies", low=2)
    log_ref = np.log(as_floats(pi_ref, "pi_ref", ndim=2))
    found = []
    for share in np.linspace(0, 1, n_policies):
        noise = 6 * rng.standard_normal(log_ref.shape)
        moved = softmax((1 - share) * log_ref + share * noise, axis=-1)
        found.append(split_kl(kl_minimal_labels(moved, correct), pi_ref, correct))
    return KLSplit(
        floor=np.concatenate([split.floor for split in found]),
        surcharge=np.concatenate([split.surcharge for split in found]),
    )


def sample_surcharges(
    pi_ref: Policy,
    correct: Reward,
    n_labels: int,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, " draws"]:
    """Return what labels drawn evenly pay on top, averaged over prompts, draw by draw.

    Parameters
    ----------
    pi_ref
        Reference policy.
    correct
        1 for a right answer, 0 for a wrong one.
    n_labels
        Labels a prompt.
    n_draws
        How often the labels are drawn.
    rng
        Source of the draws.
    """
    draws = (
        split_kl(drawn_labels(correct, n_labels, rng=rng), pi_ref, correct)
        for _ in range(as_count(n_draws, "n_draws", low=1))
    )
    return np.array([split.surcharge.mean() for split in draws])
