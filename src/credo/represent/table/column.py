"""One column of a table: what it means, why that was guessed, and its values in the type of its scale."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.represent.table.moments import MomentForm
from credo.represent.table.scales import Scale
from credo.represent.table.texts import NumberForm

__all__ = ["Column", "short", "values_of"]

_LONGEST = 60  # letters of a level that are shown


@final
@dataclass(frozen=True)
class Column:
    """A named column with its scale, the reason of the guess (or that it was said), and its levels in their order.

    `series` is Polars': text for names and orders, numbers for intervals, ratios and counts, moments for time.
    `form` is how numbers and moments were written where they were text: new rows are read by it, since "1,250" alone
    does not tell what it is.
    """

    name: str
    scale: Scale
    reason: str
    series: Any
    levels: tuple[str, ...] = ()
    form: NumberForm | MomentForm | None = None

    @property
    def missing(self) -> int:
        """How many values are not there."""
        return int(self.series.null_count())

    @property
    def different(self) -> int:
        """How many different values there are."""
        return int(self.series.drop_nulls().n_unique())

    @property
    def values_in_words(self) -> str:
        """The levels, or from where to where."""
        if self.levels:
            shown = ", ".join(map(short, self.levels[:6]))
            return shown + (f", … ({len(self.levels)})" if len(self.levels) > 6 else "")
        there = self.series.drop_nulls()
        if not len(there):
            return "none"
        low, high = there.min(), there.max()
        if self.scale == "time":
            return f"{low} to {high}"
        return f"{low:g} to {high:g}"


def short(level: str) -> str:
    """A text as it is shown in a line: somebody may have put a book into a cell."""
    return level if len(level) <= _LONGEST else f"{level[: _LONGEST - 1]}…"


def values_of(column: Column) -> Float[np.ndarray, " n"]:
    """The numbers of a column, of moments the seconds since 1970; NaN where one is missing."""
    import polars as pl

    series = column.series
    if column.scale == "time":
        series = series.cast(pl.Datetime("us")).dt.epoch("us") / 1e6
    return np.asarray(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)
