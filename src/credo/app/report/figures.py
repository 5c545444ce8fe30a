"""Charts as pictures inside a page, each with a summary in words and its numbers as a table."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from credo.decide import Explanation, Learned
from credo.plots import chart_tables, plot
from credo.plots.export import svg_of
from credo.validate import Audit, Effect, Evaluation, Importance
from credo.validate.honesty import share

__all__ = ["Figure", "Grid", "audit_figure", "explained", "grid", "held_figure", "places_figure", "score_figure"]

_WIDTH = re.compile(r'<svg[^>]*? width="([\d.]+)"')
_BROAD = 600.0  # pixels; letters of what is shrunk to half a page are too small from here on
_ROWS = 20  # of those that were held out, taken evenly


@final
@dataclass(frozen=True)
class Grid:
    """A table of a page: names of columns, and cells as they are shown."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@final
@dataclass(frozen=True)
class Figure:
    """A picture as an address with everything in it, what it shows in words, and its numbers; `broad` is one that needs
    the whole width of a page to be read."""

    source: str
    words: str
    numbers: Grid | None
    broad: bool


def score_figure(evaluation: Evaluation, score: str) -> Figure:
    """The models that were tried, by one score."""
    claims = {name: evaluation.claim(score, name) for name in evaluation.results}
    rows = tuple((name, _short(claim.value), _short(claim.standard_error)) for name, claim in claims.items())
    best = min(claims, key=lambda name: claims[name].value)
    words = f"The {score} score of {len(claims)} models with 95 % intervals; the least is that of {best}."
    return _figure(plot(evaluation, score), words, Grid(("model", score, "standard error"), rows))


def held_figure(learned: Learned) -> Figure:
    """What was said of each row before it was seen."""
    said = f"What {learned.chosen} said of {learned.question.target} in each row while it was held out"
    words = f"{said}, against what came out."
    chart = plot(learned)
    numbers = chart_tables(chart, _ROWS)[0]
    return _figure(chart, words, Grid(numbers.columns, tuple(tuple(map(_cell, row)) for row in numbers.rows)))


def audit_figure(audit: Audit) -> Figure:
    """What was promised, and what was held."""
    rows = tuple(
        (share(level), f"{held:.1%}", f"{low:.1%} to {high:.1%}")
        for level, held, low, high in zip(audit.levels, audit.coverage, audit.low, audit.high, strict=True)
    )
    words = f"How often {audit.promise} each held at rows that were held out: {audit.verdict}."
    words += "" if audit.tails is None else f" {audit.tails}."
    return _figure(plot(audit), words, Grid(("promised", "held", "95 % band"), rows))


def places_figure(audit: Audit) -> Figure:
    """Where it holds, and where it does not; of an audit that judged places."""
    rows = tuple(
        (region.where, str(region.rows), f"{region.promised:.1%}", f"{region.coverage:.1%}", region.verdict)
        for region in audit.regions
    )
    failed = len(audit.failures) or "none"
    words = f"How often {audit.promise} {share(audit.level)} held in {len(rows)} places; {failed} of them fail."
    columns = ("where", "rows", "promised", "held", "verdict")
    return _figure(plot(audit, "map"), words, Grid(columns, rows))


def importance_figure(importance: Importance) -> Figure:
    """What each column is worth."""
    order = np.argsort(-importance.increase)
    rows = tuple(
        (importance.names[j], _short(importance.increase[j]), _short(importance.standard_error[j])) for j in order
    )
    words = f"By how much the {importance.score} score rises when a column is shuffled; most by {rows[0][0]}."
    return _figure(plot(importance), words, Grid(("column", "rise", "standard error"), rows))


def effect_figure(effect: Effect) -> Figure:
    """What one column does."""
    columns = [effect.points, effect.effect, effect.low, effect.high]
    parts = [part for part in columns if part is not None]
    rows = tuple(
        tuple(_short(value) for value in row) for row in np.stack(parts, axis=1)[:: max(1, len(parts[0]) // 8)]
    )
    names = (effect.column, "mean prediction", "low", "high")[: len(parts)]
    words = (
        f"The mean prediction with {effect.column} from {effect.points[0]:.3g} to {effect.points[-1]:.3g}: from "
        f"{effect.effect[0]:.3g} to {effect.effect[-1]:.3g}."
    )
    return _figure(plot(effect), words, Grid(names, rows))


def explained(explanation: Explanation) -> tuple[Figure, ...]:
    """Importance first, then effects."""
    return (importance_figure(explanation.importance), *map(effect_figure, explanation.effects))


def _figure(chart: Any, words: str, numbers: Grid) -> Figure:
    """A chart as an image that holds all it needs and can run nothing: SVG as data."""
    svg = svg_of(chart)
    width = _WIDTH.search(svg)
    source = "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
    return Figure(source, words, numbers, broad=width is not None and float(width[1]) > _BROAD)


def _cell(value: Any) -> str:
    return _short(value) if isinstance(value, float) else str(value)


def _short(value: float) -> str:
    return f"{value:.3g}"


def grid(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """Cells as text."""
    return Grid(tuple(columns), tuple(tuple(str(cell) for cell in row) for row in rows))
