"""Argument checks: convert to a float or integer array, or raise.

Every message names the argument, what it must be, the first place where it is not,
and the value found there. Nothing is normalised, clipped or rounded.
"""

import math
from typing import Any

import numpy as np

SUM_TOLERANCE = 1e-8  # how far a distribution's sum may be from 1
LARGEST_COUNT = 2**31 - 1  # counts beyond this are mistakes, not samples


def as_floats(value: Any, name: str, *, ndim: int | None = None) -> np.ndarray:
    """Return ``value`` as a float64 array without NaN; integers are converted."""
    array = _as_array(value, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"{name} must hold real numbers, but its dtype is {array.dtype}"
        )
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{name} must have {ndim} axes, but its shape is {array.shape}")
    array = array.astype(np.float64, copy=False)
    _refuse_where(np.isnan(array), array, name, "must not hold NaN")
    return array


def as_counts(value: Any, name: str, *, low: int) -> np.ndarray:
    """Return ``value`` as an int64 array with entries from ``low`` to 2**31 - 1."""
    array = _as_array(value, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, but its dtype is {array.dtype}")
    bad = (array < low) | (array > LARGEST_COUNT)
    _refuse_where(bad, array, name, f"must be from {low} to {LARGEST_COUNT}")
    return array.astype(np.int64, copy=False)


def as_count(value: Any, name: str, *, low: int, high: int = LARGEST_COUNT) -> int:
    """Return ``value`` as an int from ``low`` to ``high``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, but it is {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, but it is {value}")
    return int(value)


def as_float(
    value: Any,
    name: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
    finite: bool = True,
) -> float:
    """Return ``value`` as a float within the bounds (``open_low`` excludes ``low``)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise TypeError(f"{name} must be a real number, but it is {value!r}")
    number = float(value)
    if finite and not math.isfinite(number):
        raise ValueError(f"{name} must be finite, but it is {number}")
    above = number > low if open_low else number >= low
    if not (above and number <= high):
        bound = f"above {low:g}" if open_low else f"at least {low:g}"
        if high < math.inf:
            bound += f" and at most {high:g}"
        raise ValueError(f"{name} must be {bound}, but it is {number:g}")
    return number


def check_finite(array: np.ndarray, name: str) -> None:
    """Raise unless every entry is finite."""
    _refuse_where(~np.isfinite(array), array, name, "must be finite")


def check_probabilities(p: np.ndarray, name: str) -> None:
    """Raise unless every entry lies in [0, 1]."""
    _refuse_where(~((p >= 0) & (p <= 1)), p, name, "must hold probabilities in [0, 1]")


def check_distributions(p: np.ndarray, name: str) -> None:
    """Raise unless every row (last axis) of ``p`` is a probability distribution."""
    if p.ndim == 0:
        raise ValueError(f"{name} must have at least one axis, but it is the number {p}")
    check_probabilities(p, name)
    sums = p.sum(axis=-1)
    bad = ~(np.abs(sums - 1) <= SUM_TOLERANCE)
    if np.any(bad):
        row = _first(bad)
        where = f"row {_show(row)} sums" if row else "it sums"
        raise ValueError(
            f"{name} must have rows that sum to 1, but {where} to {sums[row]:.10g}"
        )


def check_same_shape(a: np.ndarray, a_name: str, b: np.ndarray, b_name: str) -> None:
    """Raise unless the two arrays have one shape."""
    if a.shape != b.shape:
        raise ValueError(
            f"{b_name} must have the shape of {a_name}, {a.shape}, "
            f"but its shape is {b.shape}"
        )


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if value not in choices:
        options = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {options}, but it is {value!r}")


def _as_array(value: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be a rectangular array: {error}") from None
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, but its shape is {array.shape}")
    return array


def _refuse_where(bad: np.ndarray, array: np.ndarray, name: str, need: str) -> None:
    if np.any(bad):
        place = _first(bad)
        where = f"entry {_show(place)} is" if place else "it is"
        raise ValueError(f"{name} {need}, but {where} {array[place]}")


def _first(bad: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(bad)[0])


def _show(place: tuple[int, ...]) -> str:
    return str(place[0]) if len(place) == 1 else str(place)
