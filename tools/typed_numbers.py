"""Decimals and percentages that were typed into the pages, not computed.

A number in a sentence or a caption is handed over by a cell, or stands in a sentence
that cites, or is a constant of the page's own code, such as a learning rate. What else
is right to type is listed with its reason in ``tests/typed_numbers.toml``.
``python -m tools.typed_numbers`` lists all others.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.book import ROOT
from tools.references import Book, code_cells

LISTED = ROOT / "tests" / "typed_numbers.toml"
CITATION = re.compile(r"\{cite[\w:]*\}`[^`]*`")
NOT_PROSE = re.compile(
    r"""
      \A---\n.*?\n---\n               # the front matter
    | ^(`{3,})(?:\{|\n).*?^\1$        # cells, commands and other literal blocks
    | ^\$\$.*?\$\$                    # a displayed equation
    | ^\#.*?$                         # a heading, with the section's number
    | \{[\w:]+\}`[^`]*`               # what a cell hands over; a reference
    | `[^`\n]*`                       # code in a sentence
    | \]\([^)]*\) | https?://\S+      # where a link leads
    | \barXiv[ :]\d{4}\.\d{4,5}
    | \b(?:[Ss]ections?|[Ff]igures?|CC[ ]BY)[ ]\d[\d.]*
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
CAPTION = re.compile(r"^ +caption: \|\n((?: +.*\n|\n)+)", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?e-?\d+\b|\d*\.\d+(?!\.?\w)%?|\d+%)")
SENTENCE_END = re.compile(r"(?<=[.?!:])\s+|\n\s*\n|\n(?=[-:|])")


def typed_numbers(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each decimal or percentage typed into a page, and its sentence."""
    source = page.read_text()
    prose = [source, *CAPTION.findall(source)]
    known = constants(page)
    for part in prose:
        text = NOT_PROSE.sub(" ", CITATION.sub("@cited", part))
        for sentence in SENTENCE_END.split(text):
            for number in NUMBER.findall(sentence):
                if "@cited" not in sentence and _value(number) not in known:
                    yield number, " ".join(sentence.split())


def _value(number: str) -> float:
    if number.endswith("%"):
        return float(number[:-1]) / 100
    return float(number)


def constants(page: Path) -> set[float]:
    """Return the numbers written in a page's code."""
    trees = [ast.parse(cell.source) for cell in code_cells(page)]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return {float(value) for value in values if type(value) in (int, float)}


def listed(page: str) -> dict[str, str]:
    """Return the numbers that may be typed into a page, and why."""
    return tomllib.loads(LISTED.read_text()).get(page, {})


if __name__ == "__main__":
    found = [
        f"{path.stem}: {number} in: {sentence}"
        for path in Book().sources()
        for number, sentence in typed_numbers(path)
        if number not in listed(path.stem)
    ]
    print(*found, sep="\n")
    sys.exit(bool(found))
