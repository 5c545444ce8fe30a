"""The belief about the objective along one parameter, and the picture of the next point."""

from typing import Any

import numpy as np
from jaxtyping import Float

from credo.beliefs import Belief
from credo.decide.study import Study, Trial
from credo.decide.study.setup import NO_LOGARITHM
from credo.errors import InputError
from credo.plots.band import LEVELS, band_chart
from credo.plots.checks import inline, titled
from credo.plots.study_parts import (
    along,
    axis_scale,
    counting,
    finished,
    free_parameter,
    in_words,
    line_of,
    number_range,
    one_objective,
    settings,
    values_of,
)
from credo.plots.theme import HEIGHT, WIDTH, palette, themed
from credo.represent import Choice
from credo.represent.space.ranges import Range

__all__ = ["next_chart", "slice_chart"]

_POINTS = 200
# Standard deviations below the highest that a linear scale reaches: where bounds are hardly met it falls without end.
_DEEPEST = 10.0


def slice_chart(study: Study, column: str | None = None, *, title: str = "", theme: str | None = "light") -> Any:
    """The belief about the objective along one parameter (the first, unless `column` names another), through the best.

    Numbers have a band, choices a bar an option: 50 % and 90 % intervals of the objective without noise. The other
    parameters stand as in the best measured trial. Each point is a trial brought to those same settings: its value plus
    the change that the posterior mean predicts for the other parameters.
    """
    name = one_objective(study, "slice")
    chosen = free_parameter(study, column)
    parameter, row = study.space.parameters[chosen], settings(study.space, study.best.params)
    there = study.space.decode(row)[0]
    if chosen not in there:
        what, cause = f"{chosen!r} is not there at the best point", "It is conditional"
        raise InputError("plot", what, cause, f"Try one of {', '.join(there)}")
    trials = [trial for trial in finished(study) if trial.params.get(chosen) is not None]
    if isinstance(parameter, Choice):
        grid, x = parameter.encode(parameter.options), None
    else:
        grid, x = line_of(number_range(study, chosen), _POINTS)
    belief, values = _believed(study, trials, chosen, grid, row)
    others = {key: value for key, value in there.items() if key != chosen}
    said = "points: trials brought to the same settings" if others else "points: trials"
    through = [f"through the best measured trial: {in_words(others)}"] if others else []
    head = titled(title or f"{name} along {chosen}", [*through, f"50 % and 90 % intervals without noise; {said}"])
    measured = [trial.params[chosen] for trial in trials]
    if isinstance(parameter, Choice):
        options = [str(option) for option in parameter.options]
        chart = _bars(options, belief, ([str(value) for value in measured], values), (chosen, name), theme)
    else:
        chart = band_chart(belief, x, (measured, values), x_title=chosen, y_title=name, theme=theme)
        chart = _on_scale(chart, axis_scale(number_range(study, chosen)))
    return themed(chart.properties(title=head), theme)


def _believed(
    study: Study, trials: list[Trial], chosen: str, grid: np.ndarray, row: np.ndarray
) -> tuple[Belief, np.ndarray]:
    """The belief along the grid, and the values of the trials at the settings of the row; one question to the study."""
    space, values = study.space, values_of(study, trials)[:, 0]
    rows = np.concatenate([settings(space, trial.params) for trial in trials])
    points = along(space, row, {chosen: np.concatenate([grid, rows[:, list(space).index(chosen)]])})
    if len(space) == 1:
        return study.posterior(points[: len(grid)]), values
    belief = study.posterior(points + space.decode(rows))
    moved, still = np.split(np.asarray(belief.mean)[len(grid) :], 2)
    return belief[: len(grid)], values + moved - still


def _bars(
    options: list[str], belief: Belief, data: tuple[list[str], np.ndarray], names: tuple[str, str], theme: str | None
) -> Any:
    """A bar an option: the mean, and both intervals."""
    import altair as alt

    colors, (inner, outer) = palette(theme or "light"), LEVELS
    across = alt.X(
        "option:N", title=names[0], sort=options, axis=alt.Axis(labelAngle=0), scale=alt.Scale(domain=options)
    )
    up: dict[str, Any] = {"title": names[1], "scale": alt.Scale(zero=False)}
    ends = {"low": belief.interval(outer)[0], "high": belief.interval(outer)[1]}
    ends |= {"inner_low": belief.interval(inner)[0], "inner_high": belief.interval(inner)[1], "center": belief.mean}
    base = alt.Chart(inline({"option": options} | {key: np.asarray(end) for key, end in ends.items()})).encode(x=across)
    points = alt.Chart(inline({"option": data[0], "y": data[1]}))
    layers = [
        base.mark_rule(color=colors.inner, strokeWidth=2).encode(y=alt.Y("low:Q", **up), y2="high:Q"),
        base.mark_rule(color=colors.line, strokeWidth=6).encode(y=alt.Y("inner_low:Q", **up), y2="inner_high:Q"),
        base.mark_point(color=colors.line, size=110, filled=True).encode(y=alt.Y("center:Q", **up)),
        points.mark_circle(color=colors.point, size=36, opacity=0.6, xOffset=14).encode(x=across, y=alt.Y("y:Q", **up)),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _on_scale(chart: Any, scale: Any) -> Any:
    """The layers of a band along a parameter, on its scale."""
    for layer in chart.layer:
        layer.encoding.x.scale = scale
    return chart


def next_chart(study: Study, trial: Trial | None = None, *, title: str = "", theme: str | None = "light") -> Any:
    """The classic picture of a study of one parameter: the belief with the data above, below what a trial is worth.

    The lower curve is the acquisition that the next question would maximize, as a share of its highest value on the
    curve; "lcb" and "thompson", which are no gains, from their lowest value there (0) to the highest (1). The rule
    marks where it is highest, or `trial`. Draw it before asking: a trial that is under way counts as known, so that the
    curve is then low around it.
    """
    import altair as alt

    name = one_objective(study, "next")
    chosen = free_parameter(study, None, (Range,))
    if len(study.space) - len(study.space.held) > 1:
        what = f"the study has {len(study.space) - len(study.space.held)} free parameters"
        raise InputError("plot", what, "The picture is of one", 'Try plot(study, "slice") or plot(study, "contour")')
    colors, parameter, done = palette(theme or "light"), number_range(study, chosen), finished(study)
    rows, x = line_of(parameter, 2 * _POINTS)
    points = along(study.space, settings(study.space, done[0].params), {chosen: rows})
    worth = _shares(study, study.acquisition_at(points))
    at = float(x[np.argmax(worth)]) if trial is None else float(trial.params[chosen])
    data = ([trial.params[chosen] for trial in done], values_of(study, done)[:, 0])
    scale = axis_scale(parameter, domain=[float(x[0]), float(x[-1])])
    above = band_chart(study.posterior(points), x, data, x_title="", y_title=name, theme=theme)
    across = alt.X("x:Q", title=chosen, scale=scale)
    base = alt.Chart(inline({"x": x, "worth": worth}))
    up = alt.Y(
        "worth:Q", title="worth of a trial", scale=alt.Scale(domain=[0, 1.05], nice=False), axis=alt.Axis(tickCount=3)
    )
    curve = base.mark_area(color=colors.categories[1], opacity=0.35, line={"color": colors.categories[1]})
    rule = alt.Chart(inline({"x": [at]})).mark_rule(color=colors.categories[4], strokeWidth=2, strokeDash=[5, 3])
    rule = rule.encode(x=across)
    above = alt.layer(*_on_scale(above, scale).layer, rule).properties(width=WIDTH, height=240)
    below = alt.layer(curve.encode(x=across, y=up), rule).properties(width=WIDTH, height=90)
    why = "" if trial is None else f"; {trial.why}"
    head = titled(title or f"The next point: {chosen} = {at:.4g}", f"after {len(done)} trials{why}")
    return themed(alt.vconcat(above, below, spacing=8).resolve_scale(color="independent").properties(title=head), theme)


def _shares(study: Study, worth: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """What trials are worth, from 0 to 1; most acquisitions are logarithms, and become shares of the highest."""
    highest = float(np.max(worth))
    if not np.isfinite(highest):
        return np.zeros(len(worth))
    # Where no trial meets the bounds yet, every study goes by the logarithm of the probability to meet them.
    if study.setup.acquisition not in NO_LOGARITHM or not np.any(counting(study, finished(study))):
        return np.exp(worth - highest)
    lowest = max(float(np.min(worth)), highest - _DEEPEST)
    return np.maximum(worth - lowest, 0.0) / (highest - lowest) if highest > lowest else np.ones(len(worth))
