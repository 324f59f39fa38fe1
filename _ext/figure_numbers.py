"""Number figures by their labels, and equations and tables by their page.

``fig-11-1`` is Figure 11.1 and ``fig-11-1-2`` is Figure 11.1.2, wherever they stand, so
that a figure keeps its number when other pages grow. Equations, tables and listings are
counted within a page: on the page titled "11.1 ...", the second equation is (11.1.2).
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
LABEL = re.compile(r"fig((?:-\d+){2,3})")
TITLE = re.compile(r"(\d+(?:\.\d+)*)\s")

Numbers = dict[str, dict[str, dict[str, tuple[int, ...]]]]


def figure_number(label: str) -> tuple[int, ...] | None:
    """Return the number that a label stands for, or None if it is not a number.

    >>> figure_number("fig-11-1-2")
    (11, 1, 2)
    >>> figure_number("fig-sharpening") is None
    True
    """
    match = LABEL.fullmatch(label)
    return tuple(map(int, match[1].split("-")[1:])) if match else None


def page_number(env: BuildEnvironment, docname: str) -> tuple[int, ...]:
    """Return the section number that a page's title begins with, or ``()``."""
    title = env.titles.get(docname)
    match = TITLE.match(title.astext()) if title else None
    return tuple(map(int, match[1].split("."))) if match else ()


def check_labels(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of a figure with a caption whose label gives it no number."""
    for figure in doctree.findall(nodes.figure):
        if not any(isinstance(child, nodes.caption) for child in figure):
            continue
        names = figure.get("names", [])
        if not any(figure_number(name) for name in names):
            LOGGER.warning(
                "a figure's label must look like fig-11-1 or fig-11-1-2, not %s",
                ", ".join(map(repr, names)) or "be left out",
                location=figure,
                type="figure_numbers",
            )


def keep_counted(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Give Sphinx its own count back, so that it sees what changed since."""
    env.toc_fignumbers = getattr(env, "counted_fignumbers", env.toc_fignumbers)
    return []


def number_by_label(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Replace the numbers that Sphinx counted; return the pages to write again."""
    env.counted_fignumbers = env.toc_fignumbers  # type: ignore[attr-defined]
    before: Numbers = getattr(env, "labelled_fignumbers", {})
    after: Numbers = {}
    owner: dict[tuple[int, ...], str] = {}
    for docname, kinds in env.toc_fignumbers.items():
        page = page_number(env, docname)
        after[docname] = {}
        for kind, ids in kinds.items():
            if kind == "figure":
                numbers = {
                    found: figure_number(found) or old for found, old in ids.items()
                }
                for found, number in numbers.items():
                    place = f"{docname}#{found}"
                    if owner.setdefault(number, place) != place:
                        LOGGER.warning(
                            "%s and %s have one number", owner[number], place
                        )
            else:
                numbers = {found: (*page, n) for n, found in enumerate(ids, start=1)}
            after[docname][kind] = numbers
    env.toc_fignumbers = after
    env.labelled_fignumbers = after  # type: ignore[attr-defined]
    return [name for name in after if after[name] != before.get(name)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the check and the two steps around Sphinx's own count."""
    app.connect("doctree-read", check_labels)
    app.connect("env-get-updated", keep_counted, priority=100)
    app.connect("env-get-updated", number_by_label, priority=900)
    return {"env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
