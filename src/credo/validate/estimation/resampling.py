"""A statistic on resamples of its rows, on all rows but one, and its standard error on each resample.

Everything is asked for rows by index, in blocks of bounded memory. A function of averages never gathers its rows: a
block of indices is a sparse matrix of ones, and its product with the features is the sums.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy import sparse

from credo.errors import InputError
from credo.validate.estimation.of_means import STATISTICS, OfMeans

__all__ = ["AnyStatistic", "Means", "Replicates", "Resampled", "replicate", "resampled"]

_ENTRIES = 2**18  # numbers in a block: two megabytes, which stay in the cache
_INNER = 50  # resamples of a resample, for its standard error (Efron & Tibshirani 1993, chapter 12, have 25)
Statistic = Callable[..., Any]


class Replicates(NamedTuple):
    """A statistic on each resample and, where asked for, its standard error there."""

    values: Float[np.ndarray, " b"]
    errors: Float[np.ndarray, " b"] | None


class Resampled(ABC):
    """A statistic of n rows, ready to be asked about other selections of them."""

    who: str
    rows: int
    cost: int  # numbers that a row of a resample takes
    error_cost: int  # the same for its standard error

    @abstractmethod
    def at(self, indices: Int[np.ndarray, "b n"]) -> np.ndarray:
        """The statistic of each row of indices."""

    @abstractmethod
    def error_at(self, indices: Int[np.ndarray, "b n"], generator: np.random.Generator) -> np.ndarray:
        """Its standard error there."""

    @abstractmethod
    def estimate(self) -> float:
        """The statistic of all rows."""

    @abstractmethod
    def own_error(self) -> float | None:
        """Its standard error on all rows by the formula of `error_at`; None where that is the spread of resamples."""

    @abstractmethod
    def without_one(self) -> Float[np.ndarray, " n"]:
        """The statistic without each row (the jackknife)."""


class Means(Resampled):
    """Of a function of averages. A resample costs O(n k), its jackknife standard error too."""

    def __init__(self, who: str, columns: list[np.ndarray], statistic: OfMeans) -> None:
        self.who, self.rows, self.statistic = who, len(columns[0]), statistic
        self.features = statistic.of(*columns)
        if self.features.ndim != 2 or len(self.features) != self.rows:
            raise InputError(
                who,
                f"features of shape {self.features.shape} from {self.rows} rows",
                "They stack k numbers a row along a new last axis",
                "Return np.stack([...], axis=-1)",
            )
        self.cost, self.error_cost = 1, 3 * self.features.shape[1]

    def at(self, indices: Int[np.ndarray, "b n"]) -> np.ndarray:
        count, n = indices.shape
        pointers = np.arange(0, count * n + 1, n, dtype=indices.dtype)
        chosen = sparse.csr_array((np.ones(count * n), indices.ravel(), pointers), shape=(count, self.rows))
        return self.statistic.at((chosen @ self.features) / n)

    def error_at(self, indices: Int[np.ndarray, "b n"], generator: np.random.Generator) -> np.ndarray:
        return _jackknife_error(self._left_out(self.features[indices]))

    def estimate(self) -> float:
        return float(self.statistic.at(np.mean(self.features, axis=0)))

    def own_error(self) -> float | None:
        return float(_jackknife_error(self.without_one()))

    def without_one(self) -> Float[np.ndarray, " n"]:
        return self._left_out(self.features)

    def _left_out(self, features: np.ndarray) -> np.ndarray:
        n = features.shape[-2]
        return self.statistic.at((np.sum(features, axis=-2, keepdims=True) - features) / (n - 1))


class AnyStatistic(Resampled):
    """Of any function ``statistic(*columns, axis)`` that works along an axis, as NumPy's do."""

    def __init__(
        self, who: str, columns: list[np.ndarray], statistic: Statistic, standard_error: Statistic | None
    ) -> None:
        self.who, self.rows, self.columns = who, len(columns[0]), columns
        self.statistic, self.standard_error = statistic, standard_error
        self.cost = len(columns)
        self.error_cost = self.cost * (1 if standard_error is not None else _INNER)

    def at(self, indices: Int[np.ndarray, "b n"]) -> np.ndarray:
        return self._call(self.statistic, indices)

    def error_at(self, indices: Int[np.ndarray, "b n"], generator: np.random.Generator) -> np.ndarray:
        if self.standard_error is not None:
            return self._call(self.standard_error, indices)
        count, n = indices.shape
        picked = generator.integers(0, n, (count, _INNER * n))
        inner = np.take_along_axis(indices, picked, axis=1).reshape(count * _INNER, n)
        return np.std(self.at(inner).reshape(count, _INNER), axis=1, ddof=1)

    def estimate(self) -> float:
        return float(self.at(np.arange(self.rows)[None])[0])

    def own_error(self) -> float | None:
        if self.standard_error is None:
            return None
        return float(self._call(self.standard_error, np.arange(self.rows)[None])[0])

    def without_one(self) -> Float[np.ndarray, " n"]:
        n = self.rows
        kept = np.arange(n - 1)
        parts = _blocks(n, max(1, _ENTRIES // (n * self.cost)))
        # Without row i, the positions from i on hold the next row.
        return np.concatenate([self.at(kept + (kept >= np.arange(start, stop)[:, None])) for start, stop in parts])

    def _call(self, function: Statistic, indices: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            try:
                answer = np.asarray(function(*(column[indices] for column in self.columns), axis=-1), dtype=np.float64)
            except TypeError as error:
                raise InputError(
                    self.who,
                    f"the statistic could not be called ({error})",
                    f"It takes {len(self.columns)} arrays of resamples and the axis to work along",
                    "Write def statistic(x, axis=-1), or statistic(x, y, axis=-1) for two columns",
                ) from error
        if answer.shape != indices.shape[:1]:
            raise InputError(
                self.who,
                f"the statistic of {len(indices)} resamples has shape {answer.shape}",
                "It returns one number a resample, with the axis of the rows gone",
                "Reduce along the `axis` that it is given",
            )
        return answer


def resampled(
    who: str, columns: list[np.ndarray], statistic: Any, standard_error: Statistic | None = None
) -> Resampled:
    """The statistic, by name, as a function of averages, or as any vectorized function."""
    if isinstance(statistic, str):
        if statistic not in STATISTICS:
            raise InputError(
                who,
                f"statistic={statistic!r} has no entry",
                f"Known by name are {', '.join(STATISTICS)}",
                "Pass one of them, or a function such as np.median",
            )
        statistic = STATISTICS[statistic]
    if isinstance(statistic, OfMeans) and standard_error is None:
        return Means(who, columns, statistic)
    if not callable(statistic):
        raise InputError(who, f"statistic={statistic!r} is no function", "It is a name or a function", 'Try "mean"')
    return AnyStatistic(who, columns, statistic, standard_error)


def replicate(plan: Resampled, resamples: int, generator: np.random.Generator, *, errors: bool) -> Replicates:
    """The statistic on as many resamples of n rows out of n, with their standard errors if asked. O(B n) and up."""
    n = plan.rows
    size = max(1, _ENTRIES // (n * max(plan.cost, plan.error_cost if errors else 0)))
    values, spreads = [], []
    for start, stop in _blocks(resamples, size):
        indices = generator.integers(0, n, (stop - start, n), dtype=np.int32)
        values.append(plan.at(indices))
        if errors:
            spreads.append(plan.error_at(indices, generator))
    return Replicates(np.concatenate(values), np.concatenate(spreads) if errors else None)


def _jackknife_error(left_out: np.ndarray) -> np.ndarray:
    """√((n − 1)/n Σ (θ₍ᵢ₎ − mean)²) over the last axis (Efron & Tibshirani 1993, eq. 11.5)."""
    return np.asarray(np.sqrt((left_out.shape[-1] - 1) * np.var(left_out, axis=-1)))


def _blocks(count: int, size: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + size, count)) for start in range(0, count, size))
