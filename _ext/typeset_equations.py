"""Typeset the equations of docstrings, which stand there in plain characters.

``pi(y|x) = pi_ref(y|x) * exp(reward(x, y) / beta) / Z(x)`` is what ``help()`` and an
editor show. On a page of the reference such a block, an equation a line, is typeset.
Words before two spaces are its label; a line without a relation belongs to the line
above, as do lines that begin with a sign. Other blocks stay as they are.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

RELATION = re.compile(r" (=|~|<-) ")
LABEL = re.compile(r"^([A-Za-z][\w -]*?) {2,}(?=\S)")
CONTINUES = re.compile(r"^[-+*/=] ")
TOKEN = re.compile(
    r"(?P<space> +)|(?P<star>(?<=\w)\*(?=[ (\[]))"
    r"|(?P<name>[A-Za-z]{2,}_[a-z]{2,}|[A-Za-z]+)(?P<index>\d*)"
    r"|(?P<number>\d[\d.,]*\b|\d)|(?P<group>[_^](?=[{(]))|(?P<sign><-|>=|<=|\|\||.)"
)
GREEK = {"alpha", "beta", "delta", "eta", "lambda", "mu", "pi", "rho", "theta"}
FUNCTIONS = {"exp", "log", "max", "min", "sum"}
SIGNS = {
    "<-": r"\leftarrow ",
    ">=": r"\ge ",
    "<=": r"\le ",
    "||": r"\,\|\,",
    "~": r"\approx ",
    "*": r"\,",
    "{": r"\{",
    "}": r"\}",
}


def word(name: str) -> str:
    """Return a name as LaTeX: a letter as a variable, a longer one upright."""
    first, _, second = name.partition("_")
    if second and first in GREEK:
        return f"\\{first}_{{{word(second)}}}"
    if name in GREEK | FUNCTIONS:
        return f"\\{name} "
    if len(name) == 1 or name == "dt":
        return name
    return r"\mathrm{" + name.replace("_", r"\_") + "}"


def closing(text: str, start: int) -> int:
    """Return where the bracket that opens at ``start`` closes."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "({[") - (text[place] in ")}]")
        if depth == 0:
            return place
    raise ValueError(f"a bracket does not close in {text[start:]!r}")


def script(text: str, start: int) -> tuple[str, int]:
    """Return what ``_`` or ``^`` at ``start`` carries, as LaTeX, and where it ends."""
    first = start + 1
    if text[first : first + 1] in ("(", "{"):
        end = closing(text, first)
        inside = text[first + 1 : end]
        return f"{text[start]}{{{latex(inside)}}}", end + 1
    carried = re.compile(r"-?(\w|(?<=\w)\+)[A-Za-z0-9]*").match(text, first)
    if carried is None:
        raise ValueError(f"nothing follows {text[start]!r} in {text!r}")
    return f"{text[start]}{{{latex(carried[0])}}}", carried.end()


def latex(text: str) -> str:
    """Return an equation in plain characters as LaTeX."""
    out: list[str] = []
    place = 0
    while place < len(text):
        if text[place] in "_^":
            piece, place = script(text, place)
            out.append(piece)
            continue
        token = TOKEN.match(text, place)
        assert token is not None  # the last alternative takes any character
        before, place = text[:place], token.end()
        if token["name"]:
            index = f"_{{{token['index']}}}" if token["index"] else ""
            out.append(word(token["name"]) + index)
        elif token["star"]:
            out.append("^*")
        elif token["space"]:
            out.append(space(before, token[0], text[place:]))
        elif token["sign"] == "|":
            out.append(bar(before, text[place:]))
        else:
            out.append(SIGNS.get(token[0], token[0]))
    return "".join(out)


def space(before: str, found: str, after: str) -> str:
    """Return the space between two words, or between two equations of a line."""
    if before.endswith(",") and len(found) > 1:
        return r"\quad "
    neighbours = re.search(r"[A-Za-z]+$", before), re.match("[A-Za-z]+", after)
    left, right = (found[0] if found else "" for found in neighbours)
    words = [len(name) > 1 and name not in GREEK | FUNCTIONS for name in (left, right)]
    return r"\ " if left and right and any(words) else ""


def bar(before: str, after: str) -> str:
    """Return a single bar: one side of an absolute value, or "given"."""
    if re.search(r"(^|[ (\[])$", before) and re.match(r"\w", after):
        return r"\lvert "
    if re.match(r"\^|$| ", after) and not before.endswith(" "):
        return r"\rvert "
    return r"\mid "


def typeset(block: str) -> str | None:
    """Return a block of equations as LaTeX, or None if it is something else."""
    rows: list[str] = []
    found = False
    for line in filter(None, map(str.strip, block.splitlines())):
        found = found or RELATION.search(line) is not None
        label = (
            LABEL.match(line) if not RELATION.search(line[: line.find("  ")]) else None
        )
        body = latex(line[label.end() :] if label else line)
        if CONTINUES.match(line) and rows:
            rows.append(rf"& \quad {body}")
        elif label:
            rows.append(rf"\text{{{label[1]}}}\quad & {body}")
        else:
            rows.append(f"& {body}")
    return r"\\ ".join(rows) if found else None


class TypesetEquations(SphinxTransform):
    """Replace the equations among the literal blocks of the reference's pages."""

    default_priority = 700  # before Sphinx looks which pages have mathematics

    def apply(self, **_: Any) -> None:
        """Go through the page."""
        if not self.env.docname.startswith("api/"):
            return
        for block in list(self.document.findall(nodes.literal_block)):
            if (equations := typeset(block.astext())) is not None:
                text = rf"\begin{{aligned}}{equations}\end{{aligned}}"
                new = nodes.math_block(
                    text, text, nowrap=False, number=None, label=None
                )
                new.source, new.line = block.source, block.line
                block.replace_self(new)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transform."""
    app.add_transform(TypesetEquations)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
