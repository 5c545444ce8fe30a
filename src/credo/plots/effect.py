"""What a column does to the prediction, with its band; how the risk falls with rows."""

from typing import Any

import numpy as np
from scipy.special import ndtri

from credo.plots.checks import inline, titled
from credo.plots.theme import HEIGHT, WIDTH, palette, themed
from credo.validate import Effect, LearningCurve

__all__ = ["curve_chart", "effect_chart"]


def effect_chart(effect: Effect, *, theme: str | None = "light") -> Any:
    """The effect along the column, and the band where there is one."""
    band = None if effect.low is None or effect.high is None else (effect.low, effect.high)
    said = f"{effect.level:.0%} band of {effect.source}" if band is not None else "no band"
    title = titled(f"{effect.kind.capitalize()} of {effect.column}", said)
    return _line(effect.points, effect.effect, band, (effect.column, effect.kind), title, theme)


def curve_chart(curve: LearningCurve, *, level: float = 0.95, theme: str | None = "light") -> Any:
    """The risk against the rows that were learned from, with intervals."""
    reach = float(ndtri(0.5 + 0.5 * level)) * curve.standard_error
    title = titled("Learning curve", f"{level:.0%} intervals")
    ends = (curve.risk - reach, curve.risk + reach)
    return _line(curve.rows, curve.risk, ends, ("rows to learn from", f"{curve.score} score"), title, theme)


def _line(x: np.ndarray, y: np.ndarray, band: Any, names: tuple[str, str], title: Any, theme: str | None) -> Any:
    import altair as alt

    colors = palette(theme or "light")
    across = alt.X("x:Q", title=names[0], scale=alt.Scale(zero=False, nice=False))
    up: dict[str, Any] = {"title": names[1], "scale": alt.Scale(zero=False)}
    table = {"x": x, "y": y} | ({} if band is None else {"low": band[0], "high": band[1]})
    base = alt.Chart(inline(table))
    line = base.mark_line(color=colors.line, point=len(x) <= 12).encode(x=across, y=alt.Y("y:Q", **up))
    layers = (
        [line]
        if band is None
        else [base.mark_area(color=colors.outer).encode(x=across, y=alt.Y("low:Q", **up), y2="high:Q"), line]
    )
    return themed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title), theme)
