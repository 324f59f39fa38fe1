"""Make ``.venv`` and install the locked packages in it; do nothing if that is done.

Needs only a plain Python::

    python3 -m tools.install        # what the book and the tests need
    python3 -m tools.install --dev  # the linters as well

What was installed is recorded last, so an interrupted install starts afresh.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def wanted(lock: Path) -> str:
    """Return a fingerprint of what an up-to-date environment was made from."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    digest = hashlib.sha256(lock.read_bytes())
    digest.update((ROOT / "requirements.txt").read_bytes())
    for table in ("project", "build-system"):
        digest.update(json.dumps(project[table], sort_keys=True).encode())
    digest.update(str(ROOT).encode())  # the environment points back at this folder
    return digest.hexdigest()


def install(*, dev: bool) -> None:
    """Bring ``.venv`` up to date."""
    lock = ROOT / ("requirements-dev.txt" if dev else "requirements.txt")
    stamp = VENV / f"installed-{lock.stem}"
    stamps = [VENV / "installed-requirements", VENV / "installed-requirements-dev"]
    if stamp.exists() and stamp.read_text() == wanted(lock):
        return
    if not (PYTHON.exists() and any(path.exists() for path in stamps)):
        version = sys.version.split()[0]
        print(f"Making {VENV.name} with Python {version} ...", flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        venv.create(VENV, with_pip=True)
        # A half-made environment never has a stamp; this one is whole, if empty.
    stamp.unlink(missing_ok=True)
    if not dev:
        stamps[1].unlink(missing_ok=True)
    print(f"Installing from {lock.name} (minutes, the first time) ...", flush=True)
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]
    result = subprocess.run([*command, "-r", lock.name], cwd=ROOT, check=False)
    if result.returncode:
        sys.exit(f"The install stopped with exit code {result.returncode}; see above.")
    stamp.write_text(wanted(lock))
    if dev:  # it holds everything that the smaller list has
        stamps[0].write_text(wanted(ROOT / "requirements.txt"))
    print("Installed.", flush=True)


if __name__ == "__main__":
    if not (3, 11) <= sys.version_info < (3, 14):
        found = sys.version.split()[0]
        sys.exit(f"Python 3.11, 3.12 or 3.13 is needed; this is {found}.")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dev", action="store_true", help="the linters as well")
    install(dev=parser.parse_args().dev)
