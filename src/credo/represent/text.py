"""Rows of words under each other."""

from collections.abc import Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """One line a row, the cells of a column beginning at the same place.

    >>> print("\\n".join(aligned([["name", "kind"], ["t", "Real"], ["lot", "Choice"]])))
    name  kind
    t     Real
    lot   Choice
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
