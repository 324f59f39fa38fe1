"""Charts in a real Chromium: drawn as the toolkit found, moved by keys, on any page."""

import csv
import importlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import numpy as np
import pytest
from charts_to_try import bars_to_try, formulas_of_the_book, lines_to_try
from conftest import ROOT

from toolkit.charts.book_chart import BookChart
from toolkit.charts.slider import settings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
PAGE = """<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>Charts</title>{sheets}<script>var _ = 1, n = 2;</script>{scripts}<style>
html {{ --pst-color-text-base: rgb(1, 1, 1); font-family: sans-serif }}
html[data-theme="dark"] {{ --pst-color-text-base: rgb(250, 250, 250) }}
</style></head><body><main><h1>Charts</h1>{charts}</main></body></html>"""
DRAWN = "[data-state=drawn]"
LINES = """() => [...document.querySelectorAll("#chart-lines .mark-line path")].map(
    found => found.getAttribute("d"))"""
SHOWN = "box => bookCharts.rowsShown(box)"
MOVE = "async (box, [index, to]) => bookCharts.move(box, index, to)"


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory, book_site: Path) -> Path:
    """Return a folder with the scripts of the book and its style sheets."""
    folder = tmp_path_factory.mktemp("charts")
    for path in [*(book_site / "charts").iterdir(), *(ROOT / "_static").glob("*.css")]:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture
def show(browser: Any, scripts: Path, request: pytest.FixtureRequest):
    """Return a function that opens charts on a page of a folder, without a server."""
    contexts = []

    def open_page(
        *charts: BookChart, files: tuple[str, ...] = (), **options: Any
    ) -> Any:
        made = "".join(c._repr_mimebundle_()["text/html"] for c in charts)
        page = PAGE.format(
            sheets='<link rel="stylesheet" href="charts.css">',
            scripts="".join(f'<script defer src="{f}"></script>' for f in files),
            charts=made,
        )
        path = scripts / f"{request.node.name.partition('[')[0]}.html"
        path.write_text(page, encoding="utf-8")
        contexts.append(browser.new_context(**options))
        window = contexts[-1].new_page()
        window.heard = []
        window.on("pageerror", lambda error: window.heard.append(str(error)))
        window.on("console", lambda said: window.heard.append(said.text))
        window.on("request", lambda asked: window.heard.append(asked.url))
        window.goto(path.as_uri())
        window.heard = [
            h for h in window.heard if not h.startswith(path.parent.as_uri())
        ]
        return window

    yield open_page
    for context in contexts:
        context.close()


BOTH = ("vega.js", "charts.js")


@pytest.fixture
def window(show: Callable[..., Any]) -> Any:
    """Return a page of two charts, drawn."""
    window = show(lines_to_try(), bars_to_try(), files=BOTH)
    window.wait_for_selector(f"#chart-bars{DRAWN}")
    return window


EVERY_KIND = [lines_to_try(), bars_to_try(), *formulas_of_the_book()]


def test_every_position_draws_what_the_toolkit_found(show):
    window = show(*EVERY_KIND, files=BOTH)
    window.wait_for_selector(f"#chart-{EVERY_KIND[-1].name}{DRAWN}")
    for chart in EVERY_KIND:
        check_every_position(window.locator(f"#chart-{chart.name}"), chart)
    assert window.heard == []


def check_every_position(box: Any, chart: BookChart) -> None:
    for setting in settings(chart.sliders):
        for index, slider in enumerate(chart.sliders):
            to = slider.values.index(setting[slider.name])
            box.evaluate(MOVE, [index, to])
        rows = box.evaluate(SHOWN)
        numbers = chart.numbers(**setting)
        assert [row["curve"] for row in rows] == numbers["curve"].tolist()
        assert [row["x"] for row in rows] == numbers["x"].tolist()
        for name in numbers.keys() - {"curve", "x"}:
            drawn = np.array([row[name] for row in rows], dtype=float)
            np.testing.assert_allclose(drawn, numbers[name], rtol=1e-3, atol=1e-9)
        assert box.locator(".book-chart-says").inner_text() == chart.says(**setting)


def test_an_arrow_key_moves_the_lines_and_the_words(window):
    slider = window.get_by_label("speed").first
    before, says = window.evaluate(LINES), window.locator("#chart-lines-says")
    assert says.inner_text() == "a is 2, b is 0.50"
    slider.focus()
    window.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "3"
    says.filter(has_text="a is 3").wait_for()
    assert says.inner_text() == "a is 3, b is 0.50"
    after = window.evaluate(LINES)
    assert len(before) == len(after) == 3
    assert before[0] == after[0]  # it follows no slider
    assert before[1] != after[1]
    assert before[2] != after[2]


def test_the_scheme_changes_the_ink_and_no_slider(window):
    ink = """() => getComputedStyle(
        document.querySelector("#chart-lines .role-axis-label text")).fill"""
    assert window.evaluate(ink) == "rgb(1, 1, 1)"
    window.locator("#chart-lines").evaluate(MOVE, [0, 0])
    window.evaluate("() => document.documentElement.dataset.theme = 'dark'")
    assert window.evaluate(ink) == "rgb(250, 250, 250)"
    assert window.locator("#chart-lines-says").inner_text() == "a is 1, b is 0.50"


def test_a_chart_follows_the_width_of_its_page(window):
    drawing = "document.querySelector('#chart-lines .book-chart-drawing svg')"
    width = f"() => {drawing}.getBoundingClientRect().width"
    wide = window.evaluate(width)
    window.set_viewport_size({"width": 390, "height": 800})
    window.wait_for_function(f"wide => ({width})() < wide", arg=wide)
    assert window.evaluate("() => document.documentElement.scrollWidth") == 390


def test_the_numbers_shown_can_be_read_and_kept(window):
    box = window.locator("#chart-lines")
    box.evaluate(MOVE, [0, 0])
    box.locator("summary").click()
    cells = box.locator("tbody tr").nth(5).locator("td").all_inner_texts()
    assert cells == ["grid", "2", "2", "1.5", "2.5"]
    with window.expect_download() as download:
        box.get_by_role("button").click()
    assert download.value.suggested_filename == "lines.csv"
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text())))
    assert rows[0] == ["a", "b", "curve", "time", "size", "size, low", "size, high"]
    assert rows[6] == ["1", "0.5", "grid", "2", "2", "1.5", "2.5"]
    assert len(rows) == 10


def test_axe_finds_nothing_in_an_open_chart(window):
    window.locator("#chart-lines summary").click()
    window.evaluate(AXE)
    violations = (
        "async () => (await axe.run()).violations.map(v => [v.id, v.nodes[0].html])"
    )
    assert window.evaluate(violations) == []


def test_a_chart_that_comes_later_is_drawn_when_asked(show):
    window = show(bars_to_try(), files=BOTH)
    made = lines_to_try()._repr_mimebundle_()["text/html"]
    window.wait_for_selector(DRAWN)
    window.evaluate(
        """html => {
            const place = document.createElement("div");
            place.innerHTML = html;
            document.querySelector("main").append(place);
            return bookCharts.draw(place);
        }""",
        made,
    )
    assert window.locator(f"#chart-lines{DRAWN}").count() == 1
    assert window.locator("#chart-bars input").count() == 1  # not drawn twice


@pytest.mark.parametrize("kind", ["no script", "no Vega", "broken"])
def test_without_a_drawing_the_words_and_numbers_stay(show, kind):
    files = {"no script": (), "no Vega": ("charts.js",), "broken": BOTH}[kind]
    chart = bars_to_try()
    if kind == "broken":
        object.__setattr__(chart, "marks", [{"mark": {"type": "no such mark"}}])
    window = show(chart, files=files)
    box = window.locator(".book-chart")
    if files:
        alert = box.get_by_role("alert")
        alert.wait_for()
        assert alert.inner_text().startswith("This chart could not be drawn (")
        assert box.locator("td", has_text="sum 0").first.is_visible()
    assert box.locator("td", has_text="sum 0").count() == 2
    assert box.locator(".book-chart-says").inner_text() == "at 2"


def test_paper_gets_the_drawing_or_the_words_alone(window, show):
    window.emulate_media(media="print")
    shown = [".book-chart-drawing svg", ".book-chart-says", ".book-chart-legend"]
    hidden = [".book-chart-slider", ".book-chart-numbers"]
    for page, seen in ((window, shown), (show(lines_to_try()), shown[1:2])):
        page.emulate_media(media="print")
        box = page.locator("#chart-lines")
        visible = [s for s in shown + hidden if box.locator(s).first.is_visible()]
        assert visible == seen


def test_only_pages_with_a_chart_load_the_scripts(book_site):
    with_chart = {
        path: text
        for path in (book_site / "chapter11").glob("*.html")
        for text in [path.read_text()]
        if "charts/vega.js" in text
    }
    assert with_chart
    for path in book_site.rglob("*.html"):
        text = path.read_text()
        assert ("charts/vega.js" in text) == ('class="book-chart"' in text), path.name
        assert ("charts/charts.js" in text) == ('class="book-chart"' in text), path.name


def test_every_chart_of_the_book_is_drawn_and_moves(browser, book_site):
    for path in sorted((book_site / "chapter11").glob("*.html")):
        n_charts = path.read_text().count('class="book-chart"')
        if not n_charts:
            continue
        window = browser.new_page()
        window.goto(path.as_uri())
        window.wait_for_function(
            f"n => document.querySelectorAll('{DRAWN}').length === n", arg=n_charts
        )
        for box in window.locator(".book-chart").all():
            says = box.locator(".book-chart-says")
            assert box.locator(".mark-line path, .mark-rect path").count(), path
            for slider in box.locator("input").all():
                was = says.inner_text(), box.evaluate(SHOWN)
                key = "ArrowRight" if slider.input_value() == "0" else "ArrowLeft"
                slider.press(key)
                window.wait_for_timeout(50)
                assert (says.inner_text(), box.evaluate(SHOWN)) != was, path
        window.close()


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the extension that hands out the scripts."""
    monkeypatch.syspath_prepend(str(ROOT / "_ext"))
    return importlib.import_module("chart_scripts")


def test_vega_is_bundled_once_for_each_version(extension, tmp_path, monkeypatch):
    asked = []

    def bundle(snippet: str) -> str:
        asked.append(snippet)
        return "const n = 1;"

    monkeypatch.setattr(extension.vl_convert, "javascript_bundle", bundle)
    site = tmp_path / "html"
    site.mkdir()
    for _ in range(2):
        vega, ours = extension.write_scripts(ROOT, site)
    assert asked == ["window.vegaEmbed = vegaEmbed;"]
    assert vega.read_text() == "(() => {const n = 1;})();\n"
    assert ours.read_text() == (ROOT / "_scripts" / "charts.js").read_text()
