"""Line drawings as inline SVG, for a report that needs no drawing library to open.

Ink is the page's text colour, so that a drawing is readable in light and in dark.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

WIDTH, HEIGHT = 640, 340
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 12, 48


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """One curve over k.

    Attributes
    ----------
    name
        As the legend says.
    k, y
        Its points.
    colour
        Of the line.
    dash
        Pattern of the line in SVG's terms, empty for a solid one.
    low, high
        Ends of a band around it, if there is one.
    """

    name: str
    k: Int[np.ndarray, " n"]
    y: Float[np.ndarray, " n"]
    colour: str
    dash: str = ""
    low: Float[np.ndarray, " n"] | None = None
    high: Float[np.ndarray, " n"] | None = None


def line_drawing(
    lines: Sequence[Line],
    *,
    y_label: str,
    alt: str,
    shaded: tuple[int, int] | None = None,
) -> str:
    """Return lines over k, on a logarithmic axis, as one SVG element with its legend.

    Parameters
    ----------
    lines
        What to draw.
    y_label
        Name of the upright axis, with its unit.
    alt
        What one sees, for a reader who cannot.
    shaded
        A range of k to shade.
    """
    ends = [a for line in lines for a in (line.y, line.low, line.high) if a is not None]
    ticks = _ticks(min(float(a.min()) for a in ends), max(float(a.max()) for a in ends))
    frame = _Frame(max(int(line.k[-1]) for line in lines), ticks[0], ticks[-1])
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{html.escape(alt)}" xmlns="http://www.w3.org/2000/svg">',
        *([frame.shade(*shaded)] if shaded else []),
        *map(frame.level, ticks),
        *(frame.mark_k(2**i) for i in range(frame.k_max.bit_length())),
        frame.names(y_label),
        *map(frame.draw, lines),
        "</svg>",
    ]
    return "".join(parts) + _legend(lines)


@dataclass(frozen=True)
class _Frame:
    """Where k and y are on the drawing."""

    k_max: int
    low: float
    high: float

    def x(self, k: Any) -> Any:
        share = np.log2(k) / max(np.log2(self.k_max), 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, y: Any) -> Any:
        return TOP + (self.high - y) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)

    def shade(self, first: int, last: int) -> str:
        left, right = self.x(first), self.x(last)
        return (
            f'<rect class="shaded" x="{left:.1f}" y="{TOP}" '
            f'width="{max(right - left, 2):.1f}" height="{HEIGHT - TOP - BOTTOM}"/>'
        )

    def level(self, y: float) -> str:
        kind = "grid" if y else "zero"
        at = self.y(y)
        return (
            f'<path class="{kind}" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>'
            f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>'
        )

    def mark_k(self, k: int) -> str:
        return (
            f'<text x="{self.x(k):.1f}" y="{HEIGHT - BOTTOM + 18}" '
            f'text-anchor="middle">{k}</text>'
        )

    def names(self, y_label: str) -> str:
        turned = f"translate(14 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)"
        return (
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" '
            'text-anchor="middle">samples per problem, k</text>'
            f'<text transform="{turned}" text-anchor="middle">{html.escape(y_label)}'
            "</text>"
        )

    def draw(self, line: Line) -> str:
        x, band = self.x(line.k), ""
        if line.low is not None and line.high is not None:
            there = _points(x, self.y(line.high))
            back = _points(x[::-1], self.y(line.low[::-1]))
            band = (
                f'<path d="M{there}L{back}Z" fill="{line.colour}" fill-opacity=".2"/>'
            )
        return (
            f'{band}<path d="M{_points(x, self.y(line.y))}" fill="none" '
            f'stroke="{line.colour}" stroke-width="2" stroke-dasharray="{line.dash}"/>'
        )


def _legend(lines: Sequence[Line]) -> str:
    entries = "".join(
        '<li><svg viewBox="0 0 28 8" aria-hidden="true"><path d="M0 4H28" '
        f'stroke="{line.colour}" stroke-width="2" '
        f'stroke-dasharray="{line.dash}"/></svg>'
        f" {html.escape(line.name)}</li>"
        for line in lines
    )
    return f'<ul class="legend">{entries}</ul>'


def _points(x: np.ndarray, y: np.ndarray) -> str:
    return "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers from at or below ``low`` to at or above ``high``.

    >>> _ticks(0.02, 0.17)
    [0.0, 0.05, 0.1, 0.15, 0.2]
    """
    span = max(high - low, 1e-6)
    size = 10.0 ** np.floor(np.log10(span / 4))
    step = float(size * min(m for m in (1, 2, 5, 10) if span / (m * size) <= 5.5))
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]
