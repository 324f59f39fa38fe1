"""Figure of the evidence table: what rests on what."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from toolkit._checks import as_count
from toolkit.display import BookFigure, Panel
from toolkit.evidence.foundations import FOUNDATIONS
from toolkit.figures.curves import legend_below
from toolkit.style import COLOUR, INK, SHADES

FILLS = dict(
    zip(
        FOUNDATIONS,
        zip(
            (COLOUR["SFT"], SHADES[0], SHADES[1], SHADES[2], COLOUR["RL"]),
            ("", "//", "..", "", "xx"),
            strict=True,
        ),
        strict=True,
    )
)
"""Colour and hatching of what a claim rests on."""

SEEN, HEARD = "seen in the work", "second-hand"


def foundations_figure(
    kinds: Mapping[str, Mapping[str, int]],
    works: Mapping[str, tuple[int, int]],
    n_works: int = 10,
) -> BookFigure:
    """Return Figure 11.4.9: what claims of each kind rest on, and the works beneath.

    Parameters
    ----------
    kinds
        Number of claims by kind and by what they rest on at best.
    works
        Number of claims by the name of a work: seen in it, and second-hand. Most first.
    n_works
        How many works to draw, 1 or more.
    """
    n_works = as_count(n_works, "n_works", low=1)
    drawn = dict(list(works.items())[:n_works])

    def draw_kinds(ax: Axes) -> None:
        left = np.zeros(len(kinds))
        for name, (colour, hatch) in FILLS.items():
            n = np.array([counts.get(name, 0) for counts in kinds.values()])
            _bars(ax, list(kinds), n, left, colour, hatch, name)
            left += n
        ax.set_title("(a) what claims of each kind rest on")
        legend_below(ax, ncols=2)

    def draw_works(ax: Axes) -> None:
        seen, heard = np.array(list(drawn.values())).T
        colour, hatch = FILLS[FOUNDATIONS[-1]]
        none = np.zeros(len(seen))
        _bars(ax, list(drawn), seen, none, SHADES[0], "", SEEN)
        _bars(ax, list(drawn), heard, seen, colour, hatch, HEARD)
        ax.set_title("(b) the works that most claims cite")
        legend_below(ax, ncols=2)

    described = "; ".join(
        f"{kind}: " + ", ".join(f"{n} {name}" for name, n in _all(counts) if n)
        for kind, counts in kinds.items()
    )
    rows = [(kind, *found) for kind, counts in kinds.items() for found in _all(counts)]
    for name, n in drawn.items():
        rows += zip((name, name), (SEEN, HEARD), n, strict=True)
    first = ", ".join(f"{name} {sum(n)}" for name, n in list(drawn.items())[:3])
    return BookFigure(
        number="11.4.9",
        alt=(
            "Two panels of bars. (a) Number of claims by kind and by the surest thing "
            f"each rests on: {described}. (b) The {len(drawn)} works cited by most "
            f"claims, led by {first}; a part of each bar is known second-hand."
        ),
        panels=(
            Panel(draw=draw_kinds, size=(3.6, 3.0)),
            Panel(draw=draw_works, size=(3.6, 3.0)),
        ),
        table={
            "kind or work": np.array([name for name, _, _ in rows]),
            "rests on": np.array([on for _, on, _ in rows]),
            "claims": np.array([n for _, _, n in rows]),
        },
        numbers={f"{name}, {on}": float(n) for name, on, n in rows if name in kinds},
    )


def _bars(
    ax: Axes,
    names: list[str],
    n: np.ndarray,
    left: np.ndarray,
    colour: str,
    hatch: str,
    label: str,
) -> None:
    """Draw one segment of horizontal bars, the first name on top."""
    at = np.arange(len(names))[::-1]
    ax.barh(
        at, n, 0.7, left, color=colour, hatch=hatch, edgecolor=INK, lw=0.3, label=label
    )
    ax.set_yticks(at, names)
    ax.set(xlabel="claims")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(visible=False, axis="y")


def _all(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(name, counts.get(name, 0)) for name in FOUNDATIONS]
