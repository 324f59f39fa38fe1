"""Tables of counts: checked, aligned, written and read back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.strategies import no_type_checker  # noqa: F401
from toolkit.evals.counts import Counts
from toolkit.evals.pairs import align
from toolkit.evals.plain import parse_csv, read_csv, to_csv
from toolkit.evals.shipped import shipped_counts, shipped_pair

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).filter(str.strip)


def table(problems, n, c, groups=None):
    return Counts(problems=problems, n=np.array(n), c=np.array(c), groups=groups)


@st.composite
def columns(draw):
    """Draw names, n and c."""
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    n = [draw(st.integers(1, 2**31 - 1)) for _ in names]
    c = [draw(st.integers(0, n_i)) for n_i in n]
    return tuple(names), n, c


def as_rows(counts):
    groups = counts.groups or (None,) * counts.n_problems
    return list(
        zip(counts.problems, counts.n.tolist(), counts.c.tolist(), groups, strict=True)
    )


@pytest.mark.parametrize(
    ("problems", "n", "c", "groups", "message"),
    [
        (("a", "b", "a"), [1, 1, 1], [0, 0, 0], None, "entries 0 and 2 are both 'a'"),
        (("a", " "), [1, 1], [0, 0], None, "problems must hold names, but entry 1"),
        ((), [1], [0], None, "problems must not be empty"),
        (("a",), [0], [0], None, "n must be from 1 to .* entry 0 is 0"),
        (("a",), [4], [-1], None, "c must be from 0 to"),
        (("a", "b"), [4, 4], [1, 5], None, "problem 'b' has c = 5, n = 4"),
        (("a", "b"), [4], [1], None, "n must have one entry for each of the 2"),
        (("a",), [4], [1, 2], None, "c must have the shape of n"),
        (("a",), [4], [1], ("x", "y"), "groups must have one entry for each of the 1"),
    ],
)
@pytest.mark.usefixtures("no_type_checker")
def test_refuses_an_inconsistent_table(problems, n, c, groups, message):
    with pytest.raises(ValueError, match=message):
        table(problems, n, c, groups)


@pytest.mark.usefixtures("no_type_checker")
def test_refuses_counts_that_are_not_whole_numbers():
    with pytest.raises(TypeError, match="c must hold integers"):
        table(("a",), [4], [2.5])


@given(columns(), st.booleans())
def test_a_csv_file_gives_the_table_back(drawn, with_group):
    groups = tuple(f"g{i % 2}" for i in range(len(drawn[0])))
    counts = table(*drawn, groups if with_group else None)
    assert as_rows(parse_csv(to_csv(counts))) == as_rows(counts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("problem,n,c\n", "it has none"),
        ("problem,n\na,1\n", "lacks 'c': problem, n"),
        ("problem,n,c,k\na,1,1,1\n", "one is 'k'"),
        ("problem,n,c,n\na,1,1,1\n", "each column once, but not 'n'"),
        ("problem,n,c\na,4,1\nb,4\n", "line 3: a row must have 3 cells .* has 2"),
        ("problem,n,c\na,4,1.5\n", r"line 2: c must be a whole number .* '1\.5'"),
        ("problem,n,c\na,NaN,1\n", "line 2: n must be a whole number .* 'NaN'"),
        ("problem,n,c\na,,1\n", "line 2: n must be a whole number .* ''"),
        ("problem,n,c\na,٤,1\n", "line 2: n must be a whole number"),
        ("problem,n,c\na," + "9" * 5000 + ",1\n", "line 2: n must be at most"),
        ("problem,n,c\na,4,5\n", "text: c must be at most n"),
        ("problem,n,c\na,4,1\na,4,1\n", "entries 0 and 1 are both 'a'"),
        ('problem,n,c\n"a,4,1\n', "line 2: unexpected end of data"),
    ],
)
def test_refuses_a_malformed_csv(text, message):
    with pytest.raises(ValueError, match=message):
        parse_csv(text)


def test_names_the_file_and_the_byte_that_is_not_utf8(tmp_path):
    file = tmp_path / "counts.csv"
    file.write_bytes(b"problem,n,c\n\xff,4,1\n")
    with pytest.raises(ValueError, match=r"counts\.csv must be UTF-8 .* byte 12"):
        read_csv(file)


def test_reads_a_file_with_a_byte_order_mark_and_dos_line_ends(tmp_path):
    file = tmp_path / "counts.csv"
    file.write_bytes(b"\xef\xbb\xbfproblem,n,c\r\na,4,1\r\n")
    assert as_rows(read_csv(file)) == [("a", 4, 1, None)]


@given(st.data(), columns(), columns())
def test_alignment_does_not_depend_on_the_order_of_rows(data, base, rl):
    order = data.draw(st.permutations(range(len(base[0]) + 1)))
    base = table((*base[0], "§ shared"), [*base[1], 5], [*base[2], 1])
    rl = table((*rl[0], "§ shared"), [*rl[1], 3], [*rl[2], 2])
    one, two = align(base, rl), align(base.take(np.array(order)), rl)
    assert as_rows(one.base) == as_rows(two.base)
    assert as_rows(one.rl) == as_rows(two.rl)
    assert one.only_base == two.only_base
    assert one.problems == one.rl.problems
    assert {*one.problems, *one.only_base} == set(base.problems)
    assert {*one.problems, *one.only_rl} == set(rl.problems)


def test_refuses_tables_with_no_problem_in_common():
    with pytest.raises(ValueError, match="base begins with 'a', rl with 'b'"):
        align(table(("a",), [4], [1]), table(("b",), [4], [1]))


def test_refuses_a_problem_in_two_groups():
    with pytest.raises(ValueError, match="'a' is in 'x' and in 'y'"):
        align(table(("a",), [4], [1], ("x",)), table(("a",), [4], [1], ("y",)))


def test_the_shipped_pair_is_complete():
    pair = shipped_pair()
    assert pair.only_base == pair.only_rl == ()
    assert pair.k_max == 128
    groups, sizes = np.unique(np.array(pair.groups), return_counts=True)
    assert dict(zip(groups, sizes, strict=True)) == {
        "aime24": 30,
        "amc23": 39,
        "gaokao2023en": 358,
        "olympiadbench": 633,
    }
    # .6041 and .6801 of 1,060 x 128 samples
    assert_array_equal([pair.base.c.sum(), pair.rl.c.sum()], [81965, 92271])
    assert shipped_counts("base").groups is not None
