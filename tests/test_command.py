import json
import subprocess
import sys

import pytest

from toolkit.__main__ import main
from toolkit.catalogue import check, recipes


def test_figures_lists_every_figure_with_its_title(capsys):
    assert main(["figures"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(recipes())


def test_figure_writes_its_files_and_prints_their_names(tmp_path, capsys):
    assert main(["figure", "11.1.2", "--out", str(tmp_path / "new")]) == 0
    printed = capsys.readouterr().out.split()
    assert sorted(printed) == sorted(map(str, (tmp_path / "new").iterdir()))
    assert len(printed) == 6


def test_settings_are_options(tmp_path):
    command = ["figure", "11.1", "--out", str(tmp_path)]
    assert (
        main([*command, "--beta", "0.05", "0.2", "--seeds", "2", "--steps", "3"]) == 0
    )
    record = json.loads((tmp_path / "figure-11-1.json").read_text())
    assert record["settings"]["beta"] == [0.05, 0.2]
    assert record["settings"]["seeds"] == 2
    assert "A variant" in record["variant"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["figure", "9.9"], "there is no figure '9.9'"),
        (["figure"], "name a figure"),
        (["figure", "11.1.2", "--prompt-beta", "-1"], "beta must be at least 0"),
        (["figure", "11.1", "--steps", "0", "--seeds", "0"], "n_runs must be from 1"),
        (["figure", "11.1.2", "--out", "/dev/null/x"], "/dev/null"),
    ],
)
def test_bad_input_gives_one_clear_line_and_exit_code_2(arguments, message, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["nonsense"], ["figures", "--nonsense"], ["figure", "11.1", "--beta", "x"]],
)
def test_a_command_that_cannot_be_read_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_check_prints_a_table_and_exits_1_where_a_number_differs(monkeypatch, capsys):
    same = check.Comparison(figure="1", name="a", stored=1.0, computed=1.0, digits=3)
    other = check.Comparison(figure="1", name="b", stored=1.0, computed=2.0, digits=3)
    monkeypatch.setattr("toolkit.catalogue.command.compare_all", lambda: [[same]])
    assert main(["figures", "--check"]) == 0
    monkeypatch.setattr(
        "toolkit.catalogue.command.compare_all", lambda: [[same, other]]
    )
    assert main(["figures", "--check"]) == 1
    output = capsys.readouterr()
    assert output.out.count("DIFFERS") == 1
    assert "1 numbers differ" in output.err


def test_the_command_line_runs_as_a_module():
    ran = subprocess.run(
        [sys.executable, "-m", "toolkit", "figures"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("11.0.1")


def test_a_reader_who_has_seen_enough_is_no_error():
    command = [sys.executable, "-m", "toolkit", "evidence", "--format", "json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.close()
        said = ran.stderr.read()
    assert (ran.returncode, said) == (0, b"")


def test_the_evidence_table_is_printed_filtered_and_parses(capsys):
    assert main(["evidence", "--format", "json", "--kind", "contested"]) == 0
    claims = json.loads(capsys.readouterr().out)
    assert claims
    assert {claim["kind"] for claim in claims} == {"contested"}
