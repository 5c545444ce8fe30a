"""Which class a classifier says over two columns, and how sure it is there."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.plots.checks import inline, titled
from credo.plots.columns import along, numeric_column
from credo.plots.theme import Palette, palette, themed
from credo.validate.columns import Table, as_table

__all__ = ["classifier_chart"]

_CELLS, _SIDE = 50, 350
_MARGIN = 0.05  # of the range of the rows, to each side
_SHOWN = 1500  # rows, taken evenly
_PALEST, _FULLEST, _PLAIN = 0.06, 0.75, 0.45  # of the color of a class over the ground: even odds, certain, no odds
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")


def classifier_chart(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[int | str] = (0, 1),
    title: str = "",
    theme: str | None = "light",
) -> Any:
    """The most probable class over two columns of X as color, its probability as strength, and the rows of (X, y).

    A classifier that states no probabilities has plain regions. Numeric columns other than the two stand at their
    median, text at its most frequent value; rows are where their two columns are, whatever their others. With more than
    1500 rows some are drawn, taken evenly.

    >>> from credo.models import LogisticRegression
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [0.5, 1.5]]), ["a", "b", "b", "b"]
    >>> classifier_chart(LogisticRegression(ridge=1.0).fit(X, y), X, y).to_dict()["title"]["text"]
    'LogisticRegression: the most probable class'
    """
    import altair as alt

    table = as_table(X, "plot")
    names = table.names
    places, values = zip(*(numeric_column(table, column) for column in _two(columns, table)), strict=True)
    axes = [_axis(column, names[at]) for column, at in zip(values, places, strict=True)]
    classes = _classes(model)
    grid = np.meshgrid(*(axis.middles for axis in axes), indexing="ij")
    winners, sure = _said(model, along(table, {at: side.reshape(-1) for at, side in zip(places, grid, strict=True)}))
    colors = palette(theme or "light")
    across, up = (axis.encoded() for axis in axes)
    color = alt.Color(
        "class:N",
        title=None,
        scale=alt.Scale(domain=classes, range=list(colors.categories)),
        legend=alt.Legend(symbolOpacity=1.0),
    )
    cells = _cells(axes, [classes[code] for code in winners], sure)
    cells["shade"] = _shades(winners, sure, len(classes), colors)
    layers = [
        _regions(cells, across, up),
        alt.Chart(inline({"class": classes})).mark_square(size=0).encode(color=color),
    ]
    if y is not None:
        some = slice(None, None, max(1, -(-len(values[0]) // _SHOWN)))
        labels = _labels(y, classes, len(values[0]))
        rows = {"x": values[0][some], "y": values[1][some], "class": labels[some]}
        layers.append(_points(rows, across, up, color, classes, colors))
    even = f"from {100.0 / len(classes):.0f} % (faint) to 100 %"
    what = "the class alone: it states no probabilities" if sure is None else f"strength: its probability, {even}"
    others = ["the other columns at their median or most frequent value"] if len(names) > 2 else []
    head = f"{type(model).__name__}: the {'class it says' if sure is None else 'most probable class'}"
    chart = alt.layer(*layers).properties(width=_SIDE, height=_SIDE, title=titled(title or head, [what, *others]))
    return themed(chart, theme)


class _Axis(NamedTuple):
    """A column in cells of equal width."""

    name: str
    edges: Float[np.ndarray, " k+1"]

    @property
    def middles(self) -> np.ndarray:
        return 0.5 * (self.edges[1:] + self.edges[:-1])

    def encoded(self) -> dict[str, Any]:
        import altair as alt

        ends = [float(self.edges[0]), float(self.edges[-1])]
        return {"title": self.name, "scale": alt.Scale(domain=ends, nice=False, zero=False)}


def _axis(values: np.ndarray, name: str) -> _Axis:
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) if high > low else 0.5
    return _Axis(name, np.linspace(low - margin, high + margin, _CELLS + 1))


def _two(columns: Sequence[int | str], table: Table) -> tuple[int, int]:
    if isinstance(columns, str) or len(columns) != 2 or len(table.names) < 2:
        what = f"columns={columns!r} of {len(table.names)}"
        raise InputError("plot", what, "The regions are over two columns of X", "Try columns=(0, 1), or two names")
    first, second = (table.position(column, "plot") for column in columns)
    if first == second:
        raise InputError("plot", f"columns={columns!r} are the same", "", "Name two different ones")
    return first, second


def _classes(model: Any) -> list[str]:
    if not hasattr(model, "classes_"):
        raise InputError("plot", f"{type(model).__name__} has no classes_", "It is not fitted", "Try model.fit(X, y)")
    classes = [str(label) for label in model.classes_.tolist()]
    if len(classes) > len(_SHAPES):
        what, cause = f"{len(classes)} classes", f"Colors tell {len(_SHAPES)} apart"
        raise InputError("plot", what, cause, "Plot a classifier of fewer, or merge some")
    return classes


def _said(model: Any, rows: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The class at each row, as its place among the classes, and its probability where one is stated."""
    if hasattr(model, "predict_proba") or hasattr(model, "predict_dist"):
        soft = hasattr(model, "predict_proba")
        probabilities = np.asarray(model.predict_proba(rows) if soft else model.predict_dist(rows).mean)
        return np.argmax(probabilities, axis=1), np.max(probabilities, axis=1)
    places = {label: code for code, label in enumerate(model.classes_.tolist())}
    return np.array([places[label] for label in np.asarray(model.predict(rows)).tolist()]), None


def _cells(axes: list[_Axis], winners: list[str], sure: np.ndarray | None) -> dict[str, Any]:
    """One row a cell, the second column running faster."""
    x, y = (axis.edges for axis in axes)
    table = {"x_low": np.repeat(x[:-1], _CELLS), "x_high": np.repeat(x[1:], _CELLS)}
    table |= {"y_low": np.tile(y[:-1], _CELLS), "y_high": np.tile(y[1:], _CELLS)}
    return table | {"class": winners} | ({} if sure is None else {"probability": sure})


def _shades(winners: np.ndarray, sure: np.ndarray | None, classes: int, colors: Palette) -> list[str]:
    """The color of each cell: that of its class, mixed into the ground. Opaque, so that cells leave no seams."""
    even = 1.0 / classes
    odds = np.full(len(winners), np.nan) if sure is None else np.clip((sure - even) / (1.0 - even), 0.0, 1.0)
    share = np.where(np.isnan(odds), _PLAIN, _PALEST + (_FULLEST - _PALEST) * odds)[:, None]
    ground, of = _rgb(colors.ground), np.array([_rgb(color) for color in colors.categories])
    mixed = np.rint((1.0 - share) * ground + share * of[winners]).astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in mixed.tolist()]


def _rgb(color: str) -> np.ndarray:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)


def _regions(cells: dict[str, Any], across: Any, up: Any) -> Any:
    import altair as alt

    said = [alt.Tooltip("probability:Q", format=".1%")] if "probability" in cells else []
    return (
        alt.Chart(inline(cells))
        .mark_rect(strokeWidth=1.0, clip=True)
        .encode(
            x=alt.X("x_low:Q", **across),
            x2="x_high:Q",
            y=alt.Y("y_low:Q", **up),
            y2="y_high:Q",
            fill=alt.Fill("shade:N", scale=None),
            stroke=alt.Stroke("shade:N", scale=None),
            tooltip=["class:N", *said],
        )
    )


def _labels(y: Any, classes: list[str], count: int) -> np.ndarray:
    labels = np.array([str(label) for label in np.asarray(y).reshape(-1).tolist()])
    if len(labels) != count:
        raise InputError("plot", f"{len(labels)} labels for {count} rows", "", "Pass one label a row")
    unknown = sorted(set(labels.tolist()) - set(classes))
    if unknown:
        what = f"y has {unknown[0]!r}, which the classifier has not seen"
        raise InputError("plot", what, "It was fitted to other labels", f"Its classes are: {', '.join(classes)}")
    return labels


def _points(rows: dict[str, Any], across: Any, up: Any, color: Any, classes: list[str], colors: Palette) -> Any:
    import altair as alt

    points = alt.Chart(inline(rows)).mark_point(filled=True, size=46, opacity=1.0, stroke=colors.ink, strokeWidth=0.9)
    shape = alt.Shape("class:N", title=None, scale=alt.Scale(domain=classes, range=list(_SHAPES)))
    return points.encode(x=alt.X("x:Q", **across), y=alt.Y("y:Q", **up), color=color, shape=shape, tooltip=["class:N"])
