"""One interface for guarantees: the error that n rows allow, and the rows that an error takes."""

from abc import ABC, abstractmethod
from typing import Any, TypeAlias

import numpy as np

from credo.errors import InputError

__all__ = ["Bound", "Number", "checked_number"]

#: A parameter of a bound: arrays give a bound for each entry.
Number: TypeAlias = float | np.ndarray

_MOST = 2**52  # rows: above, integers are not exact as floats


class Bound(ABC):
    """With probability 1 − δ over samples of n independent rows, an error is at most ``error(n, delta)``.

    A subclass gives the error, which falls in n where it says anything (it is below one, or the range); `rows` inverts
    it. Both take arrays.
    """

    @abstractmethod
    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """The largest error, for checked numbers of rows and failure probabilities."""

    def error(self, n: Any, delta: Any = 0.05) -> np.ndarray:
        """The largest error, for n rows and failure probability δ."""
        return np.asarray(self._error(*_checked(type(self).__name__, n, delta)))

    def rows(self, error: Any, delta: Any = 0.05) -> np.ndarray:
        """The fewest rows for which ``error(n, delta)`` is at most `error`; infinite where none are enough."""
        wanted, delta = np.broadcast_arrays(np.asarray(error, dtype=np.float64), np.asarray(delta, dtype=np.float64))
        if not np.all(wanted > 0.0):
            raise InputError(type(self).__name__, f"error is {error}", "It is positive", "Try error=0.1")
        low, high = np.zeros(wanted.shape), np.ones(wanted.shape)
        while np.any(short := (self.error(high, delta) > wanted) & (high < _MOST)):
            low, high = np.where(short, high, low), np.where(short, 2.0 * high, high)
        impossible = self.error(high, delta) > wanted
        while np.any(high - low > 1.0):  # above `low` rows are not enough, `high` are
            middle = np.floor(0.5 * (low + high))
            enough = self.error(np.maximum(middle, 1.0), delta) <= wanted
            inside = high - low > 1.0
            high, low = np.where(inside & enough, middle, high), np.where(inside & ~enough, middle, low)
        return np.where(impossible, np.inf, high)


def _checked(who: str, n: Any, delta: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of rows, at least one, and failure probabilities between zero and one."""
    n, delta = np.asarray(n, dtype=np.float64), np.asarray(delta, dtype=np.float64)
    if not np.all(n >= 1.0):
        raise InputError(who, f"n is {n}", "A bound is for at least one row", "Try n=100")
    if not np.all((delta > 0.0) & (delta < 1.0)):
        raise InputError(who, f"delta is {delta}", "It is the probability of failure", "Try delta=0.05")
    return n, delta


def checked_number(who: str, name: str, value: Any, low: float, high: float = np.inf) -> None:
    """Refuse a number, or an array of them, that is not between `low` and `high`."""
    array = np.asarray(value, dtype=np.float64)
    if not np.all((array >= low) & (array <= high)):
        raise InputError(who, f"{name} is {value}", f"It is between {low:g} and {high:g}", f"Try {name}={low + 1:g}")
