"""Losses by name."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from credo.decide.actions.classes import ZeroOne
from credo.decide.actions.loss import FunctionLoss, Loss
from credo.decide.actions.numeric import Absolute, Squared
from credo.errors import InputError

__all__ = ["LossLike", "as_loss"]

#: A loss, its name ("squared", "absolute", "zero_one"), or a function ``(action, y) -> loss`` of many y at once.
LossLike: TypeAlias = Loss | str | Callable[[Any, np.ndarray], Any]

_NAMES: dict[str, Loss] = {"squared": Squared(), "absolute": Absolute(), "zero_one": ZeroOne()}


def as_loss(loss: Any) -> Loss:
    """The loss of a name or a function."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss in _NAMES:
        return _NAMES[loss]
    if callable(loss) and not isinstance(loss, type):
        return FunctionLoss(loss)
    raise InputError(
        "bayes_action",
        f"loss={loss!r} is no loss",
        f"It is one of {', '.join(map(repr, _NAMES))}, Pinball(tau), Costs(matrix), or a function of (action, y)",
        'Try loss="squared"',
    )
