"""What several test modules share: a tiny book, the built book, a browser, logs."""

import functools
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.book import build
from tools.browser import find_browser, open_browser
from tools.read import serve

ROOT = Path(__file__).resolve().parent.parent
MACHINERY = ["_ext", "_scripts", "_static", "_templates", "_config.yml"]
MACHINERY += ["references.bib"]
NO_BROWSER = (
    "The tests of the built site were skipped: no Chromium was found. "
    "To run them: apt install chromium (or put Chrome on the PATH)."
)

NO_PYTHON = (
    "The tests of Python in the browser were skipped: the site carries none. "
    "To run them: make browser-python (it needs pip's index), then make test."
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if find_browser() is None and not os.environ.get("CI"):
        skip = pytest.mark.skip(reason=NO_BROWSER)
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(skip)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    yield  # the list of what was skipped and failed comes first
    skipped = terminalreporter.stats.get("skipped", [])
    for said in (NO_BROWSER, NO_PYTHON):
        if any(said in str(report.longrepr) for report in skipped):
            terminalreporter.write_line(said, yellow=True)


class TinyBook:
    """A book of two pages with this book's machinery and a package of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "tests" / "tiny-book", folder, dirs_exist_ok=True)
        for name in MACHINERY:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        self.set_urls("")
        self.edit(
            "_config.yml",
            "    numfig: true",
            "    numfig: true\n    toolkit_cache_packages: [tinykit]",
        )

    def set_urls(self, urls: str) -> None:
        """Write a ``pyproject.toml`` whose ``[project.urls]`` are ``urls``."""
        (self.folder / "pyproject.toml").write_text(
            f'[project]\nname = "tiny"\nversion = "7.8.9"\n\n[project.urls]\n{urls}\n'
        )

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace a text that is there once."""
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new))

    def build(self, **options: Any) -> subprocess.CompletedProcess[str]:
        """Build the book as ``make book`` does."""
        call = "from pathlib import Path; from tools.book import build; "
        call += f"raise SystemExit(build(Path({str(self.folder)!r}), **{options!r}))"
        return self.run(sys.executable, "-c", call)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the book's folder, with its package importable."""
        path = os.pathsep.join([str(self.folder), str(ROOT)])
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def html(self, page: str = "chapter11/one") -> str:
        """Return the HTML of a page."""
        return (self.folder / "_build" / "html" / f"{page}.html").read_text()


@pytest.fixture
def tiny_book(tmp_path: Path) -> TinyBook:
    """Return a tiny book of its own for one test, not built yet."""
    return TinyBook(tmp_path / "book")


@pytest.fixture(scope="session")
def built_tiny_book(tmp_path_factory: pytest.TempPathFactory) -> TinyBook:
    """Return a tiny book that is built; not to be changed."""
    book = TinyBook(tmp_path_factory.mktemp("tiny") / "book")
    result = book.build()
    assert result.returncode == 0, result.stdout
    return book


@pytest.fixture
def log(tmp_path):
    """Return a function that writes a log and returns its path."""

    def write(content, name="log"):
        path = tmp_path / name
        if isinstance(content, list):
            content = "".join(f"{json.dumps(row)}\n" for row in content)
        elif isinstance(content, dict):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def parquet(tmp_path):
    """Return a function that writes a parquet file and returns its path."""
    import pyarrow
    from pyarrow import parquet as files

    def write(columns):
        path = tmp_path / "log.parquet"
        files.write_table(pyarrow.table(columns), path)
        return path

    return write


@pytest.fixture(scope="session")
def book_site() -> Path:
    """Build the book, unless nothing changed, and return its folder of pages."""
    assert build(quiet=True) == 0, "the book does not build: python -m tools.book"
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def site_with_python(book_site: Path) -> Path:
    """Return the book's pages if they carry Python; on CI they must."""
    if not (book_site / "live" / "python" / "pyodide-lock.json").exists():
        assert not os.environ.get("CI"), NO_PYTHON
        pytest.skip(NO_PYTHON)
    return book_site


@pytest.fixture(scope="session")
def serve_folder() -> Iterator[Callable[[Path], str]]:
    """Return a function that serves a folder on this machine, until the end."""
    servers = []

    @functools.cache
    def start(folder: Path) -> str:
        server = serve(folder, 0)
        servers.append(server)
        forever = functools.partial(server.serve_forever, poll_interval=0.05)
        threading.Thread(target=forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start the machine's Chromium; on CI its absence is a failure."""
    assert find_browser(), NO_BROWSER
    with open_browser() as found:
        yield found
