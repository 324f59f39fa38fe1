"""Write requirements.txt and requirements-dev.txt from the ranges in pyproject.toml.

One lock serves Python 3.11, 3.12 and 3.13 on every platform. Needs ``uv`` (part of
requirements-dev.txt)::

    python -m tools.lock            # keep what is locked, add what is missing
    python -m tools.lock --upgrade  # newest versions that the ranges allow
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = "3.11"
HEADER = """\
# Exact versions of {what}, for Python 3.11, 3.12 and 3.13.
# Made from the ranges in pyproject.toml by `make lock`; not edited by hand.
"""


def compile_lock(extras: list[str], constraints: Path, output: Path) -> str:
    """Return the lock lines for the project's dependencies plus ``extras``."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml"]
    command += [flag for extra in extras for flag in ("--extra", extra)]
    command += ["--universal", "--python-version", OLDEST_PYTHON]
    command += ["--fork-strategy", "fewest", "--no-header", "--no-annotate"]
    command += ["--no-config", "--quiet", "--constraint", str(constraints)]
    command += ["--output-file", str(output)]
    # A machine's own pip or uv settings have no say in what the lock holds.
    settings = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("UV_", "PIP_"))
    }
    subprocess.run(command, cwd=ROOT, check=True, env=settings)
    return output.read_text()


def locked_lines(lock: Path) -> str:
    """Return the ``name==version`` lines of a lock that exists, or nothing."""
    if not lock.exists():
        return ""
    lines = lock.read_text().splitlines()
    return "\n".join(line for line in lines if re.match(r"[\w.-]+(\[.*\])?==", line))


def write_locks(*, upgrade: bool) -> None:
    """Write both lock files."""
    base, dev = ROOT / "requirements.txt", ROOT / "requirements-dev.txt"
    with tempfile.TemporaryDirectory() as folder:
        constraints, output = Path(folder, "constraints.txt"), Path(folder, "lock.txt")
        constraints.write_text("")
        if not upgrade:  # uv keeps the versions it finds in the output file
            output.write_text(locked_lines(base) + "\n" + locked_lines(dev) + "\n")
        everything = compile_lock(["book", "evals", "test", "dev"], constraints, output)
        constraints.write_text(everything)
        output.unlink()
        needed = compile_lock(["book", "evals", "test"], constraints, output)
    base.write_text(
        HEADER.format(what="everything that builds and tests the book")
        + "-e .\n"
        + needed
    )
    only_dev = set(everything.splitlines()) - set(needed.splitlines())
    dev.write_text(
        HEADER.format(what="the formatter, the linter, the type checker and the locker")
        + "-r requirements.txt\n"
        + "\n".join(sorted(only_dev))
        + "\n"
    )
    print(f"Wrote {base.name} and {dev.name}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upgrade", action="store_true", help="take newest versions")
    write_locks(upgrade=parser.parse_args().upgrade)
