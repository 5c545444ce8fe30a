"""When each trial of a study was asked for, and when it was told."""

import time
from datetime import UTC, datetime
from typing import Any

import numpy as np

from credo.decide.study import Study, Trial
from credo.errors import InputError
from credo.plots.checks import inline, titled
from credo.plots.study_parts import CROSS, in_words
from credo.plots.theme import WIDTH, Palette, palette, themed

__all__ = ["timeline_chart"]

_MOST = 500  # trials that a picture shows
_ROW, _LOWEST, _HIGHEST = 18, 90, 620  # pixels of a trial, of all of them
_UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
_STATES = {"done": "circle", "failed": CROSS, "running": "triangle-right", "waiting": "square"}
_WORDS = {"running": "under way", "waiting": "in the queue"}


def timeline_chart(study: Study, *, now: float | None = None, title: str = "", theme: str | None = "light") -> Any:
    """A bar a trial, from when it was asked for to when it was told, with its state at the end as a shape.

    Trials that are under way or in the queue run to `now` (seconds since 1970; by default this moment). Past runs that
    were added are there at once, and have no bar. Of more than 500 trials the latest are drawn.

    >>> from credo.represent import Real, Space
    >>> study = Study(Space({"x": Real(0, 1)}), random_state=0).optimize(lambda p: p["x"], 3)
    >>> timeline_chart(study).to_dict()["title"]["text"]
    '3 trials: 3 done'
    """
    import altair as alt

    trials = study.trials
    if not trials:
        raise InputError("plot", "the study has no trial", "Nothing was asked for yet", "Ask and tell first")
    shown, colors = trials[-_MOST:], palette(theme or "light")
    height = float(np.clip(_ROW * len(shown), _LOWEST, _HIGHEST))
    start = min(trial.asked for trial in shown)
    table, unit = _table(shown, start, time.time() if now is None else now)
    across: dict[str, Any] = {"title": f"{unit} since the first of them", "scale": alt.Scale(nice=False, padding=8)}
    ends = [shown[0].number - 0.6, shown[-1].number + 0.6]
    up = alt.Y(
        "trial:Q",
        title="trial",
        scale=alt.Scale(domain=ends, reverse=True, nice=False),
        axis=alt.Axis(format="d", tickMinStep=1, grid=False),
    )
    base = alt.Chart(inline(table)).encode(y=up, tooltip=["trial:Q", "state:N", "took:N", "why:N", "at:N"])
    thick = float(np.clip(0.5 * height / len(shown), 1.0, 8.0))
    color, shape = _state(table["state"], colors)
    bars = base.mark_rule(strokeWidth=thick, opacity=0.45).encode(
        x=alt.X("asked:Q", **across), x2="told:Q", color=color
    )
    marks = base.mark_point(filled=True, size=float(np.clip(9.0 * thick, 14.0, 70.0)), opacity=1.0, strokeWidth=2.0)
    layers = alt.layer(bars, marks.encode(x=alt.X("told:Q", **across), color=color, shape=shape, stroke=color))
    began = datetime.fromtimestamp(start, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    left = f"; the latest {len(shown)} of {len(trials)}" if len(shown) < len(trials) else ""
    head = titled(title or _counted(study), f"each from when it was asked for to when it was told, from {began}{left}")
    return themed(layers.properties(width=WIDTH, height=height, title=head), theme)


def _table(trials: list[Trial], start: float, now: float) -> tuple[dict[str, Any], str]:
    """Times since the start, in the largest unit of which it took two or more."""
    asked = np.array([trial.asked for trial in trials])
    told = np.array([max(now, trial.asked) if trial.told is None else trial.told for trial in trials])
    took = float(np.max(told)) - start
    unit, seconds = next((named for named in _UNITS if took >= 2.0 * named[1]), _UNITS[-1])
    table = {
        "trial": [trial.number for trial in trials],
        "state": [_WORDS.get(trial.state, trial.state) for trial in trials],
        "asked": (asked - start) / seconds,
        "told": (told - start) / seconds,
        "took": [f"{(end - begin) / seconds:.3g} {unit}" for begin, end in zip(asked, told, strict=True)],
        "why": [str(trial.why) for trial in trials],
        "at": [in_words(trial.params) for trial in trials],
    }
    return table, unit


def _state(there: list[str], colors: Palette) -> tuple[Any, Any]:
    """Color and shape of the states that there are, in one legend."""
    import altair as alt

    shades = dict(zip(_STATES, (colors.line, colors.categories[4], colors.categories[1], colors.ink), strict=True))
    kept = [state for state in _STATES if _WORDS.get(state, state) in there]
    domain = [_WORDS.get(state, state) for state in kept]
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1.0)
    color = alt.Scale(domain=domain, range=[shades[state] for state in kept])
    shape = alt.Scale(domain=domain, range=[_STATES[state] for state in kept])
    return alt.Color("state:N", scale=color, legend=legend), alt.Shape("state:N", scale=shape, legend=legend)


def _counted(study: Study) -> str:
    counts = study.storage.counts(study.record)
    states = {_WORDS.get(state, state): getattr(counts, state) for state in _STATES}
    said = ", ".join(f"{count} {state}" for state, count in states.items() if count)
    return f"{counts.total} trial{'s' if counts.total > 1 else ''}: {said}"
