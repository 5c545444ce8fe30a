"""What every comparison asks of its losses: numbers, paired, enough of them."""

from typing import Any

import numpy as np
from jaxtyping import Float

from credo.errors import InputError, UndefinedError

__all__ = ["checked_losses", "checked_pair", "checked_power", "checked_probability", "checked_sizes", "refuse_constant"]


def checked_losses(who: str, name: str, values: Any, least: int = 2) -> Float[np.ndarray, " n"]:
    """The values as a vector of at least `least` finite numbers."""
    try:
        losses = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(who, f"{name} is not made of numbers", "A loss is a number", "Pass one number a row") from None
    if losses.ndim != 1 or len(losses) < least:
        raise InputError(
            who,
            f"{name} has shape {losses.shape}",
            f"It is one number for each of at least {least} rows",
            "Pass a vector",
        )
    if not np.all(np.isfinite(losses)):
        bad = int(np.flatnonzero(~np.isfinite(losses))[0])
        raise InputError(who, f"{name} has {losses[bad]} at row {bad}", "A loss is missing", "Drop that row for both")
    return losses


def checked_pair(who: str, losses_a: Any, losses_b: Any, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors of losses on the same rows."""
    a, b = checked_losses(who, "losses_a", losses_a, least), checked_losses(who, "losses_b", losses_b, least)
    if len(a) != len(b):
        raise InputError(
            who,
            f"there are {len(a)} losses of a and {len(b)} of b",
            "Both are judged on the same rows, in the same order",
            "Predict the same rows with both",
        )
    return a, b


def checked_probability(who: str, name: str, value: Any) -> float:
    """A number strictly between zero and one."""
    if not 0.0 < value < 1.0:
        usual = 0.8 if name == "power" else 0.05
        raise InputError(who, f"{name} is {value}", "It is a probability between 0 and 1", f"Try {name}={usual}")
    return float(value)


def checked_power(who: str, power: Any, significance: Any) -> tuple[float, float]:
    """The two probabilities of a test."""
    return checked_probability(who, "power", power), checked_probability(who, "significance", significance)


def checked_sizes(who: str, train_size: Any, test_size: Any) -> float:
    """The ratio of rows tested on to rows learnt from."""
    if not (np.isfinite(train_size) and np.isfinite(test_size) and train_size >= 1 and test_size >= 1):
        raise InputError(
            who,
            f"train_size is {train_size} and test_size is {test_size}",
            "They are the rows learnt from and the rows tested on in each split",
            "Pass both as counts of rows, such as 90 and 10",
        )
    return float(test_size / train_size)


def refuse_constant(who: str, differences: np.ndarray, scale: float, remedy: str) -> None:
    """Differences that are all the same, to rounding of numbers of size `scale`, say nothing about their spread."""
    if np.ptp(differences) <= 8.0 * np.finfo(np.float64).eps * scale:
        raise UndefinedError(
            who,
            f"all {len(differences)} differences are {differences[0]:.6g}",
            "They do not vary, so that no standard error can be estimated from them",
            remedy,
        )
