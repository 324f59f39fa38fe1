"""What a policy pays for its success: the KL it cannot avoid, and the rest.

Split responses into right and wrong. In either direction, KL to the reference is the KL
between the two success probabilities plus what the policy changes *within* the right
and the wrong responses. The first part is the price of being right as often as it is;
the second is zero only for a tilted policy, and is what diversity, generalization and
forgetting have in common.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Real
from scipy.special import rel_entr

from toolkit._checks import (
    as_floats,
    check_distributions,
    check_probabilities,
    check_same_shape,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Price:
    """KL between a policy and its reference, both ways, taken apart. In nats.

    Attributes
    ----------
    success, ref_success
        Probability of a right response under the policy and under the reference.
    reverse, forward
        ``KL(pi || pi_ref)``, averaged over the policy, and ``KL(pi_ref || pi)``,
        averaged over the reference.
    reverse_floor, forward_floor
        The smallest value either can have at this success.
    reverse_right, forward_right
        The part of what is above the floor that lies among the right responses; the
        rest lies among the wrong ones.
    """

    success: Float[np.ndarray, "*rows"]
    ref_success: Float[np.ndarray, "*rows"]
    reverse: Float[np.ndarray, "*rows"]
    forward: Float[np.ndarray, "*rows"]
    reverse_floor: Float[np.ndarray, "*rows"]
    forward_floor: Float[np.ndarray, "*rows"]
    reverse_right: Float[np.ndarray, "*rows"]
    forward_right: Float[np.ndarray, "*rows"]


def price_of_success(
    pi: Real[np.ndarray, "*rows responses"],
    pi_ref: Real[np.ndarray, "*rows responses"],
    right: Real[np.ndarray, "*rows responses"],
) -> Price:
    """Take the KL between a policy and its reference apart, in both directions.

    With success s under ``pi`` and p under ``pi_ref``, and ``kl2(a, b)`` the KL between
    two coins::

        KL(pi || pi_ref) = kl2(s, p) + s KL(pi|right || pi_ref|right)
                           + (1 - s) KL(pi|wrong || pi_ref|wrong)
        KL(pi_ref || pi) = kl2(p, s) + p KL(pi_ref|right || pi|right)
                           + (1 - p) KL(pi_ref|wrong || pi|wrong)

    The floors ``kl2`` are reached exactly by policies that keep the reference's
    proportions within the right and within the wrong responses: the tilted policies.

    Parameters
    ----------
    pi, pi_ref
        Distributions along the last axis, in one shape.
    right
        1 where a response is right, else 0.

    Returns
    -------
    Price
        Both divergences and their floors, one entry a row.

    Raises
    ------
    ValueError
        If a row is not a distribution, shapes differ or ``right`` is not 0 or 1.

    Examples
    --------
    All of the success moved to one of two equally good right answers costs log 2:

    >>> pi, ref = np.array([[1.0, 0.0, 0.0]]), np.array([[0.25, 0.25, 0.5]])
    >>> price = price_of_success(pi, ref, np.array([[1.0, 1.0, 0.0]]))
    >>> (price.reverse - price.reverse_floor) / np.log(2)
    array([1.])
    """
    pi, pi_ref = as_floats(pi, "pi"), as_floats(pi_ref, "pi_ref")
    right = as_floats(right, "right")
    check_same_shape(pi, "pi", pi_ref, "pi_ref")
    check_same_shape(pi, "pi", right, "right")
    check_distributions(pi, "pi")
    check_distributions(pi_ref, "pi_ref")
    check_probabilities(right, "right")
    if not np.all((right == 0) | (right == 1)):
        raise ValueError(f"right must be 0 or 1, but it holds {right.max():g}")
    s, p = np.sum(pi * right, axis=-1), np.sum(pi_ref * right, axis=-1)
    reverse, forward = rel_entr(pi, pi_ref), rel_entr(pi_ref, pi)
    return Price(
        success=s,
        ref_success=p,
        reverse=reverse.sum(axis=-1),
        forward=forward.sum(axis=-1),
        reverse_floor=coin_kl(s, p),
        forward_floor=coin_kl(p, s),
        reverse_right=np.where(right == 1, reverse, 0).sum(axis=-1) - rel_entr(s, p),
        forward_right=np.where(right == 1, forward, 0).sum(axis=-1) - rel_entr(p, s),
    )


def coin_kl(
    a: float | Float[np.ndarray, "*rows"], b: float | Float[np.ndarray, "*rows"]
) -> Float[np.ndarray, "*rows"]:
    """Return the KL between two coins, ``kl2(a, b)``: what success alone must cost.

    Parameters
    ----------
    a, b
        Probabilities; KL from ``b`` to ``a``, that is with ``a`` in front.

    Raises
    ------
    ValueError
        If one is no probability.

    Examples
    --------
    To be always right where one was half the time costs log 2:

    >>> float(coin_kl(1.0, 0.5) / np.log(2))
    1.0
    """
    a, b = as_floats(a, "a"), as_floats(b, "b")
    check_probabilities(a, "a")
    check_probabilities(b, "b")
    return np.asarray(rel_entr(a, b) + rel_entr(1 - a, 1 - b))
