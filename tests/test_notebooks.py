"""The pages give the stored results, and the comparison notices when they do not.

Each page's code is run by nbval and compared with the notebook stored under
``tests/references``; then again with something broken on purpose. What the comparison
can never notice is in ``test_references.py``.
"""

import functools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import ROOT
from nbval_runs import Change, Comparison, changes, compare, stored_copy

from tools.references import Book, code_cells, differences, run
from tools.unchecked import unchecked

sys.path.insert(0, str(ROOT / "_ext"))
from wheels import build_wheel

PAGES = Book().pages()
TOY = "toy-language"  # quick, with tables, a figure and sampled training
WITHOUT_CONSTANTS = [page for page in PAGES if not changes(code_cells(PAGES[page]))]
TRIES = 6  # constants to change before a page counts as one that depends on none
AT_ONCE = 2  # notebooks


@functools.cache
def installed_toolkit() -> tuple[Path, tempfile.TemporaryDirectory[str]]:
    """Install the toolkit from its wheel into a folder, as a reader would."""
    kept = tempfile.TemporaryDirectory()
    folder = Path(kept.name)
    wheel = build_wheel(ROOT, "toolkit", folder)
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index"]
    command += ["--disable-pip-version-check", "--quiet", "--target"]
    subprocess.run([*command, str(folder / "site"), str(wheel)], check=True)
    return folder / "site", kept


def as_it_is(page: str, folder: Path) -> Comparison:
    """Run a page in an empty folder, with the toolkit that its wheel installs."""
    return compare(stored_copy(page, folder), installed_toolkit()[0])


def with_a_constant_changed(page: str, folder: Path) -> tuple[list[Change], Comparison]:
    """Change constants one by one until one changes a result; name all tried."""
    tried, result = [], Comparison(same=0)
    for change in changes(code_cells(PAGES[page]))[:TRIES]:
        tried.append(change)
        notebook = stored_copy(page, folder / str(len(tried)))
        change.make(notebook)
        result = compare(notebook, None, "--exitfirst")
        if result.differ:
            break
    return tried, result


def with_another_toolkit(
    page: str, folder: Path, file: str, edit: Callable[[str], str]
) -> Comparison:
    """Compare with a copy of the toolkit, in which one file is edited, put first."""
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "toolkit", folder / "toolkit", ignore=skip)
    path = folder / "toolkit" / file
    path.write_text(edit(path.read_text()))
    return compare(stored_copy(page, folder / "page"), folder)


def with_the_toolkit_copied(page: str, folder: Path) -> Comparison:
    return with_another_toolkit(page, folder, "language.py", lambda code: code)


def with_a_constant_of_the_toolkit_changed(page: str, folder: Path) -> Comparison:
    def edit(code: str) -> str:
        assert code.count("smoothing: float = 0.5") == 1
        return code.replace("smoothing: float = 0.5", "smoothing: float = 0.4")

    return with_another_toolkit(page, folder, "language.py", edit)


ANOTHER_TABLE = """

def _with_another_table(self, _check=BookFigure.__post_init__):
    _check(self)
    name = [n for n, c in self.table.items() if np.asarray(c).dtype.kind in "fi"][-1]
    column = np.array(self.table[name], dtype=float)
    column[3 * len(column) // 7] += 0.01 * np.abs(column).max()
    object.__setattr__(self, "table", {**self.table, name: column})

BookFigure.__post_init__ = _with_another_table
"""


def with_a_number_of_each_figures_table_changed(page: str, folder: Path) -> Comparison:
    return with_another_toolkit(
        page, folder, "display.py", lambda code: code + ANOTHER_TABLE
    )


ANOTHER_DRAWING = """

def _with_points_moved(panel, _draw=_draw_alone):
    drawing = _draw(panel)
    for line in drawing.axes[0].lines:
        y = np.array(line.get_ydata(), dtype=float)
        y[3 * len(y) // 7] *= 1.01
        line.set_ydata(y)
    return drawing

_draw_alone = _with_points_moved
"""


def with_a_point_of_each_line_moved(page: str, folder: Path) -> Comparison:
    return with_another_toolkit(
        page, folder, "display.py", lambda code: code + ANOTHER_DRAWING
    )


def what_changed(page: str) -> str:
    """Run a page once more and say what is not as stored, for a person to read."""
    old = code_cells(Book().reference(page))
    new = nbformat.reads(run(PAGES[page]), as_version=4).cells
    lines = differences(old, new) or ["  another run of it gives what is stored"]
    advice = f"if that is right: python -m tools.references {page}"
    return "\n".join([f"{page} does not show what is stored", *lines, advice])


Job = Callable[[str, Path], Any]


@pytest.fixture(scope="session")
def started(request, tmp_path_factory) -> Iterator[dict[str, Future]]:
    """Start what the chosen tests compare, a few notebooks at a time."""
    installed_toolkit()  # before several need it at once
    pool = ThreadPoolExecutor(AT_ONCE)
    jobs = {}
    for item in request.session.items:
        if "outcome" in getattr(item, "fixturenames", ()):
            job, page = item.callspec.params["outcome"]
            folder = tmp_path_factory.mktemp(job.__name__)
            jobs[job, page] = pool.submit(job, page, folder)
    yield jobs
    pool.shutdown(cancel_futures=True)


@pytest.fixture
def outcome(request, started) -> Any:
    return started[request.param].result()


def outcome_of(job: Job, *pages: str) -> pytest.MarkDecorator:
    """Give a test what nbval says about each of the pages after the job."""
    cases = [pytest.param((job, page), id=page) for page in pages]
    return pytest.mark.parametrize("outcome", cases, indirect=True)


def test_nothing_on_the_pages_escapes_the_comparison():
    assert unchecked() == []


@pytest.mark.slow
@outcome_of(as_it_is, *PAGES)
def test_a_page_gives_what_is_stored(outcome, request):
    page = request.node.callspec.id
    assert not outcome.broke, str(outcome)
    if outcome.differ:
        pytest.fail(what_changed(page), pytrace=False)
    assert outcome.same == len(code_cells(PAGES[page])), "some cells were not compared"


@pytest.mark.slow
@outcome_of(
    with_a_constant_changed, *(page for page in PAGES if page not in WITHOUT_CONSTANTS)
)
def test_another_constant_on_the_page_is_noticed(outcome):
    tried, comparison = outcome
    assert comparison.differ, f"no results differ after {'; '.join(map(str, tried))}"


@pytest.mark.slow
@outcome_of(with_the_toolkit_copied, TOY)
def test_a_copy_of_the_toolkit_gives_what_is_stored(outcome):
    assert not outcome.broke + outcome.differ, str(outcome)


@pytest.mark.slow
@outcome_of(with_a_constant_of_the_toolkit_changed, TOY, *WITHOUT_CONSTANTS)
def test_another_constant_in_the_toolkit_is_noticed(outcome):
    assert not outcome.broke, str(outcome)
    assert outcome.differ


@pytest.mark.slow
@outcome_of(with_a_number_of_each_figures_table_changed, TOY)
def test_another_number_in_a_figures_table_is_noticed(outcome):
    assert not outcome.broke, str(outcome)
    assert len(outcome.differ) == 1
    assert "reference_figure(pi_ref" in outcome.differ[0]


@pytest.mark.slow
@outcome_of(with_a_point_of_each_line_moved, TOY)
def test_another_point_in_a_drawing_is_noticed(outcome):
    assert not outcome.broke, str(outcome)
    assert len(outcome.differ) == 1
    assert "reference_figure(pi_ref" in outcome.differ[0]
