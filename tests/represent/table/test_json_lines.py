"""JSON lines: flat objects, of any numbers, and no more names than a table may have."""

import json

import pytest

from credo.errors import TooLargeError
from credo.represent.table.json_lines import json_frame
from credo.represent.table.limits import Limits


def read(*rows, **limits):
    return json_frame("\n".join(map(json.dumps, rows)).encode(), Limits(**limits))


def test_rows_may_leave_names_out_and_lines_may_be_blank():
    frame = json_frame(b'{"a": 1}\r\n\n{"b": "x"}\n', Limits())
    assert frame.rows() == [(1, None), (None, "x")]


def test_long_numbers_and_halves_of_letters_become_what_a_table_can_hold():
    frame = read({"a": 2**63, "b": "x\ud800", "c": 5}, {"a": -(10**30), "b": "😀", "c": 6})
    assert frame["a"].to_list() == [2.0**63, -1e30]
    assert frame["b"].to_list() == ["x\ufffd", "😀"]
    assert frame["c"].to_list() == [5, 6]


@pytest.mark.parametrize("line", [b"[1]", b"1", b'"a"', b"null", b"{", b"\xff", b'{"a":' + b"[" * 10_000])
def test_what_is_no_object_is_named_by_its_line(line):
    with pytest.raises(ValueError, match="line 2"):
        json_frame(b'{"a": 1}\n' + line, Limits())


def test_names_are_counted_over_all_rows():
    rows = [{f"c{i}": i} for i in range(10)]
    assert read(*rows, columns=10).shape == (10, 10)
    with pytest.raises(TooLargeError, match="10 columns"):
        read(*rows, columns=9)
    with pytest.raises(TooLargeError, match="cells"):
        read(*rows, cells=99)
