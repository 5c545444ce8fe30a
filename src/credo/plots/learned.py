"""What a model said of each row before it had seen it, against what came out."""

from typing import Any

import numpy as np
from scipy import stats

from credo.decide.learning import Learned
from credo.plots.calibration import reliability_chart
from credo.plots.checks import inline, titled
from credo.plots.theme import palette, themed
from credo.validate import Reliability, calibration

__all__ = ["learned_chart"]

_SIDE = 380
_SHOWN = 1500  # rows, taken evenly
_LEVEL = 0.9


def learned_chart(learned: Learned, *, theme: str | None = "light") -> Any:
    """What was said of each row while it was held out, against what came out.

    Of numbers with the 90 % interval: on the line where it was right, a cross where the interval does not reach it. Of
    classes, how often what was stated happened.
    """
    if learned.question.kind == "class":
        found = calibration(learned.evaluation, learned.chosen)
        assert isinstance(found, Reliability)
        return reliability_chart(found, theme=theme)
    return _held(learned, theme)


def _held(learned: Learned, theme: str | None) -> Any:
    import altair as alt

    held, y = learned.evaluation[learned.chosen].held, learned.evaluation.targets.values
    rows = np.flatnonzero(held.there)
    rows = rows[:: -(-len(rows) // _SHOWN)]
    said, observed, reach = held.point[rows], y[rows], _reach(learned) * held.std[rows]
    low, high = said - reach, said + reach
    hit = (low <= observed) & (observed <= high)
    word = np.where(hit, "inside", "outside")
    table = inline({"said": said, "observed": observed, "low": low, "high": high, "interval": word})
    colors = palette(theme or "light")
    ends = float(min(low.min(), observed.min())), float(max(high.max(), observed.max()))
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    color = alt.Color(
        "interval:N",
        title=f"{_LEVEL:.0%} interval",
        legend=alt.Legend(orient="bottom"),
        scale=alt.Scale(domain=["inside", "outside"], range=[colors.line, colors.categories[4]]),
    )
    shape = alt.Shape("interval:N", scale=alt.Scale(domain=["inside", "outside"], range=["circle", "cross"]))
    down = alt.Y("observed:Q", title=f"{learned.question.target}, as it came out", scale=scale)
    bars = alt.Chart(table).mark_rule(opacity=0.35).encode(
        x=alt.X("low:Q", title="as it was said before", scale=scale), x2="high:Q", y=down, color=color
    )  # fmt: skip
    points = alt.Chart(table).mark_point(filled=True, size=45).encode(
        x=alt.X("said:Q", scale=scale, title="as it was said before"), y=down, color=color, shape=shape
    )  # fmt: skip
    line = alt.Chart(inline({"a": ends, "b": ends})).mark_line(color=colors.ink, strokeDash=[4, 3], strokeWidth=1)
    layers = alt.layer(bars, points, line.encode(x=alt.X("a:Q", scale=scale), y=alt.Y("b:Q", scale=scale)))
    title = titled("Said before it was seen", f"{np.mean(hit):.0%} of {len(rows)} rows are in their interval")
    return themed(layers.properties(width=_SIDE, height=_SIDE, title=title), theme)


def _reach(learned: Learned) -> float:
    """Half of an interval, in standard deviations that the model stated."""
    spread = learned.model.spread
    if spread is None:
        return float(stats.norm.ppf(0.5 + 0.5 * _LEVEL))
    unit = np.sqrt((spread.degrees - 2.0) / spread.degrees)
    return spread.factor * unit * float(stats.t.ppf(0.5 + 0.5 * _LEVEL, spread.degrees))
