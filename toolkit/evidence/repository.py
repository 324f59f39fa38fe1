"""Check the evidence table against the book's sources: pages, tests and bibliography.

Only the repository has these, so ``load`` does not; the tests and the build of the book
call :func:`check_repository`.
"""

import ast
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from toolkit.evidence.loading import load
from toolkit.evidence.records import Claim

LABELS = (
    r"^\((?P<name>[\w-]+)\)=",  # (label)= before what it names
    r"^\s*:?(?:name|label):\s*(?P<name>[\w-]+)\s*$",  # of a directive or a cell
    r"\{#(?P<name>[\w-]+)[ }]",  # attribute
)


def check_repository(root: Path, claims: Sequence[Claim] | None = None) -> None:
    """Raise unless every link, test and work in the table exists in the repository.

    Parameters
    ----------
    root
        The repository's folder.
    claims
        What to check; the whole table by default.

    Raises
    ------
    ValueError
        With one line for each link that leads nowhere, each test that is not there, and
        each work that the bibliography lacks.
    """
    claims = load() if claims is None else claims
    keys = bibliography_keys(root / "references.bib")
    problems = []
    for claim in claims:
        found = [_link_problem(root, link) for link in _links(claim)]
        found += [_test_problem(root, test) for test in claim.tests]
        found += [
            f"references.bib has no work {source.key!r}"
            for source in claim.sources
            if source.key not in keys
        ]
        problems += [f"{claim.id}: {problem}" for problem in found if problem]
    if problems:
        raise ValueError("the evidence table does not fit:\n" + "\n".join(problems))


def _link_problem(root: Path, link: str) -> str:
    """Return what is wrong with a link, or nothing."""
    page, _, label = link.partition("#")
    path = root / "chapter11" / page
    if not path.is_file():
        return f"there is no page chapter11/{page}"
    listed = f"chapter11/{page.removesuffix('.md')}"
    if listed not in (root / "_toc.yml").read_text("utf-8").split():
        return f"_toc.yml has no {listed}"
    if label not in page_labels(path):
        return f"chapter11/{page} has no label {label!r}"
    return ""


def _test_problem(root: Path, test: str) -> str:
    """Return what is wrong with a test id, or nothing."""
    file, _, name = test.partition("::")
    return "" if name in collected_tests(root / file) else f"there is no test {test}"


def page_labels(path: Path) -> set[str]:
    """Return the labels in a page, and the anchors of its headings."""
    text = path.read_text("utf-8")
    found = {
        match["name"]
        for label in LABELS
        for match in re.finditer(label, text, re.MULTILINE)
    }
    prose = re.sub(r"^(`{3,}|~{3,}).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,3} +(.+?) *$", prose, re.MULTILINE)
    return found | {_anchor(heading) for heading in headings}


def collected_tests(path: Path) -> set[str]:
    """Return the tests that pytest collects from a file, as they stand after ``::``."""
    if not path.is_file():
        return set()
    names = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            names.add(node.name)
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            names.update(
                f"{node.name}::{inner.name}"
                for inner in node.body
                if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test")
            )
    return names


def bibliography_keys(path: Path) -> set[str]:
    """Return the keys of the entries in a BibTeX file."""
    return set(
        re.findall(r"^@\w+\{\s*([^,\s]+)\s*,", path.read_text("utf-8"), re.MULTILINE)
    )


def _links(claim: Claim) -> Iterable[str]:
    yield from claim.demonstrations
    for statement in claim.statements:
        yield from statement.demonstrations


def _anchor(heading: str) -> str:
    """Return the anchor of a heading, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
