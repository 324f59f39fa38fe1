"""Tables of no tool in particular: every shape, refusal, engine and order."""

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.evals_logs import (
    HUMAN_EVAL,
    UNSCORED,
    VERL,
    evalplus,
    notes,
    outcome_of,
    table,
)
from toolkit.evals.readers import detect, formats, read
from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.grouping import count_samples
from toolkit.evals.reading.head import look_at


@pytest.mark.parametrize(
    "content",
    [
        "id,passed\na,1\na,0\nb,true\n",
        'id;passed\r\n"a";True\r\na;FALSE\r\nb;1.0\r\n',
        "\ufeffid\tpassed\na\t1\na\t0\nb\t1\n",
        '{"id": "a", "passed": true}\n{"id":"a", "passed": 0}\n\n{"id":"b","passed":1}',
        '[{"id": "a", "passed": [1, 0]}, {"id": "b", "passed": [true]}]',
        '{"id": "a", "passed": ["true", "false"]}\n{"id": "b", "passed": [1]}\n',
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_row_a_sample_in_any_shape(log, content, packed):
    path = log(gzip.compress(content.encode()) if packed else content)
    reading = read(path)
    assert reading.format == "rows"
    assert table(reading) == {"a": (2, 1), "b": (1, 1)}


@pytest.mark.parametrize(
    "content",
    [
        "problem,n,c\na,4,3\nb,2,0\n",
        "n;c;id\n4;3;a\n2;0;b\n",
        '{"id": "a", "c": 3, "n": 4}\n{"id": "b", "c": 0, "n": 2}\n',
        '[{"id": "a", "c": 3.0, "n": 4}, {"id": "b", "c": "0", "n": 2}]',
    ],
)
def test_a_row_a_problem_in_any_shape(log, content):
    reading = read(log(content))
    assert reading.format == "counts"
    assert table(reading) == {"a": (4, 3), "b": (2, 0)}
    assert "1 problem of 2 with fewer than 4 samples" in notes(reading)


def test_parquet_of_rows_and_of_counts(parquet):
    rows = read(
        parquet({"problem": [1, 1, 2], "score": [0.9, 0.1, None]}),
        threshold=0.5,
        unscored="wrong",
    )
    assert table(rows) == {"1": (2, 1), "2": (1, 0)}
    counts = read(parquet({"problem": ["a"], "n": [4], "c": [3], "source": ["x"]}))
    assert table(counts) == {"a": (4, 3)}
    assert counts.counts.groups == ("x",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("hello", "neither JSON, parquet, a zip archive nor CSV"),
        ("id,passed\n", "must hold samples"),
        ("problem,n,c\n", "must have a row for each problem"),
        ("name,mark\na,1\n", "no known format; its fields are name, mark"),
        ("id,passed,score\na,1,1\n", r"\(passed, score\): name it with --score"),
        ("id,task_id,passed\na,b,1\n", r"\(task_id, id\): name it with --problem"),
        ("id,n,c,passed\na,4,3,1\n", "may be counts, rows: name one with --format"),
        ("id,passed\n,1\n , 1\n", "which problem it is of: 1 row without a name"),
        (
            "id,passed\na,0.5\nb,0.25\n",
            "2 samples have a score that is neither 0 n",
        ),
        ("id,passed\na,yes\n", "no number for a score: passed is 'yes'"),
        ("id,passed\na,inf\n", "neither 0 nor 1: passed is 'inf'"),
        ("id,passed\na,nan\na,\n", "2 of 2 samples have no score"),
        ("id,passed\na,1,2\n", "cannot be read to its end: .*Line: 2"),
        ('id,passed\na,1\n"b', "cannot be read to its end"),
        ("id,id\na,1\n", "names, all different, but column 2 is called 'id'"),
        ("id,trial,passed\na,1,1\na,1,0\n", "2 rows of problem 'a' have only 1 val"),
        ("id,step,passed\na,1,1\nb,2,0\n", r"several values of step \(1, 2\)"),
        ("id,source,passed\na,x,1\na,y,0\n", "'a' is in 'x' and in 'y'"),
        ("problem,n,c\na,4,5\n", "problem 'a' has c = 5, n = 4"),
        ("problem,n,c\na,4,3\na,4,3\n", "must be there once each"),
        ("problem,n,c\na,4,2.5\n", "whole number"),
        ("problem,n,c\na,99999999999999999999,3\n", "must be at most 2147483647"),
        (
            '{"id": "a", "n": 4, "c": 2.5}\n',
            "c must be a whole number",
        ),
        ('{"id": "a", "n": 1e300, "c": 2}\n', "n must be a whole number"),
        ('{"id": "a", "n": 4, "c": -1}\n', "c must be from 0"),
        ('{"id": "a", "n": 0, "c": 0}\n', "n must be from 1"),
        ('{"id": "a", "n": 4, "c": {"x": 1}}\n', "c must be a whole number"),
        ('{"id": "a", "n": 4, "c": 1}\n{"id": "a", "n": 4, "c": 1}\n', "2 times"),
        (
            '{"id": "a", "n": 4, "c": 1}\n{"id": null, "n": 4, "c": 1}\n',
            "1 row without a name",
        ),
        ('{"id": "a", "passed": true}\n{"id": "a", "pass', "line 2 is no whole JSON"),
        ('{"id": "a", "passed": true}\n[1]\n', "line 2 must be a JSON object"),
        (
            b'{"id": "a", "passed": true}\n{"id": "\xe9", "passed": 1}\n',
            "2 is not UTF-8",
        ),
        (b"id,passed\n\xe9,1\n", "must be UTF-8 text, but byte 10 is not"),
        ("id,passed\na,1\n".encode("utf-16"), "must be UTF-8 text, parquet or a zip"),
        (b"\x28\xb5\x2f\xfd\x00\x00", "compressed by zstd"),
        (b"\x1f\x8b\x00\x00", "no whole gzip file"),
        (gzip.compress(b"id,passed\na,1\n" * 99, mtime=0)[:-9], "no whole gzip file"),
        (b"PAR1\x00\x00\x00\x00", "no whole parquet file"),
        (b"PK\x03\x04\x00\x00", "no whole zip archive"),
        ("[1, 2]", "must hold an object for each row, but it holds 1"),
        ('[{"id": "a", "passed": 1}', "no whole JSON"),
        ('{"x": 1}', "no known format; its fields are x"),
        ("{", "no whole JSON"),
        ('{"id": "a", "passed": {"x": [1]}}\n', "no number for a score"),
        ('{"id": "a", "passed": [1]}\n{"id": "b", "passed": 1}\n', "cannot be read to"),
    ],
)
def test_what_cannot_be_counted_is_refused(log, content, message):
    path = log(content)
    with pytest.raises(LogError, match=message) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "format must be one of bigcodebench, counts"),
        ({"format": "trl"}, "a log of TRL must be parquet, but the file is csv"),
        ({"format": "inspect"}, "must be json object or zip"),
        ({"problem": "x"}, "--problem x: there is no such field, only id, passed"),
        ({"score": "x"}, "--score x: there is no such field"),
        ({"group": "x"}, "--group x: there is no such field, only id, passed"),
        (
            {"where": (("x", "1"),)},
            "--where x: there is no such field, only id, passed",
        ),
        ({"where": (("id", "x"),)}, "no row has id = x; there are: a, b"),
        ({"unscored": "keep"}, "unscored must be one of 'drop', 'wrong'"),
        ({"threshold": float("nan")}, "threshold must be finite"),
    ],
)
def test_options_that_do_not_fit_are_refused(log, options, message):
    with pytest.raises(ValueError, match=message):
        read(log("id,passed\na,1\nb,0\n"), **options)


def test_options_without_meaning_are_refused_not_ignored(log):
    path = log(evalplus(("pass", None)))
    for name in ("problem", "group"):
        with pytest.raises(LogError, match=f"--{name} has no meaning"):
            read(path, **{name: "x"})
    with pytest.raises(LogError, match="--where has no meaning"):
        read(path, where=(("x", "1"),))


def test_a_file_that_fits_two_tools_is_refused_with_both_names(log):
    rows = [{**VERL[0], **HUMAN_EVAL[0]}]
    with pytest.raises(
        LogError, match="may be human-eval, verl: name one with --format"
    ):
        read(log(rows))
    assert read(log(rows), format="human-eval").format == "human-eval"


def test_every_format_has_a_name_of_its_own_and_says_which_files_it_reads():
    found = formats()
    assert len(found) >= 10
    assert all(name == format.name for name, format in found.items())
    assert len({format.files for format in found.values()}) == len(found)


def test_detection_looks_at_the_content_not_at_the_name(log):
    assert detect(look_at(log(HUMAN_EVAL, name="x.csv"))).name == "human-eval"
    odd = "a[1]*?.jsonl"  # a pattern to an engine that looks for files
    assert read(log(HUMAN_EVAL, name=odd)).rows == 5


def test_a_null_a_missing_field_and_nan_are_all_unscored(log):
    content = '{"id":"a","passed":1}\n{"id":"a"}\n{"id":"a","passed":NaN}\n'
    with pytest.raises(LogError, match="2 of 3 samples have no score"):
        read(log(content))
    assert table(read(log(content), unscored="drop")) == {"a": (1, 1)}


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c 1"]),
        st.sampled_from(["1", "0", "True", "false", " 1.0", "nan", "", None, "0.5"]),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=25, deadline=None)
@given(rows=ROWS, threshold=st.sampled_from([None, 0.5]), unscored=UNSCORED)
def test_two_engines_count_the_same(rows, threshold, unscored):
    import ibis
    import polars

    frame = polars.DataFrame(
        {"id": [r[0] for r in rows], "score": [r[1] for r in rows]},
        schema={"id": polars.String, "score": polars.String},
    )
    duckdb, other = ibis.memtable(frame), ibis.polars.connect({"samples": frame})
    results = [
        outcome_of(
            lambda t=there: count_samples(
                t, problem="id", score="score", threshold=threshold, unscored=unscored
            )
        )
        for there in (duckdb, other.table("samples"))
    ]
    assert results[0] == results[1]


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rows=ROWS, rng=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(log, rows, rng):
    shuffled = list(rows)
    rng.shuffle(shuffled)
    results = [
        outcome_of(
            lambda r=r: read(
                log([{"id": i, "passed": s} for i, s in r]), unscored="drop"
            )
        )
        for r in (rows, shuffled)
    ]
    assert results[0] == results[1]


def test_groups_and_sample_numbers_of_a_table():
    import ibis
    import pyarrow

    rows = {"id": ["a", "a"], "ok": [True, None], "source": ["x", "x"], "trial": [1, 2]}
    there = ibis.memtable(pyarrow.table(rows))
    reading = count_samples(
        there,
        problem="id",
        score="ok",
        group="source",
        sample="trial",
        unscored="wrong",
    )
    assert table(reading) == {"a": (2, 1)}
    assert reading.counts.groups == ("x",)
    with pytest.raises(LogError, match="must have the column 'x'"):
        count_samples(there, problem="id", score="x")
    with pytest.raises(LogError, match="true or false, numbers or text"):
        count_samples(
            ibis.memtable(pyarrow.table({"id": [1], "ok": [[1]]})),
            problem="id",
            score="ok",
        )
