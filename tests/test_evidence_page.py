"""The pages of the evidence table: built, in a browser, and from other pages."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from toolkit import evidence
from toolkit.evidence import page, vocabulary
from toolkit.evidence.markup import claim_id

pytestmark = pytest.mark.slow

SHOWN = """() => [...document.querySelectorAll(".evidence-table tbody[id]")]
    .filter(claim => claim.getBoundingClientRect().height > 0)
    .map(claim => claim.id)"""


def ids_of(**chosen: str) -> list[str]:
    return [claim_id(claim) for claim in evidence.select(evidence.load(), **chosen)]


@pytest.fixture(scope="module")
def address(book_site: Path, serve_folder: Any) -> str:
    return serve_folder(book_site) + "chapter11/evidence.html"


@pytest.fixture
def open_page(browser: Any) -> Any:
    contexts = []

    def open_at(address: str, **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        found = contexts[-1].new_page()
        found.goto(address)
        return found

    yield open_at
    for context in contexts:
        context.close()


def test_the_files_next_to_the_page_hold_the_table(book_site):
    folder, table = book_site / "chapter11", evidence.load()
    assert evidence.parse(json.loads((folder / "evidence.json").read_text())) == table
    rows = csv.DictReader(io.StringIO((folder / "evidence.csv").read_text()))
    assert [row["id"] for row in rows] == [claim.id for claim in table]
    assert (folder / "evidence.bib").read_text() == evidence.to_bibtex(table)


def test_every_link_of_the_tables_leads_somewhere(book_site):
    folder = book_site / "chapter11"
    targets = {
        path.relative_to(folder).as_posix(): set(
            re.findall(r'\bid="([^"]+)"', path.read_text())
        )
        for path in folder.rglob("*.html")
    }
    for name in ("evidence.html", "disagreements.html"):
        html = (folder / name).read_text()
        tables = re.findall(
            r'<table class="evidence-table".*?</table>', html, re.DOTALL
        )
        assert tables
        for link in re.findall(r'href="([^"]*)"', "".join(tables)):
            file, _, anchor = link.partition("#")
            assert anchor in targets[file or name], f"{name} links to {link}"


@pytest.mark.browser
def test_without_a_script_every_claim_is_shown_and_no_idle_control(open_page, address):
    found = open_page(address, java_script_enabled=False)
    assert found.locator(".evidence-table tbody[id]").count() == len(evidence.load())
    assert not found.locator(".evidence-controls").is_visible()


@pytest.mark.browser
def test_the_keyboard_chooses_kind_and_status_and_shows_all_again(open_page, address):
    found = open_page(address)
    found.focus("select[name=kind]")
    found.keyboard.type("con")
    assert found.evaluate(SHOWN) == ids_of(kind="contested")
    found.keyboard.press("Tab")
    found.keyboard.type("disp")
    chosen = ids_of(kind="contested", status="disputed")
    assert found.evaluate(SHOWN) == chosen
    said = found.inner_text(".evidence-count")
    assert said == f"{len(chosen)} of {len(evidence.load())} claims shown"
    found.keyboard.press("Tab")
    found.keyboard.press("Tab")
    found.keyboard.press("Enter")
    found.wait_for_function(f"() => ({SHOWN})().length === {len(evidence.load())}")


@pytest.mark.browser
@pytest.mark.parametrize("kind", vocabulary.KINDS)
def test_an_address_can_ask_for_a_kind(open_page, address, kind):
    assert open_page(f"{address}?kind={kind}").evaluate(SHOWN) == ids_of(kind=kind)


@pytest.mark.browser
def test_a_link_to_a_claim_shows_it_whatever_was_asked_for(open_page, address):
    claim = ids_of(kind="contested")[0]
    found = open_page(f"{address}?kind=recent#{claim}", reduced_motion="reduce")
    assert claim in found.evaluate(SHOWN)
    assert found.locator(f"#{claim} details").get_attribute("open") is not None


@pytest.mark.browser
def test_the_page_works_from_a_folder(open_page, book_site):
    folder = (book_site / "chapter11").as_uri()
    found = open_page(f"{folder}/evidence.html?status=settled")
    assert found.evaluate(SHOWN) == ids_of(status="settled")
    for name in page.DOWNLOADS:
        link = found.locator(f'a[href="{name}"]').first
        assert link.evaluate("found => found.href") == f"{folder}/{name}"


@pytest.mark.browser
def test_downloads_have_the_names_of_the_files(open_page, address):
    found = open_page(address)
    for name in page.DOWNLOADS:
        with found.expect_download() as download:
            found.locator(f'a[href="{name}"]').first.click()
        assert download.value.suggested_filename == name


@pytest.mark.browser
def test_on_a_phone_a_claim_is_a_card_and_still_a_row_to_a_screen_reader(
    open_page, address
):
    found = open_page(address, viewport={"width": 390, "height": 844})
    first = found.locator(".evidence-table tbody[id]").first
    boxes = [cell.bounding_box() for cell in first.locator("tr:first-child > *").all()]
    assert len({box["x"] for box in boxes}) == 1, "the cells stand side by side"
    tops = [box["y"] for box in boxes]
    assert tops == sorted(tops)
    assert found.get_by_role("row").count() > len(evidence.load())


def test_a_badge_on_any_page_says_kind_and_status(tiny_book):
    badges = "{claim}`rlvr-bounded-by-base` and {claim}`open <one-format-wins>`"
    tiny_book.edit("chapter11/index.md", "# Home", f"# Home\n\n{badges}")
    assert tiny_book.build().returncode == 0
    html = tiny_book.html("chapter11/index")
    assert '<span class="badge badge-contested">contested, disputed</span>' in html
    assert '<span class="badge badge-recent">open</span>' in html


def test_a_badge_leads_to_the_row_of_its_claim(book_site):
    html = (book_site / "chapter11" / "evidence.html").read_text()
    link = r'<a class="reference internal" href="#claim-rlvr-bounded-by-base">\s*<span'
    assert re.search(link, html)


def test_a_table_that_does_not_fit_its_book_stops_the_build(tiny_book):
    (tiny_book.folder / "chapter11" / "evidence.md").write_text("# The table\n")
    with (tiny_book.folder / "_toc.yml").open("a") as contents:
        contents.write("- file: chapter11/evidence\n")
    result = tiny_book.build()
    assert result.returncode != 0
    assert "rlvr-bounded-by-base: there is no page chapter11/" in result.stdout


def test_a_badge_of_no_claim_fails_the_build(tiny_book):
    tiny_book.edit("chapter11/index.md", "# Home", "# Home\n\n{claim}`never-said`")
    result = tiny_book.build()
    assert result.returncode != 0
    assert "no claim 'never-said'" in result.stdout
