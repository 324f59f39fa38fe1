"""Label distributions for supervised fine-tuning: which right answers are shown.

Where several answers are right, "the labels" are a choice. Each function returns one
choice as a distribution over answers, in the shape of ``correct``.
"""

import numpy as np
from jaxtyping import Float, Real

from toolkit._checks import (
    as_count,
    as_floats,
    check_distributions,
    check_same_shape,
)

ONE_LABEL = (0, 1)  # even digits are called 0, odd ones 1
TWO_LABELS = (0, 4, 1, 5)  # even digits are called 0 or 4, odd ones 1 or 5


def kl_minimal_labels(
    pi_0: Real[np.ndarray, "*prompts answers"],
    correct: Real[np.ndarray, "*prompts answers"],
) -> Float[np.ndarray, "*prompts answers"]:
    """Return ``pi_0`` restricted to the right answers.

    ``q(y|x) = pi_0(y|x) correct(x, y) / p(x)``, with p the success probability. Of all
    distributions that are always right it is the one nearest to ``pi_0``.

    Parameters
    ----------
    pi_0
        The policy before fine-tuning.
    correct
        1 for a right answer, 0 for a wrong one.

    Raises
    ------
    ValueError
        If a row of ``pi_0`` is not a distribution or gives no right answer any
        probability, or ``correct`` holds anything but 0 and 1.

    Examples
    --------
    >>> kl_minimal_labels(np.array([[0.1, 0.3, 0.6]]), np.array([[1.0, 1.0, 0.0]]))
    array([[0.25, 0.75, 0.  ]])
    """
    correct = as_correct(correct)
    pi_0 = as_floats(pi_0, "pi_0")
    check_same_shape(correct, "correct", pi_0, "pi_0")
    check_distributions(pi_0, "pi_0")
    right = pi_0 * correct
    p = right.sum(axis=-1, keepdims=True)
    if np.any(p == 0):
        row = tuple(int(i) for i in np.argwhere(p[..., 0] == 0)[0])
        raise ValueError(
            "pi_0 must give each prompt's right answers some probability, but gives "
            f"those of prompt {row} none"
        )
    return right / p


def even_labels(
    correct: Real[np.ndarray, "*prompts answers"],
) -> Float[np.ndarray, "*prompts answers"]:
    """Return the distribution that shows every right answer equally often.

    Examples
    --------
    >>> even_labels(np.array([[1.0, 1.0, 0.0]]))
    array([[0.5, 0.5, 0. ]])
    """
    correct = as_correct(correct)
    return correct / correct.sum(axis=-1, keepdims=True)


def drawn_labels(
    correct: Real[np.ndarray, "*prompts answers"],
    n_labels: int,
    *,
    rng: np.random.Generator,
) -> Float[np.ndarray, "*prompts answers"]:
    """Return ``n_labels`` right answers a prompt, drawn evenly and shown equally often.

    Parameters
    ----------
    correct
        1 for a right answer, 0 for a wrong one.
    n_labels
        Number of labels a prompt, 1 or more.
    rng
        Source of the choice.

    Raises
    ------
    ValueError
        If a prompt has fewer right answers than that.

    Examples
    --------
    >>> drawn_labels(np.array([[0.0, 1.0, 0.0]]), 1, rng=np.random.default_rng(0))
    array([[0., 1., 0.]])
    """
    correct = as_correct(correct)
    n_labels = as_count(n_labels, "n_labels", low=1)
    fewest = int(correct.sum(axis=-1).min())
    if fewest < n_labels:
        raise ValueError(
            "n_labels must be at most the number of right answers, but it is "
            f"{n_labels} and a prompt has {fewest}"
        )
    tickets = rng.random(correct.shape) * correct
    winners = np.argsort(-tickets, axis=-1)[..., :n_labels]
    labels = np.zeros(correct.shape)
    np.put_along_axis(labels, winners, 1 / n_labels, axis=-1)
    return labels


def listed_labels(
    correct: Real[np.ndarray, "*prompts answers"], listed: tuple[int, ...]
) -> Float[np.ndarray, "*prompts answers"]:
    """Return the right ones among a fixed list of answers, shown equally.

    A convention: the same few answers for every prompt they are right for.

    Parameters
    ----------
    correct
        1 for a right answer, 0 for a wrong one.
    listed
        Numbers of the answers; every prompt must have a right one among them.

    Raises
    ------
    ValueError
        If a listed answer does not exist, or a prompt has none.

    Examples
    --------
    Even digits are called 0, odd ones 1:

    >>> even = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    >>> listed_labels(even, (0, 1))
    array([[1., 0., 0., 0.],
           [0., 1., 0., 0.]])
    """
    correct = as_correct(correct)
    n_answers = correct.shape[-1]
    if not listed or min(listed) < 0 or max(listed) >= n_answers:
        raise ValueError(
            f"listed must hold answers from 0 to {n_answers - 1}, but it is {listed}"
        )
    chosen = np.zeros(n_answers)
    chosen[list(listed)] = 1
    right = correct * chosen
    if not np.all(right.any(axis=-1)):
        row = tuple(int(i) for i in np.argwhere(~right.any(axis=-1))[0])
        raise ValueError(
            f"listed must hold a right answer to every prompt, but {listed} has none "
            f"to prompt {row}"
        )
    return even_labels(right)


def as_correct(correct: Real[np.ndarray, "*prompts answers"]) -> np.ndarray:
    """Return ``correct`` as floats if it holds 0 and 1, with a 1 in every row."""
    correct = as_floats(correct, "correct")
    odd = (correct != 0) & (correct != 1)
    if np.any(odd):
        place = tuple(int(i) for i in np.argwhere(odd)[0])
        raise ValueError(
            f"correct must hold 0 and 1, but entry {place} is {correct[place]}"
        )
    if not np.all(correct.any(axis=-1)):
        row = tuple(int(i) for i in np.argwhere(~correct.any(axis=-1))[0])
        raise ValueError(
            f"correct must have a right answer to every prompt, but prompt {row} has "
            "none"
        )
    return correct
