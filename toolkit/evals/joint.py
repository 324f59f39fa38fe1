"""The joint law of the two models' success rates, by maximum likelihood.

Counts are noisy rates: a problem with 1 right of 128 may have a rate of 1 in 40 or of 1
in 1,000. What the benchmark as a whole says is which law of the two rates, p of the
base and q of RL, makes its counts most likely. Any law on a grid will do; no shape is
assumed.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit, xlog1py, xlogy

from toolkit._checks import as_count
from toolkit.evals.estimates import Rows

N_STEPS = 100  # more steps fit the noise and, measured, estimate no better


def rate_grid(n_points: int = 40, smallest: float = 1e-4) -> Float[np.ndarray, " grid"]:
    """Return success rates: 0, then evenly spaced log-odds, then 1.

    >>> rate_grid(5, smallest=0.1)
    array([0. , 0.1, 0.5, 0.9, 1. ])
    """
    n_points = as_count(n_points, "n_points", low=3)
    edge = np.log(smallest / (1 - smallest))
    return np.r_[0.0, expit(np.linspace(edge, -edge, n_points - 2)), 1.0]


@dataclass(frozen=True, eq=False, kw_only=True)
class JointLaw:
    """A law of the pair of success rates on a grid.

    Attributes
    ----------
    grid
        Success rates, from 0 to 1.
    weight
        Probability of each pair: entry i, j is the base at ``grid[i]`` and RL at
        ``grid[j]``.
    log_likelihood
        Of the counts, after each step of the fit, up to a constant.
    """

    grid: Float[np.ndarray, " grid"]
    weight: Float[np.ndarray, "grid grid"]
    log_likelihood: Float[np.ndarray, " steps"]


def likelihoods(
    counts: Int[np.ndarray, "rows 2"], grid: Float[np.ndarray, " grid"]
) -> Float[np.ndarray, "rows grid"]:
    """Return how likely each row (n, c) is at each rate, the largest of a row being 1.

    >>> likelihoods(np.array([[2, 1]]), np.array([0.0, 0.5, 1.0]))
    array([[0., 1., 0.]])
    """
    n, c = counts[:, :1], counts[:, 1:]
    log = xlogy(c, grid) + xlog1py(n - c, -grid)
    return np.exp(log - log.max(axis=1, keepdims=True))


def fit_joint_law(
    rows: Rows,
    grid: Float[np.ndarray, " grid"] | None = None,
    n_steps: int = N_STEPS,
) -> JointLaw:
    """Return the law of the two rates that makes the counts most likely.

    Parameters
    ----------
    rows
        The different rows of a pair.
    grid
        Success rates that a problem may have; :func:`rate_grid` by default.
    n_steps
        Steps of expectation-maximization from the uniform law.

    Notes
    -----
    Kiefer and Wolfowitz (1956). Each step replaces the weights by the average over
    problems of their posterior, so that after many steps the law *is* the average
    posterior. Yang, Zhang and Chen (2026) fit the same law.
    """
    grid = rate_grid() if grid is None else grid
    base, base_of = np.unique(rows.base, axis=0, return_inverse=True)
    rl, rl_of = np.unique(rows.rl, axis=0, return_inverse=True)
    base_of, rl_of = base_of.reshape(-1), rl_of.reshape(-1)
    like_base, like_rl = likelihoods(base, grid), likelihoods(rl, grid)
    share = rows.times / rows.times.sum()
    weight = np.full((len(grid), len(grid)), 1 / len(grid) ** 2)
    trace = np.empty(n_steps)
    table = np.zeros((len(base), len(rl)))
    for step in range(n_steps):
        evidence = like_base @ weight @ like_rl.T
        found = evidence[base_of, rl_of]
        trace[step] = rows.times @ np.log(found)
        table[base_of, rl_of] = share / found
        weight = weight * (like_base.T @ table @ like_rl)
    return JointLaw(grid=grid, weight=weight, log_likelihood=trace)


def posterior_mean(
    law: JointLaw,
    rows: Rows,
    quantity: Float[np.ndarray, "grid grid"],
) -> Float[np.ndarray, " rows"]:
    """Return what to expect of a quantity for each row, given its counts.

    Parameters
    ----------
    law
        The law of the two rates, as known before the row's counts.
    rows
        The different rows of a pair.
    quantity
        Its value at each pair of rates, base first.
    """
    like_base = likelihoods(rows.base, law.grid)
    like_rl = likelihoods(rows.rl, law.grid)
    evidence = ((like_base @ law.weight) * like_rl).sum(axis=1)
    return ((like_base @ (law.weight * quantity)) * like_rl).sum(axis=1) / evidence
