"""Where the variance comes from: stacked bars of an uncertainty budget."""

import json
import textwrap
from typing import Any

import numpy as np

from credo.beliefs import UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.plots.checks import inline, titled
from credo.plots.theme import HEIGHT, WIDTH, palette, themed

__all__ = ["budget_chart"]

PARTS = ("noise", "parameter", "computation")
_MAX_BARS = 200
_THIN = 64


def budget_chart(
    budget: UncertaintyBudget,
    labels: Any = None,
    *,
    normalize: bool = False,
    x_title: str = "row",
    title: str = "Where the variance comes from",
    theme: str | None = "light",
) -> Any:
    """One bar a row (one bar alone lies down), stacked from noise, parameter and computation; the subtitle advises.

    `labels` names the rows. With `normalize` the bars are shares of the variance. A budget that is not split raises
    [](#credo.errors.UndefinedError) with its reason.
    """
    parts, single = _parts(budget)
    names = _names(labels, parts.shape[1])
    used = [i for i, name in enumerate(PARTS) if name != "computation" or np.any(parts[i] > 0)]
    bars = _stacked(_rows(parts, names, used), used, theme)
    placed = bars.encode(**_lying(normalize)) if single else bars.encode(**_standing(normalize, names, x_title))
    heading = titled(title, textwrap.wrap(budget.advice(), 76))
    return themed(placed.properties(width=WIDTH, height=_THIN if single else HEIGHT, title=heading), theme)


def _names(labels: Any, count: int) -> list[str]:
    names = [str(label) for label in (range(count) if labels is None else np.asarray(labels).reshape(-1).tolist())]
    if len(names) != count:
        raise InputError("plot", f"{len(names)} labels for {count} rows", "", "Pass one label a row")
    return names


def _rows(parts: np.ndarray, names: list[str], used: list[int]) -> dict[str, Any]:
    """One row a bar and part; `place` keeps the bars apart even where two have the same label."""
    count = len(names)
    totals = np.maximum(np.sum(parts, axis=0), np.finfo(np.float64).tiny)
    return {
        "place": np.tile(np.arange(count), len(used)),
        "row": np.tile(names, len(used)),
        "part": np.repeat([PARTS[i] for i in used], count),
        "order": np.repeat(used, count),
        "variance": parts[used].reshape(-1),
        "share": (parts / totals)[used].reshape(-1),
    }


def _stacked(rows: dict[str, Any], used: list[int], theme: str | None) -> Any:
    import altair as alt

    colors = palette(theme or "light").categories
    scale = alt.Scale(domain=[PARTS[i] for i in used], range=[colors[i] for i in used])
    legend = alt.Legend(title=None, orient="top", direction="horizontal", symbolType="square")
    return (
        alt.Chart(inline(rows))
        .mark_bar()
        .encode(
            color=alt.Color("part:N", scale=scale, legend=legend),
            order=alt.Order("order:Q"),
            tooltip=["row:N", "part:N", alt.Tooltip("variance:Q", format=".4g"), alt.Tooltip("share:Q", format=".1%")],
        )
    )


def _lying(normalize: bool) -> dict[str, Any]:
    import altair as alt

    return {"x": _length(alt.X, normalize), "y": alt.Y("place:O", axis=None)}


def _standing(normalize: bool, names: list[str], x_title: str) -> dict[str, Any]:
    import altair as alt

    written = f"{json.dumps(names)}[datum.value]"  # the label of the bar in this place
    axis = alt.Axis(labelAngle=0, labelOverlap=True, labelExpr=written)
    return {"x": alt.X("place:O", title=x_title, axis=axis), "y": _length(alt.Y, normalize)}


def _length(channel: Any, normalize: bool) -> Any:
    import altair as alt

    if normalize:
        return channel(
            "share:Q", title="share of the variance", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])
        )
    return channel("variance:Q", title="variance")


def _parts(budget: UncertaintyBudget) -> tuple[np.ndarray, bool]:
    if budget.noise is None or budget.parameter is None or budget.computation is None:
        raise UndefinedError(
            "plot",
            f"the variance is not split: {budget.reason}",
            "This belief has no honest split",
            "Plot the belief itself",
        )
    parts = np.stack([np.asarray(part) for part in (budget.noise, budget.parameter, budget.computation)])
    single = parts.ndim == 1
    parts = parts.reshape(3, -1)
    if parts.shape[1] > _MAX_BARS:
        step = -(-parts.shape[1] // _MAX_BARS)
        raise InputError(
            "plot",
            f"{parts.shape[1]} bars are more than the {_MAX_BARS} that can be read",
            "The budget has one bar a row",
            f"Plot every {step}th row: belief[::{step}].budget",
        )
    return parts, single
