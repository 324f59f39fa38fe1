"""What fine-tuning leaves behind, and how well a divergence predicts it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int, Real

from toolkit._checks import as_count, as_floats, check_finite, check_same_shape


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshots:
    """A model during fine-tuning on a new task, run by run.

    Attributes
    ----------
    steps
        Numbers of updates done; the first is 0, the model before fine-tuning.
    new
        Success on the new task, shape (steps, runs).
    old
        Success on the old task.
    forward_kl
        ``KL(pi_0 || pi)`` on the new task, in nats.
    reverse_kl
        ``KL(pi || pi_0)`` on the new task, in nats.
    """

    steps: Int[np.ndarray, " steps"]
    new: Float[np.ndarray, "steps runs"]
    old: Float[np.ndarray, "steps runs"]
    forward_kl: Float[np.ndarray, "steps runs"]
    reverse_kl: Float[np.ndarray, "steps runs"]

    def old_at(self, level: float) -> Float[np.ndarray, " runs"]:
        """Return success on the old task when the new one first reaches ``level``.

        Between the two snapshots around that moment, by a straight line; NaN for a run
        that never gets there.
        """
        n_runs = self.new.shape[1]
        return np.array([self._crossing(level, run) for run in range(n_runs)])

    def trade_off(
        self, levels: Float[np.ndarray, " levels"]
    ) -> tuple[Float[np.ndarray, " reached"], Float[np.ndarray, "reached runs"]]:
        """Return the levels that every run reaches, and :meth:`old_at` each of them."""
        old = np.array([self.old_at(float(level)) for level in levels])
        reached = np.isfinite(old).all(axis=1)
        return levels[reached], old[reached]

    def _crossing(self, level: float, run: int) -> float:
        new, old = self.new[:, run], self.old[:, run]
        reached = np.flatnonzero(new >= level)
        if not len(reached):
            return float("nan")
        i = reached[0]
        if i == 0:
            return float(old[0])
        share = (level - new[i - 1]) / (new[i] - new[i - 1])
        return float(old[i - 1] + share * (old[i] - old[i - 1]))


def as_kept_steps(steps: Sequence[int]) -> Int[np.ndarray, " steps"]:
    """Return 0 and then ``steps``, which must increase."""
    kept = [0, *(as_count(step, "steps", low=1) for step in steps)]
    if len(kept) < 2 or any(b <= a for a, b in pairwise(kept)):
        raise ValueError(f"steps must increase and not be empty, but it is {steps}")
    return np.array(kept)


@dataclass(frozen=True, eq=False, kw_only=True)
class QuadraticFit:
    """A parabola through points, by least squares.

    Attributes
    ----------
    coefficients
        Of the square, the first power and 1.
    r_squared
        Share of the variance that it explains.
    """

    coefficients: Float[np.ndarray, "3"]
    r_squared: float

    def __call__(self, x: Real[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Return the parabola's value at ``x``."""
        return np.polyval(self.coefficients, x)


def fit_quadratic(x: Real[np.ndarray, " n"], y: Real[np.ndarray, " n"]) -> QuadraticFit:
    """Return the parabola that fits ``y`` against ``x`` best.

    Parameters
    ----------
    x, y
        Finite coordinates of at least three points; ``y`` not constant.

    Raises
    ------
    ValueError
        If there are fewer points, one is not finite, or ``y`` is constant.

    Examples
    --------
    >>> x = np.arange(5.0)
    >>> round(fit_quadratic(x, x**2).r_squared, 6)
    1.0
    """
    x, y = as_floats(x, "x", ndim=1), as_floats(y, "y", ndim=1)
    check_same_shape(x, "x", y, "y")
    check_finite(x, "x")
    check_finite(y, "y")
    if len(x) < 3 or np.ptp(y) == 0:
        raise ValueError(
            f"y must have three points or more and not be constant, but it is {y}"
        )
    coefficients = np.polyfit(x, y, 2)
    residual = y - np.polyval(coefficients, x)
    return QuadraticFit(
        coefficients=coefficients, r_squared=float(1 - np.mean(residual**2) / np.var(y))
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Prediction:
    """How well each divergence on the new task predicts success on the old one.

    Attributes
    ----------
    forward, reverse
        R^2 of a quadratic in ``KL(pi_0 || pi)`` and in ``KL(pi || pi_0)``: one value a
        run, over all methods, learning rates and snapshots that started from its base.
    """

    forward: Float[np.ndarray, " runs"]
    reverse: Float[np.ndarray, " runs"]


def predict_forgetting(results: Iterable[Snapshots]) -> Prediction:
    """Fit old-task success against each divergence, run by run.

    Parameters
    ----------
    results
        What several methods or learning rates made of the same runs' base models.

    Returns
    -------
    Prediction
        R^2 for each run; the models before fine-tuning are left out.
    """
    points = pool(results)
    columns = range(points.old.shape[1])
    return Prediction(
        forward=np.array(
            [_r_squared(points.forward_kl, points.old, i) for i in columns]
        ),
        reverse=np.array(
            [_r_squared(points.reverse_kl, points.old, i) for i in columns]
        ),
    )


def pool(results: Iterable[Snapshots]) -> Snapshots:
    """Return all snapshots after step 0 of several results, one under the other."""
    results = list(results)

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(result, name)[1:] for result in results])

    return Snapshots(
        steps=joined("steps"),
        new=joined("new"),
        old=joined("old"),
        forward_kl=joined("forward_kl"),
        reverse_kl=joined("reverse_kl"),
    )


def _r_squared(x: np.ndarray, y: np.ndarray, run: int) -> float:
    return fit_quadratic(x[:, run], y[:, run]).r_squared
