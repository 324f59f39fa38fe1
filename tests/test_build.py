"""The machinery of the book, on a tiny book of two pages."""

import importlib
import json
import os
import re
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml
from conftest import ROOT, TinyBook

pytestmark = pytest.mark.slow

RUN_AT = re.compile(r"run at (\d+)")


def when_run(book: TinyBook) -> str:
    """Return the time that the page says it was run at."""
    match = RUN_AT.search(book.html())
    assert match, "the page shows no result"
    return match[1]


def pages(book: TinyBook) -> dict[str, bytes]:
    """Return the content of every HTML page."""
    site = book.folder / "_build" / "html"
    return {
        str(path.relative_to(site)): path.read_bytes() for path in site.rglob("*.html")
    }


def test_an_unchanged_book_is_not_run_again(tiny_book):
    assert tiny_book.build().returncode == 0
    first = when_run(tiny_book)
    page = tiny_book.folder / "chapter11" / "one.md"
    page.write_text(page.read_text() + "\nMore prose.\n")
    assert tiny_book.build().returncode == 0
    assert "More prose" in tiny_book.html()
    assert when_run(tiny_book) == first


def test_a_change_in_the_package_reaches_the_page(tiny_book):
    assert tiny_book.build().returncode == 0
    assert 'class="pasted-text glued-answer">42<' in tiny_book.html()
    tiny_book.edit("tinykit/__init__.py", "ANSWER = 42", "ANSWER = 43")
    assert tiny_book.build().returncode == 0
    assert 'class="pasted-text glued-answer">43<' in tiny_book.html()
    assert "the home page says 43" in tiny_book.html("chapter11/index")


def test_a_change_in_the_package_reaches_the_page_without_our_driver(tiny_book):
    command = ["-c", "from jupyter_book.cli.main import main; main()", "build", "."]
    python = sys.executable
    assert tiny_book.run(python, *command).returncode == 0
    tiny_book.edit("tinykit/__init__.py", "ANSWER = 42", "ANSWER = 43")
    assert tiny_book.run(python, *command).returncode == 0
    assert 'class="pasted-text glued-answer">43<' in tiny_book.html()


def test_old_results_are_not_kept(tiny_book):
    old = tiny_book.folder / "_build" / ".jupyter_cache" / "of-an-older-toolkit"
    old.mkdir(parents=True)
    os.utime(old, (0, 0))
    assert tiny_book.build().returncode == 0
    assert len(list(old.parent.iterdir())) == 1
    assert not old.exists()


@pytest.mark.parametrize(
    "file", ["tinykit/__init__.py", "tinykit/data.csv", "lock.txt"]
)
def test_results_depend_on_code_and_data_and_lock(tiny_book, file, monkeypatch):
    monkeypatch.delitem(sys.modules, "tinykit", raising=False)  # another test's
    monkeypatch.syspath_prepend(str(tiny_book.folder))
    monkeypatch.syspath_prepend(str(ROOT / "_ext"))
    toolkit_cache = importlib.import_module("toolkit_cache")
    path, lock = tiny_book.folder / file, tiny_book.folder / "lock.txt"

    def now() -> str:
        return toolkit_cache.fingerprint(["tinykit"], lock)

    before = now()
    assert now() == before
    path.write_text((path.read_text() if path.exists() else "") + "\n# more\n")
    assert now() != before


@pytest.mark.parametrize(
    "broken", ["1 / 0", "import warnings; warnings.warn('look out')"]
)
def test_a_failing_cell_fails_the_build(tiny_book, broken):
    tiny_book.edit("chapter11/one.md", "import time\n", f"import time\n{broken}\n")
    assert tiny_book.build().returncode != 0


def test_notebooks_are_run_together_before_they_are_read(tiny_book):
    said = tiny_book.build().stdout
    assert "running 2 notebooks" in said
    assert said.count("Using cached notebook") == 2


def test_a_notebook_that_fails_among_others_is_named(tiny_book):
    tiny_book.edit("chapter11/index.md", "import tinykit\n", "import tinykit\n1 / 0\n")
    result = tiny_book.build()
    assert result.returncode != 0
    assert "index.md" in result.stdout
    assert "ZeroDivisionError" in result.stdout


def test_a_failing_cell_fails_a_build_without_our_driver(tiny_book):
    tiny_book.edit("chapter11/one.md", "import time\n", "import time\n1 / 0\n")
    python = sys.executable
    command = ["-c", "from jupyter_book.cli.main import main; main()", "build", "."]
    assert tiny_book.run(python, *command).returncode != 0


WRONG = ["{numref}`fig-11-9`", "{cite}`nobody2025`", "[x](nowhere.md)", "{eq}`eq-none`"]


def test_a_reference_to_nothing_fails_the_build(tiny_book):
    tiny_book.edit("chapter11/index.md", "# Home", "# Home\n\n" + " ".join(WRONG))
    result = tiny_book.build()
    assert result.returncode != 0
    for target in ("fig-11-9", "nobody2025", "nowhere.md", "eq-none"):
        assert re.search(f"WARNING:.*{target}", result.stdout), target


def test_two_clean_builds_give_the_same_pages(tiny_book):
    tiny_book.edit("chapter11/one.md", "run at {time.time_ns()}", "run")
    assert tiny_book.build(clean=True).returncode == 0
    first = pages(tiny_book)
    assert tiny_book.build(clean=True).returncode == 0
    assert pages(tiny_book) == first


def test_figures_are_numbered_by_their_labels(built_tiny_book):
    page, home = built_tiny_book.html(), built_tiny_book.html("chapter11/index")
    captions = re.findall(r'class="caption-number">([^<]*)<', page)
    assert captions == ["Figure 11.1 ", "Figure 11.1.2 "]
    links = re.findall(r'href="([^"]*)"><span class="std std-numref">([^<]*)<', home)
    assert links == [
        ("one.html#fig-11-1", "Figure 11.1"),
        ("one.html#fig-11-1-2", "Figure 11.1.2"),
    ]


def test_equations_are_counted_within_their_page(built_tiny_book):
    page, home = built_tiny_book.html(), built_tiny_book.html("chapter11/index")
    assert re.findall(r'class="eqno">\(([\d.]*)\)', page) == ["11.1.1", "11.1.2"]
    assert 'href="one.html#equation-eq-gibbs">(11.1.1)</a>' in home


FIGURE = "```{{figure}} ../_static/favicon.svg\n:name: {}\n:alt: Lines\n\nNew.\n```"
BAD_LABELS = ["fig-sharpening", "fig-11", "fig-11-1-2-3"]


def test_numbers_stay_when_another_page_grows(tiny_book):
    assert tiny_book.build().returncode == 0
    figure = FIGURE.format("fig-11-0-1")
    tiny_book.edit("chapter11/index.md", "# Home", f"# Home\n\n{figure}")
    result = tiny_book.build()
    assert result.returncode == 0, result.stdout
    assert "Figure 11.0.1 " in tiny_book.html("chapter11/index")
    assert "Figure 11.1.2 " in tiny_book.html()


def test_a_label_that_gives_no_number_of_its_own_fails_the_build(tiny_book):
    figures = "\n\n".join(map(FIGURE.format, [*BAD_LABELS, "fig-11-01"]))
    tiny_book.edit("chapter11/index.md", "# Home", f"# Home\n\n{figures}")
    result = tiny_book.build()
    assert result.returncode != 0
    for label in BAD_LABELS:
        assert re.search(f"WARNING: a figure's label .* '{label}'", result.stdout)
    assert "have one number" in result.stdout  # fig-11-01 is fig-11-1


def test_a_figure_is_inline_and_in_a_figure_element(built_tiny_book):
    figures = re.findall(r"<figure.*?</figure>", built_tiny_book.html(), re.DOTALL)
    assert len(figures) == 2
    for figure in figures:
        assert '<svg class="book-figure" role="img" aria-label=' in figure
        assert "<figcaption>" in figure


def test_citations_lead_to_the_list_on_their_own_page(built_tiny_book):
    for name in ("chapter11/one", "chapter11/index"):
        html = built_tiny_book.html(name)
        cited = re.findall(r'class="bibtex-citation".*?</span>', html, re.DOTALL)
        targets = re.findall(r'href="([^"]*)"', " ".join(cited))
        assert targets, f"{name} cites nothing"
        for target in targets:
            assert target.startswith("#")
            assert f'id="{target[1:]}"' in html


def test_every_page_says_the_version(built_tiny_book):
    for name in ("chapter11/one", "chapter11/index", "search"):
        assert "Version 7.8.9" in built_tiny_book.html(name)


HOSTED = re.compile(r"mybinder|colab|jupyterhub|thebe", re.IGNORECASE)


def test_no_link_ships_that_needs_an_unknown_address(built_tiny_book):
    html = built_tiny_book.html()
    assert "source-repository-button" not in html
    assert "source-edit-button" not in html
    assert "source-issues-button" not in html
    assert 'rel="canonical"' not in html
    assert not HOSTED.search(html)
    links = re.findall(r'(?:href|src|action)="(\w+:[^"]*)"', html)
    assert {link.split("/")[2] for link in links} == {"arxiv.org"}


def test_a_known_repository_brings_its_links(tiny_book):
    tiny_book.set_urls('Repository = "https://github.com/somebody/something/"')
    result = tiny_book.build()
    assert result.returncode == 0, result.stdout
    links = set(re.findall(r'href="(https://github.com/[^"]*)"', tiny_book.html()))
    where = "https://github.com/somebody/something"
    assert where in links
    assert f"{where}/edit/main/chapter11/one.md" in links
    assert any(link.startswith(f"{where}/issues/new?") for link in links)
    assert 'rel="canonical"' not in tiny_book.html()


def test_a_known_site_brings_canonical_addresses(tiny_book):
    tiny_book.set_urls('Documentation = "https://somebody.example/book"')
    assert tiny_book.build().returncode == 0
    canonical = (
        'rel="canonical" href="https://somebody.example/book/chapter11/one.html"'
    )
    assert canonical in tiny_book.html()
    assert "source-repository-button" not in tiny_book.html()


def test_no_address_is_set_that_nobody_has_opened():
    # Filled in when they are known; until then nothing may lead there.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, url in project.get("urls", {}).items():
        assert name in {"Repository", "Documentation"}
        assert url.startswith("https://")


def test_the_lock_names_no_machine_and_no_registry():
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (ROOT / name).read_text()
        assert not re.search(
            r"://|file:|index-url|find-links|(^|\s)/", text, re.MULTILINE
        )
        for line in text.splitlines():
            assert re.match(
                r"#|-e \.$|-r requirements.txt$|[a-z0-9.-]+==\S+( ; .*)?$", line
            )


def test_the_lock_satisfies_the_ranges_of_the_project():
    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    locked = dict(line.split(" ;")[0].split("==") for line in lines if "==" in line)
    extras = project["optional-dependencies"]
    for wanted in map(
        Requirement, project["dependencies"] + extras["book"] + extras["test"]
    ):
        assert wanted.specifier.contains(locked[wanted.name.lower()]), wanted


def test_the_citation_file_is_valid_and_agrees_with_the_project():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    schema = json.loads((ROOT / "tests" / "schemas" / "cff-1.2.0.json").read_text())
    checker = jsonschema.Draft7Validator(schema)
    assert [error.message for error in checker.iter_errors(citation)] == []
    assert not checker.is_valid({**citation, "authors": []})  # it does refuse
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    book = citation["preferred-citation"]
    assert book["type"] == "book"
    assert citation["title"] == book["title"] == config["title"]
    assert citation["version"] == book["version"] == project["version"]
    assert citation["authors"] == project["authors"]
    assert citation["references"][0]["authors"] == [
        {"family-names": "Antoniadis", "given-names": "Ioannis"}
    ]


def test_every_entry_of_the_bibliography_has_a_title_and_a_year():
    from pybtex.database import parse_file

    entries = parse_file(str(Path(ROOT, "references.bib"))).entries
    assert len(entries) > 40
    for key, entry in entries.items():
        assert {"title", "year"} <= set(entry.fields), key


def test_a_changed_style_sheet_reaches_a_site_whose_pages_did_not_change(tiny_book):
    assert tiny_book.build().returncode == 0
    sheet = "_static/book.css"
    with (tiny_book.folder / sheet).open("a") as file:
        file.write("\n.new-rule { color: red; }\n")
    assert tiny_book.build().returncode == 0
    assert ".new-rule" in (tiny_book.folder / "_build" / "html" / sheet).read_text()
