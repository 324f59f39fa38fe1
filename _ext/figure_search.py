"""Let the search find a figure by its number and by its title."""

from collections.abc import Iterator

from sphinx.application import Sphinx

from toolkit.catalogue import recipes


def add_figures(app: Sphinx) -> Iterator[tuple[str, dict[str, str], str]]:
    """Add every figure to what the search knows as titles, before that is written."""
    indexer = getattr(app.builder, "indexer", None)
    places = app.env.get_domain("std").anonlabels
    for recipe in recipes().values() if indexer else ():
        if recipe.label not in places:
            continue
        page, anchor = places[recipe.label]
        number = f"Figure {recipe.number}"
        titles = indexer._all_titles.setdefault(page, [])
        for title in (number, f"{number}: {recipe.title}"):
            if (title, anchor) not in map(tuple, titles):
                titles.append((title, anchor))
    yield from ()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step; it makes no page of its own."""
    app.connect("html-collect-pages", add_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
