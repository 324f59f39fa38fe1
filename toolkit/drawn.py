"""What a drawing holds: its numbers, read back from the axes, and a checksum of them.

Stored notebooks are compared by their text, never by images. So a figure's text form
ends with checksums: a number that changes in the drawing changes the text.
"""

import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOISE = 1e-9  # of the largest number beside it; what is smaller counts as zero


def drawn_on(axes: "Axes") -> dict[str, list[Any]]:
    """Return what is drawn on the axes: arrays in data units, and words, by kind.

    Parameters
    ----------
    axes
        Axes with lines, bars, areas (or points) and images.
    """
    bars = [(bar.get_patch_transform(), bar.get_path()) for bar in axes.patches]
    named = [str(artist.get_label()) for artist in (*axes.lines, *axes.collections)]
    return {
        "lines": [line.get_xydata() for line in axes.lines],
        "bars": [move.transform_path(path).vertices for move, path in bars],
        "areas": [_area(area) for area in axes.collections],
        "images": [image.get_array() for image in axes.images],
        "words": [name for name in named if not name.startswith("_")]
        + [text.get_text() for text in axes.texts],
    }


def _area(area: Any) -> np.ndarray:
    """Return outlines, places and values of filled areas or points."""
    parts = [path.vertices for path in area.get_paths()]
    parts += [area.get_offsets(), area.get_array()]
    return np.concatenate([np.ravel(part) for part in parts if part is not None])


def checksum(columns: Iterable[Any]) -> str:
    """Return eight characters that change with any third digit or word.

    Rounding noise leaves them alone, so that they agree between machines.

    Parameters
    ----------
    columns
        Arrays of numbers or of text.

    Examples
    --------
    >>> at_first = checksum([[0.5, 0.0]])
    >>> checksum([[0.5 + 1e-15, 1e-17]]) == at_first
    True
    >>> checksum([[0.501, 0.0]]) == at_first
    False
    """
    lines = "\n".join(" ".join(_rounded(np.asarray(column))) for column in columns)
    return f"{zlib.crc32(lines.encode()):08x}"


def _rounded(column: np.ndarray) -> list[str]:
    if column.dtype.kind not in "fiub":
        return [str(value) for value in column.flat]
    values = column.astype(float).ravel()
    largest = np.abs(values[np.isfinite(values)]).max(initial=0)
    values[np.abs(values) < NOISE * largest] = 0
    # A tie such as 0.0625 would be rounded up on one machine, down on another.
    return [f"{value * (1 + NOISE):z.3g}" for value in values]
