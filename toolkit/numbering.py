"""The number of a figure, and the label that stands for it on its page.

A number belongs to a series: 11.1 and 11.1.2 to the chapter, L1.2 to the first
laboratory, E.1 to the evaluation logs. Every series is a letter (or the chapter's 11),
and the label says all of the number, so that a figure keeps it when pages grow.
"""

import re

LABEL = re.compile(r"fig-((?:\d+-\d+(?:-\d+)?)|(?:[a-z]\d*-\d+))")
LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
LABORATORY = re.compile(r"Laboratory (\d+):")
SECTION = re.compile(r"\d+(?:\.\d+)*(?=\s)")


def figure_label(number: str) -> str:
    """Return the label of a figure from its number.

    Examples
    --------
    >>> figure_label("11.1.2"), figure_label("L1.2")
    ('fig-11-1-2', 'fig-l1-2')
    """
    return "fig-" + number.lower().replace(".", "-")


def figure_number(label: str) -> str | None:
    """Return the number that a label stands for, or None if it stands for none.

    Examples
    --------
    >>> figure_number("fig-11-1-2"), figure_number("fig-l1-2"), figure_number("fig-e-1")
    ('11.1.2', 'L1.2', 'E.1')
    >>> figure_number("fig-sharpening") is None
    True
    """
    match = LABEL.fullmatch(label)
    if match is None:
        return None
    return LEADING_ZEROS.sub("", match[1]).upper().replace("-", ".")


def page_number(title: str) -> str:
    """Return the number that a page's title gives it, or nothing.

    Examples
    --------
    >>> page_number("11.1 Sharpening"), page_number("Laboratory 3: Formats")
    ('11.1', 'L3')
    >>> page_number("Glossary")
    ''
    """
    if match := LABORATORY.match(title):
        return f"L{match[1]}"
    match = SECTION.match(title)
    return match[0] if match else ""
