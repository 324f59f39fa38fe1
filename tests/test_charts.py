"""Charts with sliders: what travels with the page is what the toolkit found."""

import json
import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from charts_to_try import a_chart, bars_to_try, formulas_of_the_book, lines_to_try
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from strategies import no_type_checker  # noqa: F401

from toolkit.charts.book_chart import BookChart
from toolkit.charts.curves import Curve, rounded
from toolkit.charts.looks import colour
from toolkit.charts.slider import Slider, settings
from toolkit.style import COLOUR
from tools.references import code_cells

SCRIPT = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
FUNCTIONS = {name: getattr(math, name) for name in ("exp", "log", "pow", "sqrt")} | {
    "min": min,
    "max": max,
    "abs": abs,
}


def travelling(chart: BookChart) -> dict[str, Any]:
    """Return what the chart's script is given."""
    (found,) = SCRIPT.findall(chart._repr_mimebundle_()["text/html"])
    return json.loads(found)


def after_transform(chart: BookChart, setting: dict[str, float]) -> list[tuple]:
    """Return curve, x and y of the rows a browser would draw, by the specification."""
    made = chart.specification()
    rows = made["data"]["values"]
    for step in made["transform"]:
        if "filter" in step:
            name = re.fullmatch(
                r"datum\.(\w+) === null \|\| datum\.\1 === \1", step["filter"]
            )[1]
            rows = [row for row in rows if row[name] in (None, setting[name])]
    formulas = {curve.name: curve.formula for curve in chart.curves if curve.formula}
    for row in rows:
        if row["curve"] in formulas:
            known = {"datum": SimpleNamespace(**row)} | setting | FUNCTIONS
            row["y"] = eval(formulas[row["curve"]], {"__builtins__": {}}, known)
    return [(row["curve"], row["x"], row["y"]) for row in rows]


def nearly(value: float) -> Any:
    return pytest.approx(value, rel=1e-3, abs=1e-9)


EVERY_KIND = [lines_to_try(), bars_to_try(), *formulas_of_the_book()]


@pytest.mark.parametrize("chart", EVERY_KIND, ids=lambda c: c.name)
def test_the_specification_draws_what_the_toolkit_found_at_every_position(chart):
    for setting in settings(chart.sliders):
        numbers = chart.numbers(**setting)
        drawn = after_transform(chart, setting)
        columns = [numbers[name].tolist() for name in ("curve", "x", "y")]
        wanted = list(zip(*columns, strict=True))
        assert [row[:2] for row in drawn] == [row[:2] for row in wanted]
        assert [row[2] for row in drawn] == [nearly(row[2]) for row in wanted]


def test_sliders_start_where_they_should_and_words_follow_them():
    chart = lines_to_try()
    given_to_script = travelling(chart)
    a, b = given_to_script["sliders"]
    assert (a["values"][a["start"]], b["values"][b["start"]]) == (2, 0.5)
    says = given_to_script["says"]
    assert len(says) == len(a["values"]) * len(b["values"])
    assert says[a["start"] * len(b["values"]) + b["start"]] == chart.says(a=2, b=0.5)
    params = {p["name"]: p for p in chart.specification()["params"]}
    assert params["a"]["value"] == 2
    assert params["b"]["bind"]["options"] == [0.25, 0.5, 1]
    assert params["b"]["bind"]["labels"] == ["0.25", "0.50", "1.00"]


def test_the_axes_hold_every_position():
    scale = lines_to_try().specification()["encoding"]["y"]["scale"]
    values = [lines_to_try().numbers(a=a)["high"] for a in (1, 2, 3)]
    assert scale["domain"][0] < 0 <= np.nanmax(values) < scale["domain"][1]
    assert bars_to_try().specification()["encoding"]["y"]["scale"]["domain"][0] == 0


def test_the_text_form_has_the_words_and_the_numbers_at_the_start():
    text = a_chart()._repr_mimebundle_()["text/plain"].splitlines()
    assert text[0] == "Chart growth. Growth"
    assert text[1] == "Slider a, speed: 2 of 3 values from 1 to 3"
    assert text[2] == "At speed 2 the end is 4."
    assert text[3].split() == ["curve", "time", "size"]
    assert text[6].split() == ["fast", "2", "4"]


@pytest.mark.parametrize(
    "change",
    [
        {"y": lambda a: np.array([0.0, a, 2.0 * a + (a == 3) / 100])},
        {"says": lambda a: f"At speed {a} the end is {2 * a}{'!' * (a == 1)}."},
    ],
    ids=["a number", "a word"],
)
def test_what_changes_at_another_position_changes_the_text_form(change):
    assert a_chart(**change).text() != a_chart().text()
    same = [chart.text().splitlines()[:-2] for chart in (a_chart(**change), a_chart())]
    assert same[0] == same[1]


def test_no_text_can_leave_its_place_in_the_page():
    chart = a_chart(says=lambda a: "</script><b>&")
    page = chart._repr_mimebundle_()["text/html"]
    assert page.count("</script>") == 1
    assert "<b>" not in page
    assert travelling(chart)["says"][0] == "</script><b>&"


def test_a_chart_is_the_same_twice():
    assert a_chart()._repr_mimebundle_() == a_chart()._repr_mimebundle_()


def test_numbers_that_are_none_stay_out():
    chart = a_chart(y=lambda a: np.array([0.0, np.nan, a]))
    assert travelling(chart)["columns"]["y"][1] is None
    assert ">–<" in chart._repr_mimebundle_()["text/html"]


@given(st.floats(-1e12, 1e12))
def test_a_number_travels_with_four_digits(value):
    assert rounded(value) == pytest.approx(value, rel=6e-4)
    assert len(f"{rounded(value):e}".split("e")[0].strip("-0.").replace(".", "")) <= 7


def test_roles_have_the_colours_of_the_figures():
    assert colour("RL") == COLOUR["RL"]
    made = travelling(a_chart())["spec"]["encoding"]["color"]["scale"]
    assert made == {"domain": ["fast"], "range": [COLOUR["RL"]]}


SLIDER = {"name": "a", "label": "a", "values": (1, 2), "start": 1}
X = np.arange(3)
CURVE = {"name": "c", "x": X, "y": X}


@pytest.mark.usefixtures("no_type_checker")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Slider(**SLIDER | {"name": "x"}), "name must be a lower-case word"),
        (lambda: Slider(**SLIDER | {"name": "Beta"}), "but it is 'Beta'"),
        (lambda: Slider(**SLIDER | {"values": (1, 1)}), "two or more different"),
        (lambda: Slider(**SLIDER | {"start": 3}), r"start must be one of \[1, 2\]"),
        (lambda: colour("green"), "role must be one of"),
        (lambda: Curve(**CURVE, follows=("a",)), "y must be a function just where"),
        (lambda: Curve(**CURVE, formula="1"), "has a formula and follows no slider"),
        (lambda: Curve(**CURVE, low=X), "low and high, or neither"),
        (lambda: a_chart(y=lambda a: np.zeros(2)), r"shape of x, \(3,\), but has \(2,"),
        (lambda: a_chart(follows=("b",)), "follows must name sliders of the chart"),
        (lambda: a_chart(name="Growth"), "name must be in small letters"),
        (lambda: a_chart(sliders=[], follows=(), y=X), "sliders must hold one or more"),
        (lambda: a_chart(sliders=[Slider(**SLIDER)] * 2), "must have different names"),
        (lambda: a_chart(formula="1", low=X, high=X), "so it can have no band"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make().text()


def stored_texts(page: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the words of a page's charts at the start, and its glued numbers."""
    charts, glued = {}, {}
    for cell in code_cells(ROOT / "tests" / "references" / f"{page}.ipynb"):
        for output in cell.outputs:
            text = str(output.get("data", {}).get("text/plain", ""))
            if match := re.match(r"Chart (\w+)\.", text):
                lines = [n for n in text.splitlines()[1:] if not n.startswith("Slider")]
                charts[match[1]] = lines[0]
            if "scrapbook" in output.get("metadata", {}):
                (value,) = output.data.values()
                glued[output.metadata.scrapbook.name] = value.strip("'")
    return charts, glued


SAME_ON_THE_PAGE = {
    ("your-evaluation", "fewer_samples"): "first_k n_samples",
    ("your-evaluation", "gained_and_lost"): (
        "last_k gained_seen lost_seen gained_chance lost_chance gained_true lost_true"
    ),
    ("exploration", "resets"): "k_fourth one_fourth many_fourth",
    ("entropy-law", "brakes"): "h_share r_share",
    ("formats", "practice"): "middle_share",
    ("squeeze", "samples"): "base_right base_wrong late_right late_wrong",
    ("templates", "price"): "quarter_told",
    ("toy-language", "optimum"): "beta mean_success mean_kl",
    ("sharpening", "shared_policy"): (
        "n_steps_text pass1_rl pass256_rl pass1_base pass256_base"
    ),
    ("generalization", "kicks"): "sft_kicked rl_kicked",
    ("generalization", "rule_rate"): "rho one_here rl_here minimal_here base",
    ("forgetting", "kept"): ("level_text at_minimal at_sampled at_exact at_two at_one"),
    ("diversity", "filtering"): "h_1 h_2 h_3 h_4",
    ("diversity", "drift"): "law_50",
    ("agents", "horizon"): "turns eta gained",
    ("agents", "lag"): "moment_16",
    ("connections", "floor"): "floor_half",
    ("two-phases", "phases"): "execute_first plan_first",
    ("plasticity", "carried"): "g half all_of_it",
    ("sparse-updates", "rounded"): "law_small law_overlap",
    ("negatives", "split"): "k best one_four",
    ("entropy-keepers", "matched"): (
        "h_kl h_bonus h_nothing many_kl many_bonus many_nothing"
    ),
}


@pytest.mark.parametrize(("page", "chart"), SAME_ON_THE_PAGE)
def test_a_chart_starts_with_the_numbers_that_the_page_prints(page, chart):
    charts, glued = stored_texts(page)
    shown = re.findall(r"[\d.,]*\d", charts[chart])
    for name in SAME_ON_THE_PAGE[page, chart].split():
        assert glued[name] in shown, (name, glued[name], charts[chart])


def test_every_chart_of_the_book_is_compared_with_its_page():
    found = {
        (path.stem, chart)
        for path in (ROOT / "tests" / "references").glob("*.ipynb")
        for chart in stored_texts(path.stem)[0]
    }
    assert found == set(SAME_ON_THE_PAGE)
