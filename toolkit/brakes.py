"""Brakes: rules that hold single tokens back while a sample pushes all of its own.

A brake turns the weights of a batch's samples into weights of its tokens; it is handed
to :func:`toolkit.training.train`. Within its run's batch the *covariance* of a token is

    (weight - mean weight) * (log pi - mean log pi)

Where an update raises a likely token or lowers an unlikely one, it is positive and
entropy falls; see :func:`toolkit.collapse.flow.entropy_velocity`.
"""

import numpy as np
from jaxtyping import Bool

from toolkit._checks import as_float, check_type
from toolkit._types import SampledValues
from toolkit.sampling import Batch, Brake, TokenWeights, token_weights


def token_covariances(batch: Batch, weights: SampledValues) -> TokenWeights:
    """Return every token's covariance of weight and log-probability, run by run.

    Parameters
    ----------
    batch
        The batch as it was drawn.
    weights
        Weight of each sample.

    Returns
    -------
    TokenWeights
        Minus infinity after a response's end.
    """
    running = _by_run(batch, batch.running)
    count = running.sum(axis=1, keepdims=True)
    product = np.ones(running.shape)
    for values in (token_weights(batch, weights), batch.token_log_probs):
        rows = _by_run(batch, values)
        product *= rows - rows.sum(axis=1, keepdims=True) / count
    return _by_token(batch, np.where(running, product, -np.inf))


def top_share(
    batch: Batch, values: TokenWeights, share: float
) -> Bool[np.ndarray, "*"]:
    """Return where ``values`` are among the largest ``share`` of each run's tokens."""
    rows = _by_run(batch, values)
    ranks = np.argsort(np.argsort(-rows, axis=1, kind="stable"), axis=1)
    limit = np.rint(share * np.isfinite(rows).sum(axis=1, keepdims=True))
    return _by_token(batch, ranks < limit)


def zero_top_covariance(share: float) -> Brake:
    """Return a brake that ignores the tokens of largest covariance.

    Parameters
    ----------
    share
        Of each run's tokens, from 0 to 1.

    Notes
    -----
    Clip-Cov of Cui et al. (2025) picks tokens at random from a band of covariances;
    this takes the largest, which is what the band is for.
    """
    share = as_float(share, "share", low=0, high=1)

    def brake(drawn: Batch, now: Batch, weights: SampledValues) -> TokenWeights:
        held = top_share(drawn, token_covariances(drawn, weights), share)
        return np.where(held, 0.0, token_weights(now, weights))

    return brake


def zero_random(share: float, *, among: float = 1.0, rng: np.random.Generator) -> Brake:
    """Return a brake that ignores a random share of tokens.

    Parameters
    ----------
    share
        Of each run's tokens, from 0 to ``among``.
    among
        Take them from this share of largest covariance.
    rng
        Source of randomness, for all runs together.
    """
    among = as_float(among, "among", low=0, high=1)
    share = as_float(share, "share", low=0, high=among)
    check_type(rng, "rng", np.random.Generator)

    def brake(drawn: Batch, now: Batch, weights: SampledValues) -> TokenWeights:
        pool = top_share(drawn, token_covariances(drawn, weights), among)
        lots = np.where(pool, rng.random(pool.shape), -np.inf)
        held = top_share(drawn, lots, share / among if among else 0.0)
        return np.where(held, 0.0, token_weights(now, weights))

    return brake


def clip_ratio(epsilon: float, *, keep_gradient: bool = False) -> Brake:
    """Return PPO's clip, token by token: ``min(rho w, clip(rho, 1 - e, 1 + e) w)``.

    ``rho = pi_now / pi_drawn``. A token that the clip decides has no gradient; or, with
    ``keep_gradient``, the gradient it has at the clip's edge.

    Parameters
    ----------
    epsilon
        Width of the clip, above 0.
    keep_gradient
        Whether a clipped token still pushes, with the bounded ratio.

    Notes
    -----
    Schulman et al. (2017), equation 7. The second form is our reading of
    gradient-preserving clipping (Su et al. 2025), whose formula we could not see.
    """
    epsilon = as_float(epsilon, "epsilon", low=0, open_low=True)

    def brake(drawn: Batch, now: Batch, weights: SampledValues) -> TokenWeights:
        each = token_weights(now, weights)
        ratio = np.exp(now.token_log_probs - drawn.token_log_probs)
        bounded = np.clip(ratio, 1 - epsilon, 1 + epsilon)
        clipped = ratio * each > bounded * each
        return np.where(clipped, bounded * keep_gradient, ratio) * each

    return brake


def penalise_top_covariance(share: float, coefficient: float, inner: Brake) -> Brake:
    """Return ``inner`` with a penalty ``c |log pi_now - log pi_drawn|`` on some tokens.

    Parameters
    ----------
    share
        Of each run's tokens, those of largest covariance; from 0 to 1.
    coefficient
        Price c of the penalty, 0 or more, for a sample of a group of one.
    inner
        The brake that weighs the tokens otherwise.

    Notes
    -----
    KL-Cov of Cui et al. (2025). At a batch's first update the two policies are equal
    and the penalty has no slope, so it needs several updates a batch.
    """
    share = as_float(share, "share", low=0, high=1)
    coefficient = as_float(coefficient, "coefficient", low=0)

    def brake(drawn: Batch, now: Batch, weights: SampledValues) -> TokenWeights:
        held = top_share(drawn, token_covariances(drawn, weights), share)
        drift = np.sign(now.token_log_probs - drawn.token_log_probs)
        price = coefficient / weights.shape[-1]
        return inner(drawn, now, weights) - held * price * drift

    return brake


def _by_run(batch: Batch, tokens: np.ndarray) -> np.ndarray:
    """Return one row a run, all its tokens in it."""
    runs = tokens.reshape(len(tokens), len(batch.responses), -1)
    return runs.transpose(1, 0, 2).reshape(len(batch.responses), -1)


def _by_token(batch: Batch, rows: np.ndarray) -> np.ndarray:
    """Undo :func:`_by_run`."""
    runs = rows.reshape(len(rows), len(batch.running), -1)
    return runs.transpose(1, 0, 2).reshape(batch.running.shape)
