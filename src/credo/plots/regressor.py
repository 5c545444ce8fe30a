"""A fitted regressor as a band along one column, the other columns held still."""

from typing import Any

import numpy as np

from credo.errors import InputError
from credo.models import FunctionRegressor
from credo.models.base import Regressor
from credo.plots.band import band_chart
from credo.plots.columns import along, numeric_column
from credo.validate.columns import Table, as_table

__all__ = ["regressor_chart"]

_POINTS = 200
_SHOWN = 1500  # rows


def regressor_chart(
    model: Regressor, X: Any, y: Any = None, *, column: int | str | None = None, functions: int = 0, **options: Any
) -> Any:
    """The belief about a new observation along one column of X (the first, unless `column` names another).

    Numeric columns other than that one stand at their median, text at its most frequent value. Each point is a row of
    (X, y) brought to those same settings: y plus what the model says the other columns change. Left where they are,
    points would scatter beyond an honest band by what the other columns do. With more than 1500 rows some are drawn,
    taken evenly. `functions` adds that many functions drawn
    from the posterior of a Gaussian process, which have no noise.
    """
    table = as_table(X, "plot")
    names = table.names
    chosen, values = numeric_column(table, 0 if column is None else column)
    grid = np.linspace(values.min(), values.max(), _POINTS)
    rows = along(table, {chosen: grid})
    belief = model.predict_dist(rows)
    if functions:
        options["functions"] = _drawn(model, rows, functions, options.get("random_state", 0))
    if len(names) > 1:
        options.setdefault("subtitle", "the other columns at their median; points: rows brought to the same settings")
    defaults = {
        "title": f"{type(model).__name__}: what it expects of a new observation",
        "x_title": names[chosen],
        "y_title": str(getattr(y, "name", None) or "y"),
    }
    data = None if y is None else _at_same_settings(model, table, chosen, values, y)
    return band_chart(belief, grid, data, **(defaults | options))


def _at_same_settings(
    model: Regressor, table: Table, chosen: int, values: np.ndarray, y: Any
) -> tuple[np.ndarray, np.ndarray]:
    y = np.asarray(y, dtype=np.float64)
    if y.shape != values.shape:
        return values, y  # which the band refuses, in its words
    some = np.arange(0, len(values), -(-len(values) // _SHOWN))
    change = model.predict(along(table, {chosen: values[some]})) - model.predict(table.some(some).native)
    return values[some], y[some] + change


def _drawn(model: Regressor, rows: Any, count: int, random_state: Any) -> np.ndarray:
    if not isinstance(model, FunctionRegressor):
        raise InputError(
            "plot",
            f"{type(model).__name__} has no functions to draw",
            "Its belief is about each row by itself",
            "Try samples=10, which draws new observations",
        )
    return model.sample(rows, count, random_state)
