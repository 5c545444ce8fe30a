"""A chart as a file, without a network: PNG, SVG, HTML with its own JavaScript, or the Vega-Lite specification."""

import os
from pathlib import Path
from typing import Any

from credo.errors import InputError

__all__ = ["save_chart"]

FORMATS = ("png", "svg", "html", "json")


def save_chart(chart: Any, path: str | os.PathLike[str], *, scale: float = 2.0) -> None:
    """Write an Altair chart to `path`, in the format that its suffix names.

    ``.png`` (`scale` pixels a point), ``.svg``, ``.html`` (opens without a network) or ``.json`` (Vega-Lite).
    """
    where = Path(path)
    suffix = where.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InputError(
            "save_chart",
            f"{where.name!r} ends in none of the known formats",
            "The suffix of the file names the format",
            f"Try one of {', '.join('.' + name for name in FORMATS)}",
        )
    if not callable(getattr(chart, "to_dict", None)):
        kind = type(chart).__name__
        raise InputError(
            "save_chart", f"a {kind} is not a chart", "The object itself was passed", "Try credo.plot(object) first"
        )
    if suffix == "png":
        chart.save(str(where), format="png", scale_factor=scale)
    elif suffix == "html":
        chart.save(str(where), format="html", inline=True)
    else:
        chart.save(str(where), format=suffix)
