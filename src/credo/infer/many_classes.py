r"""Many classes from machines that tell two sides apart: which rows each learns from, and how their scores are joined.

"ovr" asks of each class whether a row is of it, "ovo" asks of each pair of classes which of them. Pairs vote, and what
they say together breaks ties: with $s_c$ the sum of the scores for class c, its score is
$\text{votes}_c + \tfrac13\,s_c/(1 + |s_c|)$, whose second part lies inside (−⅓, ⅓) and overturns no vote.
"""

from itertools import combinations
from typing import Any, NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import numpy as np
from jaxtyping import Float, Int

__all__ = ["LinearMachine", "Machine", "TwoSides", "joined_scores", "pair_scores", "two_sided"]


@runtime_checkable
class Machine(Protocol):
    """What tells two sides apart by the sign of a score."""

    def decision(self, X: Any) -> np.ndarray:
        """The score of each row of X: above zero, the row is of the positive side."""


class LinearMachine(eqx.Module):
    r"""The score $x^\top\beta + \alpha$."""

    coef: Float[np.ndarray, " d"]
    intercept: float

    def decision(self, X: Any) -> np.ndarray:
        """The score of each row of X."""
        return np.asarray(X @ self.coef) + self.intercept


class TwoSides(NamedTuple):
    """The rows of one problem of two sides, +1 for those of class `positive`, −1 for `negative` (None: for all others).

    >>> TwoSides(np.arange(2), np.array([1.0, -1.0]), positive=1, negative=None).named(["a", "b"])
    "'b' against the rest"
    """

    rows: Int[np.ndarray, " m"]
    signs: Float[np.ndarray, " m"]
    positive: int
    negative: int | None

    def named(self, classes: Any) -> str:
        """The problem in words, by the names of the classes."""
        name = lambda code: repr(str(classes[code]))  # noqa: E731
        return f"{name(self.positive)} against {'the rest' if self.negative is None else name(self.negative)}"


def two_sided(codes: Int[np.ndarray, " n"], classes: int, *, pairs: bool) -> tuple[TwoSides, ...]:
    """One problem for two classes, else one a class, or one a pair with the rows of its two classes.

    The later class of a pair is the positive side: of two classes, the second one has scores above zero.

    >>> [(p.positive, p.negative, p.rows.tolist()) for p in two_sided(np.array([0, 1, 2, 1]), 3, pairs=True)]
    [(1, 0, [0, 1, 3]), (2, 0, [0, 2]), (2, 1, [1, 2, 3])]
    """
    if classes > 2 and not pairs:
        every = np.arange(len(codes))
        return tuple(TwoSides(every, np.where(codes == c, 1.0, -1.0), c, None) for c in range(classes))
    problems = []
    for negative, positive in combinations(range(classes), 2):
        rows = np.flatnonzero((codes == negative) | (codes == positive))
        problems.append(TwoSides(rows, np.where(codes[rows] == positive, 1.0, -1.0), positive, negative))
    return tuple(problems)


def joined_scores(
    decisions: Float[np.ndarray, "n p"], classes: int, *, pairs: bool
) -> Float[np.ndarray, " n"] | Float[np.ndarray, "n k"]:
    """From the scores of the problems, in their order, that of the second of two classes (n), or of each class."""
    if classes == 2:
        return decisions[:, 0]
    return pair_scores(decisions, classes) if pairs else decisions


def pair_scores(decisions: Float[np.ndarray, "n p"], classes: int) -> Float[np.ndarray, "n k"]:
    """The votes of each class, and what the pairs say together where votes are equal.

    >>> pair_scores(np.array([[2.0, -1.0, 3.0]]), 3).argmax().item()  # a cycle: one vote each
    2
    """
    negative, positive = np.array(list(combinations(range(classes), 2))).T
    against, towards = np.eye(classes)[negative], np.eye(classes)[positive]
    won = decisions > 0.0
    votes = won @ towards + ~won @ against
    said = decisions @ (towards - against)
    return votes + said / (1.0 + np.abs(said)) / 3.0
