"""What a chart draws: numbers by the sliders' values, or a formula for the browser.

The numbers of all curves travel as one table of columns, ``curve``, ``x``, ``y``,
perhaps ``low`` and ``high``, and one column for each slider that a curve follows. A
curve that follows no slider has no value there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from toolkit.charts.looks import colour
from toolkit.charts.slider import Number, Setting, Slider, settings
from toolkit.drawn import NOISE

DIGITS = 4  # of the numbers that travel with the page
Numbers = np.ndarray | Callable[..., np.ndarray]
"""Numbers, or a function of the sliders' values that returns them."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis: what it measures, and how.

    Attributes
    ----------
    title
        With the unit; may be empty where groups of bars say what they are.
    low, high
        Where it begins and ends; by default the numbers of all positions fit.
    log
        Base of a logarithmic axis; 0 for a linear one.
    ticks
        Where to put numbers; by default chosen by the drawing.
    """

    title: str
    low: Number | None = None
    high: Number | None = None
    log: int = 0
    ticks: Any = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """Numbers over x that may follow sliders.

    Attributes
    ----------
    name
        As in the legend; different for every curve of a chart.
    x
        Places, or names of the groups of bars.
    y
        One number for each x, or a function of the sliders that the curve follows,
        called with their values in that order.
    follows
        Names of those sliders.
    low, high
        Ends of a band or whisker around y, given like it.
    role
        Whose colour it has, see :func:`toolkit.charts.looks.colour`.
    dash
        Pattern of the line, 0 to 4; 0 is solid.
    formula
        Instead of numbers, let the browser compute y: an expression of Vega that may
        use sliders by name, ``datum.x`` and ``datum.`` with a name of ``knows``, and of
        functions ``exp``, ``log``, ``pow``, ``min``, ``max``, ``abs`` and ``sqrt``.
        ``y`` must be a function that returns the same; the tests compare the two.
    knows
        Further numbers that the formula uses, one for each x.
    """

    name: str
    x: Any
    y: Numbers
    follows: tuple[str, ...] = ()
    low: Numbers | None = None
    high: Numbers | None = None
    role: str = "base"
    dash: int = 0
    formula: str = ""
    knows: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        colour(self.role)
        if callable(self.y) != bool(self.follows):
            raise ValueError(
                "y must be a function just where the curve follows a slider, but "
                f"{self.name!r} follows {list(self.follows)}"
            )
        if self.formula and not self.follows:
            raise ValueError(f"{self.name!r} has a formula and follows no slider")
        if self.formula and self.low is not None:
            raise ValueError(f"{self.name!r} has a formula, so it can have no band")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"{self.name!r} must have low and high, or neither")

    def at(self, setting: Setting) -> dict[str, np.ndarray]:
        """Return x, y and the band, if any, where the sliders stand so.

        Examples
        --------
        >>> curve = Curve(
        ...     name="RL", x=[1, 2], y=lambda a: np.array([a, 2 * a]), follows=("a",)
        ... )
        >>> curve.at({"a": 3, "b": 0})["y"]
        array([3, 6])
        """
        values = [setting[name] for name in self.follows]
        found = {"x": np.asarray(self.x)}
        for name in ("y", "low", "high"):
            given = getattr(self, name)
            if given is not None:
                made = np.asarray(given(*values) if callable(given) else given)
                if made.shape != found["x"].shape:
                    raise ValueError(
                        f"{name} of {self.name!r} must have the shape of x, "
                        f"{found['x'].shape}, but has {made.shape}"
                    )
                found[name] = made
        return found


def settings_of(curve: Curve, sliders: Sequence[Slider]) -> list[Setting]:
    """Return every combination of values of the sliders that a curve follows.

    Raises
    ------
    ValueError
        If it follows one that is not there.
    """
    known = {slider.name: slider for slider in sliders}
    if unknown := set(curve.follows) - known.keys():
        raise ValueError(
            f"follows must name sliders of the chart, {list(known)}, but "
            f"{curve.name!r} follows {sorted(unknown)}"
        )
    return list(settings([known[name] for name in curve.follows]))


def value_range(
    curves: Sequence[Curve], sliders: Sequence[Slider]
) -> tuple[float, float]:
    """Return the lowest and the highest number at any position of the sliders."""
    found = [
        np.ravel(column).astype(float)
        for curve in curves
        for setting in settings_of(curve, sliders)
        for name, column in curve.at(setting).items()
        if name != "x"
    ]
    values = np.concatenate(found)
    values = values[np.isfinite(values)]
    return float(values.min()), float(values.max())


def has_band(curves: Sequence[Curve]) -> bool:
    """Return whether any curve has a band or whiskers."""
    return any(curve.low is not None for curve in curves)


def numbers_at(curves: Sequence[Curve], setting: Setting) -> dict[str, np.ndarray]:
    """Return what all curves show where the sliders stand so, as columns."""
    found = {curve.name: curve.at(setting) for curve in curves}
    names = [name for name, columns in found.items() for _ in columns["x"]]
    made = {"curve": np.array(names)}
    for name in ("x", "y", *(("low", "high") if has_band(curves) else ())):
        parts = [c.get(name, np.full(len(c["x"]), np.nan)) for c in found.values()]
        made[name] = np.concatenate(parts)
    return made


def travelling_columns(
    curves: Sequence[Curve], sliders: Sequence[Slider]
) -> dict[str, list[Any]]:
    """Return the columns of the table that travels with the page, rounded.

    Examples
    --------
    >>> a = Slider(name="a", label="a", values=(1, 2), start=1)
    >>> base = Curve(name="base", x=[0], y=np.array([0.123456]))
    >>> rl = Curve(name="RL", x=[0], y=lambda a: np.array([10.0 * a]), follows=("a",))
    >>> travelling_columns([base, rl], [a])["y"]
    [0.1235, 10.0, 20.0]
    >>> travelling_columns([base, rl], [a])["a"]
    [None, 1, 2]
    """
    rows = [row for curve in curves for row in _rows(curve, sliders)]
    followed = {name for curve in curves for name in _sent(curve)}
    names = ["curve", "x", "y", *(("low", "high") if has_band(curves) else ())]
    names += [slider.name for slider in sliders if slider.name in followed]
    names += sorted({name for curve in curves for name in curve.knows})
    return {name: [row.get(name) for row in rows] for name in names}


def transform(
    curves: Sequence[Curve], sliders: Sequence[Slider]
) -> list[dict[str, str]]:
    """Return the steps of Vega-Lite from the table to what is drawn.

    Keep the rows of the sliders' values; put in what formulas give.
    """
    followed = {name for curve in curves for name in _sent(curve)}
    steps = [
        {"filter": f"datum.{s.name} === null || datum.{s.name} === {s.name}"}
        for s in sliders
        if s.name in followed
    ]
    computed = "datum.y"
    for curve in curves:
        if curve.formula:
            name = curve.name.replace("'", r"\'")
            computed = f"datum.curve === '{name}' ? {curve.formula} : {computed}"
    if computed != "datum.y":
        steps.append({"calculate": computed, "as": "y"})
    return steps


def rounded(value: Any) -> Any:
    """Return a value as it travels: four digits, None for what is no number.

    Examples
    --------
    >>> rounded(0.00123456), rounded(np.int64(65536)), rounded(np.nan), rounded("a")
    (0.001235, 65536, None, 'a')
    """
    value = np.asarray(value).item()
    if not isinstance(value, float):
        return value
    # A tie such as 0.00625 would be rounded up on one machine, down on another.
    return float(f"{value * (1 + NOISE):.{DIGITS}g}") if np.isfinite(value) else None


def _sent(curve: Curve) -> tuple[str, ...]:
    """Return the sliders for whose values a curve sends numbers."""
    return () if curve.formula else curve.follows


def _rows(curve: Curve, sliders: Sequence[Slider]) -> list[dict[str, Any]]:
    if curve.formula:
        kept: dict[str, Any] = {"x": np.asarray(curve.x)} | dict(curve.knows)
        return _as_rows(curve.name, kept, {})
    return [
        row
        for setting in settings_of(curve, sliders)
        for row in _as_rows(curve.name, curve.at(setting), setting)
    ]


def _as_rows(
    name: str, columns: Mapping[str, np.ndarray], setting: Setting
) -> list[dict[str, Any]]:
    fixed = {"curve": name} | setting
    return [
        fixed | {column: rounded(values[i]) for column, values in columns.items()}
        for i in range(len(columns["x"]))
    ]
