import re
from functools import partial
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from myst_nb.ext.glue import GLUE_PREFIX
from strategies import no_type_checker  # noqa: F401

from toolkit.display import (
    PREVIEW_ROWS,
    BookFigure,
    BookTable,
    Panel,
    glue_numbers,
    stack,
)
from toolkit.style import INK

X = np.linspace(0, 1, 21)
CURVES = {("first",): {"x": X, "y": X**2}, ("second",): {"x": X, "y": np.sqrt(X)}}
REFERENCE = re.compile(r'(?:url\(#|href="#)([^")]*)')


def draw(ax: Any, curves: Any = CURVES, bar: float = 0.5) -> None:
    for (name,), columns in curves.items():
        ax.plot(columns["x"], columns["y"], "o-", label=name, clip_on=True)
    ax.fill_between(X, 0, X, alpha=0.2, hatch="/")
    ax.bar([0.5], [bar], 0.1)
    ax.annotate("here", (0.5, 0.5))
    ax.legend()


def a_figure(number: str = "11.9", **change: Any) -> BookFigure:
    panels = (Panel(draw=draw), Panel(draw=draw, size=(2.0, 2.0)))
    table = stack(("curve",), CURVES)
    given = {"alt": "Two curves.", "panels": panels, "table": table} | change
    return BookFigure(number=number, **given)


def show(shown: Any) -> dict[str, str]:
    return shown._repr_mimebundle_()


class Elements(HTMLParser):
    """The elements of a page and the text in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += [data.strip()] if data.strip() else []


# Figures: what a reader gets


def test_a_figure_is_one_image_with_a_description():
    page = show(a_figure(alt='Curves "a" & <b> rise.'))["text/html"]
    (first, *rest) = Elements(page).found
    assert first[1]["role"] == "img"
    assert first[1]["aria-label"] == 'Figure 11.9. Curves "a" & <b> rise.'
    assert [tag for tag, _ in rest].count("svg") == 2
    assert not any("role" in attributes for _, attributes in rest)


def test_the_text_of_a_drawing_is_text_in_the_pages_font():
    page = show(a_figure())["text/html"]
    words = Elements(page).words
    assert {"here", "first", "second", "0.5"} <= set(words)
    fonts = set(re.findall(r"font(?:-family)?:[^;\"]*", page))
    assert fonts == {"font-family: inherit"}
    assert "DejaVu" not in page


def test_ink_has_the_colour_of_the_pages_text():
    page = show(a_figure())["text/html"]
    assert INK not in page.lower()
    assert "currentColor" in page
    assert not re.search(r"#000000|#ffffff|\bblack\b|\bwhite\b", page)


def test_a_drawing_stretches_to_its_column():
    for svg in a_figure().svg():
        assert re.match(r'<svg viewBox="0 0 [\d.]+ [\d.]+">', svg)


def test_no_two_elements_of_a_page_share_an_id_and_each_reference_leads_somewhere():
    page = "".join(show(a_figure(number))["text/html"] for number in ("11.9", "11.9.1"))
    ids = [
        attributes["id"] for _, attributes in Elements(page).found if "id" in attributes
    ]
    assert len(ids) > 100
    assert len(set(ids)) == len(ids)
    references = REFERENCE.findall(page)
    assert references
    assert set(references) <= set(ids)


def test_a_figure_is_shown_by_the_same_bytes_every_time():
    assert show(a_figure()) == show(a_figure())


def test_nothing_in_a_figure_names_a_time_or_a_program():
    page = show(a_figure())["text/html"]
    assert not re.search(
        r"<metadata|<\?xml|<!DOCTYPE|matplotlib\.org|20\d\d-\d\d-\d\d", page
    )


def test_showing_a_figure_leaves_no_drawing_open():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    show(a_figure())
    assert plt.get_fignums() == before


# Figures: what the comparison gets


def test_a_short_curve_stands_in_the_text_form_point_by_point():
    x, y = np.array([1, 2, 4]), np.array([0.25, 0.5, 1234.5678])
    text = a_figure(table={"k": x, "pass@k": y}).text().splitlines()
    assert [line.split() for line in text[1:6]] == [
        ["k", "pass@k"],
        ["1", "0.25"],
        ["2", "0.5"],
        ["4", "1.23e+03"],
        ["mean", "2.33", "mean", "412"],
    ]
    assert text[0] == "Figure 11.9. Two curves."


def test_a_long_curve_stands_there_with_its_ends_and_its_mean():
    text = a_figure().text()
    rows = [line.split() for line in text.splitlines() if line.startswith("second")]
    assert len(rows) == PREVIEW_ROWS + 1
    assert rows[0] == ["second", "0", "0"]
    assert rows[-2] == ["second", "1", "1"]
    assert rows[-1] == ["second", "mean", "0.5", "mean", f"{np.sqrt(X).mean():.3g}"]


@given(st.integers(0, 41), st.sampled_from([-1, 1]))
def test_any_number_of_the_table_that_changes_changes_the_text(row, sign):
    table = stack(("curve",), CURVES)
    table["y"][row] += 0.01 * sign
    assert a_figure(table=table, panels=()).text() != a_figure(panels=()).text()


@given(st.sampled_from(list(CURVES)), st.integers(1, 20))
def test_any_point_of_a_line_that_moves_changes_the_text(curve, point):
    y = CURVES[curve]["y"].copy()
    y[point] *= 1.02
    moved = CURVES | {curve: {"x": X, "y": y}}
    panel = Panel(draw=partial(draw, curves=moved))
    assert (
        a_figure(panels=(panel,)).text() != a_figure(panels=(Panel(draw=draw),)).text()
    )


def drawings(value: float, word: str) -> dict[str, Any]:
    return {
        "bar": lambda ax: ax.bar([0, 1], [1, value]),
        "histogram": lambda ax: ax.stairs([1, value]),
        "area": lambda ax: ax.fill_between([0, 1], [0, value]),
        "points": lambda ax: ax.scatter([0, 1], [0, value]),
        "errors": lambda ax: ax.errorbar([0, 1], [0, 1], yerr=value),
        "shades": lambda ax: ax.scatter([0, 1], [0, 1], c=[0, value]),
        "mesh": lambda ax: ax.pcolormesh([[1, value]]),
        "image": lambda ax: ax.imshow([[1, value]]),
        "level": lambda ax: ax.axhline(value),
        "note": lambda ax: ax.annotate(word, (0, 0)),
        "name": lambda ax: ax.plot([0, 1], label=word),
    }


@pytest.mark.parametrize("kind", drawings(0, ""))
def test_whatever_is_drawn_changes_the_text_when_it_changes(kind):
    one, same, other = (
        a_figure(panels=(Panel(draw=drawings(value, word)[kind]),)).text()
        for value, word in ((2, "0.40"), (2 + 1e-13, "0.40"), (2.01, "0.41"))
    )
    assert one == same
    assert one != other


def test_rounding_noise_does_not_change_the_text():
    noisy = {key: dict(columns) for key, columns in CURVES.items()}
    for columns in noisy.values():
        columns["y"] = columns["y"] * (1 - 1e-14) - 1e-17
    panels = [Panel(draw=partial(draw, curves=curves)) for curves in (CURVES, noisy)]
    tables = [stack(("curve",), curves) for curves in (CURVES, noisy)]
    one, other = (
        a_figure(table=table, panels=(panel,)).text().splitlines()[-2:]
        for table, panel in zip(tables, panels, strict=True)
    )
    assert one == other
    assert one[0].startswith("checksum of 42 rows: ")


def test_columns_of_several_lengths_are_refused():
    table = {"k": np.arange(3), "pass@k": np.arange(2)}
    with pytest.raises(
        ValueError, match=r"table .* equally long .*'k': 3, 'pass@k': 2"
    ):
        a_figure(table=table)
    with pytest.raises(ValueError, match=r"columns .* equally long .*'k': 3"):
        BookTable(columns=table)
    with pytest.raises(ValueError, match="columns must have equally long"):
        BookTable(columns={"k": []})


# Curves in one table


def test_curves_are_stacked_in_order():
    table = stack(("panel", "curve"), {("a", "x"): {"k": X}, ("b", "y"): {"k": X[:2]}})
    assert list(table["panel"]) == ["a"] * 21 + ["b"] * 2
    assert list(table["curve"]) == ["x"] * 21 + ["y"] * 2
    np.testing.assert_array_equal(table["k"], np.concatenate([X, X[:2]]))


@pytest.mark.parametrize(
    "second",
    [
        {("b",): {"x": X, "y": X[:3]}},
        {("b",): {"x": X}},
        {("b",): {"x": X, "y": X, "z": X}},
        {("b", "c"): {"x": X, "y": X}},
        {("b",): {"x": X[:0], "y": X[:0]}},
    ],
    ids=["lengths", "a column less", "a column more", "another key", "no point"],
)
def test_curves_that_do_not_fit_together_are_refused(second):
    with pytest.raises(ValueError, match="curve"):
        stack(("curve",), {("a",): {"x": X, "y": X}} | second)


# Tables


def test_numbers_of_a_table_are_rounded_and_words_are_not():
    table = BookTable(
        columns={
            "n": [1234, np.int64(5)],
            "p": [np.float64(0.12345), np.array(1234.5)],
            "q": np.array([-1e-17, 0.9996]),
            "name": ["a", "b"],
        }
    )
    assert [line.split() for line in table.text().splitlines()] == [
        ["n", "p", "q", "name"],
        ["1,234", "0.123", "0.000", "a"],
        ["5", "1,234.500", "1.000", "b"],
    ]


def test_a_table_says_the_same_in_html_and_in_text():
    shown = show(BookTable(columns={"k": [1, 2], "p": [0.5, 0.25]}, digits=2))
    assert Elements(shown["text/html"]).words == shown["text/plain"].split()


def test_a_column_without_a_name_is_refused():
    with pytest.raises(ValueError, match=r"columns must have names"):
        BookTable(columns={"": ["a"], "p": [0.5]})


def test_columns_of_numbers_are_marked_for_alignment():
    page = show(BookTable(columns={"p": [0.5], "name": ["a"]}))["text/html"]
    marked = [
        (tag, a.get("class")) for tag, a in Elements(page).found if tag in {"th", "td"}
    ]
    assert marked == [("th", "number"), ("th", None), ("td", "number"), ("td", None)]


def test_words_of_a_table_cannot_become_html():
    table = BookTable(columns={"a < b & <i>c</i>": ['<script>alert("x")</script>']})
    page = show(table)["text/html"]
    assert {tag for tag, _ in Elements(page).found} == {
        *("div", "table", "thead", "tbody", "tr", "th", "td")
    }
    assert Elements(page).words == ["a < b & <i>c</i>", '<script>alert("x")</script>']


# Numbers for the prose


@pytest.fixture
def displayed(monkeypatch) -> list[tuple[Any, Any]]:
    """Catch what is handed to the notebook."""
    caught = []
    monkeypatch.setattr(
        "IPython.display.display",
        lambda data, *, raw, metadata: caught.append((data, metadata)),
    )
    return caught


def test_numbers_are_handed_over_as_the_pages_renderer_expects_them(displayed):
    glue_numbers(p="0.20", n="64")
    assert displayed == [
        (
            {f"{GLUE_PREFIX}text/plain": number},
            {"scrapbook": {"name": name, "mime_prefix": GLUE_PREFIX}},
        )
        for name, number in (("p", "'0.20'"), ("n", "'64'"))
    ]


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize("number", [0.2, np.float64(0.2), 3, None])
def test_a_number_that_is_not_rounded_text_is_refused(displayed, number):
    with pytest.raises(TypeError, match=r"p must be rounded text, but it is"):
        glue_numbers(p=number)
    assert displayed == []
