"""Laboratory 5: answers that stop depending on the prompt while entropy looks well."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import brentq
from scipy.special import softmax

from toolkit._checks import (
    as_count,
    as_counts,
    as_float,
    as_floats,
    check_distributions,
    check_type,
)
from toolkit.divergences import entropy

PER_TYPE = 8  # prompts of each type
ROUNDING = 1e-13  # of a difference of two entropies
START = 6.3  # logit of the right template at the start, above the generic prior

Templates = Float[np.ndarray, "*runs tables templates"]


def generic_prior(n_types: int = 8, generic: float = 0.8) -> Float[np.ndarray, " n"]:
    """Return the prior over templates: a generic one, then one for each type.

    Examples
    --------
    >>> generic_prior(2, 0.8)
    array([0.8, 0.1, 0.1])
    """
    n_types = as_count(n_types, "n_types", low=1)
    generic = as_float(generic, "generic", low=0, high=1, open_low=True, open_high=True)
    return np.array([generic, *np.full(n_types, (1 - generic) / n_types)])


def information(pi: Templates) -> Float[np.ndarray, "*runs"]:
    """Return ``I(X; Z)``: how much the template tells about the type, in nats.

    ``H(Z) = H(Z|X) + I(X; Z)``, all tables asked equally often.

    Examples
    --------
    Two types with templates of their own; then both with the same mix:

    >>> float(information(np.eye(2)) / np.log(2))
    1.0
    >>> float(information(np.full((2, 2), 0.5)))
    0.0
    """
    pi = as_floats(pi, "pi")
    whole = entropy(pi.mean(axis=-2, keepdims=True))[..., 0]
    told = whole - prompt_entropy(pi)
    return np.asarray(np.where(told > ROUNDING, told, 0.0))


def prompt_entropy(pi: Templates) -> Float[np.ndarray, "*runs"]:
    """Return ``H(Z|X)``, the mean entropy of the template given the prompt."""
    return np.asarray(entropy(pi).mean(axis=-1))


def optimal_templates(g: Float[np.ndarray, " n"], ratio: float) -> Templates:
    """Return the optimum for every type: ``pi_x ~ g exp(ratio r_x)``.

    Only the ratio of the share of informative prompts to the price counts.

    Parameters
    ----------
    g
        The prior: the generic template first, then that of each type.
    ratio
        Share of informative prompts over price, ``e = s / alpha``; 0 or more.
    """
    g = as_floats(g, "g", ndim=1)
    check_distributions(g, "g")
    ratio = as_float(ratio, "ratio", low=0)
    return softmax(np.log(g) + ratio * _rewards(len(g) - 1), axis=1)


def small_ratio_law(g: Float[np.ndarray, " n"], ratio: float) -> float:
    """Return what ``I(X; Z)`` at the optimum comes down to for a small ratio.

    ``e^2 / 2`` times the mean over types of the variance under g of the centred reward
    minus its mean over types. It grows with the *square* of the ratio.
    """
    g = as_floats(g, "g", ndim=1)
    rewards = _rewards(len(g) - 1)
    centred = rewards - rewards @ g[:, None]
    apart = centred - centred.mean(axis=0)
    return float(ratio**2 / 2 * np.mean(apart**2 @ g))


def entropy_twin(g: Float[np.ndarray, " n"]) -> float:
    """Return the ratio above 0 at which the optimum has the entropy of the prior again.

    At 0 every prompt gets the prior; at the twin each gets a template that tells much
    about it. ``H(Z|X)`` is the same.
    """
    g = as_floats(g, "g", ndim=1)

    def above(ratio: float) -> float:
        return float(prompt_entropy(optimal_templates(g, ratio)) - entropy(g[None])[0])

    low, high = 1.0, 2.0
    if above(low) <= 0:
        raise ValueError(
            "g must have a generic template likely enough for entropy to rise at first,"
            f" but it is {g[0]:g}"
        )
    while above(high) > 0:
        high *= 2
    return float(brentq(above, low, high, xtol=1e-10))


@dataclass(frozen=True, eq=False, kw_only=True)
class TemplateRuns:
    """Policies along training, as seen by prompts.

    Attributes
    ----------
    steps
        Numbers of updates done.
    pi
        Probability of each template for each prompt, shape (steps, runs, prompts,
        templates).
    informative
        Which prompts have a reward at all.
    """

    steps: Int[np.ndarray, " steps"]
    pi: Float[np.ndarray, "steps runs prompts templates"]
    informative: np.ndarray

    @property
    def types(self) -> Float[np.ndarray, "steps runs types templates"]:
        """The mean policy of each type's prompts."""
        split = self.pi.reshape(*self.pi.shape[:2], -1, PER_TYPE, self.pi.shape[-1])
        return split.mean(axis=3)

    @property
    def information(self) -> Float[np.ndarray, "steps runs"]:
        """``I(X; Z)`` of type and template."""
        return information(self.types)

    @property
    def entropy(self) -> Float[np.ndarray, "steps runs"]:
        """``H(Z|X)``, within prompts."""
        return prompt_entropy(self.pi)

    @property
    def reward(self) -> Float[np.ndarray, "steps runs"]:
        """Success on the informative prompts."""
        right = np.arange(self.pi.shape[2]) // PER_TYPE + 1
        success = self.pi[:, :, np.arange(len(right)), right]
        return success[..., self.informative].mean(axis=-1)


def train_templates(
    g: Float[np.ndarray, " n"],
    share: float,
    *,
    alpha: float = 0.1,
    keep: float = 1.0,
    shared: bool = True,
    n_samples: int | None = None,
    steps: int | Sequence[int] = 1500,
    step_size: float = 4.0,
    start: float = START,
    n_runs: int = 1,
    rng: np.random.Generator | None = None,
) -> TemplateRuns:
    """Train templates on eight prompts a type, of which a share can be rewarded.

    Each step averages, over the prompts it keeps, the gradient of ``E[reward] - alpha
    KL(pi || g)``. It keeps those with the largest variance of reward; among sampled
    ones ties are broken by lot.

    Parameters
    ----------
    g
        The prior, see :func:`generic_prior`.
    share
        Share of informative prompts, a multiple of 1/8, above 0.
    alpha
        Price of one nat of KL to the prior, on every prompt that is kept.
    keep
        Share of prompts kept in each step, in (0, 1].
    shared
        Whether prompts of one type have one table of logits, or each its own.
    n_samples
        Samples a prompt, with the mean of the others as baseline; by default the exact
        gradient and the exact variance.
    steps
        Number of updates; or several increasing numbers, to keep the policies there.
    step_size
        Above 0.
    start
        Logit of the right template at the start.
    n_runs
        Independent runs; more than one needs samples.
    rng
        Needed for sampling only.

    Returns
    -------
    TemplateRuns
        At ``steps``.
    """
    g = as_floats(g, "g", ndim=1)
    check_distributions(g, "g")
    share = as_float(share, "share", low=0, high=1, open_low=True)
    if share * PER_TYPE != round(share * PER_TYPE):
        raise ValueError(
            f"share must be a multiple of 1/{PER_TYPE}, but it is {share:g}"
        )
    alpha = as_float(alpha, "alpha", low=0)
    keep = as_float(keep, "keep", low=0, high=1, open_low=True)
    step_size = as_float(step_size, "step_size", low=0, open_low=True)
    n_runs = as_count(n_runs, "n_runs", low=1)
    if n_samples is not None:
        n_samples = as_count(n_samples, "n_samples", low=2)
        check_type(rng, "rng", np.random.Generator)
    kept = np.atleast_1d(as_counts(steps, "steps", low=0))
    n_types = len(g) - 1
    types = np.repeat(np.arange(n_types), PER_TYPE)
    informative = np.arange(len(types)) % PER_TYPE < share * PER_TYPE
    reward = _rewards(n_types)[types] * informative[:, None]
    table = types if shared else np.arange(len(types))
    n_kept = round(keep * len(types))
    w = np.zeros((n_runs, len(np.unique(table)), len(g)))
    w[:, table, types + 1] = start
    snapshots = np.empty((len(kept), n_runs, len(types), len(g)))
    for i, (done, until) in enumerate(zip([0, *kept], kept, strict=False)):
        for _ in range(done, until):
            pi = softmax(np.log(g) + w, axis=-1)[:, table]
            if n_samples is None or rng is None:
                success = np.sum(pi * reward, axis=-1, keepdims=True)
                push = pi * (reward - success)
                variance = (success * (1 - success))[..., 0]
                lots = np.zeros(variance.shape)
            else:
                push, variance = _sampled_push(pi, reward, n_samples, rng)
                lots = rng.random(variance.shape)
            surprise = np.log(pi / g)
            excess = surprise - np.sum(pi * surprise, axis=-1, keepdims=True)
            push -= alpha * pi * excess
            order = np.lexsort((lots, -variance), axis=1)[:, :n_kept]
            run = np.arange(n_runs)[:, None]
            change = np.zeros_like(w)
            np.add.at(change, (run, table[order]), push[run, order])
            w += step_size / n_kept * change
        snapshots[i] = softmax(np.log(g) + w, axis=-1)[:, table]
    return TemplateRuns(steps=kept, pi=snapshots, informative=informative)


def _sampled_push(
    pi: np.ndarray, reward: np.ndarray, n_samples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the gradient of each prompt's reward and its variance, from samples."""
    drawn = rng.multinomial(n_samples, pi)
    hits = np.sum(drawn * reward, axis=-1, keepdims=True)
    others = n_samples - 1
    advantage = reward * (n_samples / others) - hits / others
    rate = hits[..., 0] / n_samples
    return drawn * advantage / n_samples, rate * (1 - rate)


def _rewards(n_types: int) -> Float[np.ndarray, "types templates"]:
    """Return 1 where a template is the right one for a type."""
    return np.eye(n_types, n_types + 1, k=1)
