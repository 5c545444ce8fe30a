"""What a chart asks of its input before it is drawn: finite numbers, and not more than a page can carry."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from credo.beliefs import Belief
from credo.errors import InputError

__all__ = ["MAX_ROWS", "inline", "numbers", "require_scalar", "titled"]

# A chart carries its rows inside; beyond this a browser is slow and no reader sees more.
MAX_ROWS = 20_000


def numbers(values: Any, name: str) -> np.ndarray:
    """One-dimensional finite floats."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            "plot", f"{name} is not numeric", "Text or a ragged list was passed", "Pass numbers"
        ) from error
    if array.ndim != 1:
        shape = tuple(array.shape)
        raise InputError(
            "plot", f"{name} has shape {shape}, but must be one-dimensional", "", f"Pass one column of {name}"
        )
    if array.size == 0 or not np.all(np.isfinite(array)):
        what = "is empty" if array.size == 0 else f"has {int(np.sum(~np.isfinite(array)))} values that are not finite"
        raise InputError("plot", f"{name} {what}", "A chart shows finite numbers", "Drop those rows first")
    return array


def require_scalar(belief: Belief) -> None:
    """Refuse beliefs about vectors: a band and a density are for numbers on a line."""
    if belief.event_shape:
        raise InputError(
            "plot",
            f"{type(belief).__name__} is about vectors of shape {belief.event_shape}",
            "A band and a density are drawn for one number at a time",
            "Plot a marginal",
        )


def inline(columns: dict[str, Any], limit: int = MAX_ROWS) -> Any:
    """The columns as rows inside the chart's specification: no file, no address, no setting of Altair."""
    import altair as alt

    lists = {name: np.asarray(column).tolist() for name, column in columns.items()}
    count = len(next(iter(lists.values())))
    if count > limit:
        step = -(-count // limit)
        raise InputError(
            "plot",
            f"{count} rows are more than the {limit} that a chart carries",
            "Every row lies inside the chart",
            f"Plot every {step}th row: belief[::{step}], x[::{step}]",
        )
    rows = [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return alt.InlineData(values=rows)


def titled(title: str, subtitle: str | Sequence[str] = "") -> Any:
    """A title, with a second line where there is one."""
    import altair as alt

    return alt.TitleParams(text=title, subtitle=subtitle) if subtitle else alt.TitleParams(text=title)
