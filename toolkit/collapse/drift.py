"""Drift: what refitting to finitely many samples does, with no preference at all.

Draw n answers, make their frequencies the new policy, repeat. On average every share
stays, yet each round loses some diversity for good: the Wright-Fisher model of
population genetics, where the answers are alleles and a round is a generation.
"""

import numpy as np
from jaxtyping import Float

from toolkit._checks import as_count, as_floats, check_distributions
from toolkit._types import Policy, Reward
from toolkit.collapse.answers import check_right_or_wrong


def gini_diversity(
    shares: Float[np.ndarray, "*runs answers"],
) -> Float[np.ndarray, "*runs"]:
    """Return ``1 - sum q^2``: how likely two draws are different answers.

    Parameters
    ----------
    shares
        Share of each answer (last axis); sums to 1.

    Raises
    ------
    ValueError
        If a row of ``shares`` is not a distribution.

    Examples
    --------
    >>> gini_diversity(np.array([[0.25, 0.25, 0.25, 0.25]]))
    array([0.75])
    """
    shares = as_floats(shares, "shares")
    check_distributions(shares, "shares")
    return np.asarray(1 - np.sum(shares**2, axis=-1))


def expected_diversity(
    shares: Float[np.ndarray, " answers"], n: int, rounds: int
) -> Float[np.ndarray, " points"]:
    """Return the mean of ``1 - sum q^2`` after 0, 1, ..., ``rounds`` refits to n draws.

    ``E[1 - sum q_t^2] = (1 - sum q_0^2) (1 - 1/n)^t``

    Parameters
    ----------
    shares
        Share of each answer at the start; sums to 1.
    n
        Draws a round, 1 or more. With one draw nothing is left after one round.
    rounds
        Number of rounds, 0 or more.

    Returns
    -------
    array
        ``rounds + 1`` values.

    Raises
    ------
    ValueError
        If ``shares`` is not a distribution or a number is out of its range.

    Notes
    -----
    Two draws of a new generation descend from the same draw of the old one with
    probability 1/n, and are then equal; otherwise they are as two draws of the old one.

    Examples
    --------
    >>> expected_diversity(np.array([0.5, 0.5]), n=2, rounds=3)
    array([0.5   , 0.25  , 0.125 , 0.0625])
    """
    n, rounds = as_count(n, "n", low=1), as_count(rounds, "rounds", low=0)
    shares = as_floats(shares, "shares", ndim=1)
    return gini_diversity(shares) * (1 - 1 / n) ** np.arange(rounds + 1)


def sample_drift(
    shares: Float[np.ndarray, " answers"],
    n: int,
    rounds: int,
    *,
    n_runs: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, "points runs answers"]:
    """Refit ``rounds`` times to n draws and return the shares after every round.

    Parameters
    ----------
    shares
        Share of each answer at the start; sums to 1.
    n
        Draws a round, 1 or more.
    rounds
        Number of rounds, 0 or more.
    n_runs
        Number of independent runs.
    rng
        Source of randomness.

    Returns
    -------
    array
        Shape (rounds + 1, runs, answers). An answer that is lost never returns.

    Raises
    ------
    ValueError
        If ``shares`` is not a distribution or a number is out of its range.

    Examples
    --------
    With one draw a round the first draw decides for good:

    >>> q = sample_drift(
    ...     np.array([0.5, 0.5]), 1, 3, n_runs=1, rng=np.random.default_rng(0)
    ... )
    >>> bool(np.all(q[1] == q[3])), float(q[3].max())
    (True, 1.0)
    """
    shares = as_floats(shares, "shares", ndim=1)
    check_distributions(shares, "shares")
    n, rounds = as_count(n, "n", low=1), as_count(rounds, "rounds", low=0)
    n_runs = as_count(n_runs, "n_runs", low=1)
    history = np.empty((rounds + 1, n_runs, len(shares)))
    history[0] = shares
    for t in range(rounds):
        history[t + 1] = rng.multinomial(n, history[t]) / n
    return history


def sample_exact_refits(
    pi_ref: Policy,
    reward: Reward,
    *,
    rounds: int,
    n_samples: int,
    n_runs: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, "points runs prompts responses"]:
    """Filter repeatedly with a perfect fit: the policy becomes the kept frequencies.

    Each round draws ``n_samples`` responses a prompt, keeps the right ones and makes
    their frequencies the policy. Where none is right the policy stays as it is.

    Parameters
    ----------
    pi_ref
        Policy at the start.
    reward
        1 for a right response, 0 for a wrong one.
    rounds
        Number of rounds, 0 or more.
    n_samples
        Draws a prompt and round, before filtering.
    n_runs
        Number of independent runs.
    rng
        Source of randomness.

    Returns
    -------
    array
        Shape (rounds + 1, runs, prompts, responses).

    Raises
    ------
    ValueError
        If a row of ``pi_ref`` is not a distribution, ``reward`` holds anything but 0
        and 1, the shapes differ, or a number is out of its range.

    Examples
    --------
    Nothing is ever right, so nothing ever changes:

    >>> pi_ref = np.array([[0.3, 0.7]])
    >>> sample_exact_refits(
    ...     pi_ref, np.zeros((1, 2)), rounds=5, n_samples=8, n_runs=1,
    ...     rng=np.random.default_rng(0),
    ... )[-1, 0]
    array([[0.3, 0.7]])
    """
    pi_ref = as_floats(pi_ref, "pi_ref", ndim=2)
    reward = as_floats(reward, "reward", ndim=2)
    if pi_ref.shape != reward.shape:
        raise ValueError(
            f"reward must have the shape of pi_ref, {pi_ref.shape}, "
            f"but its shape is {reward.shape}"
        )
    check_distributions(pi_ref, "pi_ref")
    check_right_or_wrong(reward)
    rounds = as_count(rounds, "rounds", low=0)
    n_samples = as_count(n_samples, "n_samples", low=1)
    n_runs = as_count(n_runs, "n_runs", low=1)
    history = np.empty((rounds + 1, n_runs, *pi_ref.shape))
    history[0] = pi_ref
    for t in range(rounds):
        kept = rng.multinomial(n_samples, history[t]) * reward
        n_kept = kept.sum(axis=-1, keepdims=True)
        history[t + 1] = np.where(n_kept > 0, kept / np.maximum(n_kept, 1), history[t])
    return history
