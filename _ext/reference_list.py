"""How the works in a page's list of references look: by author and year, no numbers.

Each page has its own list, so a number would stand for different works on different
pages. The key of the entry is the label instead; the book's style sheet hides it.
"""

from collections.abc import Iterable, Iterator

from pybtex.database import Entry
from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style as UnsrtStyle
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx


class KeyLabels(BaseLabelStyle):
    """Label each work with its key."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        """Yield the labels in order."""
        return (entry.key for entry in sorted_entries)


class BookStyle(UnsrtStyle):
    """Sort by author, year and title."""

    default_label_style = "book_keys"
    default_sorting_style = "author_year_title"


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the style known by name."""
    register_plugin("pybtex.style.labels", "book_keys", KeyLabels)
    register_plugin("pybtex.style.formatting", "book", BookStyle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
