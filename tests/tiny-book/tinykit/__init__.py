"""A package that the tiny book imports, for the tests of the build."""

ANSWER = 42


class Drawing:
    """A figure as the book shows it: one inline SVG, and its numbers as text."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        """Return both forms."""
        svg = (
            '<svg class="book-figure" role="img" aria-label="A line that rises" '
            'viewBox="0 0 400 200" width="400" height="200">'
            '<path d="M20 180 L380 20" stroke="#0072B2" fill="none"/>'
            '<text x="20" y="20" fill="currentColor">pass@k</text></svg>'
        )
        return {"text/html": svg, "text/plain": "k  base\n1  0.20"}
