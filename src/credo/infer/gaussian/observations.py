"""Rows as a Gaussian likelihood sees them: distinct points, how often each was measured, the mean and the scatter."""

from typing import Any

import equinox as eqx
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket, merge_rows

__all__ = ["Observations", "measured_before", "observations"]


class Observations(eqx.Module):
    r"""Distinct points X with, at each, the weight $w$ (number of measurements), their mean $\bar y$ and their scatter.

    For noise of variance v, w measurements at one point are one measurement of their mean with variance v/w, times
    $(2\pi v)^{-(w-1)/2}\, w^{-1/2}\, e^{-s/2v}$, s the sum of squares about the mean: a matrix of distinct points
    serves any number of repeats. `known` is a variance that is added to the noise at that point. A row of weight
    zero is padding.
    """

    X: Float[Array, "n d"]
    y: Float[Array, " n"]
    weights: Float[Array, " n"]
    scatter: Float[Array, " n"]
    known: Float[Array, " n"]

    @property
    def present(self) -> Array:
        """Which rows are there."""
        return self.weights > 0.0

    @property
    def rows(self) -> int:
        """How many are."""
        return int(np.sum(np.asarray(self.weights) > 0.0))

    def padded(self, length: int) -> "Observations":
        """With rows of weight zero up to `length`: each at the last point, since zero may be no point of a kernel."""
        extra = length - self.weights.shape[0]
        X, *rest = (np.asarray(a) for a in (self.X, self.y, self.weights, self.scatter, self.known))
        longer = [np.pad(X, [(0, extra), (0, 0)], mode="edge"), *(np.pad(a, (0, extra)) for a in rest)]
        return Observations(*(placed(a) for a in longer))


def observations(
    X: Any,
    y: Any,
    weights: Any = None,
    known: Any = None,
    *,
    noiseless: bool | np.ndarray = False,
    who: str = "observations",
) -> tuple[Observations, np.ndarray]:
    """Merge equal points and pad; also where each given row went (−1: weight zero). O(n log n).

    `noiseless` are the rows without noise beyond what is known, or whether all are: repeats of such a point say nothing
    new, they are counted, and refused when they contradict each other.
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    w = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
    v = np.zeros(len(y)) if known is None else np.asarray(known, dtype=np.float64)
    (points, at, exact), counts, inverse = merge_rows(X, v, np.broadcast_to(noiseless, len(y)), weights=w)
    kept = inverse >= 0
    where, w_kept, y_kept = inverse[kept], w[kept], y[kept]
    mean = np.bincount(where, w_kept * y_kept, len(counts)) / counts
    scatter = np.bincount(where, w_kept * (y_kept - mean[where]) ** 2, len(counts))
    scatter = np.where(np.bincount(where, minlength=len(counts)) > 1, scatter, 0.0)  # one row has none, not round-off
    if np.any(exact):
        _refuse_contradictions(who, points, mean, scatter, np.where(exact, at, np.inf))
        scatter = np.where(exact & (at == 0.0), 0.0, scatter)
    merged = Observations(*(placed(a) for a in (points, mean, counts, scatter, at)))
    return merged.padded(bucket(len(counts))), inverse


def measured_before(data: Observations, X: Any, y: Any, known: Any, *, who: str = "observations") -> np.ndarray:
    """Which point of `data` each row without noise repeats (−1: none); refused where it contradicts. O(n log n)."""
    X, y, known = (np.asarray(a, dtype=np.float64) for a in (X, y, known))
    exact = np.flatnonzero((np.asarray(data.weights) > 0.0) & (np.asarray(data.known) == 0.0))
    group = merge_rows(np.concatenate([np.asarray(data.X)[exact], X])).inverse
    at = np.full(np.max(group) + 1, -1)
    at[group[: len(exact)]] = exact
    again = np.where(known == 0.0, at[group[len(exact) :]], -1)
    before = np.asarray(data.y)[again]
    scatter = np.where(again >= 0, 0.5 * (y - before) ** 2, 0.0)
    _refuse_contradictions(who, X, before, scatter, known)
    return again


def _refuse_contradictions(who: str, X: np.ndarray, mean: np.ndarray, scatter: np.ndarray, known: np.ndarray) -> None:
    bad = np.flatnonzero((known == 0) & (scatter > 1e-12 * (1.0 + mean**2)))
    if bad.size:
        raise InputError(
            who,
            f"{bad.size} points were measured more than once with different results, but the noise is zero "
            f"(first at {np.array2string(X[bad[0]], precision=4, threshold=6)})",
            "Measurements without noise cannot differ at one point",
            "Leave noise_variance out, so that it is learnt, or merge the rows",
        )
