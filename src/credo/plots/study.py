"""The charts of a study, by name."""

from typing import Any

from credo.decide.study import Study
from credo.errors import InputError
from credo.plots.study_contour import contour_chart
from credo.plots.study_history import history_chart
from credo.plots.study_parallel import parallel_chart
from credo.plots.study_pareto import pareto_chart
from credo.plots.study_slice import next_chart, slice_chart
from credo.plots.study_timeline import timeline_chart

__all__ = ["study_chart"]

_KINDS: dict[str, Any] = {
    "history": history_chart,
    "slice": slice_chart,
    "contour": contour_chart,
    "next": next_chart,
    "parallel": parallel_chart,
    "pareto": pareto_chart,
    "timeline": timeline_chart,
}


def study_chart(study: Study, kind: str | None = None, *args: Any, **options: Any) -> Any:
    """A chart of a study: how it went, or with several objectives their front, unless `kind` names another.

    - "history": values, the best measured so far, what was predicted before ([](#credo.plots.history_chart))
    - "slice": the belief along one parameter, ``plot(study, "slice", "temperature")`` ([](#credo.plots.slice_chart))
    - "contour": the belief over two parameters ([](#credo.plots.contour_chart))
    - "next": the belief, and below it what a trial is worth, for one parameter ([](#credo.plots.next_chart))
    - "parallel": parallel coordinates ([](#credo.plots.parallel_chart))
    - "pareto": two of several objectives ([](#credo.plots.pareto_chart))
    - "timeline": when each trial was asked for and told ([](#credo.plots.timeline_chart))
    """
    if kind is None:
        kind = "pareto" if len(study.names) > 1 else "history"
    if kind not in _KINDS:
        raise InputError("plot", f"a study has no chart {kind!r}", "", f"It has {', '.join(_KINDS)}")
    return _KINDS[kind](study, *args, **options)
