r"""Columns of a table as numbers, each by its scale: what `TableEncoder` learns of one column, and what it makes of it.

Names become zeros and ones; orders their places from 0 to 1; numbers are centered and scaled, amounts over a wide range
and counts in logarithms; moments are centered and scaled, and their hour, weekday and season are points on circles.
Where values were missing there is a column of zeros and ones that says so, and the middle value stands for them.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Bool, Float

from credo.represent.table.column import Column, values_of

__all__ = ["Block", "LevelsBlock", "MomentsBlock", "NumbersBlock", "OrderBlock", "block_of"]

_WIDE = 1000.0  # from the smallest amount to the largest, above which logarithms are taken
_MANY = 30  # levels that have a column; the rest share one
_ROUNDING = 1e-12  # of the largest number: what numbers that are equal may vary by, once their mean was taken
_DAY, _WEEK, _YEAR = 86400.0, 7 * 86400.0, 365.2425 * 86400.0


class Block(ABC):
    """Some columns of numbers that are made of one column of a table."""

    name: str

    @abstractmethod
    def names(self) -> list[str]:
        """One for each column of numbers."""

    @abstractmethod
    def encode(self, column: Column) -> Float[np.ndarray, "n k"]:
        """The numbers of a column of the same meaning."""

    @abstractmethod
    def unknown(self, column: Column) -> Bool[np.ndarray, " n"]:
        """Whether fit has not seen the like of each value: what `encode` makes of one is then a makeshift."""


@final
@dataclass(frozen=True)
class LevelsBlock(Block):
    """Zeros and ones, a column a level; of a value that fit has not seen all are zero, but for that of the rest.

    Where rare levels share a column, one that fit has not seen is as rare as they are, and not unknown.
    """

    name: str
    levels: tuple[str, ...]
    rest: bool
    missing: bool

    def names(self) -> list[str]:
        more = [f"{self.name}=(other)"] * self.rest + [f"{self.name} missing"] * self.missing
        return [*(f"{self.name}={level}" for level in self.levels), *more]

    def encode(self, column: Column) -> Float[np.ndarray, "n k"]:
        words = column.series.to_list()
        place = {level: j for j, level in enumerate(self.levels)}
        out = np.zeros((len(words), len(self.names())))
        for i, word in enumerate(words):
            if word in place:
                out[i, place[word]] = 1.0
            elif word is not None and self.rest:
                out[i, len(self.levels)] = 1.0
            elif word is None and self.missing:
                out[i, -1] = 1.0
        return out

    def unknown(self, column: Column) -> Bool[np.ndarray, " n"]:
        gone = column.series.is_null().to_numpy()
        strange = ~column.series.is_in(self.levels).fill_null(value=False).to_numpy() & ~gone
        return (gone & (not self.missing)) | (strange & (not self.rest))


@final
@dataclass(frozen=True)
class NumbersBlock(Block):
    """One number a row, centered and scaled, perhaps in logarithms; and whether it was missing.

    `added` is what is added before the logarithm is taken, None where there is none.
    """

    name: str
    added: float | None
    shift: float
    scale: float
    middle: float
    missing: bool

    def names(self) -> list[str]:
        words = {None: self.name, 0.0: f"log {self.name}", 1.0: f"log(1 + {self.name})"}
        return [words[self.added], *([f"{self.name} missing"] * self.missing)]

    def encode(self, column: Column) -> Float[np.ndarray, "n k"]:
        x = _logs(values_of(column), self.added)
        return _filled((x - self.shift) / self.scale, (self.middle - self.shift) / self.scale, self.missing)

    def unknown(self, column: Column) -> Bool[np.ndarray, " n"]:
        """A gap where there was none, or a number without the logarithm that all others have."""
        x = values_of(column)
        gone = np.isnan(x)
        return (gone & (not self.missing)) | (np.isnan(_logs(x, self.added)) & ~gone)


@final
@dataclass(frozen=True)
class OrderBlock(Block):
    """The place among the levels, from 0 to 1; and whether it was missing."""

    name: str
    levels: tuple[str, ...]
    middle: float
    missing: bool

    def names(self) -> list[str]:
        return [self.name, *([f"{self.name} missing"] * self.missing)]

    def encode(self, column: Column) -> Float[np.ndarray, "n k"]:
        return _filled(_places(column, self.levels), self.middle, self.missing)

    def unknown(self, column: Column) -> Bool[np.ndarray, " n"]:
        """A gap where there was none, or a word that has no place."""
        gone = column.series.is_null().to_numpy()
        return (gone & (not self.missing)) | (np.isnan(_places(column, self.levels)) & ~gone)


@final
@dataclass(frozen=True)
class MomentsBlock(Block):
    """Time that goes on, and its parts that come again as points on circles (`periods` in seconds)."""

    name: str
    time: NumbersBlock
    periods: tuple[tuple[str, float], ...]

    def names(self) -> list[str]:
        circles = [f"{way} {part} of {self.name}" for part, _ in self.periods for way in ("sin", "cos")]
        return [*self.time.names(), *circles]

    def encode(self, column: Column) -> Float[np.ndarray, "n k"]:
        seconds = values_of(column)
        seconds = np.where(np.isnan(seconds), self.time.middle, seconds)
        angles = [2.0 * np.pi * seconds / period for _, period in self.periods]
        circles = [part(angle)[:, None] for angle in angles for part in (np.sin, np.cos)]
        return np.concatenate([self.time.encode(column), *circles], axis=1)

    def unknown(self, column: Column) -> Bool[np.ndarray, " n"]:
        return self.time.unknown(column)


def block_of(column: Column) -> Block:
    """What a column of the training rows is made of."""
    missing = column.missing > 0
    if column.scale == "nominal":
        return _levels_of(column, missing)
    if column.scale == "ordinal":
        places = _places(column, column.levels)
        return OrderBlock(column.name, column.levels, _middle(places), missing)
    x = values_of(column)
    added = _before_logarithm(x, column)
    numbers = _numbers(column.name, _logs(x, added), added, missing)
    if column.scale != "time":
        return numbers
    there = x[~np.isnan(x)]
    return MomentsBlock(column.name, numbers, _periods(there))


def _levels_of(column: Column, missing: bool) -> LevelsBlock:
    counts = column.series.drop_nulls().value_counts(sort=True)
    words = counts[counts.columns[0]].to_list()
    kept = set(words[:_MANY])
    return LevelsBlock(column.name, tuple(sorted(kept)), len(words) > _MANY, missing)


def _numbers(name: str, x: Float[np.ndarray, " n"], added: float | None, missing: bool) -> NumbersBlock:
    there = x[~np.isnan(x)]
    if not len(there):
        return NumbersBlock(name, added, 0.0, 1.0, 0.0, missing)
    scale = float(np.std(there))
    if np.ptp(there) == 0.0 or scale <= _ROUNDING * np.max(np.abs(there)):  # 0.1 in all rows has a deviation of 1e-17
        scale = 1.0
    return NumbersBlock(name, added, float(np.mean(there)), scale, _middle(x), missing)


def _periods(seconds: Float[np.ndarray, " n"]) -> tuple[tuple[str, float], ...]:
    """The parts that vary and come again within what was seen."""
    if not len(seconds):
        return ()
    span = float(np.ptp(seconds))
    hours = np.ptp(seconds % _DAY) > 0.0
    found = [("hour", _DAY)] if hours and span > _DAY else []
    found += [("weekday", _WEEK)] if span > _WEEK else []
    found += [("season", _YEAR)] if span > 0.5 * _YEAR else []
    return tuple(found)


def _places(column: Column, levels: tuple[str, ...]) -> Float[np.ndarray, " n"]:
    place = {level: j / max(len(levels) - 1, 1) for j, level in enumerate(levels)}
    return np.array([place.get(word, np.nan) for word in column.series.to_list()], dtype=np.float64)


def _logs(x: Float[np.ndarray, " n"], added: float | None) -> Float[np.ndarray, " n"]:
    """Logarithms, where they are taken; what has none is missing."""
    if added is None:
        return x
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(x + added)
    return np.where(np.isfinite(logs), logs, np.nan)


def _before_logarithm(x: Float[np.ndarray, " n"], column: Column) -> float | None:
    """What is added to amounts over a wide range (nothing) and to counts (one) before their logarithm is taken."""
    there = x[~np.isnan(x)]
    if column.scale not in ("ratio", "absolute") or not len(there):
        return None
    added = 1.0 if column.scale == "absolute" else 0.0
    low, high = np.min(there) + added, np.max(there) + added
    return added if low > 0.0 and high / low >= _WIDE else None


def _filled(x: Float[np.ndarray, " n"], middle: float, missing: bool) -> Float[np.ndarray, "n k"]:
    """Numbers with the middle for those that are missing, and if asked for a column that says which."""
    gone = np.isnan(x)
    number = np.where(gone, middle, x)
    return np.stack([number, gone.astype(float)], axis=1) if missing else number[:, None]


def _middle(x: Float[np.ndarray, " n"]) -> float:
    return float(np.nanmedian(x)) if np.any(~np.isnan(x)) else 0.0
