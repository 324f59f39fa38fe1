"""The comparison of two models: in words, as JSON, as a page, from the command line."""

import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.test_evals_estimates import SHIPPED, rng, table, with_one_short_problem
from toolkit.__main__ import main
from toolkit.evals.comparison import compare
from toolkit.evals.counts import Counts
from toolkit.evals.export import to_json
from toolkit.evals.plain import to_csv
from toolkit.evals.report import to_html
from toolkit.evals.shipped import shipped_path
from toolkit.evals.words import summary_table, verdict
from toolkit.evals.wrong_ways import WRONG_WAYS

EXAMPLE = [str(shipped_path("base")), str(shipped_path("rl"))]


@pytest.fixture(scope="module")
def shipped():
    return compare(SHIPPED.base, SHIPPED.rl, rng=rng())


def compared(base, rl, n=32, target="new"):
    return compare(table(n, base), table(n, rl), target, rng=rng(), n_draws=500)


# In words


def test_the_verdict_on_the_shipped_pair(shipped):
    crossover, size, parts, problems, past = verdict(shipped)
    assert crossover.startswith("A crossover: RL is above the base at k = 1 to 10")
    assert "the first k below is 22; it is from 13 to" in crossover
    assert "pass@1 goes from 0.604 to 0.680, pass@128 goes from 0.891 to 0.871" in size
    assert "Observed are 0.0113 and 0.0311" in parts
    assert "olympiadbench-106 (1.00)" in problems
    assert past.startswith("Past the samples there is a model, no data: at k = 512")


@pytest.mark.parametrize(
    ("base", "rl", "start"),
    [
        ([20] * 40, [8] * 40, "RL is below the base at k = 1 to "),
        ([0] * 40, [8] * 40, "No crossover: RL is above the base at k = 1 to "),
        ([9] * 40, [9] * 40, "No crossover in sight: RL's curve is not below"),
        ([9] * 40, [9] * 39 + [8], "No crossover is certain."),
    ],
)
def test_the_verdict_where_there_is_no_crossover(base, rl, start):
    draw = rng()
    base, rl = draw.permutation(base), draw.permutation(rl)
    assert verdict(compared(base, rl))[0].startswith(start)


def test_these_problems_are_named_as_what_the_interval_is_about():
    text = verdict(compare(SHIPPED.base, SHIPPED.rl, "these", rng=rng(), n_draws=500))[
        0
    ]
    assert "for exactly these 1,060 problems" in text
    assert "it is from 1" in text


def test_columns_of_the_table_hold_the_numbers(shipped):
    columns = summary_table(shipped)
    assert columns["k"] == ["1", "2", "4", "8", "16", "32", "64", "128"]
    assert columns["base"][-1] == "0.8906"
    assert columns["halves"][-1] == "-"  # they end at half the samples
    assert len({len(column) for column in columns.values()}) == 1


# What it was made from


def test_the_order_of_rows_changes_no_number():
    some = SHIPPED.take(np.arange(0, SHIPPED.n_problems, 20))
    order = rng().permutation(some.n_problems)
    one, other = (
        compare(base, some.rl, rng=rng(), n_draws=500)
        for base in (some.base, some.base.take(order))
    )
    assert to_json(other) == to_json(one)


def test_notes_say_what_was_left_out_and_what_is_short():
    pair = with_one_short_problem()
    more = Counts(
        problems=(*pair.base.problems, "only here"),
        n=np.append(pair.base.n, 128),
        c=np.append(pair.base.c, 0),
    )
    notes = compare(more, pair.rl, rng=rng(), n_draws=500).notes
    assert "1 problem only in the base table left out, such as 'only here'" in notes[0]
    assert "1 problem with fewer than 128 samples, down to 4 ('short')" in notes[1]


def test_different_n_are_noted_and_the_observed_split_is_not_shown():
    base, rl = table(16, [3] * 40), table(32, [9] * 40)
    found = compare(base, rl, rng=rng(), n_draws=500)
    assert found.split.observed is None
    assert any("40 problems with different n" in note for note in found.notes)
    assert "16" in json.dumps(summary_table(found)["k"])


def test_groups_are_compared_by_themselves(shipped):
    found = {group.name: group.curves.first_below for group in shipped.groups}
    assert found == {
        "olympiadbench": 24, "gaokao2023en": 11, "amc23": None, "aime24": 42,
    }  # fmt: skip


@pytest.mark.parametrize("target", ["new", "these"])
def test_nothing_but_right_or_wrong_answers_still_gives_a_report(target):
    for c in (0, 8):
        found = compared([c] * 12, [c] * 12, n=8, target=target)
        assert "nan" not in to_html(found).lower()
        json.loads(to_json(found))


def test_two_samples_of_two_problems_are_enough():
    found = compared([0, 1], [2, 1], n=2)
    assert found.extrapolation is None
    assert "Only 2 problems" in found.notes[0]
    assert to_html(found)


# As JSON and as a page


def test_json_holds_the_numbers(shipped):
    read = json.loads(to_json(shipped))
    assert read["first_below"]["in_the_curves"] == 22
    assert read["curves"]["rl_low"][0] == pytest.approx(0.6800633844)
    assert len(read["problems"]["most_likely_lost"]) > 40
    assert read["verdict"] == list(verdict(shipped))


class Tags(HTMLParser):
    """Collect what a page loads, and check that its tags close."""

    def __init__(self, page):
        super().__init__()
        self.open, self.loads, self.kinds = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.kinds.append(tag)
        self.loads += [v for name, v in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.kinds.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_stands_alone(shipped):
    tags = Tags(to_html(shipped))
    assert tags.open == []
    assert tags.loads == []
    assert not {"script", "link", "img", "iframe"} & set(tags.kinds)
    assert tags.kinds.count("table") == 3


def test_names_from_a_file_cannot_become_markup():
    name = "<script>alert(1)</script>"
    draw = rng()
    problems = tuple(f"{name}{i}" for i in range(20))
    tables = [
        Counts(problems=problems, n=np.full(20, 32), c=c, groups=(name, "b") * 10)
        for c in (draw.binomial(32, 0.9, 20), draw.binomial(32, 0.01, 20))
    ]  # fmt: skip
    page = to_html(compare(*tables, rng=rng()), (name, "<b>"))
    assert "<script" not in page
    assert "<b>" not in page


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(shipped, browser, scheme):
    page = browser.new_page(color_scheme=scheme, viewport={"width": 390, "height": 800})
    page.set_content(to_html(shipped))
    assert Axe().run(page).violations_count == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


# From the command line


def test_the_example_of_the_help_runs_as_it_is(tmp_path, capsys, monkeypatch):
    with pytest.raises(SystemExit):
        main(["compare", "--help"])
    example = capsys.readouterr().out.splitlines()[-1]
    words = shlex.split(example)
    assert words[:3] == ["python", "-m", "toolkit"]
    assert main([*words[3:], "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("A crossover:")
    report, data = re.findall(r"^(?:Report|Numbers): (.*)$", printed, re.MULTILINE)
    assert "deepscaler-rl against deepscaler-base" in Path(report).read_text()
    assert json.loads(Path(data).read_text())["target"] == "new"


def test_options_reach_the_comparison(tmp_path, capsys):
    options = ["--target", "these", "--lost-at", "22", "--seed", "3"]
    assert main(["compare", *EXAMPLE, *options, "--out", str(tmp_path)]) == 0
    read = json.loads((tmp_path / "comparison.json").read_text())
    assert (read["target"], read["problems"]["k"]) == ("these", 22)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, [], "No such file"),
        (b"problem,n\na,1\n", [], "of no known format; its fields are problem, n"),
        (b"\xff\xfe", [], "must be UTF-8 text"),
        (b"problem,n,c\nother,4,1\n", [], "no name is in both"),
        (None, ["--seed", "-1"], "--seed must be 0 or more"),
    ],
)
def test_bad_input_exits_with_2_and_one_sentence(
    tmp_path, capsys, content, options, message
):
    file = tmp_path / "rl.csv"
    if content is not None:
        file.write_bytes(content)
    rl = EXAMPLE[1] if options else str(file)
    assert main(["compare", EXAMPLE[0], rl, *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_a_k_past_the_samples_is_refused(tmp_path, capsys):
    assert main(["compare", *EXAMPLE, "--lost-at", "129"]) == 2
    assert "lost_at must be at most 128" in capsys.readouterr().err


def test_the_command_reads_what_the_table_writes(tmp_path):
    for name, c in (("base", [9] * 12), ("rl", [3] * 12)):
        (tmp_path / f"{name}.csv").write_text(to_csv(table(16, c)))
    files = [str(tmp_path / f"{name}.csv") for name in ("base", "rl")]
    assert main(["compare", *files, "--out", str(tmp_path / "out")]) == 0


# Ten wrong ways


def test_there_are_ten_and_each_is_wrong():
    ways = [way() for way in WRONG_WAYS]
    assert len({way.name for way in ways}) == 10
    for way in ways:
        assert not np.isclose(way.wrong, way.right, atol=1e-3)


@pytest.mark.parametrize(
    ("index", "wrong", "right"),
    [
        (0, 1 - 0.75**4, 1),
        (1, 1, np.nan),
        (2, 0, 0.5),  # 3 of the 6 pairs hold the right one
        (3, 1, 1 / 200),
        (4, 0.1, 0.2 + 0.8 * 0.1),  # 1 of 100 in 10 draws: one in ten
        (5, 1 - (12 * 11) / (16 * 15), 1),
        (7, 0, 1),
        (8, 108 / 148, 108 / 172),
        (9, 1, 0.5),
    ],
)
def test_wrong_ways_by_hand(index, wrong, right):
    way = WRONG_WAYS[index]()
    np.testing.assert_allclose([way.wrong, way.right], [wrong, right], rtol=1e-12)
