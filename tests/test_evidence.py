import argparse
import copy
import csv
import datetime
import io
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from pybtex.database import parse_file, parse_string

from toolkit import evidence
from toolkit.evidence import command, export, foundations, page, vocabulary
from toolkit.evidence.markup import cite_id, claim_id
from toolkit.evidence.repository import collected_tests, page_labels
from toolkit.evidence.works import works
from toolkit.figures.evidence import foundations_figure
from tools.evidence import works as works_of

ROOT = Path(__file__).parent.parent
TODAY = datetime.date(2026, 11, 30)

FACT = {
    "id": "two-and-two",
    "section": "11.1",
    "claim": "Two and two make four.",
    "kind": "mathematical fact",
    "status": "settled",
    "as_of": "2026-10",
    "settings": "Whole numbers.",
    "sources": [{"key": "yue2025does", "known": ["paper"], "reports": "Nothing."}],
    "toy": "It counts.",
    "demonstrations": ["sharpening.md#fig-11-1"],
    "tests": ["tests/test_passk.py::test_equal_models_never_cross"],
    "caveat": "None.",
    "statements": [
        {
            "document": "chapter",
            "says": "They make five.",
            "verdict": "wrong",
            "basis": "computed",
            "reason": "They make four.",
        }
    ],
    "history": [{"date": "2026-10", "status": "settled", "why": "Counted."}],
}

REPORT = FACT | {"kind": "recent", "status": "single group", "tests": []}
REPORT["history"] = [{"date": "2026-10", "status": "single group", "why": "Read."}]


def changed(
    where: str, value: object, record: dict[str, object] = FACT
) -> list[object]:
    """Return the table of one record, with the value at ``a.0.b`` replaced."""
    found = copy.deepcopy(record)
    *path, last = (int(s) if s.isdigit() else s for s in where.split("."))
    place: Any = found
    for step in path:
        place = place[step]
    place[last] = value
    return [found]


def without(key: str) -> list[object]:
    return [{name: value for name, value in FACT.items() if name != key}]


def test_the_small_records_used_below_are_valid():
    assert evidence.parse([FACT], today=TODAY)[0].claim == "Two and two make four."
    assert evidence.parse([REPORT], today=TODAY)[0].status == "single group"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({}, r"claims must be a list, but it is dict"),
        (["text"], r"claim number 1 must be an object, but it is str"),
        (changed("colour", "red"), r"claim 'two-and-two' has an unknown key 'colour'"),
        (changed("sources.0.page", "4"), r"sources\[0\] has an unknown key 'page'"),
        (without("caveat"), r"claim 'two-and-two' must have the key 'caveat'"),
        (without("id"), r"claim number 1 must have the key 'id'"),
        (changed("claim", 4), r"claim must be text that is not empty, but it is 4"),
        (changed("claim", "  "), r"claim must be text that is not empty"),
        (changed("claim", None), r"claim must be text that is not empty"),
        (changed("row", "1"), r"row must be a whole number or null, but it is '1'"),
        (changed("row", True), r"row must be a whole number or null, but it is True"),
        (changed("row", 7), r"row must be 1 to 6, but it is 7"),
        (changed("tests", "a"), r"tests must be a list, but it is str"),
        (changed("tests", [4]), r"tests\[0\] must be text that is not empty"),
        (changed("id", "Two_and_two"), r"id must be lower-case words joined by"),
        (changed("section", "12.1"), r"section must be 11\.0 to 11\.6, not '12\.1'"),
        (
            changed("kind", "certain"),
            r"kind must be one of mathematical fact, .*'certain'",
        ),
        (changed("status", "maybe"), r"status must be one of settled, .*'maybe'"),
        (changed("sources", []), r"sources must name at least one work, but is empty"),
        (
            changed("sources.0.key", "who1999"),
            r"must be a key of works\.json, not 'who1999'",
        ),
        (changed("sources.0.known", []), r"'yue2025does': known must not be empty"),
        (changed("sources.0.known", ["memory"]), r"known must be one of .*'memory'"),
        (changed("sources", FACT["sources"] * 2), r"'yue2025does' is there twice"),
        (changed("statements.0.document", "web"), r"document must be one of .*'web'"),
        (changed("statements.0.verdict", "bad"), r"verdict must be one of .*'bad'"),
        (changed("statements.0.basis", "felt"), r"basis must be one of .*'felt'"),
        (
            changed("demonstrations", ["sharpening"]),
            r"like page\.md#label, not 'sharpening'",
        ),
        (
            changed("statements.0.demonstrations", ["x"]),
            r"like page\.md#label, not 'x'",
        ),
        (changed("tests", ["test_passk"]), r"must look like tests/test_x\.py::test_y"),
        (changed("tests", []), r"a settled mathematical fact must have a test"),
        (changed("status", "supported"), r"a mathematical fact must be settled"),
        (changed("status", "settled", REPORT), r"nothing else may be.*'recent'"),
        (changed("as_of", "October"), r"as_of must be a month like 2026-10"),
        (changed("as_of", "2026-13"), r"as_of must be a month like 2026-10"),
        (changed("as_of", "2026-12"), r"as_of must not be in the future.*2026-12"),
        (changed("history.0.date", "2026-12"), r"date must not be in the future"),
        (changed("history.0.date", "2026-11"), r"history must .* end by 2026-10"),
        (changed("history.0.status", "sure"), r"history: status must be one of"),
        (changed("history", []), r"history must have at least one entry"),
        (
            changed("history", [REPORT["history"][0], FACT["history"][0]], REPORT),
            r"status must be the last of the history, 'settled'",
        ),
        (
            changed(
                "history",
                [
                    FACT["history"][0],
                    {"date": "2026-09", "status": "settled", "why": "Late."},
                ],
            ),
            r"history must run forward",
        ),
        ([FACT, FACT], r"id must be unique, but 'two-and-two' is there twice"),
        (
            [FACT | {"row": 1}, FACT | {"row": 1, "id": "other"}],
            r"row must be unique, but 1 is there twice",
        ),
        (
            changed(
                "sources.0",
                {
                    "key": "yue2025does",
                    "known": ["abstract", "notes"],
                    "reports": "Up 3 points.",
                },
            ),
            r"reports must say which numbers are second-hand",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_malformed_table_is_refused_by_name(raw, message):
    with pytest.raises(ValueError, match=message):
        evidence.parse(raw, today=TODAY)


def test_the_table_is_valid_and_has_the_six_rows_of_the_chapter():
    table = evidence.load()
    assert [claim.row for claim in table if claim.row] == [1, 2, 3, 4, 5, 6]
    assert [claim.kind for claim in table[:6]] == [
        *["mathematical fact"] * 2,
        *["replicated"] * 2,
        "contested",
        "recent",
    ]


def test_a_table_of_the_future_does_not_load():
    with pytest.raises(ValueError, match=r"must not be in the future"):
        evidence.load(today=datetime.date(2026, 9, 30))


def test_every_link_test_and_work_of_the_table_exists():
    evidence.check_repository(ROOT)


def test_every_mathematical_fact_has_a_test_and_nothing_else_is_settled():
    table = evidence.load()
    facts = evidence.select(table, kind="mathematical fact")
    assert facts
    assert all(claim.tests for claim in facts)
    assert set(facts) == set(evidence.select(table, status="settled"))


def test_every_test_of_the_table_is_one_that_pytest_collects():
    for claim in evidence.load():
        for test in claim.tests:
            file, _, name = test.partition("::")
            assert name in collected_tests(ROOT / file), test


def test_each_of_the_four_texts_has_statements_that_agree_or_are_answered():
    said = [s for claim in evidence.load() for s in claim.statements]
    assert {s.document for s in said} == set(vocabulary.DOCUMENTS)
    disagreeing = [s for claim in evidence.load() for s in claim.disagreements]
    assert {s.document for s in disagreeing} == set(vocabulary.DOCUMENTS)
    assert {s.verdict for s in said} == set(vocabulary.VERDICTS)


def test_kinds_partition_the_table():
    table = evidence.load()
    by_kind = [evidence.select(table, kind=kind) for kind in vocabulary.KINDS]
    assert sum(map(len, by_kind)) == len(table)
    assert all(by_kind)


def test_a_choice_of_kind_and_status_is_their_intersection():
    table = evidence.load()
    chosen = evidence.select(table, kind="contested", status="disputed")
    assert chosen == tuple(
        claim
        for claim in table
        if (claim.kind, claim.status) == ("contested", "disputed")
    )


@pytest.mark.parametrize("word", ["kind", "status"])
def test_an_unknown_word_in_a_choice_is_refused(word):
    with pytest.raises(ValueError, match=f"{word} must be one of .*'odd'"):
        evidence.select(evidence.load(), **{word: "odd"})


@pytest.fixture
def small_book(tmp_path):
    """Return a repository that the record ``FACT`` fits."""
    (tmp_path / "chapter11").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "chapter11" / "sharpening.md").write_text("    name: fig-11-1\n")
    (tmp_path / "tests" / "test_passk.py").write_text(
        "def test_equal_models_never_cross():\n    pass\n"
    )
    (tmp_path / "_toc.yml").write_text("chapters:\n  - file: chapter11/sharpening\n")
    (tmp_path / "references.bib").write_text("@misc{yue2025does, title={T}}\n")
    return tmp_path


def check_small(book: Path, raw: list[object] | None = None) -> None:
    evidence.check_repository(book, evidence.parse(raw or [FACT], today=TODAY))


def test_a_table_that_fits_passes(small_book):
    check_small(small_book)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (changed("demonstrations", ["no.md#fig-11-1"]), r"no page chapter11/no\.md"),
        (changed("demonstrations", ["sharpening.md#fig-9"]), r"has no label 'fig-9'"),
        (
            changed("statements.0.demonstrations", ["a.md#b"]),
            r"no page chapter11/a\.md",
        ),
        (
            changed("tests", ["tests/test_passk.py::test_gone"]),
            r"no test .*::test_gone",
        ),
        (changed("tests", ["tests/test_gone.py::test_a"]), r"no test tests/test_gone"),
        (changed("sources.0.key", "liu2025prorl"), r"has no work 'liu2025prorl'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_repository_lacks_is_named(small_book, raw, message):
    with pytest.raises(ValueError, match=rf"two-and-two: .*{message}"):
        check_small(small_book, raw)


def test_a_page_that_the_book_leaves_out_is_named(small_book):
    (small_book / "_toc.yml").write_text("chapters:\n  - file: chapter11/other\n")
    with pytest.raises(ValueError, match=r"_toc\.yml has no chapter11/sharpening"):
        check_small(small_book)


def test_all_that_is_missing_is_named_at_once(small_book):
    (small_book / "references.bib").write_text("")
    (small_book / "tests" / "test_passk.py").write_text("")
    with pytest.raises(ValueError, match=r"no test(.|\n)*no work"):
        check_small(small_book)


def test_labels_of_a_page_are_those_that_a_link_can_reach(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(
        "# 11.1 Which *problems*, then?\n\n(here)=\n## One\n\n#### Too deep\n\n"
        "```{code-cell}\n# a comment\nmystnb:\n  figure:\n    name: fig-11-1-2\n```\n"
        "```{figure} a.svg\n:name: fig-11-1-3\n```\n"
    )
    assert page_labels(path) == {
        "111-which-problems-then", "here", "one", "fig-11-1-2", "fig-11-1-3",
    }  # fmt: skip


def test_tests_of_a_file_are_what_pytest_would_collect(tmp_path):
    path = tmp_path / "test_a.py"
    path.write_text(
        "def test_one(): ...\ndef helper(): ...\n"
        "class TestTwo:\n    def test_in(self): ...\n    def other(self): ...\n"
        "class Three:\n    def test_not(self): ...\n"
    )
    assert collected_tests(path) == {"test_one", "TestTwo::test_in"}


def test_the_package_has_the_works_of_the_bibliography():
    stored = (ROOT / "toolkit" / "evidence" / "works.json").read_text("utf-8")
    assert stored == works_of(), "python -m tools.evidence"


def test_works_are_named_by_authors_and_year():
    assert works()["yue2025does"].label == "Yue et al. (2025)"
    assert works()["zhu2026reflection"].label == "Zhu (2026)"
    assert works()["deepseek2025r1"].label == "DeepSeek-AI (2025)"
    for work in works().values():
        assert not set(work.label + work.title) & set("{}\\"), work.label


def test_works_that_share_a_label_have_names_of_their_own():
    shared = [key for key, work in works().items() if work.name != work.label]
    assert {"liu2025prorl", "liu2025understanding"} <= set(shared)
    names = Counter(work.name for work in works().values())
    assert max(names.values()) == 1, names.most_common(2)


def test_json_reads_back_to_the_same_table():
    table = evidence.load()
    assert evidence.parse(json.loads(evidence.to_json(table))) == table


def test_csv_reads_back_a_row_a_claim():
    table = evidence.load()
    rows = list(csv.DictReader(io.StringIO(evidence.to_csv(table))))
    assert [row["id"] for row in rows] == [claim.id for claim in table]
    for row, claim in zip(rows, table, strict=True):
        assert row["claim"] == claim.claim
        assert row["row"] == ("" if claim.row is None else str(claim.row))
        assert row["tests"] == "; ".join(claim.tests)
        for source in claim.sources:
            assert f"{source.key} [{', '.join(source.known)}]: " in row["sources"]
        for statement in claim.statements:
            assert f"{statement.document} [{statement.verdict}" in row["statements"]


def test_bibtex_reads_back_to_the_entries_of_the_bibliography():
    table = evidence.load()
    entries = parse_string(evidence.to_bibtex(table), "bibtex").entries
    assert set(entries) == {s.key for claim in table for s in claim.sources}
    original = parse_file(str(ROOT / "references.bib")).entries
    for key, entry in entries.items():
        claims = [c.id for c in table if key in {s.key for s in c.sources}]
        assert entry.fields.pop("keywords").split(", ") == claims
        assert entry == original[key]


def test_text_names_every_work_and_every_test():
    for claim in evidence.load():
        text = " ".join(evidence.to_text([claim]).split())
        assert claim.claim in text
        for source in claim.sources:
            assert works()[source.key].name in text
        for test in claim.tests:
            assert test in text


def test_nothing_exports_to_nothing():
    assert evidence.to_bibtex([]) == evidence.to_text([]) == ""
    assert json.loads(evidence.to_json([])) == []
    assert len(evidence.to_csv([]).splitlines()) == 1


def test_the_frame_has_a_row_a_claim():
    pytest.importorskip("pandas")
    table = evidence.frame()
    assert list(table.index) == [claim.id for claim in evidence.load()]
    contested = evidence.frame(kind="contested")
    assert set(contested["kind"]) == {"contested"}


def test_without_pandas_the_frame_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs pandas.*pip install pandas"):
        evidence.frame()


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers(required=True))
    options = parser.parse_args(["evidence", *arguments])
    return options.run(options)


@pytest.mark.parametrize("form", ["json", "csv", "bib", "text"])
def test_the_command_prints_what_the_export_returns(form, capsys):
    choice = ["--kind", "contested", "--status", "disputed"]
    assert run_command("--format", form, *choice) == 0
    write = {"json": "to_json", "csv": "to_csv", "bib": "to_bibtex", "text": "to_text"}
    chosen = evidence.select(evidence.load(), kind="contested", status="disputed")
    assert chosen
    assert capsys.readouterr().out == getattr(export, write[form])(chosen)


@pytest.mark.parametrize(
    "wrong", [["--kind", "odd"], ["--status", "odd"], ["--format", "xml"]]
)
def test_the_command_refuses_words_that_are_not_in_the_vocabulary(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        run_command(*wrong)
    assert stopped.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


def test_the_page_has_every_claim_once_and_links_only_to_works_and_rows():
    body = page.whole_table().body
    for claim in evidence.load():
        assert body.count(f'id="{claim_id(claim)}"') == 1
        for source in claim.sources:
            assert f'href="#{cite_id(source.key)}"' in body


def test_every_second_hand_work_is_called_so_on_the_page():
    body = page.whole_table().body
    for claim in evidence.load():
        for source in claim.sources:
            if source.is_second_hand:
                row = body[body.index(f'id="{claim_id(claim)}"') :]
                name = works()[source.key].name
                assert f"{name}</a> (second-hand)" in row[: row.index("</tr>")]


def test_the_rows_of_the_chapter_lead_to_the_table_from_any_page():
    body = page.chapter_rows().body
    for claim in evidence.load()[:6]:
        assert f'href="evidence.html#{claim_id(claim)}"' in body
    assert 'href="#' not in body


def test_the_text_form_of_a_table_is_a_short_line_an_entry():
    lines = page.whole_table().lines
    assert len(lines) == len(evidence.load())
    assert max(map(len, lines)) < 88


def test_disagreements_hold_each_statement_that_does_not_agree_once():
    shown = sum(len(page.disagreements(name).lines) for name in vocabulary.DOCUMENTS)
    assert shown == sum(len(claim.disagreements) for claim in evidence.load())
    body = page.disagreements("chapter").body
    assert "agrees" not in body
    for claim in evidence.load():
        for statement in claim.disagreements:
            if statement.document == "chapter":
                assert f'href="evidence.html#{claim_id(claim)}"' in body


def test_disagreements_with_an_unknown_text_are_refused():
    with pytest.raises(ValueError, match=r"document must be one of chapter, .*'novel'"):
        page.disagreements("novel")


def test_every_kind_has_a_badge_and_every_file_a_writer():
    assert set(page.BADGES) == set(vocabulary.KINDS)
    for name, write in page.DOWNLOADS.items():
        assert f'href="{name}" download' in page.downloads().body
        assert write(evidence.load())


def test_a_claim_rests_on_the_surest_thing_it_has():
    (fact,) = evidence.parse([FACT], today=TODAY)
    assert foundations.foundation(fact) == "test of this book"
    for known, expected in [
        (["notes"], "second-hand only"),
        (["abstract", "notes"], "abstract"),
        (["abstract", "code"], "authors' code or page"),
        (["notes", "paper"], "paper read"),
    ]:
        raw = changed("sources.0.known", known, REPORT)
        (claim,) = evidence.parse(raw, today=TODAY)
        assert foundations.foundation(claim) == expected


def test_counts_of_what_rests_on_what_add_up():
    table = evidence.load()
    counts = foundations.count_foundations(table)
    assert sum(sum(c.values()) for c in counts.values()) == len(table)
    cited = foundations.count_works(table)
    assert sum(map(sum, cited.values())) == sum(len(claim.sources) for claim in table)
    totals = [sum(n) for n in cited.values()]
    assert totals == sorted(totals, reverse=True)


def test_the_figure_draws_the_counts_it_is_given():
    counts = {kind: {"abstract": 2, "paper read": 1} for kind in vocabulary.KINDS}
    figure = foundations_figure(counts, {"A (2025)": (3, 1), "B (2026)": (1, 0)}, 1)
    kinds, drawn = (Figure().subplots() for _ in figure.panels)
    figure.panels[0].draw(kinds)
    figure.panels[1].draw(drawn)
    widths = [patch.get_width() for patch in kinds.patches]
    assert sorted(widths)[-8:] == [1] * 4 + [2] * 4
    assert [patch.get_width() for patch in drawn.patches] == [3, 1]
    assert [tick.get_text() for tick in drawn.get_yticklabels()] == ["A (2025)"]
    assert "recent: 1 paper read, 2 abstract" in figure.alt
    assert sum(figure.table["claims"]) == 4 * 3 + 4
