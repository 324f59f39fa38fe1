"""Laboratory 3: which of several formats survives, under four rules."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.integrate import solve_ivp
from scipy.special import expit, log_softmax, logit, softmax

from toolkit._checks import (
    as_float,
    as_floats,
    check_distributions,
    check_probabilities,
    check_same_shape,
)

PRIOR = np.array([0.6, 0.3, 0.1])
ACCURACY = np.array([0.3, 0.4, 0.6])
END = 3000.0  # time by which the winner of a run is read off


@dataclass(frozen=True, eq=False, kw_only=True)
class FormatPath:
    """Masses and accuracies of the formats along a flow.

    Attributes
    ----------
    times
        In units of 1 / learning rate.
    mass
        How often each format is used, shape (times, formats).
    accuracy
        How often an answer in each format is right.
    """

    times: Float[np.ndarray, " times"]
    mass: Float[np.ndarray, "times formats"]
    accuracy: Float[np.ndarray, "times formats"]


def format_flow(
    prior: Float[np.ndarray, " formats"],
    accuracy: Float[np.ndarray, " formats"],
    times: Float[np.ndarray, " times"],
    practice: float = 0.0,
) -> FormatPath:
    """Follow the exact gradient of the success rate in the logits of the formats.

    ``d theta_f / dt = m_f (a_f - mean a)``, and with practice each format's skill grows
    as it is used, ``d logit a_f / dt = practice * m_f a_f (1 - a_f)``.

    Parameters
    ----------
    prior
        Mass of each format at time 0, all positive.
    accuracy
        Accuracy of each format at time 0, strictly between 0 and 1.
    times
        Increasing, 0 or more.
    practice
        Learning rate of the skills relative to the formats', 0 or more.

    Returns
    -------
    FormatPath
        At ``times``.

    Raises
    ------
    ValueError
        If an argument is out of its range or the shapes differ.

    Notes
    -----
    Integrated with SciPy's LSODA to a relative tolerance of 1e-9. Fixed steps will not
    do: near the edge between two winners they name the wrong one.

    Examples
    --------
    Equally accurate formats stay as they are:

    >>> even = np.array([0.7, 0.3])
    >>> format_flow(even, np.array([0.5, 0.5]), np.array([9.0])).mass
    array([[0.7, 0.3]])
    """
    m0, a0 = _as_formats(prior, accuracy)
    times = as_floats(times, "times", ndim=1)
    if times[0] < 0 or np.any(np.diff(times) <= 0):
        raise ValueError(f"times must increase from 0 or later, but it is {times}")
    practice = as_float(practice, "practice", low=0)
    n = len(m0)

    def ascent(_: float, state: np.ndarray) -> np.ndarray:
        m, a = softmax(state[:n]), expit(state[n:])
        return np.concatenate([m * (a - m @ a), practice * m * a * (1 - a)])

    start = np.concatenate([np.log(m0), logit(a0)])
    if times[-1] == 0:
        return FormatPath(times=times, mass=m0[None], accuracy=a0[None])
    solution = solve_ivp(
        ascent,
        (0.0, times[-1]),
        start,
        method="LSODA",
        t_eval=times,
        rtol=1e-9,
        atol=1e-12,
    )
    states = solution.y.T
    return FormatPath(
        times=times,
        mass=np.exp(log_softmax(states[:, :n], axis=1)),
        accuracy=expit(states[:, n:]),
    )


def replicator(
    prior: Float[np.ndarray, " formats"],
    accuracy: Float[np.ndarray, " formats"],
    times: Float[np.ndarray, " times"],
) -> Float[np.ndarray, "times formats"]:
    """Return the masses along the natural gradient: ``m_f ~ prior_f exp(a_f t)``.

    It is the replicator equation, ``d log(m_f / m_g) / dt = a_f - a_g``; at ``t =
    1/beta`` it is also the optimum under a KL price, if the answers cannot be chosen.

    Parameters
    ----------
    prior, accuracy
        As for :func:`format_flow`; the accuracies stay.
    times
        0 or more.

    Examples
    --------
    >>> replicator(np.array([0.5, 0.5]), np.array([0.2, 0.8]), np.array([0.0]))
    array([[0.5, 0.5]])
    """
    m0, a0 = _as_formats(prior, accuracy)
    times = as_floats(times, "times", ndim=1)
    return softmax(np.log(m0) + np.multiply.outer(times, a0), axis=1)


def selected_masses(
    prior: Float[np.ndarray, " formats"],
    accuracy: Float[np.ndarray, " formats"],
    beta: float,
) -> Float[np.ndarray, " formats"]:
    """Return the optimal masses under a KL price if right answers can be chosen.

    ``m_f ~ prior_f (1 - a_f + a_f exp(1/beta))``

    However small beta, no format takes all: the limit is prior times accuracy.

    Parameters
    ----------
    prior, accuracy
        As for :func:`format_flow`; the accuracies are the reference's.
    beta
        Price of one nat of KL, above 0.

    Examples
    --------
    >>> selected_masses(np.array([0.5, 0.5]), np.array([0.2, 0.6]), 0.01)
    array([0.25, 0.75])
    """
    m0, a0 = _as_formats(prior, accuracy)
    beta = as_float(beta, "beta", low=0, open_low=True)
    kept = m0 * (a0 + (1 - a0) * np.exp(-1 / beta))  # divided by exp(1/beta)
    return kept / kept.sum()


def yielding_price(
    prior: Float[np.ndarray, " formats"], accuracy: Float[np.ndarray, " formats"]
) -> float:
    """Return the price beta at which the most common format yields to the best one.

    ``beta = (a_best - a_common) / log(prior_common / prior_best)``, where answers
    cannot be chosen. A third format may lead in between.

    Examples
    --------
    >>> round(yielding_price(PRIOR, ACCURACY), 4)
    0.1674
    """
    m0, a0 = _as_formats(prior, accuracy)
    common, best = m0.argmax(), a0.argmax()
    if common == best:
        raise ValueError(
            "prior and accuracy must have their maxima in different formats, "
            f"but both have it in format {common}"
        )
    return float((a0[best] - a0[common]) / np.log(m0[common] / m0[best]))


def winner(
    prior: Float[np.ndarray, " formats"],
    accuracy: Float[np.ndarray, " formats"],
    practice: float,
    end: float = END,
) -> int:
    """Return which format has most mass at the time ``end``, counted from 0."""
    path = format_flow(prior, accuracy, np.array([end]), practice)
    return int(path.mass[-1].argmax())


def edges_of_practice(
    prior: Float[np.ndarray, " formats"],
    accuracy: Float[np.ndarray, " formats"],
    grid: Float[np.ndarray, " n"],
    tolerance: float = 1e-4,
) -> list[tuple[float, int, int]]:
    """Return the values of ``practice`` at which the winner changes.

    Parameters
    ----------
    prior, accuracy
        As for :func:`format_flow`.
    grid
        Increasing values between which changes are looked for.
    tolerance
        Width to which each change is bracketed.

    Returns
    -------
    list of tuple
        The edge, the winner below it and the winner above.
    """
    grid = as_floats(grid, "grid", ndim=1)
    wins = [winner(prior, accuracy, float(x)) for x in grid]
    found = []
    for low, high, below, above in zip(grid, grid[1:], wins, wins[1:], strict=False):
        if below == above:
            continue
        left, right = float(low), float(high)
        while right - left > tolerance:
            middle = (left + right) / 2
            if winner(prior, accuracy, middle) == below:
                left = middle
            else:
                right = middle
        found.append(((left + right) / 2, below, above))
    return found


def critical_mass(
    accuracy: Float[np.ndarray, " 2"], practice: float, tolerance: float = 1e-4
) -> float:
    """Return the mass above which the first of two formats wins, though less accurate.

    Parameters
    ----------
    accuracy
        Of the first and of the second format, the second higher.
    practice
        Learning rate of the skills relative to the formats', above 0.
    tolerance
        Width to which the mass is bracketed.
    """
    accuracy = as_floats(accuracy, "accuracy", ndim=1)
    if len(accuracy) != 2 or not accuracy[0] < accuracy[1]:
        raise ValueError(
            f"accuracy must be two increasing numbers, but it is {accuracy}"
        )
    practice = as_float(practice, "practice", low=0, open_low=True)
    low, high = 0.5, 0.9999
    while high - low > tolerance:
        mass = (low + high) / 2
        first_wins = winner(np.array([mass, 1 - mass]), accuracy, practice) == 0
        low, high = (low, mass) if first_wins else (mass, high)
    return (low + high) / 2


def fixed_step_winner(
    prior: Float[np.ndarray, " formats"],
    accuracy: Float[np.ndarray, " formats"],
    practice: float,
    step: float,
    end: float = END,
) -> int:
    """Return the winner that Euler's method names, with fixed steps: not to trust."""
    m0, a0 = _as_formats(prior, accuracy)
    theta, skill = np.log(m0), logit(a0)
    for _ in range(round(end / step)):
        m, a = softmax(theta), expit(skill)
        theta = theta + step * m * (a - m @ a)
        skill = skill + step * practice * m * a * (1 - a)
    return int(theta.argmax())


def _as_formats(
    prior: np.ndarray, accuracy: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    m0, a0 = as_floats(prior, "prior", ndim=1), as_floats(accuracy, "accuracy")
    check_same_shape(m0, "prior", a0, "accuracy")
    check_distributions(m0, "prior")
    check_probabilities(a0, "accuracy")
    if np.any(m0 == 0):
        raise ValueError(f"prior must give each format some mass, but it is {m0}")
    if np.any((a0 == 0) | (a0 == 1)):
        raise ValueError(f"accuracy must be strictly between 0 and 1, but it is {a0}")
    return m0, a0
