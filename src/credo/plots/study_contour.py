"""The belief about the objective over two parameters."""

from typing import Any

import numpy as np

from credo.decide.study import Study
from credo.errors import InputError
from credo.plots.checks import inline, titled
from credo.plots.study_parts import (
    CROSS,
    Cells,
    along,
    axis_scale,
    cells_of,
    finished,
    in_words,
    less_is_better,
    number_range,
    one_objective,
    settings,
)
from credo.plots.theme import palette, themed
from credo.represent.space.ranges import Range

__all__ = ["contour_chart"]

_CELLS, _SIDE = 40, 300


def contour_chart(
    study: Study, x: str | None = None, y: str | None = None, *, title: str = "", theme: str | None = "light"
) -> Any:
    """The posterior mean of the objective and its standard deviation over two numeric parameters, with the trials.

    The other parameters stand as in the best measured trial, which is the diamond; trials that failed are white
    crosses. Trials are where their two parameters are, whatever their others.
    """
    import altair as alt

    name = one_objective(study, "contour")
    first, second = _two(study, x, y)
    parameters, colors = {key: number_range(study, key) for key in (first, second)}, palette(theme or "light")
    cells = {key: cells_of(parameter, _CELLS) for key, parameter in parameters.items()}
    row = settings(study.space, study.best.params)
    grid = np.meshgrid(cells[first].rows, cells[second].rows, indexing="ij")
    belief = study.posterior(along(study.space, row, {first: grid[0].reshape(-1), second: grid[1].reshape(-1)}))
    table = _table(cells[first], cells[second]) | {"mean": np.asarray(belief.mean), "std": np.asarray(belief.std)}
    axes = {
        key: {"title": key, "scale": axis_scale(parameters[key], domain=[float(c.low[0]), float(c.high[-1])])}
        for key, c in cells.items()
    }

    def panel(column: str, said: str, scheme: Any) -> Any:
        scale = alt.Scale(scheme=scheme, reverse=column == "mean" and less_is_better(study))
        shade = alt.Color(
            f"{column}:Q",
            scale=scale,
            legend=alt.Legend(
                title=None, type="gradient", gradientLength=_SIDE - 20, gradientThickness=10, tickCount=5
            ),
        )
        squares = alt.Chart(inline(table)).encode(
            x=alt.X("x_low:Q", **axes[first]),
            x2="x_high:Q",
            y=alt.Y("y_low:Q", **axes[second]),
            y2="y_high:Q",
            tooltip=[alt.Tooltip(f"{column}:Q", format=".4g")],
        )
        # Outlines below, else the ground shows between cells; on their own, else the legend has no gradient.
        seams = squares.mark_rect(clip=True, filled=False, strokeWidth=1.5)
        seams = seams.encode(stroke=alt.Stroke(f"{column}:Q", scale=scale, legend=None))
        marks = [
            mark.encode(x=alt.X("x:Q", **axes[first]), y=alt.Y("y:Q", **axes[second]))
            for mark in _trials(study, first, second, colors)
        ]
        return alt.layer(seams, squares.mark_rect(clip=True).encode(color=shade), *marks).properties(
            width=_SIDE, height=_SIDE, title=alt.TitleParams(text=said, fontSize=13, fontWeight="normal")
        )

    panels = [panel("mean", f"mean of {name}", "viridis"), panel("std", "standard deviation", "magma")]
    others = {k: v for k, v in study.space.decode(row)[0].items() if k not in (first, second)}
    said = "diamond: best measured trial" + (f"; through it: {in_words(others)}" if others else "")
    chart = alt.hconcat(*panels, spacing=24).resolve_scale(color="independent", stroke="independent")
    return themed(chart.properties(title=titled(title or f"Belief about {name}", said)), theme)


def _two(study: Study, x: str | None, y: str | None) -> tuple[str, str]:
    """Two different parameters: those that are named, and the first others."""
    numbers = [
        name
        for name, parameter in study.space.parameters.items()
        if isinstance(parameter, Range) and name not in study.space.held
    ]
    left = [name for name in numbers if name not in (x, y)]
    if len(numbers) < 2 or (x is not None and x == y):
        what = (
            f"two parameters are needed, and there is {', '.join(numbers) or 'none'}"
            if x is None or x != y
            else f"x and y are both {x!r}"
        )
        raise InputError("plot", what, "The chart is over two numbers that are not held", 'Try plot(study, "slice")')
    first = left.pop(0) if x is None else x
    return first, left.pop(0) if y is None else y


def _table(x: Cells, y: Cells) -> dict[str, np.ndarray]:
    """The ends of the cells of a grid, the second parameter running faster."""
    table = {"x_low": np.repeat(x.low, len(y.low)), "x_high": np.repeat(x.high, len(y.low))}
    return table | {"y_low": np.tile(y.low, len(x.low)), "y_high": np.tile(y.high, len(x.low))}


def _trials(study: Study, first: str, second: str, colors: Any) -> list[Any]:
    import altair as alt

    def at(trials: list[Any]) -> Any:
        there = [t for t in trials if t.params.get(first) is not None and t.params.get(second) is not None]
        table = {"x": [t.params[first] for t in there], "y": [t.params[second] for t in there]}
        return alt.Chart(inline(table | {"trial": [t.number for t in there]})) if there else None

    best = study.best
    measured = at([trial for trial in finished(study) if trial.number != best.number])
    failed, star = at([t for t in study.trials if t.state == "failed"]), at([best])
    outlined = {"stroke": "#1f2328", "strokeWidth": 1.2, "filled": True, "opacity": 1.0, "clip": True}
    marks = []
    if measured is not None:
        marks.append(measured.mark_point(size=40, fill="#ffffff", **outlined).encode(tooltip=["trial:Q"]))
    if failed is not None:  # white on dark, to be seen on every shade
        for stroke, width in (("#1f2328", 4.5), ("#ffffff", 2.2)):
            cross = {"shape": CROSS, "size": 60, "filled": False, "opacity": 1.0, "clip": True}
            marks.append(failed.mark_point(stroke=stroke, strokeWidth=width, **cross))
    if star is not None:
        marks.append(star.mark_point(shape="diamond", size=150, fill=colors.categories[1], **outlined))
    return marks
