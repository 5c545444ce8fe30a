"""The posterior band: what is believed about y along x, with the data it was learned from."""

import json
from typing import Any

import numpy as np

from credo.beliefs import Belief
from credo.errors import InputError
from credo.plots.checks import inline, numbers, require_scalar, titled
from credo.plots.theme import HEIGHT, WIDTH, palette, themed

__all__ = ["band_chart"]

LEVELS = (0.5, 0.9)
_MAX_SAMPLES = 50


def band_chart(
    belief: Belief,
    x: Any = None,
    data: Any = None,
    *,
    levels: tuple[float, float] = LEVELS,
    samples: int = 0,
    functions: Any = None,
    random_state: Any = 0,
    x_title: str = "x",
    y_title: str = "y",
    title: str = "",
    subtitle: str = "",
    theme: str | None = "light",
) -> Any:
    """The mean of a belief of batch shape (n,) along `x`, its central intervals at two `levels`, and data.

    The intervals are quantiles of each row's own belief, so any family of numbers can be drawn, skewed and discrete
    ones included; each row is covered at its level on its own, not the whole curve at once. Where the mean is infinite
    the median is drawn instead. `samples` adds that many independent draws of each row, as faint points; `functions`
    (k × n, a function a row, such as ``gp.sample(X, 5)``) are drawn as thin lines.

    >>> from credo.beliefs import Normal
    >>> chart = band_chart(Normal([0.0, 1.0, 4.0], 1.0), x=[0.0, 1.0, 2.0], data=([0.5], [0.2]))
    >>> len(chart.to_dict()["layer"])
    4
    """
    import altair as alt

    require_scalar(belief)
    position, belief, by_row = _ordered(belief, x)
    inner, outer = _checked_levels(levels)
    table, center = _table(belief, position, inner, outer)
    named = {center: "line", _percent(inner): "inner", _percent(outer): "outer"}
    curves = None if functions is None else _curves(functions, x, position)
    extra = {"draws": bool(samples), "functions": curves is not None, "data": data is not None}
    color = _legend([*named, *(name for name, there in extra.items() if there)], named, theme)
    along = alt.X("x:Q", title="row" if by_row else x_title, scale=alt.Scale(zero=False, nice=False))
    shared = alt.Chart(inline(table)).encode(x=along, color=color)

    def across(column: str) -> Any:
        return alt.Y(f"{column}:Q", title=y_title, scale=alt.Scale(zero=False))

    def area(which: str, level: float) -> Any:
        mark = _series(shared, _percent(level)).mark_area(opacity=1.0)
        return mark.encode(y=across(f"{which}_low"), y2=alt.Y2(f"{which}_high:Q"))

    def points(columns: dict[str, np.ndarray], name: str, size: int, opacity: float) -> Any:
        mark = _series(alt.Chart(inline(columns)), name).mark_circle(size=size, opacity=opacity)
        return mark.encode(x=along, y=across("y"), color=color)

    layers = [area("outer", outer), area("inner", inner)]
    if samples:
        layers.append(points(_draws(belief, position, samples, random_state), "draws", 9, 0.6))
    if curves is not None:
        lines = _series(alt.Chart(inline(curves)), "functions").mark_line(strokeWidth=1.2, opacity=0.8)
        layers.append(lines.encode(x=along, y=across("f"), detail="draw:N", color=color))
    layers.append(_series(shared, center).mark_line(strokeWidth=2.5).encode(y=across("center")))
    if data is not None:
        layers.append(points(_observed(data), "data", 36, 0.85))
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return themed(chart.properties(title=titled(title, subtitle)) if title else chart, theme)


def _ordered(belief: Belief, x: Any) -> tuple[np.ndarray, Belief, bool]:
    """Rows in the order of x; without x, as they come."""
    if len(belief.batch_shape) != 1:
        raise InputError(
            "plot",
            f"the belief has batch shape {belief.batch_shape}",
            "A band is drawn for one belief a row, of batch shape (n,)",
            "Pick a replicate first, such as belief[0]",
        )
    count = belief.batch_shape[0]
    if x is None:
        return np.arange(count, dtype=np.float64), belief, True
    position = numbers(x, "x")
    if len(position) != count:
        raise InputError(
            "plot",
            f"x has {len(position)} rows, but the belief {count}",
            "They come from different tables",
            "Pass the same rows",
        )
    order = np.argsort(position, kind="stable")
    return position[order], belief[order], False


def _checked_levels(levels: tuple[float, float]) -> tuple[float, float]:
    inner, outer = sorted(levels)
    if not 0.0 < inner < outer < 1.0:
        raise InputError(
            "plot", f"levels={levels} are not two levels between 0 and 1", "A percentage was meant", "Try (0.5, 0.9)"
        )
    return inner, outer


def _percent(level: float) -> str:
    return f"{100 * level:g} % interval"


def _table(belief: Belief, position: np.ndarray, inner: float, outer: float) -> tuple[dict[str, np.ndarray], str]:
    ends = dict(zip(("inner_low", "inner_high"), belief.interval(inner), strict=True))
    ends |= dict(zip(("outer_low", "outer_high"), belief.interval(outer), strict=True))
    mean, center = np.asarray(belief.mean), "mean"
    if not np.all(np.isfinite(mean)):
        mean, center = np.asarray(belief.quantile(0.5)), "median"
    table = {"x": position, "center": numbers(mean, f"the {center} of the belief")}
    return table | {name: numbers(end, "the interval of the belief") for name, end in ends.items()}, center


def _series(chart: Any, name: str) -> Any:
    """The layer under its name, for the legend that all layers share."""
    return chart.transform_calculate(series=json.dumps(name))


def _legend(shown: list[str], named: dict[str, str], theme: str | None) -> Any:
    import altair as alt

    colors = palette(theme or "light")
    of = {name: getattr(colors, part) for name, part in named.items()}
    of |= {"draws": colors.categories[1], "functions": colors.categories[4], "data": colors.point}
    scale = alt.Scale(domain=shown, range=[of[name] for name in shown])
    legend = alt.Legend(title=None, orient="top", direction="horizontal", symbolType="circle", symbolOpacity=1.0)
    return alt.Color("series:N", scale=scale, legend=legend)


def _observed(data: Any) -> dict[str, np.ndarray]:
    if not isinstance(data, tuple) or len(data) != 2:
        raise InputError("plot", f"data is a {type(data).__name__}", "data is a pair of columns", "Try data=(x, y)")
    x, y = numbers(data[0], "x of data"), numbers(data[1], "y of data")
    if len(x) != len(y):
        raise InputError("plot", f"data has {len(x)} values of x and {len(y)} of y", "", "Pass equal lengths")
    return {"x": x, "y": y}


def _draws(belief: Belief, position: np.ndarray, samples: int, random_state: Any) -> dict[str, np.ndarray]:
    if not 0 < samples <= _MAX_SAMPLES:
        raise InputError("plot", f"samples={samples} is not between 0 and {_MAX_SAMPLES}", "", "Try samples=10")
    drawn = np.asarray(belief.sample((samples,), random_state), dtype=np.float64)
    return {"x": np.tile(position, samples), "y": drawn.reshape(-1)}


def _curves(functions: Any, x: Any, position: np.ndarray) -> dict[str, np.ndarray]:
    """Functions over the same rows as the belief, in the order of x."""
    values = np.atleast_2d(np.asarray(functions, dtype=np.float64))
    if values.ndim != 2 or values.shape[1] != len(position) or not 0 < len(values) <= _MAX_SAMPLES:
        raise InputError(
            "plot",
            f"functions have shape {np.shape(functions)}, and the belief {len(position)} rows",
            f"One function a row, at most {_MAX_SAMPLES} of them, at the rows of the belief",
            "Try functions=gp.sample(X, 5) with the X of the belief",
        )
    order = np.arange(len(position)) if x is None else np.argsort(numbers(x, "x"), kind="stable")
    drawn = numbers(values[:, order].reshape(-1), "functions")
    return {"x": np.tile(position, len(values)), "f": drawn, "draw": np.repeat(np.arange(len(values)), len(position))}
