r"""Whether the likelihood of a softmax regression has a maximum at finite coefficients.

With $u = (x^\top v_k)_k$ the change of a row's predictors, the third derivative of its loss is the third central moment
of $u$ under the probabilities, and so at most $\max_{jk}|u_j - u_k|$ times the second. The condition $\lambda R < 1$ of
[](#credo.infer.glm.existence) therefore holds with $R^2$ the largest variance of a difference of two predictors of a
row. It is at most $(1/p_j + 1/p_k)/w$, since the variance of $u$ is at least $(u_j - u_k)^2\,p_j p_k/(p_j + p_k)$.

Where that proves nothing, a linear program looks for a direction along which no row's own class ever falls behind
another one (Albert & Anderson 1984).
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from credo.infer.glm.design import LinearDesign
from credo.infer.glm.existence import ROUNDING, largest_variance_allowed
from credo.infer.glm.separation import Separation, direction_exists
from credo.infer.glm.softmax import SoftmaxFit
from credo.numerics.semidefinite import scaled_inverse, scaled_spectrum

__all__ = ["softmax_separation"]

_AT_ONCE = 2**22  # numbers of a block of rows


def softmax_separation(design: LinearDesign, codes: np.ndarray, weights: np.ndarray, found: SoftmaxFit) -> Separation:
    """Of rows in the units of the fit, which was without a penalty. O(n K), and O(p² K²) a row far out."""
    eta = design.predictors(found.standard_coefficients)
    if _maximum_is_proven(design, eta, weights, found):
        return "none"
    own = np.take_along_axis(eta, codes[:, None], axis=1)
    if np.all(np.sum(eta >= own, axis=1) == 1):
        return "complete"  # the coefficients found are such a direction
    rows = _ClassPairs(design, codes, eta.shape[1], _whitening(design, weights))
    exists = direction_exists(rows)
    strict = exists and direction_exists(rows, strict=True)
    if exists is None or strict is None:
        return "undecided"
    return ("complete" if strict else "partial") if exists else "none"


def _maximum_is_proven(design: LinearDesign, eta: np.ndarray, weights: np.ndarray, found: SoftmaxFit) -> bool:
    classes = eta.shape[1]
    seen = found.rank // (classes - 1)
    if seen < design.columns and seen < scaled_inverse(design.gram(weights))[1]:
        return False  # the information does not see a direction that the rows have
    most = largest_variance_allowed(found.decrement, 2.0 * ROUNDING * float(np.sum(weights)))
    smallest = np.partition(special.softmax(eta, axis=1), 1, axis=1)[:, :2]
    with np.errstate(divide="ignore"):
        far = np.flatnonzero(np.sum(1.0 / smallest, axis=1) >= most * weights)
    step = max(1, _AT_ONCE // found.standard_coefficients.size)
    parts = (design.rows(far[start : start + step]) for start in range(0, len(far), step))
    return all(np.max(_variances_of_differences(part, found)) < most for part in parts)


def _variances_of_differences(design: LinearDesign, found: SoftmaxFit) -> np.ndarray:
    """The variance of the difference between the predictors of two classes, n × K × K."""
    columns, classes = found.standard_coefficients.shape
    blocks = found.standard_inverse.reshape(classes, columns, classes, columns)
    whole = np.concatenate(list(design.dense_parts()))
    spread = np.einsum("ni,jikl,nl->njk", whole, blocks, whole, optimize=True)
    single = np.einsum("njj->nj", spread)
    return single[:, :, None] + single[:, None, :] - 2.0 * spread


def _whitening(design: LinearDesign, weights: np.ndarray) -> np.ndarray:
    """Directions of mean square one over the rows, which together span all."""
    scale, values, vectors, spanned = scaled_spectrum(design.gram(weights) / np.sum(weights))
    return scale[:, None] * vectors[:, spanned] / np.sqrt(values[spanned])


class _ClassPairs(NamedTuple):
    """A row for each row of the design and each class that is not its own; the last class has predictor zero."""

    design: LinearDesign
    codes: np.ndarray
    classes: int
    basis: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        others = self.classes - 1
        return len(self.codes) * others, self.basis.shape[1] * others

    def some(self, chosen: np.ndarray) -> np.ndarray:
        row, other = np.divmod(chosen, self.classes - 1)
        own = self.codes[row]
        other = other + (other >= own)
        whole = np.concatenate(list(self.design.rows(row).dense_parts())) @ self.basis
        pairs = np.zeros((len(chosen), self.classes, whole.shape[1]))
        pairs[np.arange(len(chosen)), own] = whole
        pairs[np.arange(len(chosen)), other] = -whole
        return pairs[:, :-1].reshape(len(chosen), -1)

    def scores(self, direction: np.ndarray) -> np.ndarray:
        slopes = np.zeros((self.basis.shape[1], self.classes))
        slopes[:, :-1] = direction.reshape(self.classes - 1, -1).T
        eta = self.design.predictors(self.basis @ slopes)
        others = np.ones(eta.shape, dtype=bool)
        np.put_along_axis(others, self.codes[:, None], False, axis=1)
        ahead = np.take_along_axis(eta, self.codes[:, None], axis=1) - eta
        return ahead[others]
