r"""Local regression: at each query a polynomial by least squares, rows weighted by $e^{-\lVert x - x_i\rVert^2/2h^2}$.

The fitted value is linear in the targets, $\hat y(x) = \sum_i w_i k_i(x)\, y_i$, and $L$ with $L_{ij} = k_j(x_i)$ maps
targets to fitted values. Everything else follows from it (Cleveland & Devlin 1988): with $\delta_1 = \operatorname{tr}
(I - L)^\top(I - L)$ and $\delta_2 = \operatorname{tr}\,((I - L)^\top(I - L))^2$ the noise variance is $s^2 = \sum_i w_i
e_i^2/\delta_1$, with $\delta_1^2/\delta_2$ degrees of freedom.

Weights are relative to that of the nearest row, so none underflows altogether, and the polynomial is about that row.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import optimize
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

__all__ = ["LocalFit", "LocalInference", "LocalRows", "local_bandwidth", "local_fit", "local_inference", "local_loo"]

_ENTRIES = 2**21  # numbers that a block of queries may hold
_WHOLE = 2048  # rows up to which δ₂ is computed, from the whole matrix
_LEAST = -36.0  # log of the smallest weight that can change a sum
_RANK = 1e-12  # an eigenvalue below this share of the largest is rounding
_NARROWEST, _FARTHEST = 1e-8, 1e30  # so that fourth powers are still numbers
_ALONE = 1e-8  # a row that leaves less than this to others has no neighbors
_GRID = 16  # bandwidths that are looked at before the best is refined


class LocalRows(NamedTuple):
    """Rows in units in which distances mean something, how often each was seen, and the degree of the polynomial."""

    rows: Float[np.ndarray, "n d"]
    targets: Float[np.ndarray, " n"]
    weights: Float[np.ndarray, " n"]
    degree: int


class LocalFit(NamedTuple):
    """The fitted value at each query, and its variance in units of the noise."""

    location: Float[np.ndarray, " m"]
    spread: Float[np.ndarray, " m"]


class LocalInference(NamedTuple):
    """What the residuals say: tr L, the noise variance, its degrees of freedom, and whether δ₂ was computed for them.

    Where the fit goes through every row there are no degrees of freedom, and the noise variance is zero.
    """

    effective_degrees: float
    noise_variance: float
    degrees: float
    second_moment: bool


class _Smoother(NamedTuple):
    """The coefficient of one copy of each row in the fit at each query, and the spread that no row accounts for."""

    coefficients: np.ndarray
    beyond: np.ndarray


def local_fit(data: LocalRows, queries: Float[np.ndarray, "m d"], bandwidth: float) -> LocalFit:
    r"""The fit at each query, and $\sum_i w_i k_i^2$. O(m n p²), p the terms of the polynomial, in blocks.

    Terms that the rows near a query do not determine are zero. The spread counts them as zero give or take the noise's
    standard deviation a bandwidth (a unit of distance, where the bandwidth is larger): it grows with the distance, also
    where a single row is left to fit to.

    >>> x = np.linspace(0.0, 1.0, 11)
    >>> data = LocalRows(x[:, None], 2.0 * x, np.ones(11), 1)
    >>> local_fit(data, np.array([[0.5], [2.0]]), 0.1).location.round(6).tolist()
    [1.0, 4.0]
    """
    level = float(np.average(data.targets, weights=data.weights))
    parts = [_moments(data, smoother, level) for _, smoother in _smoothers(data, queries, bandwidth)]
    location, spread = (np.concatenate(column) for column in zip(*parts, strict=True))
    return LocalFit(location, spread)


def local_loo(data: LocalRows, bandwidth: float) -> float:
    r"""The mean squared leave-one-out error, $e_i/(1 - k_i(x_i))$ at each row, of which one copy is left out.

    Rows with no neighbors are judged by the mean of all others. Exact where the rows near each row determine the
    polynomial. O(n² p²).
    """
    residuals, own, _ = _at_rows(data, bandwidth)
    total = float(np.sum(data.weights))
    rest = 1.0 - own
    lonely = (data.targets - np.average(data.targets, weights=data.weights)) * total / max(total - 1.0, 1.0)
    errors = np.where(rest > _ALONE, residuals / np.maximum(rest, _ALONE), lonely)
    return float(data.weights @ errors**2) / total


def local_bandwidth(data: LocalRows) -> float:
    """The bandwidth of least leave-one-out error: the best of a grid, refined between its neighbors.

    The grid goes from half the median distance between nearest rows to ten times what is wide for d columns of unit
    variance, where the fit is one polynomial for all rows. One if all rows are one point.
    """
    points = np.unique(data.rows, axis=0)
    if len(points) < 2:
        return 1.0
    narrow = 0.5 * float(np.median(KDTree(points).query(points, k=2)[0][:, 1]))
    wide = 10.0 * float(np.sqrt(data.rows.shape[1]))
    grid = np.log(np.geomspace(max(min(narrow, 0.1 * wide), _NARROWEST), wide, _GRID))
    error = lambda log_width: local_loo(data, float(np.exp(log_width)))  # noqa: E731
    values = [error(log_width) for log_width in grid]
    at = int(np.argmin(values))
    around = grid[[max(at - 1, 0), min(at + 1, _GRID - 1)]]
    found = optimize.minimize_scalar(error, bounds=around, method="bounded", options={"xatol": 0.02, "maxiter": 12})
    return float(np.exp(found.x if found.fun < values[at] else grid[at]))


def local_inference(data: LocalRows, bandwidth: float) -> LocalInference:
    r"""The noise and its degrees of freedom. O(n² p² + n³); beyond 2048 rows $\delta_2$ is taken for $\delta_1$.

    With $B = W^{1/2} K W^{1/2}$ the formulas for repeated rows are $\delta_1 = \sum w - n + \lVert I - B\rVert^2$ and
    $\delta_2 = \sum w - n + \lVert (I - B)(I - B)^\top\rVert^2$, in the Frobenius norm.
    """
    n, repeats = len(data.rows), float(np.sum(data.weights)) - len(data.rows)
    whole = np.zeros((n, n)) if n <= _WHOLE else None
    residuals, own, squares = _at_rows(data, bandwidth, whole)
    effective = float(data.weights @ own)
    first = repeats + n - 2.0 * effective + float(np.sum(squares))
    second = first
    if whole is not None:
        rest = np.eye(n) - whole
        first, second = repeats + float(np.sum(rest**2)), repeats + float(np.sum((rest @ rest.T) ** 2))
    if first < _ALONE or second <= 0.0:
        return LocalInference(effective, 0.0, 0.0, whole is not None)
    scatter = float(data.weights @ residuals**2)
    return LocalInference(effective, scatter / first, first**2 / second, whole is not None)


def _moments(data: LocalRows, smoother: _Smoother, level: float) -> tuple[np.ndarray, np.ndarray]:
    k = smoother.coefficients
    return level + k @ (data.weights * (data.targets - level)), k**2 @ data.weights + smoother.beyond


def _at_rows(data: LocalRows, bandwidth: float, whole: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
    """Residuals, each row's coefficient in its own fit, its row of ‖B‖²; fills `whole` with B where it is given."""
    fitted, own, squares = (np.empty(len(data.rows)) for _ in range(3))
    level, root = float(np.average(data.targets, weights=data.weights)), np.sqrt(data.weights)
    for block, smoother in _smoothers(data, data.rows, bandwidth):
        fitted[block], spread = _moments(data, smoother, level)
        squares[block] = data.weights[block] * (spread - smoother.beyond)
        own[block] = np.diagonal(smoother.coefficients, offset=block.start)
        if whole is not None:
            whole[block] = root[block, None] * smoother.coefficients * root
    return data.targets - fitted, own, squares


def _smoothers(data: LocalRows, queries: np.ndarray, bandwidth: float) -> Iterator[tuple[slice, _Smoother]]:
    """Blocks of queries, as many at a time as memory allows."""
    n, d = data.rows.shape
    terms = _monomials(np.zeros((1, d)), data.degree).shape[1]
    size = max(1, _ENTRIES // (n * (2 * d + 3 * terms + 4)))
    for start in range(0, len(queries), size):
        block = slice(start, min(start + size, len(queries)))
        yield block, _smoother(data, queries[block], max(bandwidth, _NARROWEST))


def _smoother(data: LocalRows, queries: np.ndarray, bandwidth: float) -> _Smoother:
    r"""$k_i = a_i\,(1/A + (\phi - \bar\phi)^\top C^+ (\phi_i - \bar\phi))$, from the weighted moments of the terms."""
    nearest = data.rows[np.argmin(cdist(queries, data.rows, "sqeuclidean"), axis=1)]
    unit = min(bandwidth, 1.0)
    offsets = (data.rows - nearest[:, None]) / unit
    query = np.clip((queries - nearest) / unit, -_FARTHEST, _FARTHEST)
    kernel = _kernel(offsets, query, unit / bandwidth)
    weights = kernel * data.weights
    total = np.sum(weights, axis=1)
    terms = _monomials(offsets, data.degree)
    mean = (weights[:, None] @ terms)[:, 0] / total[:, None]
    terms -= mean[:, None]
    gram = np.swapaxes(terms * weights[..., None], 1, 2) @ terms
    values, vectors = np.linalg.eigh(gram)
    known = values > np.maximum(_RANK * np.max(values, axis=1, keepdims=True, initial=0.0), 0.0)
    inverse = np.where(known, 1.0 / np.where(known, values, 1.0), 0.0)
    along = ((_monomials(query, data.degree) - mean)[:, None] @ vectors)[:, 0]
    solved = vectors @ (along * inverse)[..., None]
    coefficients = kernel * (1.0 / total[:, None] + (terms @ solved)[..., 0])
    return _Smoother(coefficients, np.sum(np.where(known, 0.0, along**2), axis=1))


def _kernel(offsets: np.ndarray, query: np.ndarray, unit: float) -> np.ndarray:
    """Weights relative to the largest. d² − d²_nearest = |o|² − 2 o·q: no difference of large squares, however far."""
    beyond = np.sum(offsets**2, axis=2) - 2.0 * (offsets @ query[..., None])[..., 0]
    logs = -0.5 * unit**2 * beyond
    logs -= np.max(logs, axis=1, keepdims=True)
    return np.where(logs > _LEAST, np.exp(np.maximum(logs, _LEAST)), 0.0)


def _monomials(offsets: np.ndarray, degree: int) -> np.ndarray:
    """All terms of degree 1 to `degree`, at most 2, along the last axis."""
    if degree < 2:
        return offsets[..., : offsets.shape[-1] * degree].copy()
    first, second = np.triu_indices(offsets.shape[-1])
    return np.concatenate([offsets, offsets[..., first] * offsets[..., second]], axis=-1)
