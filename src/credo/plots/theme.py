"""How every chart looks: light and dark, with colors that a color-blind reader tells apart.

The look is part of each chart's own specification, so credo changes nothing about Altair for the charts of others.
"""

from dataclasses import dataclass
from typing import Any, Literal, cast

from credo.errors import InputError

__all__ = ["Palette", "Theme", "palette", "register_themes", "themed"]

Theme = Literal["light", "dark"]

WIDTH, HEIGHT = 520, 320


@dataclass(frozen=True)
class Palette:
    """The colors of one theme; `categories` follow Okabe & Ito (2008), lightened where the ground is dark."""

    ground: str
    ink: str
    faint: str
    line: str
    inner: str
    outer: str
    point: str
    categories: tuple[str, ...]


_LIGHT = Palette(
    ground="#ffffff",
    ink="#1f2328",
    faint="#e4e7eb",
    line="#0072b2",
    inner="#7fb8d8",
    outer="#cfe3f0",
    point="#1f2328",
    categories=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442"),
)
_DARK = Palette(
    ground="#14181d",
    ink="#e6e9ed",
    faint="#2d343c",
    line="#6cc4f5",
    inner="#2c6f97",
    outer="#1d3e54",
    point="#f2f4f6",
    categories=("#56b4e9", "#e69f00", "#12b78a", "#dd93bb", "#f0752a", "#9ad2f2", "#f0e442"),
)
_PALETTES = {"light": _LIGHT, "dark": _DARK}


def palette(theme: str = "light") -> Palette:
    """The colors of a theme, ``"light"`` or ``"dark"``.

    >>> palette("dark").ground
    '#14181d'
    """
    if theme not in _PALETTES:
        raise InputError(
            "plot", f"theme={theme!r} is unknown", "The name is misspelt", f"Its names are: {', '.join(_PALETTES)}"
        )
    return _PALETTES[theme]


def config(theme: str = "light") -> dict[str, Any]:
    """The Vega-Lite configuration of a theme."""
    colors = palette(theme)
    text = {"labelColor": colors.ink, "titleColor": colors.ink}
    return {
        "background": colors.ground,
        "padding": 12,
        "font": "sans-serif",
        "title": {
            "anchor": "start",
            "color": colors.ink,
            "subtitleColor": colors.ink,
            "fontSize": 16,
            "fontWeight": 600,
            "subtitleFontSize": 12,
            "subtitlePadding": 4,
            "offset": 12,
        },
        "axis": {
            **text,
            "gridColor": colors.faint,
            "domainColor": colors.faint,
            "tickColor": colors.faint,
            "labelFontSize": 12,
            "titleFontSize": 13,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "axisX": {"grid": False},
        "axisQuantitative": {"tickCount": 6},
        "legend": {**text, "labelFontSize": 12, "titleFontSize": 12, "symbolSize": 110, "symbolStrokeWidth": 2},
        "view": {"stroke": None, "continuousWidth": WIDTH, "continuousHeight": HEIGHT, "discreteWidth": WIDTH},
        "range": {"category": list(colors.categories)},
        "line": {"color": colors.line, "strokeWidth": 2},
        "point": {"color": colors.point, "filled": True, "size": 40},
        "bar": {"color": colors.line},
        "text": {"color": colors.ink, "fontSize": 12},
    }


def themed(chart: Any, theme: str | None = "light") -> Any:
    """The chart in the look of `theme`; with None as it is, free to be layered and set beside others."""
    if theme is None:
        return chart
    dressed = chart.copy(deep=False)
    dressed.config = config(theme)
    return dressed


def register_themes() -> None:
    """Offer ``credo-light`` and ``credo-dark`` to Altair, for your own charts: ``alt.theme.enable("credo-dark")``."""
    import altair as alt

    for name in _PALETTES:
        alt.theme.register(f"credo-{name}", enable=False)(
            lambda name=name: cast("alt.theme.ThemeConfig", {"config": config(name)})
        )
