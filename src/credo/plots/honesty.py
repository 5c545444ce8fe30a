"""Where a promise is kept and where it is not: the places that an audit judged."""

from typing import Any

import numpy as np

from credo.errors import InputError
from credo.plots.checks import inline, titled
from credo.plots.theme import WIDTH, Palette, palette, themed
from credo.validate import Audit, Region

__all__ = ["honesty_chart"]

_LINE = 34  # pixels
_MAP, _STRIP = 300, 70  # how high two columns are, and one
_VERDICTS = ("honest", "overconfident", "timid")
_SHAPES = ("circle", "triangle-down", "triangle-up")  # as promised, less, more
_WIDE = 0.2  # of the picture, for a verdict to be written inside


def honesty_chart(audit: Audit, *, title: str = "", theme: str | None = "light") -> Any:
    """How often intervals held the truth in each place that the audit judged, with its 95 % band, failures marked.

    The tick is what was promised. Below, where places are bounded by one or two columns, they are drawn as they lie,
    each with its coverage; more columns make no picture, and the words at the side say them all. The ends of the map
    are those of the rows.

    >>> from credo.validate import audit_places
    >>> rng = np.random.default_rng(0)
    >>> X, places = rng.random((400, 2)), rng.random(400)
    >>> loud = np.where(X[:, 0] > 0.5, places**8, places)
    >>> honesty_chart(audit_places(X, loud)).to_dict()["title"]["text"]
    '1 of 3 places fails'
    """
    import altair as alt

    if not audit.regions:
        raise InputError(
            "plot",
            "the audit judged no places",
            "It needs 80 rows or more, and a column of numbers that has no gaps",
            "Plot the levels, plot(audit), or audit more rows",
        )
    colors = palette(theme or "light")
    panels = [_list(audit.regions, colors)]
    if len(audit.spans) in (1, 2):
        panels.append(_map(audit, colors))
    failed, total = len(audit.failures), len(audit.regions)
    head = title or f"{failed or 'None'} of {total} places fail{'s' if failed < 2 else ''}"
    said = ["places found on one half of the rows and judged on the other", "tick: promised; line: 95 % band of held"]
    chart = alt.vconcat(*panels, spacing=18).properties(title=titled(head, said))
    return themed(chart.resolve_scale(color="shared"), theme)


def _verdict(channel: Any, values: Any, **options: Any) -> Any:
    import altair as alt

    return channel("verdict:N", title=None, scale=alt.Scale(domain=list(_VERDICTS), range=list(values)), **options)


def _list(regions: tuple[Region, ...], colors: Palette) -> Any:
    """A line a place."""
    import altair as alt

    parts = ("where", "verdict", "promised", "coverage", "low", "high", "rows")
    base = alt.Chart(inline({part: [getattr(region, part) for region in regions] for part in parts}))
    line = alt.Y("where:N", title=None, sort=None, axis=alt.Axis(labelLimit=340, grid=False))
    across: dict[str, Any] = {"title": "held", "scale": alt.Scale(domain=[0, 1]), "axis": alt.Axis(format="%")}
    legend = alt.Legend(orient="top", symbolOpacity=1.0)
    color = _verdict(alt.Color, _shades(colors), legend=legend)
    shape = _verdict(alt.Shape, _SHAPES, legend=legend)
    shares = [alt.Tooltip(f"{part}:Q", format=".1%") for part in ("promised", "coverage", "low", "high")]
    bands = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", **across), x2="high:Q", y=line, color=color)
    promises = base.mark_tick(color=colors.ink, thickness=2, size=20).encode(x=alt.X("promised:Q", **across), y=line)
    points = base.mark_point(filled=True, size=90, opacity=1.0).encode(
        x=alt.X("coverage:Q", **across), y=line, color=color, shape=shape, tooltip=["where:N", *shares, "rows:Q"]
    )
    return alt.layer(promises, bands, points).properties(width=WIDTH, height=_LINE * len(regions))


def _map(audit: Audit, colors: Palette) -> Any:
    """The places as boxes over the one or two columns that bound them."""
    import altair as alt

    names = list(audit.spans)
    table = _boxes(audit, names)
    base = alt.Chart(inline(table))
    x, y = [_axis(audit, name) for name in (names[0], names[1] if len(names) == 2 else None)]
    boxes = base.mark_rect(opacity=0.35, stroke=colors.ground, strokeWidth=2).encode(
        x=alt.X("x_low:Q", **x),
        x2="x_high:Q",
        y=alt.Y("y_low:Q", **y),
        y2="y_high:Q",
        color=_verdict(alt.Color, _shades(colors), legend=None),
        tooltip=["where:N", "verdict:N", "said:N"],
    )
    words = base.mark_text(color=colors.ink, fontSize=13, lineBreak="\n").encode(
        x=alt.X("x:Q", **x), y=alt.Y("y:Q", **y), text="said:N"
    )
    return alt.layer(boxes, words).properties(width=WIDTH, height=_MAP if len(names) == 2 else _STRIP)


def _boxes(audit: Audit, names: list[str]) -> dict[str, Any]:
    """The ends of each place, open sides at the ends of the rows; of one column alone, as high as the strip."""
    ends = {name: [_ends(region, name, span) for region in audit.regions] for name, span in audit.spans.items()}
    x = np.array(ends[names[0]])
    y = np.array(ends[names[1]]) if len(names) == 2 else np.tile([0.0, 1.0], (len(x), 1))
    wide = x[:, 1] - x[:, 0] >= _WIDE * np.subtract(*audit.spans[names[0]][::-1])
    return {
        "x_low": x[:, 0],
        "x_high": x[:, 1],
        "y_low": y[:, 0],
        "y_high": y[:, 1],
        "x": x.mean(axis=1),
        "y": y.mean(axis=1),
        "where": [region.where for region in audit.regions],
        "verdict": [region.verdict for region in audit.regions],
        "said": [
            f"{region.coverage:.0%}" + (f"\n{region.verdict}" if room else "")
            for region, room in zip(audit.regions, wide, strict=True)
        ],
    }


def _ends(region: Region, name: str, span: tuple[float, float]) -> tuple[float, float]:
    low, high = region.bounds.get(name, (-np.inf, np.inf))
    return max(low, span[0]), min(high, span[1])


def _axis(audit: Audit, name: str | None) -> dict[str, Any]:
    import altair as alt

    if name is None:
        return {"axis": None, "scale": alt.Scale(domain=[0, 1])}
    scale = alt.Scale(domain=list(audit.spans[name]), nice=False, zero=False)
    return {"title": name, "scale": scale, "axis": alt.Axis(grid=False)}


def _shades(colors: Palette) -> tuple[str, str, str]:
    return colors.line, colors.categories[4], colors.categories[1]
