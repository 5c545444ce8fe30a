"""How a study went: every value, the best measured so far, and what was predicted beforehand."""

from typing import Any

import numpy as np

from credo.decide.study import Study, Trial
from credo.plots.checks import inline, titled
from credo.plots.study_parts import CROSS, counting, finished, in_words, less_is_better, one_objective
from credo.plots.theme import HEIGHT, WIDTH, palette, themed

__all__ = ["history_chart"]

REASONS = ("start", "explore", "exploit", "feasibility", "queued", "given")


def history_chart(study: Study, *, title: str = "", theme: str | None = "light") -> Any:
    """The value of each trial by its number, colored by its reason, and the best measured so far as a line.

    A thin bar is what was believed of the trial when it was suggested, the mean and one standard deviation to each
    side, without the noise of a measurement. Trials that failed are crosses at the bottom; those that miss a bound on
    an outcome, or were made at another fidelity than counts, are pale, and no best.

    >>> from credo.represent import Real, Space
    >>> study = Study(Space({"x": Real(0, 1)}), random_state=0).optimize(lambda p: p["x"], 3)
    >>> history_chart(study).to_dict()["title"]["text"][:23]
    'Best measured: value = '
    """
    import altair as alt

    name = one_objective(study, "history")
    trials, done, colors = study.trials, finished(study), palette(theme or "light")
    across = alt.X(
        "trial:Q", title="trial", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False, padding=10)
    )
    better = "less" if less_is_better(study) else "more"
    up: dict[str, Any] = {"title": f"{name} ({better} is better)", "scale": alt.Scale(zero=False)}

    layers, believed = [], [trial for trial in trials if trial.why.mean is not None]
    if believed:
        bars = alt.Chart(inline(_beliefs(believed))).encode(x=across)
        layers.append(bars.mark_rule(color=colors.ink, opacity=0.45).encode(y=alt.Y("low:Q", **up), y2="high:Q"))
        layers.append(
            bars.mark_tick(color=colors.ink, opacity=0.6, size=7, orient="horizontal").encode(
                y=alt.Y("believed:Q", **up)
            )
        )
    counts = counting(study, done)
    if np.any(counts):
        line = alt.Chart(inline(_best_so_far(study, [trial for trial, ok in zip(done, counts, strict=True) if ok])))
        line = line.mark_line(color=colors.line, interpolate="step-after")
        layers.append(line.encode(x=across, y=alt.Y("best:Q", **up)))
    layers.append(_points(done, counts, across, alt.Y("value:Q", **up), theme))
    failed = [trial for trial in trials if trial.state == "failed"]
    if failed:
        crosses = alt.Chart(inline({"trial": [t.number for t in failed], "at": [in_words(t.params) for t in failed]}))
        crosses = crosses.mark_point(shape=CROSS, size=60, strokeWidth=2.2, filled=False, color=colors.categories[4])
        layers.append(crosses.encode(x=across, y=alt.value(HEIGHT - 6), tooltip=["trial:Q", "at:N"]))
    shown = {
        "line: best measured so far": np.any(counts),
        "bars: believed before, ± one standard deviation": believed,
        _pale(study): not np.all(counts),
        "crosses: failed": failed,
    }
    rank = "Best measured" if not study.setup.robust else "Best predicted by the average around it"
    best = f"{rank}: {name} = {study.best.value:.4g} (trial {study.best.number})" if np.any(counts) else ""
    said = "; ".join(words for words, there in shown.items() if there)
    head = titled(title or best or _none_yet(study), said)
    return themed(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=head), theme)


def _pale(study: Study) -> str:
    """What keeps a trial of this study from counting, in words."""
    reasons = [("bounds not met", study.goal.bounds), ("another fidelity", study.setup.fidelity)]
    return "pale: " + " or ".join(words for words, there in reasons if there)


def _none_yet(study: Study) -> str:
    return f"No trial {'meets the bounds' if not study.setup.fidelity else 'counts'} yet"


def _points(done: list[Trial], counts: np.ndarray, across: Any, up: Any, theme: str | None) -> Any:
    import altair as alt

    shown = [reason for reason in REASONS if any(trial.why.reason == reason for trial in done)]
    others = sorted({trial.why.reason for trial in done} - set(shown))
    scale = alt.Scale(domain=[*shown, *others], range=[*(color_of(reason, theme) for reason in [*shown, *others])])
    table = {
        "trial": [trial.number for trial in done],
        "value": [trial.value for trial in done],
        "reason": [trial.why.reason for trial in done],
        "why": [str(trial.why) for trial in done],
        "at": [in_words(trial.params) for trial in done],
        "shade": np.where(counts, 1.0, 0.35),
    }
    return (
        alt.Chart(inline(table))
        .mark_circle(size=60, stroke=palette(theme or "light").ground, strokeWidth=0.8)
        .encode(
            x=across,
            y=up,
            opacity=alt.Opacity("shade:Q", scale=None),
            color=alt.Color("reason:N", scale=scale, legend=alt.Legend(title=None, orient="top", symbolOpacity=1.0)),
            tooltip=["trial:Q", alt.Tooltip("value:Q", format=".4g"), "why:N", "at:N"],
        )
    )


def color_of(reason: str, theme: str | None) -> str:
    """The color of a reason, the same in every chart."""
    colors = palette(theme or "light")
    order = {"start": 5, "explore": 1, "exploit": 2, "feasibility": 3, "queued": 6, "given": 0}
    return colors.categories[order[reason]] if reason in order else colors.ink


def _best_so_far(study: Study, done: list[Trial]) -> dict[str, Any]:
    values = np.array([trial.value for trial in done], dtype=np.float64)
    accumulate = np.minimum.accumulate if less_is_better(study) else np.maximum.accumulate
    best, last = accumulate(values), max(trial.number for trial in study.trials)
    return {"trial": [*(trial.number for trial in done), last], "best": [*best.tolist(), float(best[-1])]}


def _beliefs(trials: list[Trial]) -> dict[str, Any]:
    mean = np.array([trial.why.mean for trial in trials], dtype=np.float64)
    std = np.array([trial.why.std or 0.0 for trial in trials], dtype=np.float64)
    return {"trial": [trial.number for trial in trials], "believed": mean, "low": mean - std, "high": mean + std}
