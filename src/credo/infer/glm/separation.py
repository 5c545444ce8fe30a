r"""Whether a likelihood has no maximum at finite coefficients: separated classes, and zeros that a column explains.

A direction $\gamma$ along which no row's likelihood ever falls, and some row's rises, is followed to infinity (Albert
& Anderson 1984; for counts, Correia, Guimarães & Zylkin 2019). Such directions are the solutions of linear
inequalities, so a linear program finds one or shows that there is none (Konis 2007).
"""

from typing import Any, Literal

import numpy as np
from scipy import sparse

__all__ = [
    "HELD",
    "UNKNOWN",
    "Separation",
    "binary_signs",
    "count_signs",
    "plane_separates",
    "separation",
    "separation_note",
]

Separation = Literal["none", "partial", "complete"]

#: Ridge that holds back what has no maximum, on columns of unit variance.
HELD = 1e-3
#: Why a budget is not split then.
UNKNOWN = "classes are separated, and what is unknown about the coefficients is not known"

_NOTHING = 1e-7  # that a linear program finds by rounding


def binary_signs(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row, the sign that η + t x'γ may change by: towards its class. None is held."""
    return np.where(y >= 1.0, 1.0, np.where(y <= 0.0, -1.0, 0.0)), (y > 0.0) & (y < 1.0)


def count_signs(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A zero is explained by a mean of zero, downwards; where a count is positive the predictor is held."""
    return np.where(y == 0.0, -1.0, 0.0), y > 0.0


def separation_note(kind: Separation) -> str:
    """What a certificate says of coefficients that are held back."""
    return (
        f"{kind} separation: the likelihood rises as coefficients grow without end, and has no maximum; these are "
        f"those of a ridge of {HELD:g} on columns of unit variance"
    )


def separation(design: Any, signs: np.ndarray, held: np.ndarray) -> Separation:
    """Maximize Σ sᵢ xᵢ'γ subject to 0 ≤ sᵢ xᵢ'γ ≤ 1 and xᵢ'γ = 0 where held: zero, or there is such a direction.

    "complete" when one is strict in every row. O(n d) memory; a program of d variables and n inequalities.
    """
    columns = sparse.csr_array(design)
    rows, fixed = columns[~held].multiply(signs[~held, None]).tocsr(), columns[held]
    if not rows.shape[0] or _largest(rows.sum(axis=0), rows, fixed) <= _NOTHING:
        return "none"
    # The same with a margin t below all of them, which is then what is maximized.
    margins = sparse.csr_array(sparse.hstack([rows, -np.ones((rows.shape[0], 1))]))
    target = np.r_[np.zeros(design.shape[1]), 1.0]
    strict = not fixed.shape[0] and _largest(target, margins, margins[:0]) > _NOTHING
    return "complete" if strict else "partial"


def plane_separates(X: np.ndarray, signs: np.ndarray, *, intercept: bool = True) -> bool:
    """Whether a plane has each side, `signs` ±1, strictly on its own; decided in columns of one scale."""
    centered = X - intercept * np.mean(X, axis=0)
    largest = np.max(np.abs(centered), axis=0)
    scaled = centered / np.where(largest > 0.0, largest, 1.0)
    design = np.column_stack([np.ones(len(signs)), scaled]) if intercept else scaled
    return separation(design, signs, np.zeros(len(signs), dtype=bool)) == "complete"


def _largest(target: np.ndarray, rows: sparse.csr_array, fixed: sparse.csr_array) -> float:
    """The largest target'γ with 0 ≤ rows γ ≤ 1 and fixed γ = 0."""
    from scipy.optimize import linprog

    found = linprog(
        -target,
        A_ub=sparse.vstack([-rows, rows]),
        b_ub=np.concatenate([np.zeros(rows.shape[0]), np.ones(rows.shape[0])]),
        A_eq=fixed if fixed.shape[0] else None,
        b_eq=np.zeros(fixed.shape[0]) if fixed.shape[0] else None,
        bounds=(None, None),
        method="highs",
    )
    if found.status == 3:  # unbounded: the margin may grow where the rows allow it
        return np.inf
    return 0.0 if found.x is None else float(-found.fun)
