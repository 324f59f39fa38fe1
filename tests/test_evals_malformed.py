"""Files cut in pieces, cut off and damaged, and the command's answer to bad input."""

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.evals_logs import (
    HUMAN_EVAL,
    LETTERS,
    UNSCORED,
    evalplus,
    inspect_log,
    lm_eval,
    outcome_of,
    table,
)
from toolkit.__main__ import main
from toolkit.evals.plain import parse_csv
from toolkit.evals.readers import read
from toolkit.evals.reading.archive import zipfile
from toolkit.evals.reading.errors import LogError
from toolkit.evals.reading.nested import Walk
from toolkit.evals.reading.progress import progress


def walk_whole(walk):
    """Return the value at a place by going into everything."""
    if walk.peek() == "{":
        return {name: walk_whole(walk) for name in walk.members()}
    if walk.peek() == "[":
        return [walk_whole(walk) for _ in walk.items()]
    return walk.value()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(value=JSON, chunk=st.integers(1, 40), indent=st.sampled_from([None, 1]))
def test_a_walk_sees_the_whole_value_in_pieces_of_any_size(value, chunk, indent):
    data = json.dumps(value, indent=indent, ensure_ascii=False).encode()
    assert Walk(io.BytesIO(data), chunk=chunk).value() == value
    walk = Walk(io.BytesIO(data), chunk=chunk)
    assert walk_whole(walk) == value
    walk.finish()


@settings(max_examples=60, deadline=None)
@given(value=JSON.filter(lambda v: isinstance(v, (list, dict, str))), data=st.data())
def test_a_walk_refuses_every_value_that_is_cut_off(value, data):
    whole = json.dumps(value).encode()
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(LogError):
        walk_whole(Walk(io.BytesIO(cut), chunk=3))


def test_a_walk_reads_no_further_than_it_went():
    file = io.BytesIO(b"[" + b", ".join([b'{"id": "a"}'] * 50_000) + b"]")
    walk = Walk(file, chunk=100)
    next(walk.items())
    assert walk.value() == {"id": "a"}
    assert file.tell() < len(file.getvalue())


def test_a_log_followed_by_another_is_refused(log):
    whole = json.dumps(evalplus(("pass", None)), indent=1)
    with pytest.raises(LogError, match="something follows its end"):
        read(log(whole + whole))


def test_a_bar_is_shown_on_a_terminal_only(capsys, monkeypatch):
    monkeypatch.setattr("toolkit.evals.reading.progress.INTERVAL", 0.001)
    seen = []

    def fraction():
        seen.append(True)
        return 0.5

    with progress(fraction, wanted=True):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress(fraction, wanted=True):
        while not seen:
            pass
    assert " 50%" in capsys.readouterr().err


def whole_logs():
    rows = "".join(f"{json.dumps(row)}\n" for row in HUMAN_EVAL)
    counts = "problem,n,c\na,4,3\nb,2,0\n"
    lcb = json.dumps([{"question_id": "q", "graded_list": [True, False]}])
    inspect = json.dumps(inspect_log(*LETTERS, ids=["a", 7]))
    plus = json.dumps(evalplus(("pass", "pass"), ("fail", None)))
    lm = json.dumps(lm_eval(0, ["4"], 1.0)) + "\n"
    texts = (rows, counts, lcb, inspect, plus, lm)
    return [*(text.encode() for text in texts), an_archive(inspect)]


def an_archive(inspect):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", inspect)
        archive.writestr("samples/a_epoch_1.json", json.dumps(LETTERS[0]))
    return file.getvalue()


JUNK = st.sampled_from(
    [
        b"",
        b"\x00",
        b"\xff",
        b"NaN",
        b"-Infinity",
        b"null",
        b"{",
        b"]",
        b'"',
        b",",
        b"\n",
        b"9" * 400,
        b"1e999",
        b"[[",
        b'{"a":',
        b"\xef\xbb\xbf",
        b"\\ud800",
        b"\xc3",
    ]
)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    data=st.sampled_from(whole_logs()),
    cuts=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 12), JUNK), max_size=3),
    end=st.integers(0, 600),
    unscored=UNSCORED,
)
@example(data=b"[" * 100_000, cuts=[], end=100_000, unscored=None)
@example(data=b'{"id":"a","passed":' + b"[" * 9000, cuts=[], end=99_999, unscored=None)
@example(data=b'{"id":"a","n":1e400,"c":1}\n', cuts=[], end=600, unscored=None)
@example(data=b"id,n,c\na,NaN,1\n", cuts=[], end=600, unscored=None)
@example(
    data=b'{"id":1' + b"0" * 5000 + b',"passed":1}\n', cuts=[], end=9999, unscored=None
)
def test_a_malformed_file_gives_counts_or_our_error_and_nothing_else(
    log, data, cuts, end, unscored
):
    for start, length, junk in cuts:
        data = data[:start] + junk + data[start + length :]
    result = outcome_of(lambda: read(log(data[:end]), unscored=unscored))
    if isinstance(result, str):
        assert "\n" not in result
    else:
        assert all(0 <= c <= n for n, c in result[0].values())


def test_the_command_prints_a_table_that_reads_back(log, capsys):
    assert main(["counts", str(log(HUMAN_EVAL))]) == 0
    output = capsys.readouterr()
    assert output.out == "problem,n,c\ntest/2,3,2\ntest/10,2,0\n"
    assert parse_csv(output.out).problems == ("test/2", "test/10")
    summary, note = output.err.splitlines()
    assert summary == (
        "human-eval: 2 problems, 5 samples (2 to 3 each), 2 right; pass@1 0.333"
    )
    assert note.startswith("note: n differs between problems")


def test_the_example_of_the_help_runs(capsys):
    with pytest.raises(SystemExit):
        main(["counts", "--help"])
    example = capsys.readouterr().out.split("example:\n")[1].split()
    assert example[:4] == ["python", "-m", "toolkit", "counts"]
    assert main(example[3:]) == 0
    assert capsys.readouterr().out.startswith("problem,n,c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--where filter=a"),
        (["--where", "filter=c"], "no row has filter = c"),
        (["--format", "xml"], "format must be one of"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(log, capsys, arguments, message):
    path = log("id,filter,passed\na,a,1\na,b,1\n")
    assert main(["counts", str(path), *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1
    assert message in output.err


def test_files_that_are_not_there_and_words_that_are_no_condition(tmp_path, capsys):
    assert main(["counts", str(tmp_path / "none")]) == 2
    assert main(["counts", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    with pytest.raises(SystemExit) as stop:
        main(["counts", "x", "--where", "filter"])
    assert stop.value.code == 2


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have no path here")
def test_a_pipe_is_refused_not_read_half():
    out, into = os.pipe()
    os.write(into, b"problem,n,c\na,4,3\n")
    os.close(into)
    with pytest.raises(LogError, match="write what a pipe gives to a file"):
        read(f"/dev/fd/{out}")
    os.close(out)


def test_a_missing_package_is_named_with_the_line_that_installs_it(log, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ibis", None)
    with pytest.raises(LogError, match=r"'ibis' is needed.*pip install '.*\[evals\]'"):
        read(log("id,passed\na,1\n"))
    assert table(read(log("problem,n,c\na,4,3\n"))) == {"a": (4, 3)}
