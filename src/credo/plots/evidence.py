"""The log evidence of a Gaussian process over two of its parameters."""

from typing import Any

import numpy as np

from credo.errors import InputError
from credo.infer import EvidenceSurface
from credo.plots.checks import inline, titled
from credo.plots.theme import palette, themed

__all__ = ["evidence_chart"]

_SIDE = 360
_DEEPEST = 10.0  # nats below the highest that colors tell apart: beyond, a value is out of the question


def evidence_chart(surface: EvidenceSurface, *, title: str = "", theme: str | None = "light") -> Any:
    """The log evidence as cells over two parameters, bright where the data are likely.

    The diamond is where the fit is, white circles are other ends of its search, which may have other values of the
    parameters that are held here. All that is ten nats or more below the highest has the darkest color.

    >>> from credo.models import GPRegressor
    >>> gp = GPRegressor(inference=None).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
    >>> evidence_chart(gp.evidence_surface(points=4)).to_dict()["title"]["text"]
    'Log evidence over kernel.lengthscale[0] and noise.level'
    """
    import altair as alt

    highest = float(np.max(surface.log_evidence))
    if not np.isfinite(highest):
        raise InputError(
            "plot",
            "the evidence is nowhere finite",
            "No covariance on the grid is positive definite",
            "Try a smaller reach, or parameters with more noise",
        )
    colors = palette(theme or "light")
    lines = [_edges(values, log) for values, log in zip((surface.x, surface.y), surface.log_scale, strict=True)]
    axes = [
        {"title": name, "scale": _scale(line, log)}
        for name, line, log in zip(surface.names, lines, surface.log_scale, strict=True)
    ]
    legend = alt.Legend(
        title="log evidence", type="gradient", gradientLength=_SIDE - 40, gradientThickness=12, tickCount=6
    )
    scale = alt.Scale(scheme="viridis", domain=[highest - _DEEPEST, highest], clamp=True)
    cells = alt.Chart(inline(_cells(surface, lines, highest))).encode(
        x=alt.X("x_low:Q", **axes[0]),
        x2="x_high:Q",
        y=alt.Y("y_low:Q", **axes[1]),
        y2="y_high:Q",
        tooltip=[
            alt.Tooltip("x:Q", title=surface.names[0], format=".3g"),
            alt.Tooltip("y:Q", title=surface.names[1], format=".3g"),
            alt.Tooltip("height:Q", title="log evidence", format=".4f"),
        ],
    )
    # Outlines below, else the ground shows between cells.
    seams = cells.mark_rect(filled=False, strokeWidth=1.5, clip=True)
    layers = [
        seams.encode(stroke=alt.Stroke("shade:Q", scale=scale, legend=None)),
        cells.mark_rect(clip=True).encode(color=alt.Color("shade:Q", scale=scale, legend=legend)),
        *_marks(surface, lines, axes, colors),
    ]
    head = titled(title or f"Log evidence over {' and '.join(surface.names)}", _said(surface))
    chart = alt.layer(*layers).properties(width=_SIDE, height=_SIDE, title=head)
    return themed(chart.resolve_scale(color="independent", stroke="independent"), theme)


def _edges(values: np.ndarray, log: bool) -> np.ndarray:
    """The bounds of the cells around the values, half a step to each side on the scale of the axis."""
    at = np.log(values) if log else values
    middle = 0.5 * (at[1:] + at[:-1])
    ends = np.concatenate([[2.0 * at[0] - middle[0]], middle, [2.0 * at[-1] - middle[-1]]])
    return np.exp(ends) if log else ends


def _scale(edges: np.ndarray, log: bool) -> Any:
    import altair as alt

    kind: dict[str, Any] = {"type": "log"} if log else {"zero": False}
    return alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False, **kind)


def _cells(surface: EvidenceSurface, lines: list[np.ndarray], highest: float) -> dict[str, np.ndarray]:
    """One row a cell, the second parameter running faster; no value is below what a number in JSON can say."""
    (x, y), (a, b) = lines, surface.log_evidence.shape
    heights = np.maximum(surface.log_evidence.reshape(-1), highest - 1e6)
    return {
        "x_low": np.repeat(x[:-1], b),
        "x_high": np.repeat(x[1:], b),
        "y_low": np.tile(y[:-1], a),
        "y_high": np.tile(y[1:], a),
        "x": np.repeat(surface.x, b),
        "y": np.tile(surface.y, a),
        "height": heights,
        "shade": np.maximum(heights, highest - _DEEPEST),
    }


def _marks(surface: EvidenceSurface, lines: list[np.ndarray], axes: list[dict[str, Any]], colors: Any) -> list[Any]:
    """The other ends of the search that lie on the picture, and the fit."""
    import altair as alt

    def at(pairs: Any, **mark: Any) -> Any:
        x, y = np.array(pairs).T
        points = alt.Chart(inline({"at_x": x, "at_y": y})).mark_point(
            filled=True, opacity=1.0, stroke="#1f2328", strokeWidth=1.5, **mark
        )
        return points.encode(x=alt.X("at_x:Q", **axes[0]), y=alt.Y("at_y:Q", **axes[1]))

    others = [
        pair
        for pair in surface.optima
        if not np.allclose(pair, surface.at)
        and all(line[0] < value < line[-1] for value, line in zip(pair, lines, strict=True))
    ]
    found = [at(others, shape="circle", size=80, fill="#ffffff")] if others else []
    return [*found, at([surface.at], shape="diamond", size=190, fill=colors.categories[4])]


def _said(surface: EvidenceSurface) -> list[str]:
    words = "diamond: the fit" + ("; circles: other optima of its search" if len(surface.optima) > 1 else "")
    held = ", ".join(f"{name} = {value:.3g}" for name, value in list(surface.held.items())[:4])
    more = ", …" if len(surface.held) > 4 else ""
    return [words, *([f"held: {held}{more}"] if held else [])]
