"""Under every figure of the built book: number, caption, description, and its files."""

import csv
import html
import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from toolkit.catalogue import recipes
from toolkit.numbering import figure_label, figure_number

pytestmark = pytest.mark.slow

FIGURE = re.compile(r"<figure\b(.*?)</figure>(.*?)(?=<figure\b|$)", re.DOTALL)
ENDINGS = {"bib", "csv", "json", "pdf", "png", "svg"}
ROWS = ["Reproduces", "How it differs", "Files", "Make it", "Settings", "Versions"]
ROWS += ["On another machine", "Cite", "BibTeX", "CSL-JSON"]


class Figure(NamedTuple):
    """A figure of a page, and what follows it."""

    page: Path
    inside: str
    after: str

    @property
    def label(self) -> str:
        """Return the figure's anchor."""
        return re.search(r'\bid="([^"]*)"', self.inside)[1]


@pytest.fixture(scope="module")
def figures(book_site: Path) -> list[Figure]:
    """Return every figure of every page."""
    return [
        Figure(page, *found)
        for page in sorted(book_site.glob("chapter11/**/*.html"))
        for found in FIGURE.findall(page.read_text())
    ]


def block(figure: Figure) -> str:
    """Return the block under a figure."""
    found = re.match(
        r'\s*(?:</div>\s*)*<details class="figure-block">.*?</details>'
        r'<p class="figure-block-print">.*?</p>',
        figure.after,
        re.DOTALL,
    )
    assert found, f"{figure.label} has no block"
    return found[0]


def test_every_figure_of_the_catalogue_is_on_its_page_and_no_other(figures, book_site):
    on_pages = {
        (figure.page.relative_to(book_site).with_suffix("").as_posix(), figure.label)
        for figure in figures
    }
    listed = {(recipe.page, recipe.label) for recipe in recipes().values()}
    assert on_pages == listed
    assert len(figures) == len(on_pages)


def test_every_figure_has_a_number_and_a_caption(figures):
    for figure in figures:
        number = re.search(r'"caption-number">Figure ([\w.]+) <', figure.inside)
        assert figure_label(number[1]) == figure.label
        caption = re.search(r'"caption-text">(.*)</span>', figure.inside, re.DOTALL)
        assert len(re.sub(r"<[^>]*>", "", caption[1]).split()) > 3, figure.label


def test_every_figure_is_described_with_its_numbers(figures):
    for figure in figures:
        found = re.search(r'role="img" aria-label="([^"]*)"', figure.inside)
        text = html.unescape(found[1])
        number = figure_number(figure.label)
        assert text.startswith(f"Figure {number}."), figure.label
        assert re.search(r"\d", text.removeprefix(f"Figure {number}.")), figure.label
        assert len(text) > 80, figure.label


def test_every_block_is_complete_and_folded(figures):
    for figure in figures:
        found = block(figure)
        assert re.findall(r"<dt>(.*?)</dt>", found) == ROWS
        assert re.findall(r"<dd>\s*</dd>", found) == []
        assert "<details open" not in found
        number = figure_number(figure.label)
        assert f"python -m toolkit figure {number}</code>" in found


def test_every_block_leads_to_six_files_that_are_what_they_say(figures):
    for figure in figures:
        links = re.findall(r'<a href="([^"]*)" download>', block(figure))
        files = [(figure.page.parent / link).resolve() for link in links]
        assert {path.suffix[1:] for path in files} == ENDINGS
        for path in files:
            assert path.stat().st_size > 100, path
            assert path.stem == figure.label.replace("fig", "figure")
        content = {path.suffix[1:]: path.read_bytes() for path in files}
        assert content["png"].startswith(b"\x89PNG")
        assert content["pdf"].startswith(b"%PDF")
        assert b"<svg" in content["svg"][:2000]
        record = json.loads(content["json"])
        assert record["variant"] == ""
        assert record["numbers"], figure.label
        lines = content["csv"].decode().splitlines()
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        assert len(rows) > 1, figure.label
        assert {len(row) for row in rows} == {len(rows[0])}


def test_the_citations_of_a_figure_agree(figures):
    from pybtex.database import parse_string

    for figure in figures:
        found = block(figure)
        terms = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", found, re.DOTALL))
        unfolded = {
            name: html.unescape(re.sub(r"</?pre>", "", value))
            for name, value in terms.items()
        }
        entry = next(iter(parse_string(unfolded["BibTeX"], "bibtex").entries.values()))
        item = json.loads(unfolded["CSL-JSON"])
        assert entry.fields["title"] == f"{{{item['title']}}}"
        assert item["title"] in unfolded["Cite"]
        assert f"(version {item['version']})" in unfolded["Cite"]
        assert f'print">{html.escape(unfolded["Cite"])}</p>' in found
