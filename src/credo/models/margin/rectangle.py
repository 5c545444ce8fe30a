"""The tightest rectangle around the rows of a class."""

from numbers import Real
from typing import Any

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.models.base import Deciding
from credo.numerics.certificate import Certificate

__all__ = ["RectangleLearner"]

_SMALLEST = np.finfo(np.float64).tiny  # the score of a row on the border, which is inside
_LARGEST = np.finfo(np.float64).max  # in place of a difference that overflows


class RectangleLearner(Deciding):
    r"""A class that is a rectangle with sides along the columns: the smallest that holds all its rows.

    In column j the rectangle of the positive class reaches from the smallest to the largest of its rows, border
    included. Where the truth is a rectangle and labels have no noise it lies inside that, so that it errs on positive
    rows only, and with probability $1 - \delta$ on at most a share of $2d\log(2d/\delta)/n$ of new ones (Kearns &
    Vazirani 1994, §1.1; `credo.validate.bounds.TightestRectangle`), whatever the distribution of the rows.

    The certificate says whether that is possible: a row of another class inside means that no rectangle tells them
    apart. Then the tightest is not the one with the fewest errors, and one row in a wrong place can make it as large as
    the table. With more than two classes each has a rectangle, and a row is of the class whose it is deepest inside,
    or least outside.

    The score is the signed distance to the nearest side, in units of the lengths of the sides,
    $\min_j \min(x_j - l_j,\ u_j - x_j)/(u_j - l_j)$: ½ in the middle, zero on the border, negative outside. A side of
    no length is measured by the range of all rows. Distance says nothing about how sure a class is, so there are scores
    and no probabilities. Weights say which rows are there, and nothing else. A fit costs O(n d), as does a prediction
    for each rectangle.

    Parameters
    ----------
    positive : text, number or None
        Which of two classes is the rectangle; None for the second of ``classes_``.

    Attributes
    ----------
    classes\_ : array
    low\_, high\_, unit\_ : arrays (1 × d, or k × d for k > 2 classes)
        The ends of each rectangle in each column, and the lengths that scores are in.
    positive\_ : array
        The number of the class of each rectangle.
    certificate\_ : Certificate

    Examples
    --------
    >>> X = [[0.0, 0.0], [2.0, 1.0], [3.0, 3.0], [4.0, 2.0], [5.0, 5.0]]
    >>> model = RectangleLearner().fit(X, ["no", "yes", "yes", "yes", "no"])
    >>> model.low_.tolist(), model.high_.tolist(), model.predict([[3.0, 2.0], [1.0, 2.0]]).tolist()
    ([[2.0, 1.0]], [[4.0, 3.0]], ['yes', 'no'])
    """

    _parameter_constraints = {"positive": [None, str, Real]}  # noqa: RUF012

    low_: np.ndarray
    high_: np.ndarray
    unit_: np.ndarray
    positive_: np.ndarray

    def __init__(self, *, positive: Any = None) -> None:
        self.positive = positive

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self.positive_ = self._boxed()
        members = [X[y == code] for code in self.positive_]
        self.low_ = np.stack([np.min(rows, axis=0) for rows in members])
        self.high_ = np.stack([np.max(rows, axis=0) for rows in members])
        with np.errstate(over="ignore"):
            sides, ranges = self.high_ - self.low_, np.ptp(X, axis=0)
        self.unit_ = np.minimum(np.where(sides > 0.0, sides, np.where(ranges > 0.0, ranges, 1.0)), _LARGEST)
        self.certificate_ = self._certificate(X, y, w)

    def _boxed(self) -> np.ndarray:
        """The numbers of the classes that have a rectangle."""
        classes = self.classes_.tolist()
        if self.positive is None:
            return np.array([1]) if len(classes) == 2 else np.arange(len(classes))
        if len(classes) > 2 or self.positive not in classes:
            raise InputError(
                type(self).__name__,
                f"positive={self.positive!r}, but the classes are {classes[:5]}{' …' if len(classes) > 5 else ''}",
                "It is one of two classes; of more, each has a rectangle",
                f"Try positive={classes[1]!r}" if len(classes) == 2 else "Leave it out",
            )
        return np.array([classes.index(self.positive)])

    def _certificate(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Certificate:
        """Whether rows of other classes are inside, and how many."""
        notes = []
        for code, score in zip(self.positive_, self._depths(X).T, strict=True):
            wrong = float(np.sum(w[(score > 0.0) & (y != code)]))
            name = repr(self.classes_[code].item() if hasattr(self.classes_[code], "item") else self.classes_[code])
            notes.append(
                f"agnostic: {wrong:g} of {np.sum(w):g} rows are inside the rectangle of {name} and of another class, "
                "so that no rectangle separates it"
                if wrong
                else f"realizable: no row of another class is inside the rectangle of {name}"
            )
        return Certificate("exact", notes=tuple(notes))

    def _depths(self, X: np.ndarray) -> Float[np.ndarray, "n r"]:
        """How deep inside each rectangle each row is; never zero, so that the border belongs to the rectangle."""
        depths = np.empty((len(X), len(self.low_)))
        for at, (low, high, unit) in enumerate(zip(self.low_, self.high_, self.unit_, strict=True)):
            inside = np.all((X >= low) & (X <= high), axis=1)
            with np.errstate(over="ignore"):
                nearest = np.clip(np.min(np.minimum(X - low, high - X) / unit, axis=1), -_LARGEST, _LARGEST)
            depths[:, at] = np.where(inside, np.maximum(nearest, _SMALLEST), np.minimum(nearest, -_SMALLEST))
        return depths

    def _scores(self, X: np.ndarray) -> np.ndarray:
        depths = self._depths(X)
        if len(self.classes_) > 2:
            return depths
        return depths[:, 0] if self.positive_[0] == 1 else -depths[:, 0]
