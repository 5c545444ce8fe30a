r"""Classes that are normal: means, covariances of their own or one for all, and what they say of the class of a row.

With prior $\pi_k$ the log posterior of class k is, up to a constant of the row, $\log\pi_k - \tfrac12\log|\Sigma_k| -
\tfrac12 (x - \mu_k)^\top\Sigma_k^{-1}(x - \mu_k)$ (Hastie, Tibshirani & Friedman 2009, eq. 4.12); with one $\Sigma$ it
is linear in x (eq. 4.10). Means and covariances are those of maximum likelihood, with divisor $\sum w$.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import linalg

from credo.errors import InputError
from credo.numerics.semidefinite import scaled_spectrum

__all__ = [
    "ClassMeans",
    "LogisticForm",
    "NormalClasses",
    "class_means",
    "ledoit_wolf_shrinkage",
    "normal_classes",
]

_ULPS = 4.0  # by which values that are written alike may differ
_ROUNDING = 1e-13  # of the variance of all rows, a direction: what covariances were summed to
_HELD = 1e-9  # of the variance of all rows: for directions in which classes differ, but rows inside them do not


class ClassMeans(NamedTuple):
    """The mean of each class, center plus shift, what rows differ from it, and which columns vary at all."""

    counts: Float[np.ndarray, " k"]
    center: Float[np.ndarray, " d"]
    shifts: Float[np.ndarray, "k d"]
    residuals: Float[np.ndarray, "n d"]
    varying: Bool[np.ndarray, " d"]

    @property
    def means(self) -> Float[np.ndarray, "k d"]:
        """One a class."""
        return self.center + self.shifts


class LogisticForm(NamedTuple):
    r"""Slopes (K × d) and intercepts of linear log odds: $P(k \mid x) \propto e^{\alpha_k + x^\top\beta_k}$."""

    coef: Float[np.ndarray, "k d"]
    intercept: Float[np.ndarray, " k"]


class NormalClasses(NamedTuple):
    r"""K normal classes, of one covariance (g = 1) or of their own (g = K).

    A root maps rows, less the center, to where the covariance is the identity: $R R^\top = \Sigma^{-1}$ on the `rank`
    directions in which rows vary. `half_log_dets` are up to a constant of all classes. In `held` of the directions
    rows vary between classes only, which separates them; their variance is held at 1e-9 of that of all rows.
    """

    center: Float[np.ndarray, " d"]
    shifts: Float[np.ndarray, "k d"]  # of the means, from the center
    covariances: Float[np.ndarray, "g d d"]
    shrinkages: Float[np.ndarray, " g"]
    roots: Float[np.ndarray, "g d r"]
    half_log_dets: Float[np.ndarray, " g"]
    condition: float
    held: int

    @property
    def means(self) -> Float[np.ndarray, "k d"]:
        """One a class."""
        return self.center + self.shifts

    @property
    def shared(self) -> bool:
        """Whether the classes have one covariance."""
        return len(self.roots) == 1

    @property
    def rank(self) -> int:
        """The number of directions in which rows vary."""
        return self.roots.shape[2]

    def scores(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """The log density of each class at each row, up to a constant of the row. O(n d r) a covariance."""
        offsets = X - self.center
        if self.shared:
            return _contrasts(offsets @ self.roots[0], self.shifts @ self.roots[0])
        away = [(offsets - shift) @ root for shift, root in zip(self.shifts, self.roots, strict=True)]
        squares = np.stack([np.sum(np.square(u), axis=1) for u in away], axis=1)
        return -0.5 * squares - self.half_log_dets

    def logistic_form(self, log_priors: Float[np.ndarray, " k"]) -> LogisticForm:
        """The line of each class with its prior; for one covariance only."""
        whitened = self.shifts @ self.roots[0]
        slopes, levels = whitened @ self.roots[0].T, -0.5 * np.sum(whitened**2, axis=1)
        return LogisticForm(slopes, levels - slopes @ self.center + log_priors)


def _contrasts(rows: Float[np.ndarray, "n r"], means: Float[np.ndarray, "k r"]) -> Float[np.ndarray, "n k"]:
    r"""Log densities, of covariance one, less that of the class that is nearest to the row.

    $(z - \tfrac12(m_k + m))^\top(m_k - m)$ loses no digits: neither to a class far off nor to a row far from all.
    """
    squares = np.stack([np.sum(np.square(rows - mean), axis=1) for mean in means], axis=1)
    nearest = means[np.argmin(squares, axis=1)]
    return np.stack([np.sum((rows - 0.5 * (mean + nearest)) * (mean - nearest), axis=1) for mean in means], axis=1)


def class_means(
    X: Float[np.ndarray, "n d"], codes: Int[np.ndarray, " n"], weights: Float[np.ndarray, " n"], classes: int
) -> ClassMeans:
    """The weighted mean of each class. A column that is constant in a class has residuals that are zero. O(n d)."""
    center = np.average(X, axis=0, weights=weights)
    offsets = X - center  # nearly without rounding, so that columns far from zero lose nothing more
    shifts = np.empty((classes, X.shape[1]))
    residuals = np.empty_like(X)
    for k in range(classes):
        mine = codes == k
        rows, vary = offsets[mine], _vary(X[mine])
        shifts[k] = np.where(vary, np.average(rows, axis=0, weights=weights[mine]), rows[0])
        residuals[mine] = np.where(vary, rows - shifts[k], 0.0)
    return ClassMeans(np.bincount(codes, weights, classes), center, shifts, residuals, _vary(X))


def _vary(rows: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " d"]:
    """The columns that differ between rows by more than rounding."""
    low, high = np.min(rows, axis=0), np.max(rows, axis=0)
    return high - low > _ULPS * np.finfo(float).eps * np.maximum(np.abs(low), np.abs(high))


def ledoit_wolf_shrinkage(residuals: Float[np.ndarray, "n d"], weights: Float[np.ndarray, " n"]) -> float:
    r"""The share of the diagonal of least expected squared error, columns in units of their standard deviations.

    $\min(1, \beta/\delta)$ with $\delta = \lVert C - I\rVert^2$ of the correlations C of rows z, and $\beta =
    \frac1n(\frac1n\sum w\lVert z\rVert^4 - \lVert C\rVert^2)$ (Ledoit & Wolf 2004, lemmas 3.3, 3.4, eq. 14). O(n d²).
    """
    n = np.sum(weights)
    deviations = np.sqrt(weights @ residuals**2 / n)
    rows = residuals[:, deviations > 0.0] / deviations[deviations > 0.0]
    square = float(np.sum((rows.T @ (weights[:, None] * rows) / n) ** 2))
    distance = square - rows.shape[1]
    noise = max((float(weights @ np.sum(rows**2, axis=1) ** 2) / n - square) / n, 0.0)
    return 1.0 if noise >= distance else noise / distance


def normal_classes(
    X: Float[np.ndarray, "n d"],
    codes: Int[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    names: Sequence[str],
    *,
    own: bool,
    shrinkage: float | None,
    who: str = "normal_classes",
) -> NormalClasses:
    r"""Estimate $(1 - \lambda)\Sigma + \lambda\operatorname{diag}\Sigma$, `shrinkage` λ or by Ledoit and Wolf if None.

    What no row varies in (constant columns, columns that are combinations of others) says nothing of the class and is
    left out. Directions in which rows vary between classes only are held at a small variance where the covariance is
    shared; for covariances of their own, whose densities have no limit there, they are an error. O(n d² + K d³); the
    answer does not depend on the units of columns.
    """
    found = class_means(X, codes, weights, len(names))
    offsets = (X - found.center)[:, found.varying]
    units = np.max(np.abs(offsets), axis=0)
    columns = np.eye(X.shape[1])[:, found.varying]
    residuals = found.residuals[:, found.varying] / units
    members = [codes == k for k in range(len(names))] if own else [np.full(len(codes), True)]
    _require_variance(residuals, members, names, np.flatnonzero(found.varying), who)
    shrunk = [_shrunk(residuals[member], weights[member], shrinkage) for member in members]
    within, shrinkages = np.stack([c for c, _ in shrunk]), np.array([share for _, share in shrunk])
    frequencies, shifts = found.counts / np.sum(found.counts), found.shifts[:, found.varying] / units
    between = shifts.T @ (frequencies[:, None] * shifts)
    total = between + np.tensordot(frequencies if own else np.ones(1), within, axes=1)
    inverses = _inverses(within, total, names, who)
    return NormalClasses(
        found.center,
        found.shifts,
        (columns * units) @ within @ (columns * units).T,
        shrinkages,
        np.stack([columns / units @ inverse.root for inverse in inverses]),
        np.array([inverse.half_log_det for inverse in inverses]),
        max(inverse.condition for inverse in inverses),
        inverses[0].held,
    )


def _shrunk(
    residuals: Float[np.ndarray, "n d"], weights: Float[np.ndarray, " n"], shrinkage: float | None
) -> tuple[Float[np.ndarray, "d d"], float]:
    """The covariance of residuals, so far towards its diagonal, and how far."""
    share = ledoit_wolf_shrinkage(residuals, weights) if shrinkage is None else shrinkage
    covariance = residuals.T @ (weights[:, None] * residuals) / np.sum(weights)
    return (1.0 - share) * covariance + share * np.diag(np.diagonal(covariance)), share


def _require_variance(
    residuals: Float[np.ndarray, "n d"],
    members: Sequence[Bool[np.ndarray, " n"]],
    names: Sequence[str],
    columns: Int[np.ndarray, " d"],
    who: str,
) -> None:
    """Something varies inside classes; and for covariances of their own, inside each of them every column."""
    if len(columns) and not np.any(residuals):
        raise InputError(
            who,
            "no two rows of a class differ",
            "There is one row a class, or a class has only copies of one, and nothing to tell a covariance from",
            "Pass more rows of each class",
        )
    if len(members) == 1:
        return
    for member, name in zip(members, names, strict=True):
        constant, rows = columns[~np.any(residuals[member], axis=0)], int(np.sum(member))
        if len(constant):
            raise InputError(
                who,
                f"column {constant[0]} varies, but not inside class {name} ({rows} {'row' if rows == 1 else 'rows'})",
                "A normal density of no variance is infinite, and shrinkage is towards that variance",
                'Try covariance="shared", drop the column, or pass more rows',
            )


class _Inverse(NamedTuple):
    """R with R Rᵀ the inverse of a covariance, and half the log determinant of the latter."""

    root: Float[np.ndarray, "d r"]
    half_log_det: float
    condition: float
    held: int


def _inverses(
    within: Float[np.ndarray, "g d d"],
    total: Float[np.ndarray, "d d"],
    names: Sequence[str],
    who: str,
) -> list[_Inverse]:
    """The inverses on the directions in which rows vary, which are those of their `total` covariance."""
    spectra = [scaled_spectrum(c) for c in within]
    if all(np.all(s.spanned) for s in spectra):
        return [_inverse(s.scale[:, None] * s.vectors, s.values, -float(np.sum(np.log(s.scale))), 0) for s in spectra]
    scale, values, vectors, spanned = scaled_spectrum(total)
    basis = scale[:, None] * vectors[:, spanned] / np.sqrt(values[spanned])  # in which the rows have covariance one
    labels = [f"class {name}" for name in names] if len(within) > 1 else ["all classes"]
    inverses = []
    for covariance, spectrum, name in zip(within, spectra, labels, strict=True):
        values, vectors = linalg.eigh(basis.T @ covariance @ basis, check_finite=False)
        inside = values > _ROUNDING * len(values)
        rank, held = int(np.sum(spectrum.spanned)), int(np.sum(~inside))
        if rank > len(values) or (held and len(within) > 1):
            raise InputError(
                who,
                f"the covariance of {name} has rank {rank}, but rows vary in {len(values)} directions",
                "There are fewer rows than columns, or a combination of columns varies between classes only",
                "Try shrinkage=0.1, or drop columns",
            )
        inverses.append(_inverse(basis @ vectors, np.where(inside, values, _HELD), 0.0, held))
    return inverses


def _inverse(
    vectors: Float[np.ndarray, "d r"], values: Float[np.ndarray, " r"], half_log_det: float, held: int
) -> _Inverse:
    condition = float(np.max(values, initial=1.0) / np.min(values, initial=1.0))
    return _Inverse(vectors / np.sqrt(values), half_log_det + 0.5 * float(np.sum(np.log(values))), condition, held)
