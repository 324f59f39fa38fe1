"""Recipe of the figure of the evidence table."""

from toolkit.catalogue.recipes import Recipe
from toolkit.display import BookFigure
from toolkit.evidence import load
from toolkit.evidence.foundations import count_foundations, count_works
from toolkit.evidence.works import works
from toolkit.figures.evidence import foundations_figure


def foundations(works_shown: int = 10) -> BookFigure:
    """Make Figure 11.4.9."""
    claims = load()
    cited = {works()[key].name: n for key, n in count_works(claims).items()}
    return foundations_figure(count_foundations(claims), cited, n_works=works_shown)


RECIPES = (
    Recipe(
        number="11.4.9",
        title="What rests on what: claims by kind and support, works by claims",
        page="chapter11/evidence",
        make=foundations,
        deviation="Counts of the rows of the evidence table; nothing is measured here.",
    ),
)
