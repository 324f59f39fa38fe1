"""Curves as groups of bars over names, with whiskers."""

from collections.abc import Callable, Sequence
from typing import Any

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Axis, Curve, has_band, value_range
from toolkit.charts.looks import PAGE_INK, colour
from toolkit.charts.slider import Slider

WRAPPED = "length(datum.label) > 9 ? split(datum.label, ' ') : datum.label"
"""Names of groups: a long one takes a line for each word."""


def bar_chart(
    *,
    name: str,
    title: str,
    x: Axis,
    y: Axis,
    sliders: Sequence[Slider],
    curves: Sequence[Curve],
    says: Callable[..., str],
) -> BookChart:
    """Return a chart of bars from zero, side by side in each group.

    Parameters
    ----------
    name, title, x, y, sliders, curves, says
        As for :class:`toolkit.charts.book_chart.BookChart`; every curve's x are the
        names of the groups.

    Examples
    --------
    >>> chart = bar_chart(
    ...     name="tasks", title="Success",
    ...     x=Axis(title="task"), y=Axis(title="success"),
    ...     sliders=[Slider(name="a", label="a", values=(0, 1), start=1)],
    ...     curves=[Curve(name="RL", x=["sum"], y=lambda a: [a / 2], follows=("a",))],
    ...     says=lambda a: f"{a / 2:.1f}",
    ... )
    >>> chart.specification()["encoding"]["y"]["scale"]["domain"]
    [0.0, 0.5]
    """
    names = [curve.name for curve in curves]
    scale = {"domain": names, "range": [colour(curve.role) for curve in curves]}
    low, high = value_range(curves, sliders)
    ends = [
        min(low, 0.0) if y.low is None else y.low,
        max(high, 0.0) if y.high is None else y.high,
    ]
    tooltip = [
        {"field": "curve", "type": "nominal", "title": "bar"},
        {"field": "x", "type": "nominal", "title": x.title},
        {"field": "y", "type": "quantitative", "title": y.title, "format": ".3~g"},
    ]
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "bar"}, "encoding": {"tooltip": tooltip}}
    ]
    if has_band(curves):
        layers.append(
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": PAGE_INK},
                "transform": [{"filter": "isValid(datum.low)"}],
                "encoding": {
                    "y": {"field": "low"},
                    "y2": {"field": "high"},
                    "color": {"value": PAGE_INK},
                },
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
            "x": {
                "field": "x",
                "type": "nominal",
                "sort": None,
                "axis": {"title": x.title, "labelExpr": WRAPPED},
                "scale": {"paddingInner": 0.25, "paddingOuter": 0.1},
            },
            "xOffset": {
                "field": "curve",
                "type": "nominal",
                "scale": {"domain": names, "paddingInner": 0.05},
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "scale": {"domain": ends, "nice": False},
                "axis": {"title": y.title, "tickCount": 6},
            },
            "color": {
                "field": "curve",
                "type": "nominal",
                "scale": scale,
                "legend": None,
            },
        },
    )
