"""What the charts of a study share: trials as columns, points along a parameter, and what is refused."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from credo.decide.study import Study, Trial
from credo.errors import InputError
from credo.represent import Choice, Space
from credo.represent.space.ranges import Grid, Range

__all__ = [
    "CROSS",
    "Cells",
    "along",
    "axis_scale",
    "cells_of",
    "counting",
    "finished",
    "free_parameter",
    "in_words",
    "less_is_better",
    "line_of",
    "number_range",
    "one_objective",
    "settings",
    "values_of",
]


CROSS = "M-1,-1L1,1M-1,1L1,-1"  # a trial that failed, as a path


class Cells(NamedTuple):
    """Parts of the range of a parameter: the middle of each in the encoding, and both of its ends in its own units."""

    rows: Float[np.ndarray, " k"]
    low: Float[np.ndarray, " k"]
    high: Float[np.ndarray, " k"]


def one_objective(study: Study, kind: str) -> str:
    """The name of the objective of a study that has one."""
    names = study.names
    if len(names) > 1:
        what = f"the study has {len(names)} objectives, {', '.join(names)}"
        raise InputError("plot", what, f"The chart {kind!r} is of one", 'Try plot(study, "pareto") or "parallel"')
    return names[0]


def less_is_better(study: Study) -> bool:
    """Of the first objective."""
    return study.direction == "minimize"


def finished(study: Study) -> list[Trial]:
    """The trials that have a value."""
    done = [trial for trial in study.trials if trial.values is not None]
    if not done:
        raise InputError("plot", "no trial of the study has a value", "Nothing was told yet", "Ask and tell first")
    return done


def values_of(study: Study, trials: list[Trial]) -> Float[np.ndarray, "n k"]:
    """What was measured: a row a trial, a column an objective."""
    return np.array([[(trial.values or {})[name] for name in study.names] for trial in trials], dtype=np.float64)


def counting(study: Study, trials: list[Trial]) -> Bool[np.ndarray, " n"]:
    """Which of these, that have values, meet the bounds at the fidelity that counts."""
    outcomes = np.array([[(trial.values or {})[name] for name in study.goal.outcomes] for trial in trials])
    full = [all(trial.params.get(k) == v for k, v in study.setup.fidelity.items()) for trial in trials]
    return study.goal.met(outcomes) & np.array(full)


def in_words(params: dict[str, Any]) -> str:
    """The parameters in a line, for a tooltip."""
    return ", ".join(
        f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}" for name, value in params.items()
    )


def free_parameter(study: Study, column: str | None, kinds: tuple[type, ...] = (Range, Choice)) -> str:
    """The parameter that is named, or the first one that can be shown: of these kinds, and not held."""
    parameters, held = study.space.parameters, study.space.held
    shown = [name for name, parameter in parameters.items() if name not in held and isinstance(parameter, kinds)]
    if column is None and shown:
        return shown[0]
    if column in shown:
        return str(column)
    if column is None:
        what, cause = "the study has no parameter for this chart", "It runs along a number that is not held"
    elif column not in parameters:
        what, cause = f"the study has no parameter {column!r}", "The name is misspelt"
    elif column in held:
        what, cause = f"{column!r} is held at {held[column]!r}", "It has no range to run along"
    else:
        what, cause = f"{column!r} is no number", "The chart runs along numbers"
    raise InputError("plot", what, cause, f"What can be shown: {', '.join(shown) or 'nothing'}")


def number_range(study: Study, name: str) -> Range:
    """The parameter of this name, which is a number."""
    parameter = study.space.parameters[free_parameter(study, name, (Range,))]
    assert isinstance(parameter, Range)
    return parameter


def settings(space: Space, params: dict[str, Any]) -> Float[np.ndarray, "1 d"]:
    """The row of the encoding of one point, which may be a past run beyond the bounds."""
    return space.encode([params], outside=True)


def along(
    space: Space, row: Float[np.ndarray, "1 d"], moved: dict[str, Float[np.ndarray, " k"]]
) -> list[dict[str, Any]]:
    """The points of a row with some of its columns replaced; what becomes active by that starts in the middle."""
    names = list(space)
    count = len(next(iter(moved.values())))
    rows = np.repeat(row, count, axis=0)
    for name, column in moved.items():
        rows[:, names.index(name)] = column
    return space.decode(rows)


def cells_of(parameter: Range, count: int) -> Cells:
    """At most `count` parts of the range, evenly on the scale of the parameter; one a number where it has few."""
    whole = _few(parameter, count)
    if whole is not None:
        half = 0.5 * (whole[1] - whole[0])
        return Cells(parameter.encoded(whole), whole - half, whole + half)
    ends = np.linspace(0.0, 1.0, count + 1)
    bounds = parameter.natural(ends)
    return Cells(0.5 * (ends[1:] + ends[:-1]), bounds[:-1], bounds[1:])


def line_of(parameter: Range, count: int) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
    """At most `count` points from bound to bound, in the encoding and in the units of the parameter."""
    whole = _few(parameter, count)
    if whole is not None:
        return parameter.encoded(whole), whole
    rows = np.linspace(0.0, 1.0, count)
    return rows, parameter.natural(rows)


def _few(parameter: Range, count: int) -> Float[np.ndarray, " k"] | None:
    """The numbers of a parameter that has no more than `count`."""
    if not isinstance(parameter, Grid) or parameter.levels > count:
        return None
    return parameter.number_of(np.arange(parameter.levels))


def axis_scale(parameter: Range, **options: Any) -> Any:
    """The scale of an axis along a parameter."""
    import altair as alt

    kind: dict[str, Any] = {"type": "log"} if parameter.log else {"zero": False}
    return alt.Scale(nice=False, **kind, **options)
