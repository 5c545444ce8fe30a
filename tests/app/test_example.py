"""The embedded table."""

from credo.app.example import EXAMPLE_TARGET, example_table


def test_thirty_runs():
    table = example_table()
    assert len(table) == 30
    assert EXAMPLE_TARGET in table
    assert not table.flags(EXAMPLE_TARGET)
