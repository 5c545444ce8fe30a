"""The embedded table of thirty past runs, for a first look."""

from importlib import resources

from credo.represent import Table

__all__ = ["EXAMPLE_TARGET", "example_table"]

#: What came out of the runs.
EXAMPLE_TARGET = "yield"


def example_table() -> Table:
    """Thirty past runs of a reactor: temperature, feed rate, catalyst, and the yield."""
    with resources.as_file(resources.files("credo.app") / "data" / "runs.csv") as path:
        return Table.read(path)
