"""All trials at once, as lines over parallel axes."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from credo.decide.study import Study, Trial
from credo.plots.checks import inline, titled
from credo.plots.study_parts import finished, in_words, less_is_better, values_of
from credo.plots.theme import HEIGHT, WIDTH, Palette, palette, themed
from credo.represent import Choice

__all__ = ["parallel_chart"]

_LINES = 500  # that a reader may still follow
_APART = 110  # points from axis to axis


class _Axis(NamedTuple):
    """Where each trial is on an axis from 0 to 1, NaN where it is not; and the texts beside it."""

    name: str
    places: Float[np.ndarray, " n"]
    texts: dict[float, str]


def parallel_chart(study: Study, *, title: str = "", theme: str | None = "light") -> Any:
    """A line a trial over all parameters and what was measured, colored by the (first) objective.

    Every axis runs from the lower to the upper bound of its parameter, on its own scale; that of an objective over what
    was seen. The best are on top, and farthest in color from the ground. With more than 500 trials the latest are
    drawn. A parameter that is not there in a trial has no point.
    """
    import altair as alt

    names, less, colors = study.names, less_is_better(study), palette(theme or "light")
    done = sorted(finished(study)[-_LINES:], key=lambda trial: trial.value or 0.0, reverse=less)
    axes = [*_parameters(study, done), *_objectives(study, done)]
    across = alt.X(
        "axis:N",
        sort=[axis.name for axis in axes],
        title=None,
        axis=alt.Axis(labelAngle=0, domain=False, ticks=False, labelPadding=22),
        scale=alt.Scale(type="point", padding=0.35),
    )
    up = alt.Y("place:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    legend = alt.Legend(gradientLength=HEIGHT - 60, format=".3~g")
    shade = alt.Color("value:Q", title=names[0], scale=_shades(less, theme), legend=legend)
    lines = alt.Chart(inline(_table(done, axes))).mark_line(strokeWidth=1.4, opacity=0.75)
    lines = lines.encode(x=across, y=up, color=shade, detail="trial:N", order="order:Q", tooltip=["trial:N", "at:N"])
    layers = [_rules(axes, across, colors), lines, *_texts(axes, across, colors)]
    said = f"from the lower to the upper bound of each parameter; color: {names[0]}"
    sized = alt.layer(*layers).properties(width=max(WIDTH, _APART * len(axes)), height=HEIGHT)
    return themed(sized.properties(title=titled(title or f"{len(done)} trials", said)), theme)


def _parameters(study: Study, done: list[Trial]) -> list[_Axis]:
    space = study.space
    rows = space.encode([trial.params for trial in done], outside=True)
    found = []
    for j, (name, parameter) in enumerate(space.parameters.items()):
        there = np.array([trial.params.get(name) is not None for trial in done])
        if isinstance(parameter, Choice):
            steps = (np.arange(parameter.levels) / (parameter.levels - 1)).tolist()
            places, texts = np.array(steps)[parameter.index_of(rows[:, j])], parameter.options
        else:
            steps, places = [0.0, 1.0], np.clip(rows[:, j], 0.0, 1.0)
            texts = tuple(f"{end:.4g}" for end in parameter.decode(np.array([0.0, 1.0])))
        found.append(_Axis(name, np.where(there, places, np.nan), dict(zip(steps, map(str, texts), strict=True))))
    return found


def _objectives(study: Study, done: list[Trial]) -> list[_Axis]:
    found = []
    for name, values in zip(study.names, values_of(study, done).T, strict=True):
        low, high = float(np.min(values)), float(np.max(values))
        spread = high - low if high > low else 1.0
        texts = {0.0: f"{low:.4g}"} | ({1.0: f"{high:.4g}"} if high > low else {})
        found.append(_Axis(f"{name} (measured)" if name in study.space else name, (values - low) / spread, texts))
    return found


def _table(done: list[Trial], axes: list[_Axis]) -> dict[str, list[Any]]:
    """A row a trial and axis that it is on."""
    at = [(i, j) for i in range(len(done)) for j in range(len(axes)) if np.isfinite(axes[j].places[i])]
    return {
        "axis": [axes[j].name for _, j in at],
        "order": [j for _, j in at],
        "place": [float(axes[j].places[i]) for i, j in at],
        "trial": [done[i].number for i, _ in at],
        "value": [done[i].value for i, _ in at],
        "at": [in_words(done[i].params) for i, _ in at],
    }


def _rules(axes: list[_Axis], across: Any, colors: Palette) -> Any:
    import altair as alt

    ends = {"axis": [axis.name for axis in axes], "bottom": [0] * len(axes), "top": [1] * len(axes)}
    rules = alt.Chart(inline(ends)).mark_rule(color=colors.ink, opacity=0.5)
    return rules.encode(x=across, y=alt.Y("bottom:Q", axis=None), y2="top:Q")


def _texts(axes: list[_Axis], across: Any, colors: Palette) -> list[Any]:
    """The texts, and below them the same in the color of the ground, so that lines do not run through them."""
    import altair as alt

    at = [(axis.name, height, text) for axis in axes for height, text in axis.texts.items()]
    columns = dict(zip(("axis", "height", "text"), map(list, zip(*at, strict=True)), strict=True))
    base = alt.Chart(inline(columns)).encode(x=across, y=alt.Y("height:Q", axis=None), text="text:N")
    style: dict[str, Any] = {"align": "left", "dx": 5, "fontSize": 10, "color": colors.ink}
    return [base.mark_text(**style, stroke=colors.ground, strokeWidth=3), base.mark_text(**style)]


def _shades(less: bool, theme: str | None) -> Any:
    """Colors that are farthest from the ground where the objective is best."""
    import altair as alt

    dark = theme == "dark"
    scheme = alt.SchemeParams(name="viridis", extent=[0.2, 1.0] if dark else [0.0, 0.9])
    return alt.Scale(scheme=scheme, reverse=less == dark)
