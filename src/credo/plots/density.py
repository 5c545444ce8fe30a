"""The density of one number: a curve with its central interval shaded, or bars where the number is discrete."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from credo.beliefs import Belief, Empirical
from credo.errors import InputError, UndefinedError
from credo.plots.checks import inline, require_scalar, titled
from credo.plots.theme import HEIGHT, WIDTH, palette, themed

__all__ = ["density_chart"]

_POINTS = 400
_BARS = 400


def density_chart(
    belief: Belief,
    *,
    level: float = 0.9,
    x_title: str = "y",
    title: str = "",
    subtitle: str | None = None,
    theme: str | None = "light",
) -> Any:
    """The density (or probabilities) of a single scalar belief, its central interval at `level` in the stronger color.

    The curve runs from the 0.1 % to the 99.9 % quantile. A discrete belief is drawn as one bar a value,
    weighted samples as a histogram.
    """
    require_scalar(belief)
    if belief.batch_shape:
        raise InputError(
            "plot",
            f"the belief has batch shape {belief.batch_shape}",
            "A density is drawn for one belief",
            "Try belief[0]",
        )
    build = _histogram if isinstance(belief, Empirical) else _bars if belief.is_discrete else _curve
    chart, low, high = build(belief, level, x_title, palette(theme or "light"))
    said = f"{100 * level:g} % interval: {low:.4g} to {high:.4g}" if low is not None else ""
    heading = titled(title or str(belief), said if subtitle is None else subtitle)
    return themed(chart.properties(width=WIDTH, height=HEIGHT, title=heading), theme)


def _curve(belief: Belief, level: float, x_title: str, colors: Any) -> tuple[Any, float, float]:
    import altair as alt

    low, high = (float(end) for end in belief.interval(level))
    ends = np.asarray(belief.quantile(jnp.array([0.001, 0.999])))
    grid = np.union1d(np.linspace(ends[0], ends[1], _POINTS), [low, high])
    density = np.exp(np.asarray(belief.log_prob(jnp.asarray(grid))))
    keep = np.isfinite(density)  # a density may be infinite at the end of its support
    data = inline({"x": grid[keep], "density": density[keep], "inside": (grid >= low)[keep] & (grid <= high)[keep]})
    along = alt.X("x:Q", title=x_title, scale=alt.Scale(zero=False, nice=False))
    base = alt.Chart(data).encode(x=along, y=alt.Y("density:Q", title="density"))
    whole, core = base.mark_area(color=colors.outer, opacity=1.0), base.transform_filter("datum.inside")
    chart = alt.layer(
        whole, core.mark_area(color=colors.inner, opacity=1.0), base.mark_line(color=colors.line, strokeWidth=2.5)
    )
    return chart, low, high


def _bars(belief: Belief, level: float, x_title: str, colors: Any) -> tuple[Any, Any, Any]:
    import altair as alt

    low: Any = None
    high: Any = None
    try:
        low, high = (float(end) for end in belief.interval(level))
        first, last = (int(end) for end in belief.quantile(jnp.array([0.0005, 0.9995])))
    except UndefinedError:  # classes have no order: every one is shown
        first, last = 0, int(np.shape(belief.mean)[-1]) - 1
    step = -(-(last - first + 1) // _BARS)
    values = np.arange(first, last + 1, step)
    probability = np.exp(np.asarray(belief.log_prob(jnp.asarray(values, dtype=jnp.float64))))
    inside = (values >= low) & (values <= high) if low is not None else np.ones(len(values), dtype=bool)
    data = inline({"x": values, "probability": probability, "inside": inside})
    color = alt.condition("datum.inside", alt.value(colors.line), alt.value(colors.inner))
    axis = alt.Axis(labelAngle=0, labelOverlap=True, format="d")
    along = alt.X("x:O", title=x_title, axis=axis)
    chart = alt.Chart(data).mark_bar().encode(x=along, y=alt.Y("probability:Q", title="probability"), color=color)
    return chart, low, high


def _histogram(belief: Any, level: float, x_title: str, colors: Any) -> tuple[Any, float, float]:
    """Weighted samples: the browser sums the weights in each bin; two rules mark the interval."""
    import altair as alt

    low, high = (float(end) for end in belief.interval(level))
    data = inline({"x": belief.samples, "weight": belief.weights})
    along = alt.X("x:Q", bin=alt.Bin(maxbins=40), title=x_title)
    bars = alt.Chart(data).mark_bar(color=colors.inner).encode(x=along, y=alt.Y("sum(weight):Q", title="probability"))
    ends = alt.Chart(inline({"end": [low, high]})).mark_rule(color=colors.line, strokeWidth=2, strokeDash=[6, 3])
    return alt.layer(bars, ends.encode(x=alt.X("end:Q", title=x_title))), low, high
