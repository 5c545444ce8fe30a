"""What a chart shows for those who do not see it: its titles as a sentence, its numbers as tables."""

from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["ChartTable", "chart_tables", "chart_words"]

_ROWS = 30  # of a table, taken evenly
_PARTS = ("layer", "hconcat", "vconcat", "concat")


class ChartTable(NamedTuple):
    """Names of columns, and rows of plain values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def chart_words(chart: Any) -> str:
    """The titles and subtitles of a chart and of its parts, in their order.

    >>> import altair as alt
    >>> chart = alt.Chart(alt.Data(values=[{"x": 1}])).mark_point().properties(title=alt.Title("A", subtitle="b"))
    >>> chart_words(chart)
    'A: b.'
    """
    return " ".join(f"{sentence}." for sentence in dict.fromkeys(_titles(chart.to_dict())))


def chart_tables(chart: Any, most: int = _ROWS) -> tuple[ChartTable, ...]:
    """What the marks of a chart are drawn from, at most so many rows of each source, taken evenly.

    A source of a single row is a mark on the picture, such as a line at zero, and left out.
    """
    found: dict[str, ChartTable] = {}
    spec = chart.to_dict()
    for rows in (*spec.get("datasets", {}).values(), *_inline(spec)):
        if isinstance(rows, list) and len(rows) > 1 and all(isinstance(row, dict) for row in rows):
            columns = tuple(dict.fromkeys(name for row in rows for name in row))
            taken = rows[:: max(1, -(-len(rows) // most))]
            table = ChartTable(columns, tuple(tuple(row.get(name) for name in columns) for row in taken))
            found.setdefault(repr(table), table)
    return tuple(found.values())


def _titles(spec: dict[str, Any]) -> Iterator[str]:
    title = spec.get("title")
    if isinstance(title, str):
        yield title
    elif isinstance(title, dict):
        parts = [title.get("text"), title.get("subtitle")]
        said = [" ".join(part) if isinstance(part, list) else str(part) for part in parts if part]
        yield ": ".join(part.rstrip(".") for part in said)
    for part in _parts(spec):
        yield from _titles(part)


def _inline(spec: dict[str, Any]) -> Iterator[Any]:
    data = spec.get("data")
    if isinstance(data, dict) and "values" in data:
        yield data["values"]
    for part in _parts(spec):
        yield from _inline(part)


def _parts(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in _PARTS:
        yield from spec.get(name, ())
    if isinstance(spec.get("spec"), dict):
        yield spec["spec"]
