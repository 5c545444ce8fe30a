"""Short numbers for whoever sets them by hand: suggestions are rounded to what no measurement can tell apart."""

import math
from collections.abc import Collection, Mapping
from typing import Any

from credo.represent.space import Real, Space

__all__ = ["short_point"]

_PLACES = 6  # a millionth of a range
_NARROW = 1e-9  # of a log scale: below, sixteen digits are all that a number has


def short_point(space: Space, point: Mapping[str, Any], kept: Collection[str] = ()) -> dict[str, Any]:
    """The point with real numbers rounded to a millionth of their range, on a log scale to seven digits, inside the
    bounds; what is short already stays as it is.

    What is held or `kept` is not rounded, as somebody has chosen it; numbers with a step are as they are. Where there
    are constraints nothing is: shares would no longer add up.

    >>> short_point(Space({"t": Real(20, 80), "lr": Real(1e-5, 1, log=True)}), {"t": 44.596975315, "lr": 0.00123456789})
    {'t': 44.59698, 'lr': 0.001234568}
    """
    if space.constraints:
        return dict(point)
    free = {name: space.parameters[name] for name in point if name not in space.held and name not in kept}
    continuous = {name: p for name, p in free.items() if isinstance(p, Real) and p.step is None}
    return {name: _short(continuous[name], value) if name in continuous else value for name, value in point.items()}


def _short(parameter: Real, value: float) -> float:
    low, high = parameter.low, parameter.high
    if value in (low, high):
        return value
    if parameter.log:
        width = max(math.log(high) - math.log(low), _NARROW)
        digits = _PLACES + 1 + max(0, math.ceil(-math.log10(width)))
        rounded = float(f"{value:.{digits}g}")
    else:
        rounded = round(value, math.ceil(_PLACES - math.log10(high - low))) + 0.0  # one zero, not two
    return min(max(rounded, low), high)
