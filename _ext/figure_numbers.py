"""Number figures by their labels, and equations and tables by their page.

``fig-11-1`` is Figure 11.1, ``fig-11-1-2`` is Figure 11.1.2 and ``fig-l1-2`` is Figure
L1.2, wherever they stand, so that a figure keeps its number when other pages grow.
Equations, tables and listings are counted within a page: on the page
titled "11.1 ...", the second equation is (11.1.2).
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from toolkit.numbering import figure_number, page_number

LOGGER = logging.getLogger(__name__)

Number = tuple[int | str, ...]  # Sphinx joins the parts with dots
Numbers = dict[str, dict[str, dict[str, Number]]]


def parts(number: str) -> Number:
    """Return a number as Sphinx keeps it."""
    return tuple(number.split(".")) if number else ()


def first_part(env: BuildEnvironment, docname: str) -> Number:
    """Return what a page's title puts before the counts of its equations."""
    title = env.titles.get(docname)
    return parts(page_number(title.astext())) if title else ()


def check_labels(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of a figure with a caption whose label gives it no number."""
    for figure in doctree.findall(nodes.figure):
        if not any(isinstance(child, nodes.caption) for child in figure):
            continue
        names = figure.get("names", [])
        if not any(figure_number(name) for name in names):
            LOGGER.warning(
                "a figure's label must look like fig-11-1, fig-11-1-2 or fig-l1-2, "
                "not %s",
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
    owner: dict[Number, str] = {}
    for docname, kinds in env.toc_fignumbers.items():
        page = first_part(env, docname)
        after[docname] = {}
        for kind, ids in kinds.items():
            if kind == "figure":
                numbers = {
                    found: parts(figure_number(found) or "") or old
                    for found, old in ids.items()
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
