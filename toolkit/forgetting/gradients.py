"""Which way each method pushes the logits of an answer, for one batch of prompts.

All of them are ascent directions in the logits z of ``pi = softmax(z)``; a model with
parameters passes them on to those.
"""

import numpy as np
from jaxtyping import Float, Real

from toolkit.updates import advantages

Answers = Float[np.ndarray, "*prompts answers"]


def label_gradient(pi: Answers, labels: Answers) -> Answers:
    """Return the gradient of ``sum_y labels(y) log pi(y)``: supervised fine-tuning.

    ``labels - pi``: it pushes until the policy has the labels' own proportions.

    Examples
    --------
    >>> label_gradient(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    array([ 0.5, -0.5])
    """
    return labels - pi


def success_gradient(
    pi: Answers,
    correct: Real[np.ndarray, "*prompts answers"],
    *,
    pi_0: Answers | None = None,
    beta: float = 0.0,
) -> Answers:
    """Return the exact gradient of success minus ``beta`` times ``KL(pi || pi_0)``.

    With the value ``f = correct - beta log(pi / pi_0)`` it is ``pi (f - E_pi[f])``. A
    right answer is pushed in proportion to the probability it already has.

    Parameters
    ----------
    pi
        Current probabilities.
    correct
        1 for a right answer, 0 for a wrong one.
    pi_0
        Policy before training; needed for ``beta`` above 0, and then positive.
    beta
        Price of one nat of KL.

    Raises
    ------
    ValueError
        If ``beta`` is above 0 and there is no ``pi_0``.

    Examples
    --------
    >>> success_gradient(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    array([ 0.25, -0.25])
    """
    value = correct
    if beta:
        if pi_0 is None:
            raise ValueError(
                f"pi_0 must be given where beta is above 0: it is {beta:g}"
            )
        value = correct - beta * np.log(pi / pi_0)
    return pi * (value - np.sum(pi * value, axis=-1, keepdims=True))


def sampled_success_gradient(
    pi: Answers,
    correct: Real[np.ndarray, "*prompts answers"],
    uniforms: Float[np.ndarray, "*prompts group"],
) -> Answers:
    """Return REINFORCE's estimate of the success gradient, with a mean baseline.

    ``sum_i (r_i - mean r) (onehot(y_i) - pi) / group`` over a group of own answers. Its
    expectation is the exact gradient times 1 - 1/group.

    Parameters
    ----------
    pi
        Current probabilities.
    correct
        1 for a right answer, 0 for a wrong one.
    uniforms
        One number in [0, 1) a sample: they choose the answers.

    Examples
    --------
    Two samples, one of each answer. The right one goes up:

    >>> sampled_success_gradient(
    ...     np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]]), np.array([[0.1, 0.9]])
    ... )
    array([[ 0.25, -0.25]])
    """
    answers = sample_answers(pi, uniforms)
    rewards = np.take_along_axis(correct, answers, axis=-1)
    weights = advantages(rewards, "mean") / uniforms.shape[-1]
    chosen = answers[..., None] == np.arange(pi.shape[-1])
    # the weights of a group sum to 0, so the term with pi drops out
    return np.sum(weights[..., None] * chosen, axis=-2)


def sample_answers(
    pi: Answers, uniforms: Float[np.ndarray, "*prompts group"]
) -> np.ndarray:
    """Return the answers that the uniform numbers choose: the inverse of the CDF."""
    cumulative = np.cumsum(pi, axis=-1)
    thresholds = uniforms[..., None] * cumulative[..., None, -1:]
    return np.sum(thresholds >= cumulative[..., None, :-1], axis=-1)
