"""Cells under each other."""

from credo.represent.text import aligned


def test_columns_begin_at_the_same_place_and_lines_end_without_blanks():
    lines = aligned([["a", "bb", ""], ["cccc", "d", "e"]])
    assert lines == ["a     bb", "cccc  d   e"]
