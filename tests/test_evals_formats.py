"""The logs of each tool: what is counted, what is refused, and in which words."""

import json

import pytest

from tests.evals_logs import (
    HUMAN_EVAL,
    LETTERS,
    VERL,
    evalplus,
    inspect_log,
    lm_eval,
    notes,
    sample,
    table,
)
from toolkit.evals.readers import read
from toolkit.evals.reading.archive import zipfile
from toolkit.evals.reading.errors import LogError


def test_human_eval_counts_what_passed_by_task(log):
    reading = read(log(HUMAN_EVAL))
    assert reading.format == "human-eval"
    assert table(reading) == {"test/2": (3, 2), "test/10": (2, 0)}
    assert reading.rows == 5
    assert "1 problem of 2 with fewer than 3 samples" in notes(reading)


def test_human_eval_samples_that_were_not_evaluated_are_refused(log):
    rows = [
        {**row, "passed": None} if i == 1 else row for i, row in enumerate(HUMAN_EVAL)
    ]
    with pytest.raises(LogError, match=r"1 of 5 samples has no score.*--unscored drop"):
        read(log(rows))
    assert table(read(log(rows), unscored="drop"))["test/10"] == (1, 0)
    assert table(read(log(rows), unscored="wrong"))["test/10"] == (2, 0)
    without = [{k: v for k, v in row.items() if k != "passed"} for row in rows]
    with pytest.raises(LogError, match=r"must have the field 'passed'.*evaluate_funct"):
        read(log(without), format="human-eval")


def test_evalplus_needs_both_sets_of_tests_for_plus(log):
    path = log(evalplus(("pass", "pass"), ("pass", "fail"), ("timeout", "fail")))
    with pytest.raises(LogError, match="--score base or --score plus"):
        read(path)
    assert table(read(path, score="base")) == {"HumanEval/0": (3, 2)}
    assert table(read(path, score="plus")) == {"HumanEval/0": (3, 1)}
    with pytest.raises(LogError, match="--score must be base or plus"):
        read(path, score="acc")


def test_evalplus_without_added_tests_says_so(log):
    path = log(evalplus(("pass", None), ("fail", None)))
    assert "no added tests" in notes(read(path))
    assert table(read(path)) == {"HumanEval/0": (2, 1)}
    with pytest.raises(LogError, match="1 of 2 samples has no score"):
        read(path, score="plus")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"eval": {"a": [{"base_status": "done"}]}}, "must be pass, fail or timeout"),
        ({"eval": {"a": [{"base_status": ["pass"]}]}}, "must be pass, fail or timeout"),
        ({"eval": {"a": {"nfiles": 1, "base": []}}}, "the file must hold"),
        ({"eval": {"a": [3]}}, "the file must hold"),
        ({"eval": {}}, "must hold samples"),
        ({"eval": {"a": []}}, "no sample has one"),
        ('{"eval": {"a": [], "a": []}}', "must be there once, but not 'a'"),
    ],
)
def test_evalplus_of_another_shape_is_refused(log, content, message):
    with pytest.raises(LogError, match=message):
        read(log(content), format="evalplus")


def test_bigcodebench_counts_statuses(log):
    tasks = {"BCB/0": [{"status": "pass"}, {"status": "timeout"}], "BCB/1": []}
    reading = read(log({"eval": tasks}))
    assert reading.format == "bigcodebench"
    assert table(reading) == {"BCB/0": (2, 1)}
    assert "1 problem without any score left out, the first 'BCB/1'" in notes(reading)


def test_lm_eval_with_repeats_has_no_c(log):
    # trap (a): four texts of which two pass, and one metric that says 1.0
    path = log([lm_eval(0, ["4", "5", "4", "four"], 1.0)])
    with pytest.raises(
        LogError, match=r"c is not in the file.*4 responses.*repeats: 1"
    ):
        read(path)


def test_lm_eval_repeats_are_found_in_any_line(log):
    path = log(
        [*[lm_eval(i, ["4"], 1.0) for i in range(60)], lm_eval(60, ["4", "5"], 1)]
    )
    with pytest.raises(LogError, match="2 responses but one exact_match"):
        read(path)


def test_lm_eval_lines_of_two_filters_are_not_two_samples(log):
    # trap (a): every document is logged once for each filter
    rows = [
        lm_eval(doc, ["4"], right, filter)
        for filter, right in (("strict-match", 0.0), ("flexible-extract", 1.0))
        for doc in (0, 1)
    ]
    path = log(rows)
    with pytest.raises(LogError, match=r"filter \(flexible-extract, strict-match\)"):
        read(path)
    reading = read(path, where=(("filter", "flexible-extract"),))
    assert table(reading) == {"0": (1, 1), "1": (1, 1)}
    with pytest.raises(LogError, match="no row has filter = x; there are: flexible-ex"):
        read(path, where=(("filter", "x"),))
    for row in rows:
        del row["filter"]
    with pytest.raises(
        LogError, match="no field says whether they are of several filt"
    ):
        read(log(rows))


def test_lm_eval_runs_one_after_another_are_samples(log):
    reading = read(log([lm_eval(0, ["4"], 1.0), lm_eval(0, ["5"], 0.0)]))
    assert table(reading) == {"0": (2, 1)}
    assert "same doc_id were taken as separate samples" in notes(reading)


def test_lm_eval_logs_of_two_tasks_are_not_one(log):
    rows = [{**lm_eval(0, ["4"], 1.0), "doc_hash": task} for task in ("a", "b")]
    with pytest.raises(LogError, match="1 ids have 2 different doc_hash"):
        read(log(rows))


def test_lm_eval_with_several_metrics_asks_for_one(log):
    row = {**lm_eval(0, ["4"], 1.0), "metrics": ["exact_match", "f1"], "f1": 0.7}
    with pytest.raises(LogError, match=r"\(exact_match, f1\): name it with --score"):
        read(log([row]))
    with pytest.raises(LogError, match=r"neither 0 nor 1: f1 is '0.7'.*--threshold"):
        read(log([row]), score="f1")
    assert table(read(log([row]), score="f1", threshold=0.5)) == {"0": (1, 1)}


def test_verl_groups_by_prompt_and_says_so(log):
    # trap (b): no problem id in the dump
    reading = read(log(VERL))
    assert reading.format == "verl"
    assert "grouped by the text of their prompt" in notes(reading)
    by_text = {reading.prompts[name]: nc for name, nc in table(reading).items()}
    assert by_text == {"user\nQ1": (3, 2), "user\nQ2": (2, 0)}
    assert all(len(name) == 12 for name in reading.counts.problems)
    named = read(log([{**row, "uid": row["input"][-1]} for row in VERL]), problem="uid")
    assert table(named) == {"1": (3, 2), "2": (2, 0)}
    assert not named.prompts


def test_verl_without_a_prompt_is_refused(log):
    rows = [{k: v for k, v in row.items() if k != "input"} for row in VERL]
    with pytest.raises(LogError, match=r"must have the field 'input'.*log the prompt"):
        read(log(rows))


def test_verl_with_two_scores_asks_for_one(log):
    rows = [{**row, "acc": row["score"] > 0, "score": row["score"] / 2} for row in VERL]
    with pytest.raises(LogError, match=r"\(score, acc\): name it with --score"):
        read(log(rows))
    right = {tuple(v) for v in table(read(log(rows), score="acc")).values()}
    assert right == {(3, 2), (2, 0)}


def test_verl_steps_are_not_counted_together(log):
    path = log([*VERL, *({**row, "step": 40} for row in VERL)])
    with pytest.raises(
        LogError, match=r"several values of step \(20, 40\).*--where st"
    ):
        read(path)
    assert read(path, where=(("step", "40"),)).rows == 5


TRL = {
    "step": [10] * 4,
    "prompt": ["Q1", "Q2", "Q1", "Q2"],
    "completion": ["4"] * 4,
    "accuracy_reward": [1.0, 0.0, None, 1.0],
    "format_reward": [0.5, 0.5, 0.5, 0.5],
    "advantage": [0.1, -0.1, 0.0, 0.0],
}


def test_trl_needs_the_reward_named_and_groups_by_prompt(parquet):
    path = parquet(TRL)
    with pytest.raises(LogError, match=r"\(accuracy_reward, format_reward\): name it"):
        read(path)
    with pytest.raises(LogError, match="1 of 4 samples has no score"):
        read(path, score="accuracy_reward")
    reading = read(path, score="accuracy_reward", unscored="drop")
    by_text = {reading.prompts[name]: nc for name, nc in table(reading).items()}
    assert by_text == {"Q1": (1, 1), "Q2": (2, 1)}
    assert read(path, score="format_reward", threshold=0.5).counts.c.sum() == 4
    without = {name: values for name, values in TRL.items() if name != "prompt"}
    with pytest.raises(LogError, match="must have the field 'prompt'"):
        read(parquet(without))


def test_trl_prompts_that_are_conversations_are_told_apart(parquet):
    talk = [[{"role": "user", "content": q}] for q in TRL["prompt"]]
    reading = read(
        parquet({**TRL, "prompt": talk}), score="accuracy_reward", unscored="wrong"
    )
    assert sorted(table(reading).values()) == [(2, 1), (2, 1)]


def test_livecodebench_counts_graded_lists(log):
    content = json.dumps(
        [
            {"question_id": "q1", "graded_list": [True, False, True], "pass@1": 0.67},
            {"question_id": "q2", "graded_list": [False, False, False], "pass@1": 0},
        ],
        indent=4,
    )
    reading = read(log(content))
    assert reading.format == "livecodebench"
    assert table(reading) == {"q1": (3, 2), "q2": (3, 0)}


@pytest.fixture
def archive(tmp_path):
    """Return a function that writes an inspect log as an archive."""

    def write(content, compression=zipfile.ZIP_DEFLATED):
        samples = content.pop("samples")
        path = tmp_path / "log.eval"
        with zipfile.ZipFile(path, "w", compression) as file:
            file.writestr("_journal/start.json", json.dumps(content))
            for s in samples:
                name = f"samples/{s['id']}_epoch_{s['epoch']}.json"
                file.writestr(name, json.dumps(s))
            file.writestr("header.json", json.dumps(content))
        return path

    return write


@pytest.mark.parametrize("compression", ["ZIP_DEFLATED", "ZIP_ZSTANDARD"])
def test_inspect_reads_both_of_its_formats(log, archive, compression):
    by_json = read(log(inspect_log(*LETTERS, ids=["a", 7])))
    how = getattr(zipfile, compression)
    by_archive = read(archive(inspect_log(*LETTERS, ids=["a", 7]), how))
    assert by_json.format == by_archive.format == "inspect"
    assert table(by_json) == table(by_archive) == {"a": (2, 1), "7": (2, 1)}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("P", "neither 0 nor 1: match is 0.5; .*--threshold"),
        (0.999, "neither 0 nor 1"),
        ("maybe", "no number for a score: match is 'maybe'"),
        ([1, 0], "no number for a score"),
        ({"x": 1, "y": 0}, r"several values \(match.x, match.y\)"),
    ],
)
def test_inspect_values_that_are_neither_right_nor_wrong(log, value, message):
    # trap (c): a value may be a letter, a number, a list, an object
    with pytest.raises(LogError, match=message):
        read(log(inspect_log(sample("a", 1, value), epochs=1)))


def test_inspect_values_that_the_user_explains(log):
    partly = inspect_log(sample("a", 1, "P"), sample("a", 2, 0.4))
    assert table(read(log(partly), threshold=0.5)) == {"a": (2, 1)}
    parts = inspect_log(sample("a", 1, {"x": 1, "y": 0}), epochs=1)
    assert table(read(log(parts), score="match.x")) == {"a": (1, 1)}
    assert table(read(log(parts), score="match.y")) == {"a": (1, 0)}


def test_inspect_with_two_scorers_asks_for_one(log):
    two = sample("a", 1, "C")
    two["scores"]["judge"] = {"value": "I"}
    path = log(inspect_log(two, epochs=1))
    with pytest.raises(LogError, match=r"several scorers \(match, judge\)"):
        read(path)
    assert table(read(path, score="judge")) == {"a": (1, 0)}
    with pytest.raises(LogError, match="no such scorer, only match, judge"):
        read(path, score="other")


def test_inspect_samples_that_failed_or_never_ran_have_no_score(log):
    # trap (c): unscored epochs make n ragged
    content = inspect_log(
        sample("a", 1, "C"),
        sample("a", 2, None, error={"message": "timeout"}),
        sample("b", 1, float("nan")),
        ids=["a", "b", "c"],
    )
    path = log(content)
    with pytest.raises(LogError, match="5 of 6 samples have no score"):
        read(path)
    reading = read(path, unscored="wrong")
    assert table(reading) == {"a": (2, 1), "b": (2, 0), "c": (2, 0)}
    assert "1 sample stopped with an error" in notes(reading)
    assert "announces 3 samples that it does not have" in notes(reading)
    assert table(read(path, unscored="drop")) == {"a": (1, 1)}


def test_inspect_samples_are_counted_once(log):
    with pytest.raises(LogError, match=r"epoch 1 of 'a'.*there twice"):
        read(log(inspect_log(sample("a", 1, "C"), sample("a", 1, "C"))))


def test_inspect_archives_that_cannot_be_read(archive, tmp_path):
    path = archive(inspect_log(*LETTERS, ids=["a", 7]))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(LogError, match="no whole zip archive"):
        read(path)
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("readme.txt", "hello")
    with pytest.raises(LogError, match="no known format"):
        read(other)
