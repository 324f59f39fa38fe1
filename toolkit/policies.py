"""Policies over the toy language: probabilities, samples and gradients.

A policy is an array of logits, one row per (prompt, prefix)::

    log pi(y|x) = sum_t log_softmax(logits[x, prefix_t(y)])[y_t]

Every distribution over responses can be written this way, so nothing is lost by it.
Leading axes, where there are any, are independent runs. For a language of length 1 the
policy is *tabular*: one logit per response.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float
from scipy.special import log_softmax

from toolkit._checks import (
    as_count,
    as_counts,
    as_floats,
    as_logits,
    check_distributions,
    check_finite,
    check_same_shape,
    check_type,
)
from toolkit._types import (
    Logits,
    Policy,
    ResponseValues,
    Reward,
    Sampled,
    SampledValues,
)
from toolkit.language import ToyLanguage


def response_log_probs(logits: Logits, language: ToyLanguage) -> ResponseValues:
    """Return ``log pi(y|x)`` of every response, in nats.

    Parameters
    ----------
    logits
        Shape (*runs, prompts, prefixes, tokens). ``-inf`` bars a token.
    language
        The toy language the logits belong to.

    Returns
    -------
    ResponseValues
        Shape (*runs, prompts, responses).

    Raises
    ------
    ValueError
        If the shape does not fit the language, an entry is NaN or ``+inf``, or a
        prefix has no token left.

    Examples
    --------
    Equal logits over two tokens, twice: every response has probability 1/4.

    >>> language = ToyLanguage(n_tokens=2, length=2)
    >>> np.exp(response_log_probs(np.zeros((1, 3, 2)), language))
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    log_tokens = log_softmax(_as_logits(logits, language), axis=-1)
    batch = log_tokens.shape[:-2]
    reached = np.zeros((*batch, 1))
    ended = []
    for level in _levels(log_tokens, language):
        extended = reached[..., None] + level
        if language.has_end:
            ended.append(extended[..., -1])
            extended = extended[..., :-1]
        reached = extended.reshape(*batch, -1)
    return np.concatenate([*ended, reached], axis=-1)


def response_probs(logits: Logits, language: ToyLanguage) -> ResponseValues:
    """Return ``pi(y|x)`` of every response: see :func:`response_log_probs`."""
    return np.exp(response_log_probs(logits, language))


def expected_reward(
    pi: ResponseValues, reward: Reward
) -> Float[np.ndarray, "*runs prompts"]:
    """Return ``E_pi[reward] = sum_y pi(y|x) reward(x, y)``; success, for a 0/1 reward.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    reward
        Reward of each response, shape (prompts, responses).

    Returns
    -------
    array
        Shape (*runs, prompts), in the unit of ``reward``.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution or the shapes do not fit.

    Examples
    --------
    >>> expected_reward(np.array([[0.25, 0.75]]), np.array([[0.0, 1.0]]))
    array([0.75])
    """
    pi, reward = as_floats(pi, "pi"), as_floats(reward, "reward", ndim=2)
    check_distributions(pi, "pi")
    check_finite(reward, "reward")
    if pi.shape[-2:] != reward.shape:
        raise ValueError(
            f"reward must have the last two axes of pi, {pi.shape[-2:]}, "
            f"but its shape is {reward.shape}"
        )
    return np.einsum("...y,...y->...", pi, reward)


def logits_from_probs(pi: Policy, language: ToyLanguage) -> Logits:
    """Return logits of the policy whose response probabilities are ``pi``.

    The chain rule backwards: the logit of a token is the log of the total probability
    of the responses that go on with it. Prefixes that ``pi`` never reaches get equal
    logits.

    Parameters
    ----------
    pi
        Probability of each response, shape (prompts, responses).
    language
        The toy language.

    Returns
    -------
    Logits
        Shape (prompts, prefixes, tokens); ``-inf`` for a token that is never next.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution over the language's responses.

    Examples
    --------
    >>> language = ToyLanguage(n_tokens=2, length=2)
    >>> pi = np.array([[0.4, 0.1, 0.5, 0.0]])
    >>> response_probs(logits_from_probs(pi, language), language)
    array([[0.4, 0.1, 0.5, 0. ]])
    """
    check_type(language, "language", ToyLanguage)
    pi = as_floats(pi, "pi", ndim=2)
    check_distributions(pi, "pi")
    mass = _token_mass(pi, language, "pi")
    reached = mass.sum(axis=-1, keepdims=True) > 0
    with np.errstate(divide="ignore"):  # log 0 = -inf bars the token, as it should
        return np.where(reached, np.log(mass), 0.0)


def score_gradient(
    logits: Logits, weights: ResponseValues, language: ToyLanguage
) -> Logits:
    """Return the gradient of ``sum_y weights(y) log pi(y|x)`` in the logits.

    All methods of the book climb such a sum; they differ in the weights. With
    ``weights = pi * (reward - E[reward])`` it is the policy gradient; with a target
    distribution as weights it is the gradient of supervised fine-tuning.

    Parameters
    ----------
    logits
        Shape (*runs, prompts, prefixes, tokens).
    weights
        Weight of every response, of any sign, shape (*runs, prompts, responses).
    language
        The toy language.

    Returns
    -------
    Logits
        The gradient, in the shape of ``logits``.

    Raises
    ------
    ValueError
        If the shapes do not fit the language or each other, or a weight is not finite.

    Notes
    -----
    For one prefix with softmax probabilities q, the gradient is ``mass - q * total``,
    where ``mass`` is the weight that goes on with each token and ``total`` its sum.

    Examples
    --------
    Weight 1 on the first of two equally likely responses: up by 1/2, down by 1/2.

    >>> language = ToyLanguage(n_tokens=2, length=1)
    >>> score_gradient(np.zeros((1, 1, 2)), np.array([[1.0, 0.0]]), language)
    array([[[ 0.5, -0.5]]])
    """
    logits = _as_logits(logits, language)
    weights = as_floats(weights, "weights")
    check_finite(weights, "weights")
    if weights.shape[:-1] != logits.shape[:-2]:
        raise ValueError(
            f"weights must have the leading axes of logits, {logits.shape[:-2]}, "
            f"but its shape is {weights.shape}"
        )
    mass = _token_mass(weights, language, "weights")
    probs = np.exp(log_softmax(logits, axis=-1))
    return mass - probs * mass.sum(axis=-1, keepdims=True)


def sampled_score_gradient(
    logits: Logits, responses: Sampled, weights: SampledValues, language: ToyLanguage
) -> Logits:
    """Return the gradient of ``sum_i weights_i log pi(y_i|x)`` over sampled responses.

    Parameters
    ----------
    logits
        Shape (*runs, prompts, prefixes, tokens).
    responses
        Indices of the samples, shape (*runs, prompts, group).
    weights
        Weight of each sample, in the shape of ``responses``.
    language
        The toy language.

    Returns
    -------
    Logits
        The gradient, in the shape of ``logits``.

    Raises
    ------
    ValueError
        If the shapes do not fit or an index is not a response of the language.
    """
    logits = _as_logits(logits, language)
    responses = as_counts(responses, "responses", low=0)
    weights = as_floats(weights, "weights")
    check_finite(weights, "weights")
    if responses.shape[:-1] != logits.shape[:-2]:
        raise ValueError(
            f"responses must have the leading axes of logits, {logits.shape[:-2]}, "
            f"but its shape is {responses.shape}"
        )
    check_same_shape(responses, "responses", weights, "weights")
    if np.any(responses >= language.n_responses):
        raise ValueError(
            f"responses must be below {language.n_responses}, the number of responses, "
            f"but {responses.max()} is not"
        )
    rows = np.arange(responses[..., 0].size).repeat(responses.shape[-1])
    slots = rows * language.n_responses + responses.ravel()
    totals = np.bincount(
        slots.astype(np.intp, copy=False),
        weights=weights.ravel(),
        minlength=responses[..., 0].size * language.n_responses,
    )
    dense = totals.reshape(*responses.shape[:-1], language.n_responses)
    return score_gradient(logits, dense, language)


def sample_responses(
    pi: ResponseValues, group_size: int, *, rng: np.random.Generator
) -> Sampled:
    """Draw responses from listed probabilities, independently.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    group_size
        Samples per prompt, 1 or more.
    rng
        Source of randomness.

    Returns
    -------
    Sampled
        Indices of responses, shape (*runs, prompts, group).

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution.

    Examples
    --------
    A response of probability 1 is drawn every time:

    >>> pi = np.array([[0.0, 1.0, 0.0]])
    >>> sample_responses(pi, 4, rng=np.random.default_rng(0))
    array([[1, 1, 1, 1]])
    """
    check_type(rng, "rng", np.random.Generator)
    group_size = as_count(group_size, "group_size", low=1)
    pi = as_floats(pi, "pi")
    check_distributions(pi, "pi")
    cumulative = np.cumsum(pi, axis=-1).reshape(-1, pi.shape[-1])
    thresholds = rng.random((len(cumulative), group_size)) * cumulative[:, -1:]
    drawn = [
        np.searchsorted(row, wanted, side="right")
        for row, wanted in zip(cumulative, thresholds, strict=True)
    ]
    return np.reshape(drawn, (*pi.shape[:-1], group_size))


def _as_logits(logits: Logits, language: ToyLanguage) -> Logits:
    check_type(language, "language", ToyLanguage)
    return as_logits(
        logits, "logits", n_prefixes=language.n_prefixes, n_tokens=language.n_tokens
    )


def _levels(rows: np.ndarray, language: ToyLanguage) -> Iterator[np.ndarray]:
    """Yield the rows of the prefixes of length 0, 1, ..., L - 1."""
    for start, stop in zip(
        language.level_starts[:-1], language.level_starts[1:], strict=True
    ):
        yield rows[..., start:stop, :]


def _token_mass(values: np.ndarray, language: ToyLanguage, name: str) -> np.ndarray:
    """Sum ``values`` of responses by prefix and next token."""
    if values.shape[-1] != language.n_responses:
        raise ValueError(
            f"{name} must have one column for each of the {language.n_responses} "
            f"responses, but its shape is {values.shape}"
        )
    batch, c = values.shape[:-1], language.n_content
    mass = np.empty((*batch, language.n_prefixes, language.n_tokens))
    n_open = c**language.length
    beyond, ended = values[..., -n_open:], values[..., :-n_open]
    for t in reversed(range(language.length)):
        level = mass[..., language.level_starts[t] : language.level_starts[t + 1], :]
        level[..., :c] = beyond.reshape(*batch, c**t, c)
        if language.has_end:
            level[..., -1] = ended[..., -(c**t) :]
            ended = ended[..., : -(c**t)]
        beyond = level.sum(axis=-1)
    return mass
