"""A fitted regressor as a band along one column, the other columns held still."""

from typing import Any

import narwhals as nw
import numpy as np

from credo.errors import InputError
from credo.models.base import Regressor
from credo.plots.band import band_chart

__all__ = ["regressor_chart"]

_POINTS = 200


def regressor_chart(model: Regressor, X: Any, y: Any = None, *, column: int | str | None = None, **options: Any) -> Any:
    """The belief about a new observation along one column of X (the first, unless `column` names another).

    Numeric columns other than that one stand at their median, text at its most frequent value. Each point is a row of
    (X, y) brought to those same settings: y plus what the model says the other columns change. Left where they are,
    points would scatter beyond an honest band by what the other columns do.
    """
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    table = frame if isinstance(frame, nw.DataFrame) else _as_matrix(X)
    names = table.columns if isinstance(table, nw.DataFrame) else [f"column {i}" for i in range(table.shape[1])]
    chosen = _index(column, names)
    values = _numeric(table, chosen, names)
    grid = np.linspace(values.min(), values.max(), _POINTS)
    belief = model.predict_dist(_along(table, chosen, grid))
    if len(names) > 1:
        options.setdefault("subtitle", "the other columns at their median; points: rows brought to the same settings")
    defaults = {
        "title": f"{type(model).__name__}: what it expects of a new observation",
        "x_title": names[chosen],
        "y_title": str(getattr(y, "name", None) or "y"),
    }
    data = None if y is None else (values, _at_same_settings(model, X, y, _along(table, chosen, values)))
    return band_chart(belief, grid, data, **(defaults | options))


def _at_same_settings(model: Regressor, X: Any, y: Any, moved: Any) -> np.ndarray:
    y, change = np.asarray(y, dtype=np.float64), model.predict(moved) - model.predict(X)
    return y + change if y.shape == change.shape else y  # another length is refused by the band, in its words


def _as_matrix(X: Any) -> np.ndarray:
    matrix = np.asarray(X)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise InputError("plot", f"X has shape {matrix.shape}", "X is rows by columns", "Try X.reshape(-1, 1)")
    return matrix


def _index(column: int | str | None, names: list[str]) -> int:
    if column is None:
        return 0
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, int) and -len(names) <= column < len(names):
        return column % len(names)
    raise InputError("plot", f"column={column!r} is not in X", "", f"Its columns are: {', '.join(names[:20])}")


def _numeric(table: Any, chosen: int, names: list[str]) -> np.ndarray:
    column = table[names[chosen]].to_numpy() if isinstance(table, nw.DataFrame) else table[:, chosen]
    try:
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        what = f"{names[chosen]!r} is not numeric"
        raise InputError("plot", what, "A band runs along a numeric column", "Pass column= with another") from error
    if values.size == 0 or not np.all(np.isfinite(values)):
        raise InputError("plot", f"{names[chosen]!r} is empty or not finite", "", "Drop those rows first")
    return values


def _along(table: Any, chosen: int, grid: np.ndarray) -> Any:
    """The grid in the place of one column, in the kind of table that the model was fitted on."""
    if not isinstance(table, nw.DataFrame):
        rows = np.tile(np.median(np.asarray(table, dtype=np.float64), axis=0), (len(grid), 1))
        rows[:, chosen] = grid
        return rows
    columns: dict[str, Any] = {}
    for i, name in enumerate(table.columns):
        series = table[name]
        still = series.median() if series.dtype.is_numeric() else series.mode(keep="all").to_list()[0]
        columns[name] = grid if i == chosen else [still] * len(grid)
    return nw.from_dict(columns, backend=nw.get_native_namespace(table)).to_native()
