"""The reference of the toolkit: complete, and tied to the pages both ways."""

import importlib
import pkgutil
import re

import pytest
from conftest import ROOT

import toolkit

PAGES = sorted((ROOT / "api").glob("*.md"))
LINK = re.compile(r'<a class="to-reference" href="([^"#]*)#([^"]*)">(.*?)</a>')


@pytest.fixture
def reference(monkeypatch):
    """Return the extension that makes the reference."""
    monkeypatch.syspath_prepend(str(ROOT / "_ext"))
    return importlib.import_module("api_reference")


def test_every_public_module_has_its_place_in_the_reference(reference):
    asked = re.findall(
        r"toolkit-modules:: (.*)", "\n".join(p.read_text() for p in PAGES)
    )
    found = [
        name
        for top in " ".join(asked).split()
        for name in reference.public_modules(top)
    ]
    public = {
        module.name
        for module in pkgutil.walk_packages(toolkit.__path__, "toolkit.")
        if "._" not in module.name
    }
    assert set(found) == public
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from toolkit import passk\npassk.k_grid(4)", {"passk.k_grid"}),
        ("from toolkit.passk import k_grid as grid\ngrid(4)", {"grid"}),
        ("import toolkit.passk\ntoolkit.passk.k_grid(4)", set()),
        ("import numpy as np\nnp.exp(1)", set()),
        ("passk = 1\npassk.k_grid", set()),
        ("from toolkit import passk\npassk.k_grid(4).mean()", {"passk.k_grid"}),
        ("%not python", set()),
    ],
)
def test_names_of_the_toolkit_are_found_in_code(reference, code, names):
    found = reference.names_used([code])
    assert set(found) == names
    assert set(found.values()) <= {"toolkit.passk.k_grid"}


def test_a_name_passed_on_by_a_package_is_known_by_where_it_is_defined(reference):
    assert reference.resolve("toolkit.evidence.load") == "toolkit.evidence.loading.load"
    assert reference.resolve("toolkit.nothing") is None
    assert reference.resolve("numpy.exp") is None


@pytest.mark.slow
def test_code_links_to_the_reference_and_the_reference_back(book_site):
    page = (book_site / "chapter11" / "sharpening.html").read_text()
    links = LINK.findall(page)
    names = {name for _, name, _ in links}
    assert "toolkit.passk.mean_pass_at_k" in names
    for path, name, shown in links:
        words = re.sub(r"<[^>]*>", "", shown)
        assert name.rpartition(".")[2] == words.rpartition(".")[2]
        target = (book_site / "chapter11" / path).resolve()
        entry = target.read_text().split(f'id="{name}"')[1].split('<dt class="sig')[0]
        assert re.search(r'class="used-on">.*sharpening\.html', entry), name


@pytest.mark.slow
def test_signatures_are_written_as_in_the_code(book_site):
    page = (book_site / "api" / "measures.html").read_text()
    words = re.sub(r"<[^>]*>", "", page)
    assert "k_grid(k_max: int, n_points: int = 30)" in words
    assert "Int[ndarray, 'n_k']" in words
    assert "jaxtyping." not in words
