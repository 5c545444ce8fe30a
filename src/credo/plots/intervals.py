"""Numbers with their intervals, one a line: risks of estimators, differences of two, importances of columns."""

from typing import Any

import numpy as np
from scipy.special import ndtri

from credo.errors import InputError
from credo.plots.checks import inline, titled
from credo.plots.theme import WIDTH, palette, themed
from credo.validate import Comparison, Evaluation, Importance

__all__ = ["MOST", "comparison_chart", "evaluation_chart", "importance_chart", "lines"]

_LINE = 34  # pixels
MOST = 40  # lines that can be read


def evaluation_chart(
    evaluation: Evaluation, score: str | None = None, *, level: float = 0.95, theme: str | None = "light"
) -> Any:
    """The risk of each estimator with its interval, of one score, by default the first.

    >>> from credo.models import LinearRegression
    >>> from credo.validate import evaluate
    >>> rng = np.random.default_rng(0)
    >>> result = evaluate(LinearRegression(), rng.normal(size=(30, 1)), rng.normal(size=30), random_state=0)
    >>> evaluation_chart(result, "absolute").to_dict()["title"]["text"]
    'absolute score by 5-fold'
    """
    chosen = next(iter(next(iter(evaluation.results.values())).claims)) if score is None else score
    claims = {name: evaluation.claim(chosen, name) for name in evaluation.results}
    ends = [claim.interval(level) for claim in claims.values()]
    values = [claim.value for claim in claims.values()]
    title = titled(f"{chosen} score by {evaluation.plan}", f"{level:.0%} intervals")
    return lines(list(claims), values, ends, f"{chosen} score", title, theme, zero=False)


def comparison_chart(comparison: Comparison, *, level: float = 0.95, theme: str | None = "light") -> Any:
    """The difference of each pair with its interval, and the line of no difference."""
    names = [f"{pair.first} − {pair.second}" for pair in comparison.pairs]
    ends = [pair.difference.interval(level) for pair in comparison.pairs]
    values = [pair.difference.mean for pair in comparison.pairs]
    verdict = f"{comparison.winner} wins" if comparison.winner else f"no winner: take {comparison.preferred}"
    title = titled(f"Differences of the {comparison.score} score", f"{verdict}; {level:.0%} intervals")
    return lines(names, values, ends, "difference", title, theme, zero=True)


def importance_chart(importance: Importance, *, level: float = 0.95, theme: str | None = "light") -> Any:
    """By how much the score rises when a column is shuffled, the largest first."""
    order = np.argsort(-importance.increase)[:MOST]
    reach = float(ndtri(0.5 + 0.5 * level)) * importance.standard_error[order]
    values = importance.increase[order]
    ends = list(zip(values - reach, values + reach, strict=True))
    title = titled("What each column is worth", f"rise of the {importance.score} score when it is shuffled")
    return lines([importance.names[j] for j in order], values.tolist(), ends, "rise", title, theme, zero=True)


def lines(names: list[str], values: Any, ends: Any, axis: str, title: Any, theme: str | None, *, zero: bool) -> Any:
    """Dots with whiskers, one a line, and with `zero` the line of nothing."""
    import altair as alt

    if len(names) > MOST:
        raise InputError("plot", f"{len(names)} lines", f"A picture shows {MOST}", "Plot some of them")
    low, high = np.array(ends, dtype=float).T
    if not np.all(np.isfinite([low, high, values])):
        raise InputError(
            "plot",
            "a number or its error is infinite",
            "A belief ruled the truth out, or nothing was left to estimate the error from",
            "Plot another score, or fewer of them",
        )
    colors = palette(theme or "light")
    table = inline({"name": names, "value": values, "low": low, "high": high})
    line = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260, grid=False))
    along: dict[str, Any] = {"title": axis, "scale": alt.Scale(zero=zero)}
    tips = ["name:N", *(alt.Tooltip(f"{part}:Q", format=".4g") for part in ("value", "low", "high"))]
    base = alt.Chart(table)
    bars = base.mark_rule(strokeWidth=2.5, color=colors.line).encode(
        x=alt.X("low:Q", **along), x2="high:Q", y=line, tooltip=tips
    )
    points = base.mark_point(filled=True, size=80, opacity=1.0, color=colors.line).encode(
        x=alt.X("value:Q", **along), y=line, tooltip=tips
    )
    layers = [bars, points]
    if zero:
        layers.insert(
            0, alt.Chart(inline({"at": [0.0]})).mark_rule(color=colors.ink, strokeDash=[4, 3]).encode(x="at:Q")
        )
    return themed(alt.layer(*layers).properties(width=WIDTH, height=_LINE * len(names), title=title), theme)
