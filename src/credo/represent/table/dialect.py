"""How the text of a table was written, as far as its columns do not know it themselves."""

from typing import NamedTuple

__all__ = ["Dialect"]


class Dialect(NamedTuple):
    """What stands between cells, and the encoding of the letters: utf-8, utf-16 or, of Windows, cp1252.

    How numbers and moments were written is known by each column (`Column.form`).
    """

    separator: str = ","
    encoding: str = "utf-8"
