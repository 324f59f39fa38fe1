"""A chain of two states, on the path and off it, in closed form.

A task of T decisions. Before each, the agent is on the path or off it. On the path it
slips with probability e; off the path it recovers with probability q. After each
decision the world may kick it off the path, with probability delta. It succeeds if it
is on the path at the end.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import brentq
from scipy.special import logit

from toolkit._checks import (
    as_count,
    as_counts,
    as_float,
    as_floats,
    check_probabilities,
)

Rate: TypeAlias = float | Float[np.ndarray, "..."]
"""A probability, or an array of them; several broadcast together."""


@dataclass(frozen=True, kw_only=True)
class Chain:
    """A task of several decisions, and the base policy that is to be fine-tuned.

    Attributes
    ----------
    horizon
        Number T of decisions.
    slip
        Probability e that the base policy leaves the path, a decision on it.
    recovery
        Probability q that the base policy returns to the path, a decision off it.

    Examples
    --------
    >>> chain = Chain(horizon=2, slip=0.5, recovery=0.5)
    >>> chain.base_logits
    array([0., 0.])
    """

    horizon: int = 20
    slip: float = 0.1
    recovery: float = 0.1

    def __post_init__(self) -> None:
        as_count(self.horizon, "horizon", low=1)
        for name in ("slip", "recovery"):
            as_float(
                getattr(self, name), name, low=0, high=1, open_low=True, open_high=True
            )

    @property
    def base_logits(self) -> Float[np.ndarray, " 2"]:
        """The base policy as logits."""
        return logit(np.array([1 - self.slip, self.recovery]))


def off_path(
    slip: Rate, recovery: Rate, after: int | Int[np.ndarray, "..."], *, kick: Rate = 0.0
) -> Float[np.ndarray, "..."]:
    """Return the probability of being off the path after some decisions.

    A chain of two states that starts on the path. With ``leave = 1 - (1-kick)(1-slip)``
    and ``rejoin = (1-kick) recovery``::

        off(t) = leave * sum_{s < t} (1 - leave - rejoin)^s

    Parameters
    ----------
    slip
        Probability of leaving the path, a decision on it.
    recovery
        Probability of returning, a decision off it.
    after
        Number of decisions taken, 0 or more.
    kick
        Probability that the world pushes the agent off the path after a decision.

    Returns
    -------
    array
        In the shape the arguments broadcast to.

    Raises
    ------
    ValueError
        If a probability is outside [0, 1] or ``after`` is negative.

    Examples
    --------
    Without recovery and kicks, staying on for two decisions has probability (1/2)^2:

    >>> off_path(slip=0.5, recovery=0.0, after=np.array([0, 1, 2]))
    array([0.  , 0.5 , 0.75])
    """
    e, q = _as_rate(slip, "slip"), _as_rate(recovery, "recovery")
    delta = _as_rate(kick, "kick")
    t = as_counts(after, "after", low=0)
    leave = e + delta - e * delta
    mixing = np.asarray(leave + (1 - delta) * q)
    return np.asarray(leave * _geometric_sum(mixing, t))


def chain_success(
    slip: Rate, recovery: Rate, *, horizon: int, kick: Rate = 0.0
) -> Float[np.ndarray, "..."]:
    """Return the probability of being on the path after the last decision.

    Parameters
    ----------
    slip, recovery, kick
        As for :func:`off_path`.
    horizon
        Number T of decisions, 1 or more.

    Returns
    -------
    array
        In the shape the probabilities broadcast to.

    Raises
    ------
    ValueError
        As for :func:`off_path`.

    Examples
    --------
    A policy that never slips and always recovers fails only if the last kick comes:

    >>> chain_success(0.0, 1.0, horizon=20, kick=np.array([0.0, 0.25]))
    array([1.  , 0.75])
    """
    horizon = as_count(horizon, "horizon", low=1)
    return np.asarray(1 - off_path(slip, recovery, horizon, kick=kick))


def expected_errors(
    slip: float, recovery: float, horizons: Int[np.ndarray, " n"], *, kick: float = 0.0
) -> Float[np.ndarray, " n"]:
    """Return how many decisions, on average, leave the agent off the path.

    ``errors(T) = sum_{t=1..T} off(t)``. Without recovery a slip costs all that is left
    of the task, and errors grow like ``e T (T+1) / 2`` while ``e T`` is small; with
    recovery a slip costs 1/q decisions, and they grow like ``e T / (e + q)``.

    Parameters
    ----------
    slip, recovery, kick
        As for :func:`off_path`.
    horizons
        Lengths T of the task, 1 or more each.

    Returns
    -------
    array
        One number per horizon.

    Raises
    ------
    ValueError
        As for :func:`off_path`.

    Examples
    --------
    Who slips at once and never recovers is off the path all the time:

    >>> expected_errors(1.0, 0.0, np.array([1, 5]))
    array([1., 5.])
    """
    horizons = as_counts(horizons, "horizons", low=1, ndim=1)
    steps = np.arange(1, horizons.max() + 1)
    return np.cumsum(off_path(slip, recovery, steps, kick=kick))[horizons - 1]


def slip_at_success(
    success: float, recovery: Float[np.ndarray, " n"], *, horizon: int
) -> Float[np.ndarray, " n"]:
    """Return the slip at which a policy succeeds just so often, without kicks.

    Policies along this line are equal in distribution, whatever they do off the path.

    Parameters
    ----------
    success
        Probability of being on the path at the end, in (0, 1).
    recovery
        Probabilities of returning; each below ``success``, or no slip is so large.
    horizon
        Number T of decisions, 1 or more.

    Returns
    -------
    array
        One slip for each recovery.

    Raises
    ------
    ValueError
        If a number is out of its range, or a recovery is not below ``success``.

    Examples
    --------
    One decision: the only way to fail is to slip.

    >>> slip_at_success(0.75, np.array([0.0, 0.5]), horizon=1).round(9)
    array([0.25, 0.25])
    """
    success = as_float(success, "success", low=0, high=1, open_low=True, open_high=True)
    q = as_floats(recovery, "recovery", ndim=1)
    check_probabilities(q, "recovery")
    if np.any(q >= success):
        raise ValueError(
            f"recovery must be below success = {success:g}, but it is {q.max():g}"
        )
    horizon = as_count(horizon, "horizon", low=1)

    def surplus(e: float, recovering: float) -> float:
        return float(chain_success(e, recovering, horizon=horizon)) - success

    return np.array([brentq(surplus, 0.0, 1 - x, args=(x,), xtol=1e-14) for x in q])


def _geometric_sum(rate: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return ``sum_{s < n} (1 - rate)^s``, exact for small rates too."""
    with np.errstate(divide="ignore", invalid="ignore"):  # the other branch is taken
        small = -np.expm1(n * np.log1p(-rate)) / rate
        large = (1 - (1 - rate) ** n) / rate
    return np.where(rate == 0, n, np.where(rate < 0.5, small, large))


def _as_rate(value: Rate, name: str) -> Float[np.ndarray, "..."]:
    rate = as_floats(value, name)
    check_probabilities(rate, name)
    return rate
