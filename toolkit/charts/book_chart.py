"""A chart with sliders, as a page shows it: drawing, words, numbers.

The page draws it with a script of the book (``_scripts/charts.js``). Without the script
there are still the words for where the sliders stand at first, and a table.
"""

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from toolkit.charts.curves import (
    Axis,
    Curve,
    numbers_at,
    rounded,
    transform,
    travelling_columns,
)
from toolkit.charts.looks import CONFIG, DASHES, HEIGHT, colour
from toolkit.charts.slider import NAME, Number, Setting, Slider, settings, start_of
from toolkit.display import BookTable, preview
from toolkit.drawn import checksum

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
SWATCH = (
    '<svg viewBox="0 0 24 8" width="24" height="8" aria-hidden="true">'
    '<path d="M0 4H24" stroke="{colour}" stroke-width="{width}" '
    'stroke-dasharray="{dash}"/></svg>'
)


@dataclass(frozen=True, eq=False, kw_only=True)
class BookChart:
    """Curves that follow sliders.

    Attributes
    ----------
    name
        In small letters and underscores; no other chart of the page has it.
    title
        What the chart shows, as a heading of a few words.
    x, y
        The axes.
    sliders
        What the reader can turn.
    curves
        What is drawn.
    says
        A function of all sliders' values, by name, that returns what one sees there,
        with the numbers: the chart's text alternative, shown below it.
    marks
        The layers of the Vega-Lite specification, over the table that
        :mod:`toolkit.charts.curves` describes, as for example
        :func:`toolkit.charts.lines.line_chart` makes them.
    encoding
        What all layers share.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    sliders: tuple[Slider, ...]
    curves: tuple[Curve, ...]
    says: Callable[..., str]
    marks: Sequence[Mapping[str, Any]] = field(repr=False)
    encoding: Mapping[str, Any] = field(repr=False)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(
                f"name must be in small letters and underscores, but is {self.name!r}"
            )
        if not self.sliders:
            raise ValueError("sliders must hold one or more, but there is none")
        for kind in ("sliders", "curves"):
            names = [part.name for part in getattr(self, kind)]
            if len(set(names)) != len(names):
                raise ValueError(f"{kind} must have different names, but has {names}")

    def start(self) -> Setting:
        """Return where the sliders stand at first."""
        return start_of(self.sliders)

    def numbers(self, **setting: Number) -> dict[str, np.ndarray]:
        """Return the numbers drawn where the sliders stand so, by default at first.

        Columns ``curve``, ``x``, ``y``, and ``low`` and ``high`` where there are any.
        """
        return numbers_at(self.curves, self.start() | setting)

    def texts(self) -> list[str]:
        """Return what one sees at every position; the last slider turns fastest."""
        return [self.says(**setting) for setting in settings(self.sliders)]

    def columns(self) -> dict[str, list[Any]]:
        """Return the numbers that travel with the page, rounded."""
        return travelling_columns(self.curves, self.sliders)

    def specification(self) -> dict[str, Any]:
        """Return the whole chart in plain Vega-Lite, with numbers and parameters.

        It can be drawn by any program that knows the language. There, sliders are
        choices from a list; the book's script makes them sliders.
        """
        columns = self.columns()
        rows = [
            dict(zip(columns, row, strict=True))
            for row in zip(*columns.values(), strict=True)
        ]
        params = [
            {
                "name": slider.name,
                "value": slider.start,
                "bind": {
                    "input": "select",
                    "options": list(slider.values),
                    "labels": slider.texts(),
                    "name": slider.label,
                },
            }
            for slider in self.sliders
        ]
        data = {"data": {"name": "table", "values": rows}, "params": params}
        return (
            {"$schema": SCHEMA, "width": 480, "config": CONFIG} | data | self._drawn()
        )

    def text(self) -> str:
        """Return words, a rounded table and a checksum of all that travels."""
        sliders = [
            f"Slider {slider.name}, {slider.label}: {slider.start:{slider.shown}} of "
            f"{len(slider.values)} values from {texts[0]} to {texts[-1]}"
            for slider in self.sliders
            for texts in [slider.texts()]
        ]
        columns, texts = self.columns(), self.texts()
        shown = {name: self.numbers()[name] for name in ("curve", "x", "y")}
        kept = [
            [np.nan if value is None else value for value in column]
            for column in columns.values()
        ]
        return "\n".join(
            [
                f"Chart {self.name}. {self.title}",
                *sliders,
                self.says(**self.start()),
                *preview(self._named(shown)),
                f"checksum of {len(kept[0])} rows: {checksum(kept)}",
                f"checksum of {len(texts)} texts: {checksum([texts])}",
            ]
        )

    def _drawn(self) -> dict[str, Any]:
        """Return the specification without numbers and parameters."""
        return {
            "height": HEIGHT,
            "transform": transform(self.curves, self.sliders),
            "encoding": dict(self.encoding),
            "layer": [dict(layer) for layer in self.marks],
        }

    def _named(self, numbers: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return columns under the names of the axes."""
        titles = self._titles()
        return {titles[name]: column for name, column in numbers.items()}

    def _titles(self) -> dict[str, str]:
        same = self.x.title == self.y.title
        y = f"{self.y.title} (y)" if same else self.y.title
        return {
            "curve": "curve",
            "x": self.x.title or "group",
            "y": y,
            "low": f"{y}, low",
            "high": f"{y}, high",
        }

    def _travelling(self) -> str:
        """Return all that the script needs, as JSON."""
        sliders = [
            {
                "name": slider.name,
                "label": slider.label,
                "values": slider.values,
                "shown": slider.texts(),
                "start": slider.values.index(slider.start),
            }
            for slider in self.sliders
        ]
        titles = {name: self._titles()[name] for name in self.numbers()}
        made = json.dumps(
            {
                "name": self.name,
                "titles": titles,
                "sliders": sliders,
                "says": self.texts(),
                "columns": self.columns(),
                "spec": {"config": CONFIG} | self._drawn(),
            },
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
        )
        return made.replace("<", r"\u003c")  # no tag can end the script

    def _table(self) -> str:
        named = self._named(self.numbers())
        shown = {name: [_short(value) for value in c] for name, c in named.items()}
        return BookTable(columns=shown)._repr_mimebundle_()["text/html"]

    def _legend(self) -> str:
        entries = "".join(
            f"<li>{_swatch(curve, self._thick())}{html.escape(curve.name)}</li>"
            for curve in self.curves
        )
        return f'<ul class="book-chart-legend">{entries}</ul>'

    def _thick(self) -> bool:
        return any(layer["mark"]["type"] == "bar" for layer in self.marks)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        name = f"chart-{self.name}"
        named = f'aria-labelledby="{name}-title" aria-describedby="{name}-says"'
        page = (
            f'<div class="book-chart" id="{name}">'
            f'<p class="book-chart-title" id="{name}-title">'
            f"{html.escape(self.title)}</p>{self._legend()}"
            '<div class="book-chart-sliders"></div>'
            f'<div class="book-chart-drawing" role="img" {named}></div>'
            f'<p class="book-chart-says" id="{name}-says" role="status">'
            f"{html.escape(self.says(**self.start()))}</p>"
            '<details class="book-chart-numbers"><summary>The numbers</summary>'
            f"{self._table()}</details>"
            f'<script type="application/json">{self._travelling()}</script></div>'
        )
        return {"text/html": page, "text/plain": self.text()}


def _swatch(curve: Curve, thick: bool) -> str:
    dash = " ".join(map(str, DASHES[curve.dash])) if curve.dash else "none"
    return SWATCH.format(
        colour=colour(curve.role), width=8 if thick else 2.5, dash=dash
    )


def _short(value: Any) -> str:
    """Return a number with three digits, a whole one with all, or a name."""
    value = rounded(value)
    if isinstance(value, float):
        return f"{value:.3g}"
    return "–" if value is None else str(value)
