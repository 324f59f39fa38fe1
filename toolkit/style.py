"""The look of every figure: one colour a role, in light and in dark.

The colours are Okabe and Ito's, nudged so that each has a contrast of 3:1 or more on
white and on the theme's dark background. Ink is whatever colour the page writes in.
"""

from pathlib import Path

STYLE_FILE = str(Path(__file__).with_name("book.mplstyle"))

INK = "#010203"  # stands for the page's text colour: becomes currentColor in inline SVG

COLOUR = {
    "base": "#767676",
    "RL": "#d55e00",
    "KL-regularised": "#0072b2",
    "SFT": "#00906a",
    "best": "#00906a",
    "theory": INK,
    "gained": "#0072b2",
    "lost": "#d55e00",
}
"""Colour of each role; the same role has the same colour on every page."""

SHADES = ("#0072b2", "#3b8bc4", "#7391ad", "#00906a", "#b0638f")
"""Colours for members of one family (five tasks, several beta), first one strongest."""

DASHES = ("solid", (0, (5, 1.5)), (0, (1.5, 1.5)), (0, (5, 1.5, 1.5, 1.5)), (0, (8, 3)))
"""Line patterns that tell the members of a family apart in grey."""
