"""Curves as lines over a continuous axis, with bands."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve, has_band, value_range
from toolkit.charts.looks import DASHES, colour
from toolkit.charts.slider import Number, Slider, plain

ROOM = 0.04  # above the highest and below the lowest number, as a share of the axis


def line_chart(
    *,
    name: str,
    title: str,
    x: Axis,
    y: Axis,
    sliders: Sequence[Slider],
    curves: Sequence[Curve],
    says: Callable[..., str],
) -> BookChart:
    """Return a chart of lines whose axes stand still while its sliders move.

    Parameters
    ----------
    name, title, x, y, sliders, curves, says
        As for :class:`toolkit.charts.book_chart.BookChart`.

    Examples
    --------
    >>> k = np.array([1, 10])
    >>> chart = line_chart(
    ...     name="tries", title="pass@k", x=Axis(title="k", log=10),
    ...     y=Axis(title="pass@k"),
    ...     sliders=[Slider(name="p", label="success, p", values=(0.5, 1), start=1)],
    ...     curves=[Curve(
    ...         name="pass@k", x=k, y=lambda p: 1 - (1 - p) ** k, follows=("p",),
    ...         formula="1 - pow(1 - p, datum.x)", role="RL",
    ...     )],
    ...     says=lambda p: f"At p = {p:g} one try has {p:.2f}.",
    ... )
    >>> chart.numbers(p=0.5)["y"][:1], chart.texts()[0]
    (array([0.5]), 'At p = 0.5 one try has 0.50.')
    """
    names = [curve.name for curve in curves]
    scales = {
        "color": {"domain": names, "range": [colour(curve.role) for curve in curves]},
        "strokeDash": {
            "domain": names,
            "range": [list(DASHES[curve.dash]) for curve in curves],
        },
    }
    by_curve = {
        channel: {"field": "curve", "type": "nominal", "scale": scale, "legend": None}
        for channel, scale in scales.items()
    }
    places = np.concatenate([np.asarray(curve.x, dtype=float) for curve in curves])
    low, high = value_range(curves, sliders)
    room = 0.0 if y.log else ROOM * (high - low or 1.0)
    tooltip = [
        {"field": "curve", "type": "nominal", "title": "curve"},
        {"field": "x", "type": "quantitative", "title": x.title, "format": ".4~g"},
        {"field": "y", "type": "quantitative", "title": y.title, "format": ".3~g"},
    ]
    layers: list[dict[str, Any]] = []
    if has_band(curves):
        layers.append(
            {
                "mark": {"type": "area", "opacity": 0.25},
                "transform": [{"filter": "isValid(datum.low)"}],
                "encoding": {"y": {"field": "low"}, "y2": {"field": "high"}},
            }
        )
    layers.append(
        {
            "mark": {"type": "line", "strokeWidth": 2, "clip": True},
            "encoding": {"strokeDash": by_curve["strokeDash"]},
        }
    )
    layers.append(
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 0},
            "encoding": {"tooltip": tooltip},
        }
    )
    return BookChart(
        name=name,
        title=title,
        x=x,
        y=y,
        sliders=tuple(sliders),
        curves=tuple(curves),
        says=says,
        marks=layers,
        encoding={
            "x": _axis("x", x, _ends(places.min(), places.max(), x)),
            "y": _axis("y", y, _ends(low - room, high + room, y)),
            "color": by_curve["color"],
        },
    )


def _ends(low: float, high: float, axis: Axis) -> list[Number]:
    """Return where an axis begins and ends, unless it says."""
    return [
        plain(low if axis.low is None else axis.low),
        plain(high if axis.high is None else axis.high),
    ]


def _axis(channel: str, axis: Axis, ends: list[Number]) -> dict[str, Any]:
    """Return the encoding of one of the two places."""
    scale: dict[str, Any] = {"domain": ends, "nice": False}
    scale |= {"type": "log", "base": axis.log} if axis.log else {"zero": False}
    drawn: dict[str, Any] = {"title": axis.title}
    if len(axis.ticks):
        drawn["values"] = [plain(tick) for tick in axis.ticks]
    else:
        drawn["tickCount"] = 6
    return {"field": channel, "type": "quantitative", "scale": scale, "axis": drawn}
