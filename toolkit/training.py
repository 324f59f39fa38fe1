"""Train policies by sampling: one loop for every method, many runs side by side.

The runs of one call share nothing but the arithmetic: each draws from a child generator
of its own, so a run gives the same result alone as among others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from toolkit._checks import (
    as_count,
    as_counts,
    as_float,
    as_floats,
    as_logits,
    check_distributions,
    check_finite,
    check_ndim,
    check_same_shape,
    check_type,
)
from toolkit._types import Logits, Reward, SampledValues
from toolkit.language import ToyLanguage
from toolkit.policies import response_log_probs, score_gradient
from toolkit.sampling import (
    Batch,
    Brake,
    SampledTree,
    TokenWeights,
    look_up,
    token_weights,
)
from toolkit.updates import Adam, Method, Optimiser, PlainAscent

DRAWS_AHEAD = 64  # steps of random numbers drawn at once: fewer calls, the same stream


@dataclass(frozen=True, eq=False, kw_only=True)
class Trajectory:
    """Policies along a training run, at the steps asked for.

    Attributes
    ----------
    language
        The toy language.
    steps
        Numbers of updates done.
    logits
        Logits after that many updates, shape (steps, runs, prompts, prefixes, tokens).
    """

    language: ToyLanguage
    steps: Int[np.ndarray, " steps"]
    logits: Float[np.ndarray, "steps runs prompts prefixes tokens"]

    @property
    def pi(self) -> Float[np.ndarray, "steps runs prompts responses"]:
        """Probability of every response."""
        return np.exp(response_log_probs(self.logits, self.language))


def train(
    ref_logits: Logits,
    reward: Reward,
    language: ToyLanguage,
    method: Method,
    *,
    steps: int | Sequence[int],
    group_size: int,
    learning_rate: float,
    n_runs: int = 1,
    beta: float = 0.0,
    reset_every: int | None = None,
    brake: Brake | None = None,
    updates_per_batch: int = 1,
    optimiser: Optimiser = Adam,
    rng: np.random.Generator,
) -> Trajectory:
    """Train ``n_runs`` copies of a policy by ``method``.

    One step draws ``group_size`` responses a prompt and climbs
    ``sum_i w_i log pi(y_i|x) / group_size``, summed over prompts.

    Parameters
    ----------
    ref_logits
        Policy to start from, and reference of the KL term; shape (prompts, prefixes,
        tokens).
    reward
        Reward of each response.
    language
        The toy language.
    method
        Who draws the responses and what weighs them: see :mod:`toolkit.updates`.
    steps
        Number of updates; or several increasing numbers, to keep the policies there.
    group_size
        Samples a prompt and step.
    learning_rate
        Of the optimiser; Adam's is in units of a logit.
    n_runs
        Number of independent runs, trained side by side.
    beta
        Price of one nat of KL to the reference, 0 or more: each sample's reward is
        lowered by ``beta * log(pi(y|x) / pi_ref(y|x))``.
    reset_every
        After every so many updates each run's policy becomes its reference, and the
        optimiser starts afresh; never by default.
    brake
        Changes the weights token by token: see :mod:`toolkit.brakes`.
    updates_per_batch
        Updates on each batch of samples. With more than one, ``steps`` counts batches.
    optimiser
        What makes a step of the gradient; Adam by default.
    rng
        Parent of one generator a run.

    Returns
    -------
    Trajectory
        The policies after each of ``steps``.

    Raises
    ------
    ValueError
        If shapes do not fit the language, a number is out of its range, or ``beta`` is
        above 0 for a method that draws from elsewhere.

    Examples
    --------
    Two responses, only the second right. REINFORCE moves towards it:

    >>> from toolkit.updates import policy_gradient
    >>> language = ToyLanguage(n_tokens=2, length=1)
    >>> run = train(
    ...     np.zeros((1, 1, 2)), np.array([[0.0, 1.0]]), language,
    ...     policy_gradient(), steps=200, group_size=8, learning_rate=0.05,
    ...     rng=np.random.default_rng(0),
    ... )
    >>> run.pi[-1].round(1)
    array([[[0., 1.]]])
    """
    check_type(language, "language", ToyLanguage)
    check_type(method, "method", Method)
    check_type(rng, "rng", np.random.Generator)
    shape = {"n_prefixes": language.n_prefixes, "n_tokens": language.n_tokens}
    ref_logits = as_logits(ref_logits, "ref_logits", **shape)
    check_ndim(ref_logits, "ref_logits", 3)
    log_ref = response_log_probs(ref_logits[None], language)
    reward = as_floats(reward, "reward")
    check_same_shape(log_ref[0], "the listed responses", reward, "reward")
    check_finite(reward, "reward")
    kept = _as_steps(steps)
    if method.source is not None:
        check_same_shape(reward, "reward", method.source, "method.source")
    group_size = as_count(group_size, "group_size", low=1)
    n_runs = as_count(n_runs, "n_runs", low=1)
    beta = as_float(beta, "beta", low=0)
    updates_per_batch = as_count(updates_per_batch, "updates_per_batch", low=1)
    if reset_every is not None:
        reset_every = as_count(reset_every, "reset_every", low=1)
    if brake is not None and not callable(brake):
        raise TypeError(f"brake must be a function, but it is {brake!r}")
    if not any(optimiser is known for known in (Adam, PlainAscent)):
        raise TypeError(
            f"optimiser must be Adam or PlainAscent, but it is {optimiser!r}"
        )
    if beta > 0 and method.source is not None:
        raise ValueError(
            "beta must be 0 for a method with a source of its own, but it is "
            f"{beta:g}: the KL term lowers the rewards of the policy's own samples"
        )
    draws = _uniforms(rng.spawn(n_runs), method, reward, language, group_size)
    tree = SampledTree(ref_logits, language, n_runs=n_runs)
    climber = optimiser(learning_rate=learning_rate)
    snapshots = np.empty((len(kept), *tree.logits.shape))
    for i, (done, until) in enumerate(zip([0, *kept], kept, strict=False)):
        for step in range(done, until):
            if reset_every and step and step % reset_every == 0:
                log_ref = response_log_probs(tree.logits, language)
                climber = optimiser(learning_rate=learning_rate)
            batch = (
                tree.sample(next(draws))
                if method.source is None
                else tree.sample_from(method.source, next(draws))
            )
            rewards = look_up(reward, batch.responses)
            if beta > 0:
                at_ref = np.take_along_axis(log_ref, batch.responses, axis=-1)
                rewards = rewards - beta * (batch.log_probs - at_ref)
            weights = method.weigh(rewards) / group_size
            for again in range(updates_per_batch):
                now = tree.revisit(batch) if again else batch
                pushes = (brake or _by_sample)(batch, now, weights)
                climber.ascend(tree.flat_logits, tree.token_gradient(now, pushes))
        snapshots[i] = tree.logits
    return Trajectory(language=language, steps=kept, logits=snapshots)


def ascend_exactly(
    logits: Logits,
    reward: Reward,
    language: ToyLanguage,
    *,
    steps: int | Sequence[int],
    step_size: float,
) -> Trajectory:
    """Follow the exact gradient of the expected reward: no sampling, no optimiser.

    ``logits += step_size * gradient of sum_x E_pi[reward]``, by listing all responses.

    Parameters
    ----------
    logits
        Policy to start from, shape (prompts, prefixes, tokens).
    reward
        Reward of each response.
    language
        The toy language.
    steps
        Number of steps; or several increasing numbers, to keep the policies there.
    step_size
        Above 0.

    Returns
    -------
    Trajectory
        With a single run.

    Raises
    ------
    ValueError
        If shapes do not fit the language, or a number is out of its range.

    Examples
    --------
    Two equally likely responses, the second right: 1/4 up, 1/4 down.

    >>> path = ascend_exactly(
    ...     np.zeros((1, 1, 2)), np.array([[0.0, 1.0]]), ToyLanguage(2, length=1),
    ...     steps=1, step_size=1.0,
    ... )
    >>> path.logits[0, 0, 0, 0]
    array([-0.25,  0.25])
    """
    check_type(language, "language", ToyLanguage)
    shape = {"n_prefixes": language.n_prefixes, "n_tokens": language.n_tokens}
    here = np.array(as_logits(logits, "logits", **shape))
    check_ndim(here, "logits", 3)
    reward = as_floats(reward, "reward", ndim=2)
    check_finite(reward, "reward")
    step_size = as_float(step_size, "step_size", low=0, open_low=True)
    kept = _as_steps(steps)
    snapshots = np.empty((len(kept), 1, *here.shape))
    for i, (done, until) in enumerate(zip([0, *kept], kept, strict=False)):
        for _ in range(done, until):
            pi = np.exp(response_log_probs(here, language))
            check_same_shape(pi, "the listed responses", reward, "reward")
            surplus = reward - np.sum(pi * reward, axis=-1, keepdims=True)
            here += step_size * score_gradient(here, pi * surplus, language)
        snapshots[i] = here
    return Trajectory(language=language, steps=kept, logits=snapshots)


def fit_exactly(
    logits: Logits,
    target: Float[np.ndarray, "copies prompts responses"],
    language: ToyLanguage,
    *,
    steps: int | Sequence[int],
    learning_rate: float,
) -> Trajectory:
    """Fit policies to listed targets: the whole cross-entropy at every step, with Adam.

    Climbs ``sum_y target(y) log pi(y)``, with no sampling.

    Parameters
    ----------
    logits
        Policy every run starts from, shape (prompts, prefixes, tokens).
    target
        What each run is fitted to, shape (copies, prompts, responses).
    language
        The toy language.
    steps
        Number of updates; or several increasing numbers, to keep the policies there.
    learning_rate
        Of Adam.

    Returns
    -------
    Trajectory
        The policies after each of ``steps``.

    Raises
    ------
    ValueError
        If shapes do not fit the language, or a row of ``target`` is no distribution.

    Examples
    --------
    >>> run = fit_exactly(
    ...     np.zeros((1, 1, 2)), np.array([[[0.0, 1.0]]]), ToyLanguage(2, length=1),
    ...     steps=300, learning_rate=0.05,
    ... )
    >>> run.pi[-1].round(2)
    array([[[0., 1.]]])
    """
    check_type(language, "language", ToyLanguage)
    shape = {"n_prefixes": language.n_prefixes, "n_tokens": language.n_tokens}
    logits = as_logits(logits, "logits", **shape)
    check_ndim(logits, "logits", 3)
    target = as_floats(target, "target", ndim=3)
    check_distributions(target, "target")
    here = np.array(np.broadcast_to(logits, (len(target), *logits.shape)))
    kept = _as_steps(steps)
    optimiser = Adam(learning_rate=learning_rate)
    snapshots = np.empty((len(kept), *here.shape))
    for i, (done, until) in enumerate(zip([0, *kept], kept, strict=False)):
        for _ in range(done, until):
            optimiser.ascend(here, score_gradient(here, target, language))
        snapshots[i] = here
    return Trajectory(language=language, steps=kept, logits=snapshots)


def _by_sample(_: Batch, now: Batch, weights: SampledValues) -> TokenWeights:
    """Weigh every token as its sample: no brake."""
    return token_weights(now, weights)


def _uniforms(
    children: list[np.random.Generator],
    method: Method,
    reward: Reward,
    language: ToyLanguage,
    group_size: int,
) -> Iterator[Float[np.ndarray, "draws runs prompts group"]]:
    """Yield the uniform numbers of each step: one a token, or one a listed response."""
    n_draws = language.length if method.source is None else 1
    shape = (DRAWS_AHEAD, n_draws, len(reward), group_size)
    while True:
        ahead = np.stack([child.random(shape) for child in children], axis=2)
        yield from ahead


def _as_steps(steps: int | Sequence[int]) -> Int[np.ndarray, " steps"]:
    kept = np.atleast_1d(as_counts(steps, "steps", low=0))
    check_ndim(kept, "steps", 1)
    if np.any(np.diff(kept) <= 0):
        raise ValueError(f"steps must increase, but it is {steps}")
    return kept
