"""The client's own logic, in a real Chromium: links, colours, indents."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import ROOT
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, String
from test_site import READERS, Reader

from tools.references import Book, code_cells

pytestmark = pytest.mark.browser

CODE = [cell.source for page in Book().pages().values() for cell in code_cells(page)]
CALL = """async ([address, file, name, given]) => {
    const module = await import(address + file);
    return module[name](...given);
}"""
CHANGES = [
    {"number": 1, "mark": "a", "code": "print('ünï', \"x\")\n\tif a < b: 'é' # ∀"},
    {"number": 12, "mark": "", "code": ""},
    {"number": 3, "mark": "zz", "code": "x = 1\n" * 5000},
]


@pytest.fixture(scope="module")
def call(browser, serve_folder) -> Iterator[Callable[..., Any]]:
    """Return a function that calls one of the client's functions."""
    reader = Reader(browser, serve_folder(ROOT / "_ext" / "live"), **READERS["light"])
    reader.page.goto(reader.address)

    def run(file: str, name: str, *given: Any) -> Any:
        return reader.page.evaluate(CALL, [reader.address, file, name, given])

    yield run
    reader.context.close()
    assert reader.errors == []


@pytest.mark.parametrize("n", range(len(CHANGES) + 1))
def test_a_link_gives_back_what_was_put_into_it(call, n):
    packed = call("link.js", "pack", CHANGES[:n])
    assert call("link.js", "unpack", packed) == CHANGES[:n]
    assert not set(packed) & set("+/=&#% ")
    assert len(packed) < 400


def test_what_is_no_link_is_refused(call):
    for packed in ("!", "AAAA", "", call("link.js", "pack", CHANGES)[:-9]):
        with pytest.raises(Exception, match="Error"):
            call("link.js", "unpack", packed)


def test_a_link_that_would_fill_the_memory_is_refused(call):
    huge = [{"number": 1, "mark": "", "code": "x" * 2_000_000}]
    packed = call("link.js", "pack", huge)
    assert len(packed) < 4000
    with pytest.raises(Exception, match="at most 1000000 bytes"):
        call("link.js", "unpack", packed)


@pytest.mark.parametrize(
    ("fragment", "anchor", "packed"),
    [
        ("", "", ""),
        ("#training", "training", ""),
        ("#cells=ab-_", "", "ab-_"),
        ("#training&cells=ab", "training", "ab"),
    ],
)
def test_an_address_holds_a_heading_and_cells(call, fragment, anchor, packed):
    found = call("link.js", "split", fragment)
    assert found == {"anchor": anchor, "packed": packed}
    assert call("link.js", "join", anchor, packed) == fragment


def test_different_code_has_different_marks(call):
    marks = {code: call("link.js", "mark", code) for code in sorted(set(CODE))}
    assert len(set(marks.values())) == len(marks)


TEXTS = """async ([address, codes]) => {
    const { highlight } = await import(address + "highlight.js");
    return codes.map(code => {
        const box = document.createElement("pre");
        box.innerHTML = highlight(code);
        const of = names => [...box.querySelectorAll(names)]
            .map(one => one.textContent);
        return {
            all: box.textContent, c: of(".c1"), k: of(".k, .kn, .kc"), s: of(".s2"),
        };
    });
}"""


def test_colours_leave_the_code_as_it_is_and_agree_with_pygments(browser, serve_folder):
    reader = Reader(browser, serve_folder(ROOT / "_ext" / "live"), **READERS["light"])
    reader.page.goto(reader.address)
    odd = ["a<b>&c", "x = '''one\n# no comment\n'''  # one", '\'open\ny = "\\""', ""]
    found = reader.page.evaluate(TEXTS, [reader.address, [*CODE, *odd]])
    reader.context.close()
    assert [one["all"] for one in found] == [*CODE, *odd]
    for code, one in zip(CODE, found, strict=False):
        tokens = list(PythonLexer(stripnl=False).get_tokens(code))
        assert one["c"] == [text for kind, text in tokens if kind in Comment], code
        strings = "".join(text for kind, text in tokens if kind in String)
        if "{" in strings:  # inside an f-string Pygments colours code as code
            continue
        words = [text for kind, text in tokens if kind in Keyword and text.strip()]
        assert one["k"] == words, code
        assert "".join(one["s"]) == strings, code
    assert found[-3]["c"] == ["# one"]


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", "\n"),
        ("x = 1", "\n"),
        ("if x:", "\n    "),
        ("if x:  # so", "\n    "),
        ("    y = {1: 2}", "\n    "),
        ("for i in x:\n    if i:", "\n        "),
    ],
)
def test_enter_indents_like_the_line_before(call, before, line):
    assert call("editor.js", "newLine", before) == line


@pytest.mark.parametrize("lines", ["x", "if x:\n    y", "a\n\n  b"])
def test_indenting_and_back_gives_the_same(call, lines):
    right = call("editor.js", "shift", lines, True)
    assert right == "\n".join(
        f"    {line}" if line else "" for line in lines.split("\n")
    )
    assert call("editor.js", "shift", right, False) == lines


def test_lines_at_the_margin_stay_there(call):
    assert call("editor.js", "shift", "x\n  y", False) == "x\ny"


@pytest.mark.parametrize(("text", "plain"), [("'0.5'", "0.5"), ('"it\'s"', "it's")])
def test_a_glued_number_loses_its_quotes(call, text, plain):
    assert call("prose.js", "unquoted", text) == plain
