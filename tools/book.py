"""Run every notebook and build the book into ``_build/html``.

Warnings are errors and every reference must lead somewhere::

    python -m tools.book               # what changed since the last build
    python -m tools.book --clean       # everything, from nothing
    python -m tools.book --no-execute  # pages without results, to time the rest
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

ROOT = Path(__file__).resolve().parent.parent
BROWSER_PYTHON = ROOT / "_build" / "browser-python"  # fetched, not built


def build(
    source: Path = ROOT,
    output: Path | None = None,
    *,
    execute: bool = True,
    clean: bool = False,
    quiet: bool = False,
    silent: bool = False,
) -> int:
    """Build the book in ``source`` into ``output/_build/html``; return the exit code.

    With ``execute=False`` the pages lack their results, so a warning is no error.
    ``quiet`` leaves out the progress, ``silent`` all output.
    """
    output = output or source
    with one_build_at_a_time(output):
        return build_alone(
            source, output, execute=execute, clean=clean, quiet=quiet, silent=silent
        )


@contextmanager
def one_build_at_a_time(output: Path) -> Iterator[None]:
    """Wait, and say so, while another process builds into the same folder."""
    lock = FileLock(output / ".building")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print("Waiting for another build in this folder to end ...", file=sys.stderr)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def build_alone(
    source: Path, output: Path, *, execute: bool, clean: bool, quiet: bool, silent: bool
) -> int:
    """Build while no other process does."""
    if clean:
        remove_built(output / "_build")
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]
    command += ["build", str(source), "--path-output", str(output)]
    command += ["-n", "-W", "--keep-going"] if execute else []
    command += ["-q"] if quiet else []
    # More threads would not be faster with so little to do.
    settings = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **os.environ}
    settings["BOOK_EXECUTE"] = "on" if execute else "off"
    sink = subprocess.DEVNULL if silent else None
    code = subprocess.run(
        command, cwd=source, env=settings, stdout=sink, stderr=sink, check=False
    ).returncode
    remove_orphans(source, output / "_build" / "html")
    return code


def remove_built(folder: Path) -> None:
    """Remove all of a ``_build`` folder but the Python that was fetched into it."""
    for path in folder.iterdir() if folder.exists() else ():
        if path != BROWSER_PYTHON:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def remove_orphans(source: Path, site: Path) -> None:
    """Remove the pages whose source is gone, which an earlier build left there."""
    for page in site.rglob("*.html"):
        name = page.relative_to(site).with_suffix("")
        if name.parts[0] in {"_static", "index", "search"}:
            continue
        hidden = name.parts[0].startswith(".")
        if hidden or not (source / name).with_suffix(".md").exists():
            page.unlink()


def main() -> int:
    """Build the book and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clean", action="store_true", help="build from nothing")
    parser.add_argument("--no-execute", action="store_true", help="run no notebook")
    options = parser.parse_args()
    start = time.perf_counter()
    code = build(execute=not options.no_execute, clean=options.clean)
    if code:
        print("\nThe book did not build; see above.", file=sys.stderr)
        return code
    seconds = time.perf_counter() - start
    print(f"\nBuilt in {seconds:.0f} s: {ROOT / '_build' / 'html' / 'index.html'}")
    print("To read it with search and equations working: make read")
    return 0


if __name__ == "__main__":
    sys.exit(main())
