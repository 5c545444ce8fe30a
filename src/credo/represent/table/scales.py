"""What the values of a column mean, and what may be done with them (Stevens 1946)."""

from typing import Literal, TypeAlias, get_args

from credo.errors import InputError

__all__ = ["SCALES", "Operation", "Scale", "allows", "require_operation"]

Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio", "absolute", "time"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Operation: TypeAlias = Literal["order", "difference", "mean", "ratio", "log", "count", "circle"]

_MEANING: dict[Scale, str] = {
    "nominal": "It has names without an order",
    "ordinal": "It has an order without distances",
    "interval": "Its differences mean something, its zero does not",
    "ratio": "It has amounts: zero is nothing, and twice is twice as much",
    "absolute": "It has counts",
    "time": "It has moments",
}
_ALLOWED: dict[Operation, tuple[Scale, ...]] = {
    "order": ("ordinal", "interval", "ratio", "absolute", "time"),
    "difference": ("interval", "ratio", "absolute", "time"),
    "mean": ("interval", "ratio", "absolute", "time"),
    "ratio": ("ratio", "absolute"),
    "log": ("ratio", "absolute"),
    "count": ("absolute",),
    "circle": ("time",),
}


def allows(scale: Scale, operation: Operation) -> bool:
    """Whether an operation makes sense on a scale.

    >>> allows("interval", "mean"), allows("interval", "log")
    (True, False)
    """
    return scale in _ALLOWED[operation]


def require_operation(who: str, name: str, scale: Scale, operation: Operation) -> None:
    """Refuse what makes no sense, with the reason.

    >>> require_operation("plot", "zip", "nominal", "mean")
    Traceback (most recent call last):
    ...
    credo.errors.InputError: plot: the mean of 'zip', which is nominal. It has names without an order. Try one of \
interval, ratio, absolute, time as its scale if it means that.
    """
    if allows(scale, operation):
        return
    known = ", ".join(_ALLOWED[operation])
    what = f"the {operation} of {name!r}, which is {scale}"
    raise InputError(who, what, _MEANING[scale], f"Try one of {known} as its scale if it means that")
