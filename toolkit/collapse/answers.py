"""How diverse a policy's right answers are, and how many draws find a given one.

Entropy is taken *among the right answers*: of the policy conditioned on being right, so
that learning to be right does not count as losing diversity.
"""

import numpy as np
from scipy.special import entr

from toolkit._checks import as_count, as_floats, check_distributions
from toolkit._types import Policy, ResponseValues, Reward
from toolkit.passk import pass_at_k


def answer_shares(pi: ResponseValues, reward: Reward) -> ResponseValues:
    """Return each right answer's share of the policy's right answers.

    ``q(y|x) = pi(y|x) reward(x, y) / sum_z pi(z|x) reward(x, z)``

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    reward
        1 for a right response, 0 for a wrong one.

    Returns
    -------
    ResponseValues
        In the shape of ``pi``. A row is NaN where the policy gives no right answer any
        probability: then there are no right answers to share anything.

    Raises
    ------
    ValueError
        If a row of ``pi`` is not a distribution, ``reward`` holds anything but 0 and 1,
        or the shapes do not fit.

    Examples
    --------
    Two right answers, one three times as likely as the other:

    >>> answer_shares(np.array([[0.3, 0.1, 0.6]]), np.array([[1.0, 1.0, 0.0]]))
    array([[0.75, 0.25, 0.  ]])
    """
    pi, reward = _as_answers(pi, reward)
    right = pi * reward
    total = right.sum(axis=-1, keepdims=True)
    shares = np.full_like(right, np.nan)
    np.divide(right, total, out=shares, where=total > 0)
    return shares


def answer_entropy(pi: ResponseValues, reward: Reward) -> np.ndarray:
    """Return the entropy among the right answers, in nats, for each prompt.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    reward
        1 for a right response, 0 for a wrong one.

    Returns
    -------
    array
        Shape (*runs, prompts). 0 when one right answer has all the probability; NaN
        where the policy gives no right answer any.

    Raises
    ------
    ValueError
        As for :func:`answer_shares`.

    Examples
    --------
    The wrong answer takes no part; the two right ones are even:

    >>> pi = np.array([[0.1, 0.1, 0.8]])
    >>> answer_entropy(pi, np.array([[1.0, 1.0, 0.0]])) / np.log(2)
    array([1.])
    """
    return entr(answer_shares(pi, reward)).sum(axis=-1)


def coverage_at_k(pi: ResponseValues, wanted: Policy, k: int) -> np.ndarray:
    """Return how likely ``k`` draws contain the one answer that is wanted.

    The wanted answer is itself drawn, from ``wanted``::

        coverage@k = sum_y wanted(y|x) (1 - (1 - pi(y|x))^k)

    pass@k asks for *any* right answer and stays at 1 when a single one is left;
    coverage does not.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    wanted
        How often each response is the wanted one, shape (prompts, responses).
    k
        Number of draws, 1 or more.

    Returns
    -------
    array
        Shape (*runs, prompts).

    Raises
    ------
    ValueError
        If a row of ``pi`` or ``wanted`` is not a distribution, the shapes do not fit,
        or ``k`` is below 1.

    Examples
    --------
    Two answers wanted equally often, a policy that only gives the first:

    >>> wanted = np.array([[0.5, 0.5]])
    >>> coverage_at_k(np.array([[1.0, 0.0]]), wanted, k=1000)
    array([0.5])
    """
    pi = as_floats(pi, "pi")
    wanted = as_floats(wanted, "wanted", ndim=2)
    _check_fit(pi, wanted, "wanted")
    check_distributions(pi, "pi")
    check_distributions(wanted, "wanted")
    found = pass_at_k(np.minimum(pi, 1.0), as_count(k, "k", low=1))
    return np.sum(wanted * found, axis=-1)


def distinct_at_k(pi: ResponseValues, reward: Reward, k: int) -> np.ndarray:
    """Return how many *different* right answers ``k`` draws contain, on average.

    ``sum_y reward(x, y) (1 - (1 - pi(y|x))^k)``

    A softmax never loses support: every response keeps some probability. This counts
    what is left of it in practice.

    Parameters
    ----------
    pi
        Probability of each response, shape (*runs, prompts, responses).
    reward
        1 for a right response, 0 for a wrong one.
    k
        Number of draws, 1 or more.

    Returns
    -------
    array
        Shape (*runs, prompts). At k = 1 it is the success probability.

    Raises
    ------
    ValueError
        As for :func:`answer_shares`, or if ``k`` is below 1.

    Examples
    --------
    Two draws from two equally likely right answers: 2, or 1 as often.

    >>> distinct_at_k(np.array([[0.5, 0.5]]), np.array([[1.0, 1.0]]), k=2)
    array([1.5])
    """
    pi, reward = _as_answers(pi, reward)
    found = pass_at_k(np.minimum(pi, 1.0), as_count(k, "k", low=1))
    return np.sum(reward * found, axis=-1)


def _as_answers(pi: ResponseValues, reward: Reward) -> tuple[np.ndarray, np.ndarray]:
    pi, reward = as_floats(pi, "pi"), as_floats(reward, "reward", ndim=2)
    _check_fit(pi, reward, "reward")
    check_distributions(pi, "pi")
    check_right_or_wrong(reward)
    return pi, reward


def check_right_or_wrong(reward: Reward) -> None:
    """Raise unless every reward is 0 or 1."""
    odd = (reward != 0) & (reward != 1)
    if np.any(odd):
        x, y = (int(i) for i in np.argwhere(odd)[0])
        raise ValueError(
            f"reward must be 0 or 1 everywhere, but entry {(x, y)} is {reward[x, y]}"
        )


def _check_fit(pi: np.ndarray, other: np.ndarray, name: str) -> None:
    if pi.ndim < 2 or pi.shape[-2:] != other.shape:
        raise ValueError(
            f"{name} must have the last two axes of pi, {pi.shape[-2:]}, "
            f"but its shape is {other.shape}"
        )
