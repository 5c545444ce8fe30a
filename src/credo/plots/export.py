"""A chart as a file, without a network: PNG, SVG, HTML with its own JavaScript, or the Vega-Lite specification."""

import json
import math
import os
import re
from pathlib import Path
from typing import Any

from credo.errors import InputError

__all__ = ["save_chart", "svg_of"]

FORMATS = ("png", "svg", "html", "json")

# How the renderer begins: the size, the ground, and where the inner picture stands.
_OPENING = re.compile(
    r'(?P<head><svg[^>]*? )width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)" viewBox="0 0 [\d.]+ [\d.]+">'
    r'<rect width="[\d.]+" height="[\d.]+"(?P<ground>[^>]*><g [^>]*transform="translate\((?P<left>[\d.]+),[\d.]+\)")'
)
_UNDRAWABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    if suffix in ("png", "svg"):
        where.write_bytes(_png(chart, scale) if suffix == "png" else svg_of(chart).encode())
    elif suffix == "html":
        where.write_text(chart.to_html(inline=True, json_kwds={"cls": _Quoted}), encoding="utf-8")
    else:
        chart.save(str(where), format=suffix)


class _Quoted(json.JSONEncoder):
    """JSON in which no text can end the script that holds it: the name of a column may be ``</script>``."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def svg_of(chart: Any) -> str:
    """The chart as SVG text."""
    import vl_convert

    return _with_room(vl_convert.vegalite_to_svg(_drawable(chart.to_dict())))


def _with_room(svg: str) -> str:
    """The same picture with more room on the left. Labels there end at the axis and were measured in Arial; where the
    letters of the reader are wider (DejaVu by a sixth) the first ones would be cut off."""
    found = _OPENING.match(svg)
    if found is None:
        return svg
    width, height, left = float(found["width"]), found["height"], float(found["left"])
    room = math.ceil(left / 6.0)
    size = f'width="{width + room:g}" height="{height}"'
    return (
        f'{found["head"]}{size} viewBox="{-room} 0 {width + room:g} {height}"><rect x="{-room}" {size}'
        f"{found['ground']}{svg[found.end() :]}"
    )


def _png(chart: Any, scale: float) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_png(_drawable(chart.to_dict()), scale=scale)


def _drawable(part: Any) -> Any:
    """A specification without the letters that XML has not, such as those that command a terminal: at one of them in
    the name of a column the renderer would end the whole process."""
    if isinstance(part, dict):
        return {_drawable(key): _drawable(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_drawable(value) for value in part]
    return _UNDRAWABLE.sub("\ufffd", part) if isinstance(part, str) else part
