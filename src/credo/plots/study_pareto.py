"""The front of several objectives."""

from typing import Any

from credo.decide.study import Study
from credo.errors import InputError
from credo.plots.checks import inline, titled
from credo.plots.study_parts import finished, in_words, values_of
from credo.plots.theme import HEIGHT, WIDTH, palette, themed

__all__ = ["pareto_chart"]


def pareto_chart(
    study: Study, x: str | None = None, y: str | None = None, *, title: str = "", theme: str | None = "light"
) -> Any:
    """Two objectives of a study against each other: all trials, and those that no other beats in all objectives.

    `x` and `y` name the objectives, the first two by default. With two in all, the front is joined by a line.
    """
    import altair as alt

    names = study.names
    if len(names) < 2:
        raise InputError("plot", "the study has one objective", "A front is of two or more", "Try plot(study)")
    first, second = _two(names, x, y)
    front = {trial.number for trial in study.pareto}
    done, colors = finished(study), palette(theme or "light")
    values = values_of(study, done)
    table = {
        "x": values[:, names.index(first)],
        "y": values[:, names.index(second)],
        "trial": [trial.number for trial in done],
        "which": ["front" if trial.number in front else "other trials" for trial in done],
        "at": [in_words(trial.params) for trial in done],
    }
    scale = alt.Scale(domain=["front", "other trials"], range=[colors.categories[1], colors.inner])
    axes: dict[str, Any] = {
        "x": alt.X("x:Q", title=first, scale=alt.Scale(zero=False)),
        "y": alt.Y("y:Q", title=second, scale=alt.Scale(zero=False)),
    }
    base = alt.Chart(inline(table)).encode(**axes)
    points = base.mark_circle(opacity=1.0, stroke=colors.ground, strokeWidth=0.8).encode(
        color=alt.Color("which:N", scale=scale, legend=alt.Legend(title=None, orient="top", symbolOpacity=1.0)),
        size=alt.Size("which:N", scale=alt.Scale(domain=["front", "other trials"], range=[110, 45]), legend=None),
        tooltip=[
            "trial:Q",
            alt.Tooltip("x:Q", title=first, format=".4g"),
            alt.Tooltip("y:Q", title=second, format=".4g"),
            "at:N",
        ],
    )
    layers = [points]
    if len(names) == 2 and len(front) > 1:
        line = base.transform_filter("datum.which == 'front'").mark_line(color=colors.categories[1], opacity=0.7)
        layers = [line, points]
    said = ", ".join(f"{way} {name}" for name, way in study.goal.directions.items())
    head = titled(title or f"{len(front)} of {len(done)} trials are beaten by no other", said)
    return themed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=head), theme)


def _two(names: tuple[str, ...], x: str | None, y: str | None) -> tuple[str, str]:
    for name in (x, y):
        if name is not None and name not in names:
            raise InputError("plot", f"the study has no objective {name!r}", "", f"It has {', '.join(names)}")
    first = x if x is not None else next(name for name in names if name != y)
    return first, y if y is not None else next(name for name in names if name != first)
