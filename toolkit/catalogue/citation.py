"""How to cite the book, a section and a figure: BibTeX, a line of text, CSL-JSON."""

from collections.abc import Mapping
from importlib import metadata
from typing import Any

from toolkit.catalogue.recipes import Recipe

DISTRIBUTION = "what-rl-does-toolkit"
BOOK = "What RL actually does to a model: an executable companion"
AUTHOR = "The companion's maintainers"
YEAR = 2026

ORIGINAL_BIBTEX = """@misc{antoniadis2026rl4llms,
  title = {{Reinforcement Learning for Language Models, from First Principles}},
  author = {Antoniadis, Ioannis},
  year = {2026},
  url = {https://github.com/ioannisantoniadis/rl-for-llms},
  note = {Chapter 11}
}
"""
"""The book whose chapter 11 this one accompanies. Cite it first."""


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


def cite_book() -> str:
    """Return the BibTeX entry of this book and its toolkit."""
    fields = {"title": f"{{{BOOK}}}", "author": f"{{{AUTHOR}}}"}
    return _bibtex("misc", f"whatrldoes{YEAR}", fields, site())


def cite_section(title: str, page: str) -> str:
    """Return the BibTeX entry of one section.

    Parameters
    ----------
    title
        As the page has it, e.g. ``"11.1 Sharpening or new capability?"``.
    page
        Page without its ending, e.g. ``"chapter11/sharpening"``.
    """
    fields = {
        "title": f"{{{title}}}",
        "author": f"{{{AUTHOR}}}",
        "booktitle": f"{{{BOOK}}}",
    }
    name = page.rpartition("/")[2].replace("-", "")
    address = f"{site()}/{page}.html" if site() else None
    return _bibtex("incollection", f"whatrldoes{YEAR}{name}", fields, address)


def cite_bibtex(recipe: Recipe) -> str:
    """Return the BibTeX entry of one figure."""
    fields = {
        "title": f"{{Figure {recipe.number}: {recipe.title}}}",
        "author": f"{{{AUTHOR}}}",
        "booktitle": f"{{{BOOK}}}",
    }
    key = f"whatrldoes{YEAR}{recipe.label.replace('-', '')}"
    return _bibtex("incollection", key, fields, anchor(recipe))


def cite_text(recipe: Recipe) -> str:
    """Return the citation of one figure as a line of text."""
    where = f" {anchor(recipe)}" if anchor(recipe) else ""
    return (
        f"{AUTHOR} ({YEAR}). Figure {recipe.number}: {recipe.title}. In {BOOK} "
        f"(version {version()}).{where}"
    )


def cite_csl(recipe: Recipe) -> dict[str, Any]:
    """Return the citation of one figure as a CSL-JSON item."""
    item = {
        "id": f"whatrldoes{YEAR}-{recipe.label}",
        "type": "figure",
        "title": f"Figure {recipe.number}: {recipe.title}",
        "author": [{"literal": AUTHOR}],
        "container-title": BOOK,
        "version": version(),
        "issued": {"date-parts": [[YEAR]]},
    }
    return item | ({"URL": anchor(recipe)} if anchor(recipe) else {})


def anchor(recipe: Recipe) -> str | None:
    """Return the figure's permanent address, where the book has one."""
    return f"{site()}/{recipe.page}.html#{recipe.label}" if site() else None


def _bibtex(kind: str, key: str, fields: Mapping[str, str], address: str | None) -> str:
    last = {"year": str(YEAR), "note": f"Version {version()}"}
    found = dict(fields) | last | ({"url": address} if address else {})
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in found.items())
    return f"@{kind}{{{key},\n{lines}\n}}\n"
