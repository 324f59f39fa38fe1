"""How to cite one figure: BibTeX, a line of text and CSL-JSON."""

from importlib import metadata
from typing import Any

from toolkit.catalogue.recipes import Recipe

DISTRIBUTION = "what-rl-does-toolkit"
BOOK = "What RL actually does to a model: an executable companion"
AUTHOR = "The companion's maintainers"
YEAR = 2026


def version() -> str:
    """Return the version of the book and its toolkit."""
    return metadata.version(DISTRIBUTION)


def site() -> str | None:
    """Return the book's address, where one is set in ``pyproject.toml``."""
    for line in metadata.metadata(DISTRIBUTION).get_all("Project-URL") or []:
        name, _, address = line.partition(", ")
        if name == "Documentation":
            return address.rstrip("/")
    return None


def anchor(recipe: Recipe) -> str:
    """Return where the figure stands: an address if the book has one, else a path."""
    place = f"{recipe.page}.html#{recipe.label}"
    address = site()
    return f"{address}/{place}" if address else place


def cite_text(recipe: Recipe) -> str:
    """Return the citation as one line of text."""
    where = f" {anchor(recipe)}" if site() else ""
    return (
        f"{AUTHOR} ({YEAR}). Figure {recipe.number}: {recipe.title}. In {BOOK} "
        f"(version {version()}).{where}"
    )


def cite_bibtex(recipe: Recipe) -> str:
    """Return the citation as a BibTeX entry."""
    fields = {
        "title": f"{{Figure {recipe.number}: {recipe.title}}}",
        "author": f"{{{AUTHOR}}}",
        "booktitle": f"{{{BOOK}}}",
        "year": str(YEAR),
        "note": f"Version {version()}",
    }
    if site():
        fields["url"] = anchor(recipe)
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    key = f"whatrldoes{YEAR}{recipe.label.replace('-', '')}"
    return f"@incollection{{{key},\n{lines}\n}}\n"


def cite_csl(recipe: Recipe) -> dict[str, Any]:
    """Return the citation as a CSL-JSON item."""
    item = {
        "id": f"whatrldoes{YEAR}-{recipe.label}",
        "type": "figure",
        "title": f"Figure {recipe.number}: {recipe.title}",
        "author": [{"literal": AUTHOR}],
        "container-title": BOOK,
        "version": version(),
        "issued": {"date-parts": [[YEAR]]},
    }
    return item | ({"URL": anchor(recipe)} if site() else {})
