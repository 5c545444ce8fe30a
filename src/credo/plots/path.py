"""Slopes along the penalty, with the choices that were made on the way."""

from typing import Any

import numpy as np

from credo.errors import InputError
from credo.infer.proximal import JudgedPath
from credo.infer.ridge import RidgePath
from credo.plots.checks import inline, titled
from credo.plots.theme import HEIGHT, WIDTH, palette, themed

__all__ = ["path_chart"]

_NAMED = 7  # lines that a legend can tell apart
_LINES = 200  # and that a picture can


def path_chart(
    path: JudgedPath | RidgePath,
    names: Any = None,
    *,
    title: str = "Slopes along the penalty",
    theme: str | None = "light",
) -> Any:
    """One line a slope over the logarithm of the penalty, and a rule at each choice: cross-validation, AIC, BIC.

    `names` are the columns'. With more than seven the largest seven have a color of their own; columns whose slope is
    zero all along are left out.

    >>> from credo.models import Ridge
    >>> path = Ridge().path([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0])
    >>> len(path_chart(path, ["dose"]).to_dict()["layer"])
    2
    """
    import altair as alt

    penalties, slopes = _slopes(path)
    labels = _labels(names, slopes.shape[1])
    shown = np.flatnonzero(np.any(slopes != 0.0, axis=0))
    largest = shown[np.argsort(-np.max(np.abs(slopes[:, shown]), axis=0), kind="stable")]
    drawn, named = largest[:_LINES], [labels[j] for j in largest[:_NAMED]]
    table = {
        "penalty": np.tile(penalties, len(drawn)),
        "slope": slopes[:, drawn].T.reshape(-1),
        "column": np.repeat([labels[j] for j in drawn], len(penalties)),
        "group": np.repeat([labels[j] if labels[j] in named else "others" for j in drawn], len(penalties)),
    }
    colors = palette(theme or "light")
    domain = [*named, *(["others"] if len(drawn) > len(named) else [])]
    scale = alt.Scale(domain=domain, range=[*colors.categories[: len(named)], colors.faint][: len(domain)])
    along = alt.X("penalty:Q", title="penalty", scale=alt.Scale(type="log", nice=False))
    lines = alt.Chart(inline(table)).mark_line(strokeWidth=2.0)
    lines = lines.encode(
        x=along,
        y=alt.Y("slope:Q", title="slope"),
        color=alt.Color("group:N", title=None, scale=scale),
        detail="column:N",
        tooltip=["column:N", alt.Tooltip("penalty:Q", format=".3g"), alt.Tooltip("slope:Q", format=".3g")],
    )
    choices = {by: float(penalties[path.best(by)]) for by in path.ways}
    rules = alt.Chart(inline({"choice": list(choices), "penalty": list(choices.values())})).mark_rule(
        color=colors.ink, strokeDash=[4, 3]
    )
    rules = rules.encode(x=along, tooltip=["choice:N", alt.Tooltip("penalty:Q", format=".3g")])
    said = ", ".join(f"{by} {penalty:.2g}" for by, penalty in choices.items())
    chart = alt.layer(lines, rules).properties(width=WIDTH, height=HEIGHT, title=titled(title, said))
    return themed(chart, theme)


def _slopes(path: JudgedPath | RidgePath) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(path, JudgedPath):
        return path.path.penalties, path.path.coefficients
    if path.coefficients.shape[2] != 1:
        raise InputError("plot", f"the path has {path.coefficients.shape[2]} outputs", "", "Plot one of them at a time")
    return path.penalties, path.coefficients[:, :, 0]


def _labels(names: Any, count: int) -> list[str]:
    labels = [f"x{j}" for j in range(count)] if names is None else [str(name) for name in names]
    if len(labels) != count:
        raise InputError("plot", f"{len(labels)} names for {count} columns", "", "Pass one name a column")
    return labels
