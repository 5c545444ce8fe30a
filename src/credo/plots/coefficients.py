"""The coefficients of a fit with their intervals, one a line."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from credo.errors import InputError
from credo.infer import Estimates
from credo.models import Summary
from credo.plots.checks import titled
from credo.plots.intervals import MOST, lines

__all__ = ["coefficients_chart"]


class _Line(NamedTuple):
    """A coefficient of an output, whose name is empty where there is one."""

    output: str
    name: str
    value: float
    ends: tuple[float, float]
    statistic: float


def coefficients_chart(
    table: Summary | Estimates,
    *,
    level: float | None = None,
    intercept: bool = False,
    title: str = "",
    theme: str | None = "light",
) -> Any:
    """Each coefficient with its interval, and the line of no effect.

    `level` is that of the summary, or 95 %. The intercept is left out unless asked for: it is on another scale. Of more
    than 40 coefficients those that lie most standard errors from zero are drawn.

    >>> from credo.models import LinearRegression
    >>> x = np.arange(12.0)
    >>> model = LinearRegression().fit(np.column_stack([x, x**2]), 3.0 * x + np.cos(x))
    >>> coefficients_chart(model.summary()).to_dict()["title"]["subtitle"]
    '95 % intervals, each by itself; without the intercept'
    """
    found = table.tables if isinstance(table, Summary) else {"": table}
    level = level if level is not None else table.level if isinstance(table, Summary) else 0.95
    every = _rows(found, level)
    chosen = [line for line in every if intercept or line.name != "intercept"]
    if not chosen:
        raise InputError("plot", "there is no coefficient", "The fit has an intercept only", "Try intercept=True")
    shown = sorted(np.argsort([-abs(line.statistic) for line in chosen], kind="stable")[:MOST])
    notes = [
        f"{100 * level:g} % intervals, each by itself",
        *(["without the intercept"] if len(chosen) < len(every) else []),
        *([f"{MOST} of {len(chosen)}, those farthest from zero"] if len(shown) < len(chosen) else []),
    ]
    head = title or (table.title if isinstance(table, Summary) else "Coefficients")
    drawn = [chosen[i] for i in shown]
    names = [f"{line.output}: {line.name}" if line.output else line.name for line in drawn]
    values, ends = [line.value for line in drawn], [line.ends for line in drawn]
    return lines(names, values, ends, "estimate", titled(head, "; ".join(notes)), theme, zero=True)


def _rows(tables: Mapping[str, Estimates], level: float) -> list[_Line]:
    """All outputs, one after the other."""
    found = []
    for output, table in tables.items():
        before = output if len(tables) > 1 else ""
        columns = zip(table.names, table.values, *table.interval(level), table.statistics, strict=True)
        for name, value, low, high, statistic in columns:
            found.append(_Line(before, name, float(value), (float(low), float(high)), float(statistic)))
    return found
