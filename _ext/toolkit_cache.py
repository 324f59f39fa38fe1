"""Run the notebooks again whenever something they depend on has changed.

The notebook cache knows the code of the cells and nothing else: change a function they
import, or upgrade NumPy, and it serves the old results. Here the cache lies in a folder
named for a fingerprint of all that, and the fingerprint is a setting of the book, so
that Sphinx reads every page again when it changes.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

IGNORED = {"__pycache__"}
KEPT = 3600  # seconds


def package_files(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the relative path and the content of each file of a package."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ExtensionError(f"toolkit_cache_packages: there is no package {name!r}")
    for folder in sorted(map(Path, spec.submodule_search_locations)):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not IGNORED.intersection(path.parts):
                yield path.relative_to(folder).as_posix(), path.read_bytes()


def installed() -> list[str]:
    """Return name and version of every installed distribution."""
    return sorted(
        {
            f"{found.metadata['Name']}=={found.version}"
            for found in importlib.metadata.distributions()
        }
    )


def fingerprint(packages: list[str], lock: Path) -> str:
    """Return a short hash of all that a notebook's results depend on."""
    digest = hashlib.sha256(sys.version.encode())
    digest.update("\n".join(installed()).encode())
    if lock.exists():
        digest.update(lock.read_bytes())
    for package in packages:
        for path, content in package_files(package):
            digest.update(f"{package}/{path} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def choose_cache(app: Sphinx, config: Config) -> None:
    """Point the notebook cache at the folder for what is here now."""
    if os.environ.get("BOOK_EXECUTE") == "off":
        config.nb_execution_mode = "off"
    found = fingerprint(
        config.toolkit_cache_packages, Path(app.srcdir, config.toolkit_cache_lock)
    )
    config.toolkit_fingerprint = found
    caches = Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(caches / found)
    remove_old_caches(caches, found)


def remove_old_caches(caches: Path, current: str) -> None:
    """Remove the caches of other fingerprints that nobody has used for an hour.

    A younger one may belong to another build that is still running.
    """
    for cache in caches.iterdir() if caches.exists() else ():
        if cache.name != current and time.time() - cache.stat().st_mtime > KEPT:
            shutil.rmtree(cache)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the settings and the step."""
    app.add_config_value("toolkit_cache_packages", ["toolkit"], "env", [list])
    app.add_config_value("toolkit_cache_lock", "requirements.txt", "env", [str])
    app.add_config_value("toolkit_fingerprint", "", "env", [str])
    app.connect("config-inited", choose_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
