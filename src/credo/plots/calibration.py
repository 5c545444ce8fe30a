"""Whether what was stated happened as often: coverage and the place of the truth, reliability, an audit."""

from typing import Any

import numpy as np

from credo.errors import InputError
from credo.plots.checks import inline, titled
from credo.plots.honesty import honesty_chart
from credo.plots.theme import Palette, palette, themed
from credo.validate import Audit, Calibration, Reliability

__all__ = ["audit_chart", "calibration_chart", "reliability_chart"]

_SIDE = 260
_BINS = 10


def calibration_chart(calibration: Calibration, *, theme: str | None = "light") -> Any:
    """Three panels: coverage against what was promised, the histogram of the transform, and its distribution function.

    Bands are of 95 %: of each level and each bin by itself, of the distribution function everywhere at once.
    """
    import altair as alt

    coverage = _against_diagonal(
        calibration.levels, calibration.coverage, calibration.low, calibration.high, ("promised", "held"), theme
    ).properties(title=titled("Coverage"))
    ecdf = _against_diagonal(
        calibration.at,
        calibration.ecdf,
        calibration.ecdf_low,
        calibration.ecdf_high,
        ("transform", "share below"),
        theme,
    ).properties(
        title=titled("Its distribution", "in the band everywhere" if calibration.uniform else "leaves the band")
    )
    panels = alt.hconcat(coverage, _histogram(calibration, theme), ecdf)
    return themed(panels, theme)


def reliability_chart(reliability: Reliability, *, theme: str | None = "light") -> Any:
    """How often it happened against what was stated, with the band of right probabilities, and the rows below."""
    import altair as alt

    colors = palette(theme or "light")
    curve = _against_diagonal(
        reliability.stated, reliability.happened, reliability.low, reliability.high, ("stated", "happened"), theme
    )
    counts, edges = np.histogram(reliability.stated, bins=2 * _BINS, range=(0.0, 1.0), weights=reliability.rows)
    rows = _bars(edges, counts, "stated", colors)
    said = f"calibration error {reliability.error:.3f}, of ten bins {reliability.binned_error:.3f}"
    panels = alt.vconcat(curve, rows.properties(width=_SIDE, height=60)).properties(title=titled("Reliability", said))
    return themed(panels, theme)


def audit_chart(audit: Audit, kind: str = "levels", *, theme: str | None = "light") -> Any:
    """What was promised and what was held at each level, with its band; the verdict above, and where it fails.

    With ``kind="map"`` it is the [](#credo.plots.honesty_chart): the places that were judged.
    """
    import altair as alt

    if kind == "map":
        return honesty_chart(audit, theme=theme)
    if kind != "levels":
        raise InputError("plot", f"an audit has no chart {kind!r}", "", "It has levels, map")
    colors = palette(theme or "light")
    table = inline({"promised": audit.levels, "held": audit.coverage, "low": audit.low, "high": audit.high})
    base = alt.Chart(table)
    bars = base.mark_rule(strokeWidth=2.5, color=colors.line).encode(
        x=alt.X("promised:Q", title="promised", scale=_UNIT), y=alt.Y("low:Q", title="held"), y2="high:Q"
    )
    points = base.mark_point(filled=True, size=80, color=colors.line).encode(
        x=alt.X("promised:Q", title="promised"),
        y=alt.Y("held:Q", title="held", scale=_UNIT),
        tooltip=["promised:Q", "held:Q", "low:Q", "high:Q"],
    )
    where = [f"{region.verdict} where {region.where}" for region in audit.failures] or ["no place found where it fails"]
    if audit.verdict == "light-tailed":
        where = ["too wide in the middle, too narrow in the tails", *where]
    chart = alt.layer(_diagonal(theme, ("promised", "held")), bars, points).properties(width=_SIDE, height=_SIDE)
    return themed(chart.properties(title=titled(f"The verdict: {audit.verdict}", where)), theme)


_UNIT: Any = {"domain": [0, 1]}


def _diagonal(theme: str | None, names: tuple[str, str]) -> Any:
    import altair as alt

    colors = palette(theme or "light")
    line = alt.Chart(inline({"x": [0.0, 1.0], "y": [0.0, 1.0]})).mark_line(
        color=colors.ink, strokeDash=[4, 3], strokeWidth=1
    )
    return line.encode(x=alt.X("x:Q", title=names[0], scale=_UNIT), y=alt.Y("y:Q", title=names[1], scale=_UNIT))


def _against_diagonal(
    x: np.ndarray, y: np.ndarray, low: np.ndarray, high: np.ndarray, names: tuple[str, str], theme: str | None
) -> Any:
    import altair as alt

    colors = palette(theme or "light")
    base = alt.Chart(inline({"x": x, "y": y, "low": low, "high": high}))
    across = alt.X("x:Q", title=names[0], scale=_UNIT)
    band = base.mark_area(color=colors.outer).encode(
        x=across, y=alt.Y("low:Q", title=names[1], scale=_UNIT), y2="high:Q"
    )
    line = base.mark_line(color=colors.line).encode(x=across, y=alt.Y("y:Q", title=names[1]))
    return alt.layer(band, _diagonal(theme, names), line).properties(width=_SIDE, height=_SIDE)


def _histogram(calibration: Calibration, theme: str | None) -> Any:
    import altair as alt

    colors = palette(theme or "light")
    counts, low, high = calibration.histogram(_BINS)
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    bars = _bars(edges, counts, "transform", colors)
    rules = alt.Chart(inline({"at": [low, high]})).mark_rule(color=colors.ink, strokeDash=[4, 3]).encode(y="at:Q")
    chart = alt.layer(bars, rules).properties(width=_SIDE, height=_SIDE)
    return chart.properties(
        title=titled(
            "Where the truth lay",
            "flat if honest, a valley if too sure, a hill if timid, a hill with high ends if light-tailed",
        )
    )


def _bars(edges: np.ndarray, counts: np.ndarray, title: str, colors: Palette) -> Any:
    """A bar a bin, from zero: with two ends on each axis it is not left to Vega-Lite which of them bars stand on."""
    import altair as alt

    bars = alt.Chart(inline({"from": edges[:-1], "to": edges[1:], "rows": counts}))
    return bars.mark_bar(color=colors.inner, stroke=colors.ground, strokeWidth=1).encode(
        x=alt.X("from:Q", title=title, scale=_UNIT), x2="to:Q", y=alt.Y("rows:Q", title="rows"), y2=alt.Y2Datum(0)
    )
