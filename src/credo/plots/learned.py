"""What a model said of each row before it had seen it, against what came out."""

from typing import Any

import numpy as np

from credo.decide.learning import Learned, LogSpread
from credo.plots.calibration import reliability_chart
from credo.plots.checks import inline, titled
from credo.plots.theme import palette, themed
from credo.validate import Reliability, calibration
from credo.validate.honesty import share

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

    y, (said, low, high) = learned.evaluation.targets.values, learned.held_intervals(_LEVEL)
    rows = np.flatnonzero(np.isfinite(said))
    rows = rows[:: -(-len(rows) // _SHOWN)]
    said, observed, low, high = said[rows], y[rows], low[rows], high[rows]
    hit = (low <= observed) & (observed <= high)
    word = np.where(hit, "inside", "outside")
    table = inline({"said": said, "observed": observed, "low": low, "high": high, "interval": word})
    colors = palette(theme or "light")
    ends = float(min(low.min(), observed.min())), float(max(high.max(), observed.max()))
    factors = isinstance(learned.model.spread, LogSpread)  # all ends are positive then
    scale = alt.Scale(domain=ends, nice=False, **({"type": "log"} if factors else {"zero": False}))
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
    at, audit = int(np.argmin(np.abs(learned.audit.levels - _LEVEL))), learned.audit
    told = f"{share(audit.levels[at])} intervals held {audit.coverage[at]:.1%} of {audit.sizes[at]} rows"
    title = titled("Said before it was seen", told)
    return themed(layers.properties(width=_SIDE, height=_SIDE, title=title), theme)
