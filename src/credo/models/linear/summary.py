"""What a fit says about its coefficients, as text, HTML and frame."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from credo.infer.testing import Estimates

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Summary"]


@dataclass(frozen=True)
class Summary:
    """Estimate, standard error, statistic, p-value and interval of each coefficient, and facts about the whole fit.

    Parameters
    ----------
    title
        The model, and where its standard errors come from.
    tables
        The estimates of each output, by its name.
    level
        Of the intervals.
    facts
        Rows, degrees of freedom, R², log likelihood, AIC, BIC…, by name.
    notes
        What to know before the numbers are used.
    """

    title: str
    tables: Mapping[str, Estimates]
    level: float
    facts: Mapping[str, float]
    notes: tuple[str, ...] = ()

    def frame(self) -> "pl.DataFrame":
        """One row a coefficient, as a Polars frame; `to_pandas` makes it a pandas one."""
        import polars as pl

        columns: dict[str, list] = {name: [] for name in ("output", *self._heads())}
        for output, rows in self._rows().items():
            for row in rows:
                for name, entry in zip(columns, (output, *row), strict=True):
                    columns[name].append(entry)
        if len(self.tables) == 1:
            del columns["output"]
        return pl.DataFrame(columns)

    def _heads(self) -> tuple[str, ...]:
        statistic = "z" if all(np.isinf(table.degrees) for table in self.tables.values()) else "t"
        tail = 50.0 * (1.0 - self.level)
        return "name", "estimate", "std error", statistic, "p-value", f"{tail:g} %", f"{100.0 - tail:g} %"

    def _rows(self) -> dict[str, list[tuple]]:
        return {output: _rows_of(table, self.level) for output, table in self.tables.items()}

    def __str__(self) -> str:
        blocks = [self.title]
        for output, rows in self._rows().items():
            heading = [f"output {output}"] if len(self.tables) > 1 else []
            blocks.append("\n".join([*heading, *_aligned([self._heads(), *map(_as_text, rows)])]))
        blocks.append("\n".join(_aligned([(name, f"{value:.6g}") for name, value in self.facts.items()])))
        return "\n\n".join([*blocks, *self.notes])

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(self.title)}</p>"]
        for output, rows in self._rows().items():
            caption = f"<caption>{escape(output)}</caption>" if len(self.tables) > 1 else ""
            head = "".join(f"<th>{escape(name)}</th>" for name in self._heads())
            body = "".join(_html_row(_as_text(row)) for row in rows)
            parts.append(f"<table>{caption}<tr>{head}</tr>{body}</table>")
        facts = "".join(_html_row((name, f"{value:.6g}")) for name, value in self.facts.items())
        parts.append(f"<table>{facts}</table>")
        return "".join([*parts, *(f"<p>{escape(note)}</p>" for note in self.notes)])


def _rows_of(table: Estimates, level: float) -> list[tuple]:
    columns = (table.values, table.standard_errors, table.statistics, table.p_values, *table.interval(level))
    return [(name, *map(float, numbers)) for name, *numbers in zip(table.names, *columns, strict=True)]


def _as_text(row: tuple) -> tuple[str, ...]:
    name, estimate, error, statistic, p_value, low, high = row
    p = "<1e-16" if p_value < 1e-16 else f"{p_value:.3g}"
    return name, f"{estimate:.5g}", f"{error:.3g}", f"{statistic:.4g}", p, f"{low:.5g}", f"{high:.5g}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """The first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(w) if j == 0 else cell.rjust(w) for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _html_row(cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
