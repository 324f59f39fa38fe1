"""Equations of docstrings on the pages of the reference."""

import importlib

import pytest
from conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def extension(monkeypatch):
    """Return the extension."""
    monkeypatch.syspath_prepend(str(ROOT / "_ext"))
    return importlib.import_module("typeset_equations")


@pytest.mark.parametrize(
    ("plain", "typeset"),
    [
        ("p_i^(k - 1) >= E_pi[r]", r"p_{i}^{k-1}\ge E_{\pi }[r]"),
        ("pi*(a|s) * eta", r"\pi ^*(a\mid s)\,\eta "),
        ("log pi_ref(y|x)", r"\log \pi_{\mathrm{ref}}(y\mid x)"),
        ("KL(q || p)", r"\mathrm{KL}(q\,\|\,p)"),
        ("|e_a - pi|^2", r"\lvert e_{a}-\pi \rvert ^{2}"),
        ("sum_{s < t} f_1 / 2", r"\sum _{s<t}f_{1}/2"),
        ("n(s)^-power", r"n(s)^{-\mathrm{power}}"),
        ("logit p* = base_rate", r"\mathrm{logit}\ p^*=\mathrm{base\_rate}"),
        ("a = b,    c = d", r"a=b,\quad c=d"),
        ("d theta_j / dt", r"d\theta _{j}/dt"),
    ],
)
def test_plain_characters_become_mathematics(extension, plain, typeset):
    assert extension.latex(plain) == typeset


def test_a_label_stands_before_its_equation_and_a_second_line_under_it(extension):
    block = "slow rate   a = b\n            + c\nfast        d = e"
    assert extension.typeset(block) == (
        r"\text{slow rate}\quad & a=b\\ & \quad +c\\ \text{fast}\quad & d=e"
    )


@pytest.mark.parametrize("block", ["none 0.05    rough 0.41", "make book", ""])
def test_what_is_no_equation_stays_as_it_is(extension, block):
    assert extension.typeset(block) is None


@pytest.mark.parametrize("broken", ["a = b_", "a = b^(c"])
def test_what_cannot_be_read_is_refused(extension, broken):
    with pytest.raises(ValueError, match=r"close|follows"):
        extension.latex(broken)


@pytest.mark.slow
def test_the_reference_shows_them_typeset(book_site):
    page = (book_site / "api" / "policies.html").read_text()
    assert r"\pi (y\mid x)=\pi_{\mathrm{ref}}(y\mid x)\,\exp" in page
