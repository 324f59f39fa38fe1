"""Wheels that travel with the site: the toolkit's own, and what it imports.

The same source gives the same bytes: times are fixed, and files stand in order.
"""

import base64
import hashlib
import importlib.metadata
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from project_facts import build_backend
from sphinx.application import Sphinx
from toolkit_cache import remove_old_caches

SOURCES = ["pyproject.toml", "LICENSE", "LICENSE-text"]
EPOCH = "315532800"  # 1980, the first year that a zip file knows
NOT_PACKED = {"INSTALLER", "RECORD", "REQUESTED", "direct_url.json"}
BUILD = "import sys, setuptools.build_meta as b; print(b.build_wheel(sys.argv[1]))"


def library_wheel(app: Sphinx) -> Path | None:
    """Return the wheel of the book's library, built once for each state of it.

    None if the book's ``pyproject.toml`` does not say how to build one.
    """
    source = Path(app.srcdir)
    if build_backend(source) is None:
        return None
    (package,) = app.config.toolkit_cache_packages
    made = Path(app.outdir).parent / ".wheels"
    kept = made / app.config.toolkit_fingerprint
    if not kept.exists():
        kept.mkdir(parents=True)
        remove_old_caches(made, kept.name)
        build_wheel(source, package, kept)
    return next(kept.glob("*.whl"))


def build_wheel(source: Path, package: str, folder: Path) -> Path:
    """Build the wheel of a package of the repository, from its source only."""
    with tempfile.TemporaryDirectory() as kept:
        for name in SOURCES:
            shutil.copy(source / name, kept)
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source / package, Path(kept, package), ignore=skipped)
        for path in Path(kept).rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)  # whatever the clone's umask
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", BUILD, str(folder.resolve())],
            cwd=kept,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
            capture_output=True,
            text=True,
            check=True,
        )
    return folder / done.stdout.splitlines()[-1]


def repack(name: str, folder: Path) -> Path:
    """Write the wheel of an installed pure-Python package."""
    found = importlib.metadata.distribution(name)
    files = {}
    for path in sorted(found.files or [], key=str):
        if path.suffix != ".pyc" and path.name not in NOT_PACKED | {"uv_cache.json"}:
            files[path.as_posix()] = Path(str(path.locate())).read_bytes()
    info = next(path for path in files if path.endswith("/METADATA")).split("/")[0]
    lines = [f"{path},{_record(content)}" for path, content in files.items()]
    record = f"{info}/RECORD"
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in files.items():
            packed.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), content)
    stem = info.removesuffix(".dist-info")
    wheel = folder / f"{stem}-py3-none-any.whl"
    wheel.write_bytes(made.getvalue())
    return wheel


def _record(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
    return f"sha256={digest.rstrip('=')},{len(content)}"
