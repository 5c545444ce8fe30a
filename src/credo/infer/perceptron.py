r"""Rosenblatt's perceptron, and what is known about its number of mistakes.

Rows $\tilde x = (x, 1)$ of sides $s = \pm1$ are visited in order, and where $s\,\theta^\top\tilde x \le 0$ it learns
$\theta \leftarrow \theta + s\tilde x$. If a plane separates the rows, with margin $\gamma$ for a direction of length
one, there are at most $(R/\gamma)^2$ mistakes, $R = \max\lVert\tilde x\rVert$ (Novikoff 1962), in whatever order. The
bound is least for the widest margin, $1/\gamma = \min\lVert\theta\rVert$ subject to $s_i\theta^\top\tilde x_i \ge 1$,
which is a least distance problem and a non-negative least squares (Lawson & Hanson 1974, §23.4).
"""

from typing import Any, NamedTuple

import equinox as eqx
import numpy as np
from jaxtyping import Float
from scipy import sparse

from credo.errors import InputError
from credo.infer.glm.separation import plane_separates
from credo.numerics.certificate import Certificate, Solution

__all__ = ["PerceptronMachine", "perceptron"]

_TOGETHER = 8  # passes in one call
_COUNTER = 2.0**-500  # entry of the column that counts mistakes: its products are lost in a sum with any other
_SMALLER = 2.0**-600  # the same for rows with entries below 2⁻³⁰⁰: its products underflow to zero, which takes longer
_UNCOUNTED = 2.0**52  # mistakes that the counter starts below zero: a score of zero stays a mistake
_AFFORDABLE = 2**22  # entries of a table whose separability is decided
_ROUNDS = 50  # in which rows are added to those that the widest margin is of
_ROUNDING = 1e-12
_FEW = 40  # rows a column among which overlapping sides are looked for first
_LARGE = 1e150  # whose products overflow


class PerceptronMachine(eqx.Module):
    r"""The score $x^\top\beta + \alpha$, the mistakes made on the way to it, and the most there can be (or ∞)."""

    coef: Float[np.ndarray, " d"]
    intercept: float
    mistakes: int
    mistake_bound: float

    def decision(self, X: Any) -> np.ndarray:
        """The score of each row of X."""
        return np.asarray(X @ self.coef) + self.intercept


class _Learned(NamedTuple):
    theta: np.ndarray
    mistakes: int
    passes: int
    separates: bool


def perceptron(
    X: np.ndarray | sparse.sparray,
    signs: Float[np.ndarray, " n"],
    *,
    intercept: bool = True,
    max_passes: int = 100,
    generator: np.random.Generator | None = None,
    who: str = "perceptron",
) -> Solution[PerceptronMachine]:
    """Learn in the order of the rows, or with a `generator` in a new one each pass, until a pass without a mistake.

    The visits are those of scikit-learn's compiled loop, O(n d) a pass. Where `max_passes` end first, a linear program
    decides whether a plane separates the rows at all, of few rows first; only tables of more than four million entries
    are left undecided.

    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> machine = perceptron(X, np.array([-1.0, -1.0, 1.0, 1.0])).value
    >>> machine.decision(X).tolist(), machine.mistakes
    ([-4.0, -2.0, 2.0, 4.0], 8)
    """
    if np.max(np.abs(X.data if sparse.issparse(X) else X), initial=0.0) > _LARGE:
        raise InputError(who, f"X has values above {_LARGE:g}", "Products of rows overflow", "Scale the columns")
    rows = _signed(X, signs, intercept)
    learned = _followed(_Visits(X, signs, intercept), rows, max_passes, generator)
    separable = True if learned.separates else _separable(X, signs, intercept, rows @ learned.theta)
    bound, by = _mistake_bound(rows, learned) if separable else (np.inf, "")
    coef, level = (learned.theta[:-1], learned.theta[-1]) if intercept else (learned.theta, 0.0)
    machine = PerceptronMachine(coef, float(level), learned.mistakes, float(bound))
    return Solution(machine, _certificate(learned, separable, bound, by))


def _signed(X: Any, signs: np.ndarray, intercept: bool) -> Any:
    """The rows s(x, 1): all of them are to have positive scores."""
    if sparse.issparse(X):
        columns = sparse.hstack([X, np.ones((X.shape[0], 1))]) if intercept else X
        return sparse.csr_array(columns.multiply(signs[:, None]))
    return signs[:, None] * (np.column_stack([X, np.ones(len(X))]) if intercept else X)


class _Visits:
    """Passes through the rows by scikit-learn's perceptron, with their number of mistakes.

    It reports none, so a further column counts them. Its entry is s·c, so that each mistake adds c to its weight, and c
    is so small that its share of a score is lost in rounding: the scores are those of the other columns to the last
    bit. The weight starts far below zero, where what it adds to a score of exactly zero leaves it a mistake.
    """

    def __init__(self, X: Any, signs: np.ndarray, intercept: bool) -> None:
        entries = np.abs(X.data if sparse.issparse(X) else X)
        least = np.min(entries, where=entries > 0.0, initial=1.0)
        self.unit = _COUNTER if least >= 2.0**-300 else _SMALLER
        columns = [X, *([np.ones((X.shape[0], 1))] if intercept else []), self.unit * signs[:, None]]
        self.rows = sparse.csr_array(sparse.hstack(columns)) if sparse.issparse(X) else np.concatenate(columns, axis=1)
        self.signs = signs

    def after(self, theta: np.ndarray, passes: int, order: np.ndarray | None = None) -> tuple[np.ndarray, int]:
        """θ after these passes, and the mistakes made in them."""
        from sklearn.linear_model import SGDClassifier

        machine = SGDClassifier(
            loss="perceptron",
            penalty=None,
            learning_rate="constant",
            eta0=1.0,
            shuffle=False,
            fit_intercept=False,
            max_iter=passes,
            tol=None,
        )
        rows, signs = (self.rows, self.signs) if order is None else (self.rows[order], self.signs[order])
        machine.fit(rows, signs, coef_init=np.append(theta, -_UNCOUNTED * self.unit))
        found = machine.coef_.ravel()
        return found[:-1], int(found[-1] / self.unit + _UNCOUNTED)


def _followed(visits: _Visits, Z: Any, max_passes: int, generator: np.random.Generator | None) -> _Learned:
    theta, mistakes, made = np.zeros(Z.shape[1]), 0, 0
    while made < max_passes:
        ahead = min(_TOGETHER, max_passes - made) if generator is None else 1
        order = None if generator is None else generator.permutation(Z.shape[0])
        after, more = visits.after(theta, ahead, order)
        if more < ahead or (ahead > 1 and np.all(Z @ after > 0.0)):  # perhaps a pass among them was without a mistake
            for i in range(1, ahead + 1):
                after, more = visits.after(theta, 1, order)
                theta, mistakes = after, mistakes + more
                if not more:
                    return _Learned(theta, mistakes, made + i, separates=True)
        else:
            theta, mistakes = after, mistakes + more
        made += ahead
    return _Learned(theta, mistakes, max_passes, separates=False)


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else X


def _separable(X: Any, signs: np.ndarray, intercept: bool, scores: np.ndarray) -> bool | None:
    """Whether a plane has each side strictly on its own; None where the table is too large, or a program failed.

    Sides that overlap mostly do so among few rows: the most wrong ones at `scores`, and some of all others.
    """
    if X.shape[0] * X.shape[1] > _AFFORDABLE:
        return None
    count = _FEW * (X.shape[1] + 1)
    if X.shape[0] > 4 * count:
        order = np.argsort(scores, kind="stable")
        few = np.union1d(order[:count], order[:: max(1, len(order) // count)])
        if plane_separates(_dense(X[few]), signs[few], intercept=intercept) is False:
            return False
    return plane_separates(_dense(X), signs, intercept=intercept)


def _mistake_bound(Z: Any, learned: _Learned) -> tuple[float, str]:
    """(R/γ)², and whose margin γ is. Any plane that separates the rows gives a bound."""
    radius = float(np.sqrt(np.max(np.asarray((Z * Z).sum(axis=1)))))
    widest = _widest(Z, learned.theta, radius)
    margins = {"the plane that was found": _margin(Z, learned.theta), "the plane of widest margin": _margin(Z, widest)}
    by = max(margins, key=lambda name: margins[name])
    return ((radius / margins[by]) ** 2, by) if margins[by] > 0.0 else (np.inf, "")


def _margin(Z: Any, theta: np.ndarray) -> float:
    length = float(np.linalg.norm(theta))
    return float(np.min(Z @ theta)) / length if length > 0.0 else 0.0


def _widest(Z: Any, theta: np.ndarray, radius: float) -> np.ndarray:
    """The direction of widest margin, from few rows: those nearest to a plane, and then those that it has nearer."""
    few = 4 * Z.shape[1]
    chosen = np.argsort(Z @ theta, kind="stable")[:few]
    for _ in range(_ROUNDS):
        theta = _widest_of(_dense(Z[chosen]) / radius)
        scores = Z @ theta
        nearest = np.argsort(scores, kind="stable")[:few]
        nearer = nearest[scores[nearest] < np.min(scores[chosen]) - _ROUNDING * np.max(np.abs(scores))]
        if not len(nearer):
            break
        chosen = np.union1d(chosen, nearer)
    return theta


def _widest_of(Z: np.ndarray) -> np.ndarray:
    """The first part of the residual of (Z, 1)'u ≈ (0, 1), least for u ≥ 0; zero where there were too many steps."""
    from scipy.optimize import nnls

    system, target = np.vstack([Z.T, np.ones(len(Z))]), np.r_[np.zeros(Z.shape[1]), 1.0]
    try:
        u, _ = nnls(system, target)
    except RuntimeError:
        return np.zeros(Z.shape[1])
    return (system @ u - target)[:-1]


def _certificate(learned: _Learned, separable: bool | None, bound: float, by: str) -> Certificate:
    most = (f"the most mistakes there can be are those of {by}",) if np.isfinite(bound) else ()
    if learned.separates:
        found = "a plane separates the classes, and the order of the rows chose which"
        return Certificate("exact", iterations=learned.passes, notes=(found, *most))
    says = {
        True: "the classes can be separated by a plane, but more passes are needed",
        False: "the classes cannot be separated by a plane: no number of passes is enough",
        None: "whether the classes can be separated by a plane was not decided: the table is large, or a linear "
        "program failed",
    }
    return Certificate("heuristic", status="stopped early", iterations=learned.passes, notes=(says[separable], *most))
