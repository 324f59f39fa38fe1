import csv
import html
import json
import re
from pathlib import Path

import pytest
from numpy.testing import assert_allclose
from pybtex.database import parse_string

from toolkit.catalogue import check, find_recipe, recipes
from toolkit.catalogue.block import block
from toolkit.catalogue.citation import (
    ORIGINAL_BIBTEX,
    cite_bibtex,
    cite_book,
    cite_csl,
    cite_section,
    cite_text,
)
from toolkit.catalogue.files import as_csv, as_json, write_files

ROOT = Path(__file__).parent.parent
SOME = ["11.0.1", "11.1.2", "11.1.6"]


@pytest.fixture(scope="module")
def figures():
    return {number: recipe.figure() for number, recipe in recipes().items()}


def test_every_figure_of_a_page_has_a_recipe_and_every_recipe_a_figure():
    on_pages = {}
    for page in (ROOT / "chapter11").rglob("*.md"):
        labels = re.findall(r"^\s+name: (fig-\S*)$", page.read_text(), re.M)
        name = page.relative_to(ROOT).with_suffix("").as_posix()
        on_pages |= dict.fromkeys(labels, name)
    in_catalogue = {recipe.label: recipe.page for recipe in recipes().values()}
    assert in_catalogue == on_pages


def test_a_recipe_makes_the_figure_of_its_number():
    for number in SOME:
        assert find_recipe(number).figure().number == number


def test_an_unknown_figure_is_refused_with_the_list_of_figures():
    with pytest.raises(ValueError, match=r"no figure '7'; the figures are: 11\.0\.1"):
        find_recipe("7")


def test_an_unknown_setting_is_refused_with_the_list_of_settings():
    with pytest.raises(ValueError, match=r"no setting 'gamma'; it has: prompt_beta"):
        find_recipe("11.1.2").figure(gamma=1)


def test_a_changed_setting_changes_the_figure():
    recipe = find_recipe("11.1.2")
    changed = recipe.figure(prompt_beta=(2.0,))
    assert set(changed.table["beta"]) == {"β = 2"}
    assert set(recipe.figure().table["beta"]) == {"β = 1", "β = 0.5", "β = 0.15"}


def test_the_files_hold_the_numbers_drawn(tmp_path):
    recipe = find_recipe("11.1.2")
    figure = recipe.figure()
    written = write_files(recipe, figure, {}, tmp_path)
    endings = {path.suffix for path in written}
    assert endings == {".svg", ".png", ".pdf", ".csv", ".json", ".bib"}
    assert {path.stem for path in tmp_path.iterdir()} == {"figure-11-1-2"}
    lines = (tmp_path / "figure-11-1-2.csv").read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert_allclose([float(row["p*"]) for row in rows], figure.table["p*"])


def test_a_figure_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    recipe = find_recipe("11.1.2")
    figure = recipe.figure()

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("toolkit.catalogue.files.as_json", fail)
    with pytest.raises(OSError, match="no space left"):
        write_files(recipe, figure, {}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_images_are_the_same_bytes_twice():
    figure = find_recipe("11.1.2").figure()
    first, second = figure.images(), figure.images()
    assert first == second
    assert first["svg"].startswith(b"<?xml")
    assert first["png"].startswith(b"\x89PNG")
    assert first["pdf"].startswith(b"%PDF")


def test_the_json_says_what_was_made_and_how():
    recipe = find_recipe("11.1.2")
    changed = {"prompt_beta": (2.0,)}
    record = json.loads(as_json(recipe, recipe.figure(**changed), changed))
    wanted = {"figure", "title", "settings", "numbers", "versions", "citation"}
    assert wanted <= set(record)
    assert record["settings"] == {"prompt_beta": [2.0]}
    assert "prompt_beta = (2.0,)" in record["variant"]
    assert all(set(n) == {"value", "digits"} for n in record["numbers"].values())


def test_only_a_variant_is_called_one():
    recipe = find_recipe("11.1.2")
    figure = recipe.figure()
    assert json.loads(as_json(recipe, figure, {}))["variant"] == ""
    assert "variant" not in as_csv(recipe, figure, {})
    assert "A variant" in as_csv(recipe, figure, {"prompt_beta": (2.0,)})


def test_a_citation_names_figure_book_and_version():
    recipe = find_recipe("11.1")
    for text in (cite_text(recipe), cite_bibtex(recipe), json.dumps(cite_csl(recipe))):
        assert "Figure 11.1" in text
        assert "executable companion" in text
        assert re.search(r"\d+\.\d+\.\d+", text)


@pytest.mark.parametrize("site", [None, "https://book.example/en"])
def test_a_permanent_anchor_appears_only_with_an_address(site, monkeypatch):
    monkeypatch.setattr("toolkit.catalogue.citation.site", lambda: site)
    recipe = find_recipe("11.1")
    anchor = "https://book.example/en/chapter11/sharpening.html#fig-11-1"
    for text in (cite_text(recipe), cite_bibtex(recipe), json.dumps(cite_csl(recipe))):
        assert (anchor in text) == bool(site)
        assert site or "http" not in text


def test_every_stored_number_is_computed_again(figures):
    for recipe in recipes().values():
        comparisons = check.compare(recipe, figures[recipe.number])
        assert comparisons
        assert [c for c in comparisons if not c.agrees] == []


@pytest.mark.parametrize(
    ("stored", "computed", "digits", "agrees"),
    [
        (0.4228, 0.4229, 2, True),
        (0.4228, 0.4329, 2, True),
        (0.4228, 0.4529, 2, False),
        (0.4228, 0.4229, 6, False),
        (0.0, 1e-9, 6, True),
        (float("nan"), 0.4, 2, False),
        (0.4, float("nan"), 2, False),
        (float("nan"), float("nan"), 2, False),
    ],
)
def test_a_number_agrees_within_its_digits(stored, computed, digits, agrees):
    comparison = check.Comparison(
        figure="11.1", name="n", stored=stored, computed=computed, digits=digits
    )
    assert comparison.agrees is agrees


def test_the_block_links_every_file_that_is_written(tmp_path):
    recipe = find_recipe("11.1.2")
    made = block(recipe, "../figures")
    written = {p.name for p in write_files(recipe, recipe.figure(), {}, tmp_path)}
    assert set(re.findall(r'href="\.\./figures/([^"]+)"', made)) == written


def test_the_block_says_what_is_reproduced_how_it_differs_and_how_to_cite_it():
    recipe = find_recipe("11.1")
    made = html.unescape(block(recipe, "figures"))
    told = (recipe.reproduces, recipe.deviation, cite_text(recipe))
    assert all(text in made for text in (*told, "python -m toolkit figure 11.1"))
    assert "expect 2 significant digits" in made
    assert made.startswith("<details")
    assert f'<p class="figure-block-print">{cite_text(recipe)}</p>' in made


def test_every_recipe_draws_what_its_page_draws(figures):
    for recipe in recipes().values():
        stored = ROOT / "tests" / "references" / f"{Path(recipe.page).name}.ipynb"
        outputs = [
            "".join(output["data"].get("text/plain", ""))
            for cell in json.loads(stored.read_text("utf-8"))["cells"]
            for output in cell.get("outputs", [])
            if "data" in output
        ]
        opening = f"Figure {recipe.number}. "
        (on_page,) = (text for text in outputs if text.startswith(opening))
        assert on_page == figures[recipe.number].text()


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        (ORIGINAL_BIBTEX, "misc"),
        (cite_book(), "misc"),
        (cite_section("11.1 Sharpening", "chapter11/sharpening"), "incollection"),
        (cite_bibtex(find_recipe("11.1")), "incollection"),
    ],
)
def test_every_bibtex_entry_is_read_by_a_bibtex_parser(entry, kind):
    (parsed,) = parse_string(entry, "bibtex").entries.values()
    assert parsed.type == kind
    assert parsed.fields["year"] == "2026"
    assert parsed.persons["author"]
