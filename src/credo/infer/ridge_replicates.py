r"""Ridge regression on many weightings of the same rows.

With the penalty given, each replicate solves normal equations whose matrices come from one matrix product for all.
The unknown is how far a replicate's coefficients are from those of all rows, and the columns are in their standard
units, so that the sums lose few digits. Where a replicate is close to losing them nevertheless (columns that are nearly
combinations of others, a fit that leaves next to nothing), it is decomposed alone, as
[](#credo.infer.ridge_spectrum) does.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float
from scipy import linalg

from credo.infer.conjugate_linear import LinearPosterior
from credo.infer.linear_predictive import SMALLEST, penalized_noise
from credo.infer.replicates import PairedRows, paired_rows, replicate_blocks, standard_units
from credo.infer.ridge import RidgeSpectrum, ridge_spectrum
from credo.numerics.certificate import Info
from credo.numerics.semidefinite import scaled_inverses
from credo.numerics.threads import OneBlasThread, on_all_cores

__all__ = ["chosen_ridge_replicates", "ridge_replicates"]

_CONDITION = 1e5  # of the normal equations, above which a replicate is decomposed
_LEFT = 1e-5  # of a sum of squares, when less is left of it after a subtraction


class _Replicates(NamedTuple):
    """Of each replicate: β and a root of its covariance in units of the noise, means of x and y, and what is left."""

    coefficients: Float[np.ndarray, "b d"]
    root: Float[np.ndarray, "b d d"]
    center: Float[np.ndarray, "b d"]
    level: Float[np.ndarray, " b"]
    weight: Float[np.ndarray, " b"]
    degrees: Float[np.ndarray, " b"]  # coefficients in effect
    scatter: Float[np.ndarray, " b"]
    penalty: Float[np.ndarray, " b"]
    condition: Float[np.ndarray, " b"]


class _Whole(NamedTuple):
    """The fit of all rows, about which replicates are solved: residuals, and the slopes in standard units."""

    paired: PairedRows  # ones (if there is an intercept), columns, residuals
    center: Float[np.ndarray, " d"]
    scale: Float[np.ndarray, " d"]
    level: float
    slopes: Float[np.ndarray, " d"]


def ridge_replicates(
    X: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    W: Float[np.ndarray, "b n"],
    penalty: float,
    *,
    intercept: bool,
) -> LinearPosterior:
    """The ridge of one penalty for each row of weights. O(b (n d² + d³)), with both in few calls."""
    with OneBlasThread():
        whole = _whole(X, y, np.mean(W, axis=0), penalty, intercept=intercept)

    def solved(block: slice) -> _Replicates:
        found, trusted = _solve(whole, W[block], penalty, intercept=intercept)
        for at in np.flatnonzero(~trusted):
            alone = _decomposed(X, y, W[block][at], lambda _: penalty, intercept=intercept)
            for part, value in zip(found, alone, strict=True):
                part[at] = value[0]
        return found

    return _posterior(on_all_cores(solved, replicate_blocks(len(W))), intercept=intercept)


def chosen_ridge_replicates(
    X: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    W: Float[np.ndarray, "b n"],
    choose: Callable[[RidgeSpectrum], float],
    *,
    intercept: bool,
) -> LinearPosterior:
    """The ridge for each row of weights with the penalty that `choose` finds for it. A decomposition each."""
    found = on_all_cores(lambda w: _decomposed(X, y, w, choose, intercept=intercept), list(W))
    return _posterior(found, intercept=intercept)


def _whole(X: np.ndarray, y: np.ndarray, total: np.ndarray, penalty: float, *, intercept: bool) -> _Whole:
    there = total > 0.0
    units = standard_units(X, total, centered=intercept)
    fit = ridge_spectrum(X[there], y[there][:, None], total[there], intercept=intercept)
    slopes = fit.coefficients(penalty)[:, 0]
    residuals = y - fit.level[0] - (X - units.center) @ slopes
    ones = np.ones((len(X), int(intercept)))
    rows = np.column_stack([ones, units.of(X), residuals])
    return _Whole(paired_rows(rows), units.center, units.scale, float(fit.level[0]), slopes * units.scale)


def _solve(
    whole: _Whole, W: np.ndarray, penalty: float, *, intercept: bool
) -> tuple[_Replicates, Bool[np.ndarray, " b"]]:
    """By normal equations, with which of the answers have their digits."""
    weight = np.sum(W, axis=1)
    second = whole.paired.all_grams(W)
    mean = np.zeros((len(W), second.shape[1]))
    scatter = second
    if intercept:
        mean = second[:, 0, 1:] / weight[:, None]
        second = second[:, 1:, 1:]
        scatter = second - weight[:, None, None] * mean[:, :, None] * mean[:, None, :]
    gram, cross, total = scatter[:, :-1, :-1], scatter[:, :-1, -1], scatter[:, -1, -1]
    penalties = penalty / whole.scale**2
    inverse, condition = scaled_inverses(gram + np.diag(penalties))
    target = cross - penalties * whole.slopes
    away = (inverse @ target[:, :, None])[:, :, 0]
    left = total - 2.0 * np.sum(cross * away, axis=1) + np.sum((gram @ away[:, :, None])[:, :, 0] * away, axis=1)
    trusted = (condition < _CONDITION) & (left > _LEFT * total)
    trusted &= np.all(np.einsum("bii->bi", scatter) >= _LEFT * np.einsum("bii->bi", second), axis=1)
    covariance = np.where(trusted[:, None, None], inverse, np.eye(inverse.shape[-1]))
    found = _Replicates(
        coefficients=(whole.slopes + away) / whole.scale,
        root=np.linalg.cholesky(covariance) / whole.scale[:, None],
        center=whole.center + whole.scale * mean[:, :-1],
        level=whole.level + mean[:, :-1] @ whole.slopes + mean[:, -1],
        weight=weight,
        degrees=np.einsum("bij,bij->b", gram, inverse) + intercept,
        scatter=left,
        penalty=np.full(len(W), penalty),
        condition=condition,
    )
    return found, trusted


def _decomposed(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, choose: Callable[[RidgeSpectrum], float], *, intercept: bool
) -> _Replicates:
    """One replicate alone. The root is 1/√(s² + λ) along what its rows span, and 1/√λ across (nothing for λ = 0)."""
    there = w > 0.0
    spectrum = ridge_spectrum(X[there], y[there][:, None], w[there], intercept=intercept)
    penalty = choose(spectrum)
    square = spectrum.singular**2 + penalty
    rank = len(square)
    directions = spectrum.directions
    across = linalg.qr(directions, check_finite=False)[0][:, rank:]
    size = 1.0 / np.sqrt(penalty) if penalty > 0.0 else 0.0
    least = np.min(square, initial=np.inf) if rank == X.shape[1] else penalty
    return _Replicates(
        coefficients=spectrum.coefficients(penalty).T,
        root=np.column_stack([directions / np.sqrt(square), size * across])[None],
        center=spectrum.center[None],
        level=spectrum.level,
        weight=np.array([spectrum.weight]),
        degrees=np.array([spectrum.degrees(penalty)]),
        scatter=np.array([np.sum(spectrum.residuals(penalty) ** 2)]),
        penalty=np.array([penalty]),
        condition=np.array([np.max(square, initial=0.0) / least if least > 0.0 else np.inf]),
    )


def _posterior(blocks: list[_Replicates], *, intercept: bool) -> LinearPosterior:
    """As a belief: Student t of Σw − degrees. There is no evidence, for the degrees are not those of a prior."""
    every = _Replicates(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
    paid = every.penalty * np.sum(every.coefficients**2, axis=1)
    degrees, scatter = penalized_noise(every.scatter, paid, every.weight - every.degrees, every.weight - intercept)
    with np.errstate(divide="ignore"):
        prior_scale = 1.0 / np.sqrt(every.penalty)
    return LinearPosterior(
        coefficients=jnp.asarray(every.coefficients),
        root=jnp.asarray(every.root),
        center=jnp.asarray(intercept * every.center),
        level=jnp.asarray(intercept * every.level),
        level_variance=jnp.asarray(intercept / every.weight),
        noise_shape=jnp.asarray(0.5 * degrees),
        noise_scale=jnp.asarray(0.5 * np.maximum(scatter, SMALLEST)),
        prior_scale=jnp.asarray(prior_scale),
        log_evidence=jnp.full(len(degrees), -jnp.inf),
        info=Info(condition=jnp.asarray(every.condition)),
    )
