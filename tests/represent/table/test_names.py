"""Names: each there, each once, none too long."""

import time

from hypothesis import given
from hypothesis import strategies as st

from credo.represent.table.names import LONGEST, distinct_names


@given(
    st.lists(st.sampled_from(["a", "", " ", "a (again)", "a (again 2)", "column 2", "x" * 300, "x" * 301]), max_size=9)
)
def test_every_column_has_a_name_of_its_own(header):
    names, notes = distinct_names(header)
    assert len(set(names)) == len(names) == len(header)
    assert all(0 < len(name) <= LONGEST + 20 for name in names)
    assert len(notes) == sum(name != given.strip() for name, given in zip(names, header, strict=True))


def test_honest_names_stay():
    assert distinct_names([" t ", "lot"]) == (["t", "lot"], ())


def test_very_many_of_the_same_name_take_no_time():
    began = time.perf_counter()
    names, _ = distinct_names(["a"] * 20_000)
    assert names[-1] == "a (again 19999)"
    assert time.perf_counter() - began < 5.0
