"""Entropy and divergences between distributions, in nats.

A divergence always says its direction: ``kl(p, q)`` is KL(p || q), the expectation
under p of log(p/q). Every function works along the last axis.
"""

import numpy as np
from jaxtyping import Float, Real
from scipy.special import entr, rel_entr

from toolkit._checks import as_floats, check_distributions, check_same_shape


def entropy(p: Real[np.ndarray, "*rows n"]) -> Float[np.ndarray, "*rows"]:
    """Return the entropy ``-sum p log p``, in nats; ``0 log 0`` is 0.

    Parameters
    ----------
    p
        Distributions along the last axis.

    Raises
    ------
    ValueError
        If a row is not a distribution.

    Examples
    --------
    The uniform distribution over n outcomes has entropy ``+log n``:

    >>> entropy(np.full((1, 4), 0.25)) / np.log(4)
    array([1.])
    """
    p = as_floats(p, "p")
    check_distributions(p, "p")
    return entr(p).sum(axis=-1)


def kl(
    p: Real[np.ndarray, "*rows n"], q: Real[np.ndarray, "*rows n"]
) -> Float[np.ndarray, "*rows"]:
    """Return ``KL(p || q) = sum p log(p/q)``, in nats.

    It is infinite where p gives weight to something that q excludes.

    Parameters
    ----------
    p, q
        Distributions along the last axis, in one shape. p is the one averaged over.

    Raises
    ------
    ValueError
        If a row is not a distribution or the shapes differ.

    Examples
    --------
    A sure event told by a fair coin costs one bit, log 2 nats; the other way round the
    coin meets what the sure event excludes:

    >>> sure, coin = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])
    >>> kl(sure, coin) / np.log(2), kl(coin, sure)
    (array([1.]), array([inf]))
    """
    p, q = _pair(p, q)
    return rel_entr(p, q).sum(axis=-1)


def chi_square(
    p: Real[np.ndarray, "*rows n"], q: Real[np.ndarray, "*rows n"]
) -> Float[np.ndarray, "*rows"]:
    """Return ``chi2(p || q) = sum (p - q)^2 / q``: variance of the weights p/q under q.

    Parameters
    ----------
    p, q
        Distributions along the last axis, in one shape. q is the one sampled from.

    Raises
    ------
    ValueError
        If a row is not a distribution or the shapes differ.

    Examples
    --------
    >>> chi_square(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))
    array([1.])
    """
    p, q = _pair(p, q)
    difference = (p - q) ** 2
    terms = np.full_like(p, np.inf)
    with np.errstate(over="ignore"):  # inf is the answer for a q of 1e-320
        np.divide(difference, q, out=terms, where=q > 0)
    terms[difference == 0] = 0
    return terms.sum(axis=-1)


def total_variation(
    p: Real[np.ndarray, "*rows n"], q: Real[np.ndarray, "*rows n"]
) -> Float[np.ndarray, "*rows"]:
    """Return ``sum |p - q| / 2``: the largest difference p and q give to one event.

    Parameters
    ----------
    p, q
        Distributions along the last axis, in one shape.

    Raises
    ------
    ValueError
        If a row is not a distribution or the shapes differ.

    Examples
    --------
    >>> total_variation(np.array([[0.9, 0.1]]), np.array([[0.6, 0.4]]))
    array([0.3])
    """
    p, q = _pair(p, q)
    return np.abs(p - q).sum(axis=-1) / 2


def _pair(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p, q = as_floats(p, "p"), as_floats(q, "q")
    check_same_shape(p, "p", q, "q")
    check_distributions(p, "p")
    check_distributions(q, "q")
    return p, q
