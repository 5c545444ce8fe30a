r"""Whether a likelihood has no maximum at finite coefficients: separated classes, and zeros that a column explains.

A direction $\gamma$ along which no row's likelihood ever falls, and some row's rises, is followed to infinity (Albert
& Anderson 1984; for counts, Correia, Guimarães & Zylkin 2019). Such directions are the solutions of linear
inequalities, so a linear program finds one or shows that there is none (Konis 2007). It is solved on few of the rows,
in columns of one scale: if these exclude every direction, so do all rows; if not, rows that contradict the direction
found are added. A program that fails leaves the question undecided, which is never taken for "none".
"""

from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from credo.numerics.semidefinite import scaled_spectrum

__all__ = [
    "HELD",
    "UNKNOWN",
    "Inequalities",
    "Separation",
    "binary_signs",
    "count_signs",
    "direction_exists",
    "plane_separates",
    "separation",
    "separation_note",
]

Separation = Literal["none", "partial", "complete", "undecided"]

#: Ridge that holds back what has no maximum, on columns of unit variance.
HELD = 1e-3
#: Why a budget is not split then.
UNKNOWN = "classes are separated, and what is unknown about the coefficients is not known"

_NOTHING = 1e-7  # that a linear program finds by rounding
_FIRST = 500  # rows of the first program, at least
_ROWS = 6  # per column, in the first program, up to so many numbers
_NUMBERS = 2**21
_MOST = 2**25  # numbers of a program: 256 MB
_ITERATIONS = 10_000  # of a program


def binary_signs(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row, the sign that η + t x'γ may change by: towards its class. None is held."""
    return np.where(y >= 1.0, 1.0, np.where(y <= 0.0, -1.0, 0.0)), (y > 0.0) & (y < 1.0)


def count_signs(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A zero is explained by a mean of zero, downwards; where a count is positive the predictor is held."""
    return np.where(y == 0.0, -1.0, 0.0), y > 0.0


def separation_note(kind: Separation) -> str:
    """The note of a certificate about coefficients that are held back."""
    held = f"these are those of a ridge of {HELD:g} on columns of unit variance"
    if kind == "undecided":
        return f"whether the likelihood has a maximum was not decided: a linear program failed or is too large; {held}"
    return f"{kind} separation: the likelihood rises as coefficients grow without end, and has no maximum; {held}"


def separation(design: Any, signs: np.ndarray, held: np.ndarray) -> Separation:
    """Whether a direction γ has 0 ≤ sᵢ xᵢ'γ in all rows, positive in one, and xᵢ'γ = 0 where held.

    "complete" when one is positive in every row, "undecided" when a linear program fails. Columns may have any unit,
    but one that lies far from zero should come centered. O(n d²), and programs of d variables and few rows.
    """
    columns = _of_one_scale(sparse.csr_array(design, dtype=np.float64))
    free = sparse.csr_array(columns[~held].multiply(signs[~held, None]))
    rows = _SignedRows(free, _whitening(free, columns[held]))
    exists = direction_exists(rows)
    strict = exists and not np.any(held) and direction_exists(rows, strict=True)
    if exists is None or strict is None:
        return "undecided"
    return ("complete" if strict else "partial") if exists else "none"


def plane_separates(X: np.ndarray, signs: np.ndarray, *, intercept: bool = True) -> bool | None:
    """Whether a plane has each side, `signs` ±1, strictly on its own; None where that was not decided."""
    centered = X - intercept * np.mean(X, axis=0)
    design = np.column_stack([np.ones(len(signs)), centered]) if intercept else centered
    found = separation(design, signs, np.zeros(len(signs), dtype=bool))
    return None if found == "undecided" else found == "complete"


def _of_one_scale(columns: sparse.csr_array) -> sparse.csr_array:
    """With a largest entry of one in each column."""
    largest = np.asarray(abs(columns).max(axis=0).toarray()).ravel() if columns.shape[0] else np.zeros(columns.shape[1])
    data = columns.data / np.where(largest > 0.0, largest, 1.0)[columns.indices]
    return sparse.csr_array((data, columns.indices, columns.indptr), shape=columns.shape)


def _whitening(rows: sparse.csr_array, held: sparse.csr_array) -> np.ndarray:
    """Directions of mean square one over the rows, which together span those that held rows do not see."""
    basis = np.eye(rows.shape[1])
    if held.shape[0]:
        scale, _, vectors, spanned = scaled_spectrum((held.T @ held).toarray())
        basis = scale[:, None] * vectors[:, ~spanned]
    gram = basis.T @ (rows.T @ rows).toarray() @ basis / max(rows.shape[0], 1)
    scale, values, vectors, spanned = scaled_spectrum(gram)
    spanned &= np.sqrt(np.maximum(values, 0.0)) > _NOTHING  # of rows that only rounding keeps from the held ones
    return basis @ (scale[:, None] * vectors[:, spanned] / np.sqrt(values[spanned]))


@runtime_checkable
class Inequalities(Protocol):
    """Rows r of which a direction z has rᵢ'z ≥ 0, in coordinates in which the mean square of rᵢ'z is about z'z."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and coordinates."""

    def some(self, chosen: np.ndarray) -> np.ndarray:
        """These rows, dense."""

    def scores(self, direction: np.ndarray) -> np.ndarray:
        """rᵢ'z of all rows."""


class _SignedRows(NamedTuple):
    rows: sparse.csr_array
    basis: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.basis.shape[1]

    def some(self, chosen: np.ndarray) -> np.ndarray:
        return np.asarray(self.rows[chosen] @ self.basis)

    def scores(self, direction: np.ndarray) -> np.ndarray:
        return np.asarray(self.rows @ (self.basis @ direction))


def direction_exists(rows: Inequalities, *, strict: bool = False) -> bool | None:
    """Whether a direction has no negative score and a positive one, or with `strict` none but positive ones.

    By a linear program on few rows, to which rows are added while they contradict it; None where one fails, needs more
    than 10 000 iterations, or has more than 2²⁵ numbers.
    """
    count, columns = rows.shape
    if not count or not columns:
        return False
    step = max(_FIRST, 2 * columns, min(_ROWS * columns, _NUMBERS // columns))
    order = np.random.default_rng(0).permutation(count)
    chosen = order[:step]
    while len(chosen) * columns <= _MOST:
        some = rows.some(chosen)
        direction = _strict_direction(some) if strict else _any_direction(some)
        if direction is None:
            return None
        if np.max(np.abs(direction)) > 0.5:
            scores = rows.scores(direction)
            scores[chosen] = np.inf  # these are as the program has them
            against = np.argsort(scores, kind="stable")[:step]
            more = against[scores[against] <= (0.0 if strict else -_NOTHING)]
            if not len(more):
                return True
        elif strict or len(chosen) == count or np.linalg.matrix_rank(some) == columns:
            return False
        else:  # these rows do not see some direction at all
            more = np.setdiff1d(order[: 2 * len(chosen)], chosen)
        chosen = np.concatenate([chosen, more])
    return None


def _any_direction(rows: np.ndarray) -> np.ndarray | None:
    """Maximize Σ rᵢ'z with all rᵢ'z ≥ 0: if a direction is allowed and not zero, an entry of z is at its bound."""
    return _optimum(np.sum(rows, axis=0), rows)


def _strict_direction(rows: np.ndarray) -> np.ndarray | None:
    """Maximize t with all rᵢ'z ≥ t; zero where no t is positive."""
    target = np.append(np.zeros(rows.shape[1]), 1.0)
    found = _optimum(target, np.column_stack([rows, -np.ones(len(rows))]))
    return None if found is None else found[:-1] * (found[-1] > _NOTHING) / max(np.max(np.abs(found[:-1])), _NOTHING)


def _optimum(target: np.ndarray, rows: np.ndarray) -> np.ndarray | None:
    """Where target'z is largest, with rows z ≥ 0 and entries within ±1."""
    from scipy.optimize import linprog

    target = target / max(float(np.max(np.abs(target))), np.finfo(float).tiny)
    below, limits = np.zeros(len(rows)), {"maxiter": _ITERATIONS}
    found = linprog(-target, A_ub=-rows, b_ub=below, bounds=(-1.0, 1.0), method="highs-ds", options=limits)
    return found.x if found.status == 0 else None
