"""How far out in its belief each held-out row lay, against what was said of it."""

from typing import Any

import numpy as np

from credo.plots.checks import inline, titled
from credo.plots.theme import HEIGHT, WIDTH, palette, themed
from credo.validate import Residuals

__all__ = ["residuals_chart"]

_SHOWN = 3000  # rows, taken evenly


def residuals_chart(residuals: Residuals, *, level: float = 0.95, title: str = "", theme: str | None = "light") -> Any:
    """Standardized residuals against what was said, between the lines where a share of `level` of them should lie.

    An honest model has points that scatter alike everywhere, with a share of one minus `level` beyond the lines, as
    crosses. A fan says that the noise changes, a bow that the mean is wrong. With more than 3000 rows some are drawn,
    taken evenly; the share is that of all.

    >>> from credo.models import LinearRegression
    >>> from credo.validate import evaluate, residuals
    >>> x = np.arange(20.0)
    >>> found = residuals(evaluate(LinearRegression(), x[:, None], x + np.sin(9.0 * x), random_state=0))
    >>> residuals_chart(found).to_dict()["title"]["text"]
    'Residuals of LinearRegression'
    """
    import altair as alt

    colors, reach = palette(theme or "light"), residuals.reach(level)
    some = slice(None, None, max(1, -(-len(residuals.rows) // _SHOWN)))
    words = ["between the lines", "beyond"]
    table = {
        "said": residuals.said[some],
        "standardized": residuals.standardized[some],
        "observed": residuals.observed[some],
        "row": residuals.rows[some],
        "where": np.where(residuals.inside(level)[some], *words),
    }
    across = alt.X("said:Q", title="as it was said before", scale=alt.Scale(zero=False))
    up = alt.Y("standardized:Q", title="standardized residual")
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1.0)
    points = alt.Chart(inline(table)).mark_point(filled=True, size=42, opacity=0.75)
    points = points.encode(
        x=across,
        y=up,
        color=alt.Color(
            "where:N", scale=alt.Scale(domain=words, range=[colors.line, colors.categories[4]]), legend=legend
        ),
        shape=alt.Shape("where:N", scale=alt.Scale(domain=words, range=["circle", "cross"]), legend=legend),
        tooltip=["row:Q", *(alt.Tooltip(f"{part}:Q", format=".4g") for part in ("said", "observed", "standardized"))],
    )
    rules = alt.Chart(inline({"line": [-reach, reach]})).mark_rule(color=colors.ink, strokeDash=[4, 3])
    zero = alt.Chart(inline({"zero": [0.0]})).mark_rule(color=colors.ink, opacity=0.5).encode(y="zero:Q")
    share, low, high = residuals.share(level)
    said = (
        f"{100 * share:.1f} % of {len(residuals.rows)} rows lie between the lines, where {100 * level:g} % should "
        f"(95 % band {100 * low:.1f} % to {100 * high:.1f} %)"
    )
    chart = alt.layer(zero, rules.encode(y="line:Q"), points).properties(width=WIDTH, height=HEIGHT)
    return themed(chart.properties(title=titled(title or f"Residuals of {residuals.name}", said)), theme)
