"""The house style of charts: the colours of the figures, and the page's own ink.

Colours stand for roles, as in ``toolkit.style``. Ink is ``currentColor``, so that a
chart follows the page from light to dark without being drawn again.
"""

from typing import Any

from toolkit.style import COLOUR, INK, SHADES

PAGE_INK = "currentColor"
DASHES = ((1, 0), (6, 2), (2, 2), (6, 2, 2, 2), (10, 3))
"""Line patterns that tell curves of one colour apart."""

HEIGHT = 240  # of the drawing, in pixels, without its axes

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "aria": False,  # the drawing is one picture, described beside it
    "view": {"stroke": None},
    "axis": {
        "domainColor": PAGE_INK,
        "grid": True,
        "gridColor": PAGE_INK,
        "gridOpacity": 0.15,
        "labelColor": PAGE_INK,
        "labelFontSize": 12,
        "labelOverlap": True,
        "tickColor": PAGE_INK,
        "titleColor": PAGE_INK,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
    },
    "axisX": {"grid": False},
    "axisBand": {"labelAngle": 0, "labelLimit": 110},
}


def colour(role: str) -> str:
    """Return the colour of a role, or of a member of a family: ``"1"`` to ``"5"``.

    Raises
    ------
    ValueError
        If there is no such role.

    Examples
    --------
    >>> colour("theory"), colour("RL") == COLOUR["RL"], colour("2") == SHADES[1]
    ('currentColor', True, True)
    """
    family = {str(i): shade for i, shade in enumerate(SHADES, start=1)}
    known = COLOUR | family
    if role not in known:
        raise ValueError(f"role must be one of {list(known)}, but it is {role!r}")
    return PAGE_INK if known[role] == INK else known[role]
