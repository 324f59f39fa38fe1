"""Argument checks: convert to a float or integer array, or raise.

Every message names the argument, what it must be, the first place where it is not,
and the value found there. Nothing is normalised, clipped or rounded.
"""

import math
from typing import Any

import numpy as np

SUM_TOLERANCE = 1e-8  # how far a distribution's sum may be from 1
LARGEST_SIZE = 1e100  # finite numbers beyond this overflow in a sum or a square
LARGEST_COUNT = 2**31 - 1  # counts beyond this are mistakes, not samples


def as_floats(value: Any, name: str, *, ndim: int | None = None) -> np.ndarray:
    """Return ``value`` as a float64 array without NaN; integers are converted."""
    array = _as_array(value, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"{name} must hold real numbers, but its dtype is {array.dtype}"
        )
    check_ndim(array, name, ndim)
    with np.errstate(over="ignore"):  # a long double may become inf
        array = array.astype(np.float64, copy=False)
    _refuse_where(np.isnan(array), array, name, "must not hold NaN")
    return array


def as_counts(
    value: Any, name: str, *, low: int, ndim: int | None = None
) -> np.ndarray:
    """Return ``value`` as an int64 array with entries from ``low`` to 2**31 - 1."""
    array = _as_array(value, name)
    need = f"must be from {low} to {LARGEST_COUNT}"
    if array.dtype == object:  # NumPy's way to hold an int past 64 bits
        flat = [type(v) is int and not low <= v <= LARGEST_COUNT for v in array.flat]
        _refuse_where(np.reshape(flat, array.shape), array, name, need)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, but its dtype is {array.dtype}")
    _refuse_where((array < low) | (array > LARGEST_COUNT), array, name, need)
    check_ndim(array, name, ndim)
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
    low: float | int = -math.inf,
    high: float | int = math.inf,
    open_low: bool = False,
    open_high: bool = False,
    finite: bool = True,
) -> float:
    """Return ``value`` as a float within the bounds; an open one is itself excluded."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise TypeError(f"{name} must be a real number, but it is {value!r}")
    try:
        number = float(value)
    except OverflowError:  # an int past 1e308
        raise ValueError(f"{name} must fit a float, but it is past 1e308") from None
    if finite and not math.isfinite(number):
        raise ValueError(f"{name} must be finite, but it is {number}")
    above = number > low if open_low else number >= low
    below = number < high if open_high else number <= high
    if not (above and below):
        bound = f"above {low:g}" if open_low else f"at least {low:g}"
        if high < math.inf:
            bound += f" and {'below' if open_high else 'at most'} {high:g}"
        raise ValueError(f"{name} must be {bound}, but it is {number:g}")
    return number


def check_ndim(array: np.ndarray, name: str, ndim: int | None) -> None:
    """Raise unless the array has ``ndim`` axes (any number for None)."""
    if ndim is not None and array.ndim != ndim:
        axes = "1 axis" if ndim == 1 else f"{ndim} axes"
        raise ValueError(f"{name} must have {axes}, but its shape is {array.shape}")


def check_finite(array: np.ndarray, name: str) -> None:
    """Raise unless every entry is finite, and small enough for sums and squares."""
    if not (array.min() >= -LARGEST_SIZE and array.max() <= LARGEST_SIZE):
        bad = ~(np.abs(array) <= LARGEST_SIZE)
        need = f"must be finite and at most {LARGEST_SIZE:g} in size"
        _refuse_where(bad, array, name, need)


def check_probabilities(p: np.ndarray, name: str) -> None:
    """Raise unless every entry lies in [0, 1]."""
    _refuse_where(~((p >= 0) & (p <= 1)), p, name, "must hold probabilities in [0, 1]")


def check_has_axis(array: np.ndarray, name: str) -> None:
    """Raise for a single number where an array is needed."""
    if array.ndim == 0:
        raise ValueError(f"{name} must have an axis, but it is the number {array}")


def check_distributions(p: np.ndarray, name: str) -> None:
    """Raise unless every row (last axis) of ``p`` is a probability distribution."""
    check_has_axis(p, name)
    check_probabilities(p, name)
    sums = p.sum(axis=-1)
    bad = np.asarray(~(np.abs(sums - 1) <= SUM_TOLERANCE))
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


def as_logits(value: Any, name: str, *, n_prefixes: int, n_tokens: int) -> np.ndarray:
    """Return ``value`` as logits: one row a prompt and prefix, a token left in each."""
    logits = as_floats(value, name)
    if logits.ndim < 3 or logits.shape[-2:] != (n_prefixes, n_tokens):
        raise ValueError(
            f"{name} must have shape (*runs, prompts, {n_prefixes}, {n_tokens}) for "
            f"this language, but its shape is {logits.shape}"
        )
    top = logits.max(axis=-1)
    need = "must be below +inf and leave every prefix a token: the largest of a row"
    _refuse_where(~(np.abs(top) <= LARGEST_SIZE), top, name, f"{need} must be finite")
    return logits


def check_type(value: Any, name: str, kind: type) -> None:
    """Raise unless ``value`` is an instance of ``kind``."""
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be a {kind.__name__}, but it is a {type(value).__name__}"
        )


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
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


def _refuse_where(bad: Any, array: np.ndarray, name: str, need: str) -> None:
    if np.any(bad):
        place = _first(np.asarray(bad))
        where = f"entry {_show(place)} is" if place else "it is"
        raise ValueError(f"{name} {need}, but {where} {array[place]}")


def _first(bad: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(bad)[0])


def _show(place: tuple[int, ...]) -> str:
    return str(place[0]) if len(place) == 1 else str(place)
