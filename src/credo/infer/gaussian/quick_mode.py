r"""The parameters of a small process at the mode of what is believed of them, by NumPy: nothing is compiled.

$\log p(y \mid X, \theta) + \log p(\theta)$ with $\theta$ the logarithms of length-scales, variance and noise. The
covariance is held as the pairs below its diagonal, so that an evaluation with its gradient takes half of the
exponentials and one potrf and potri.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.optimize import minimize

from credo.infer.gaussian.quick_prior import LogPrior
from credo.infer.gaussian.quick_profiles import PROFILES, Profile, added
from credo.kernels import Matern52
from credo.numerics.descent import descended

__all__ = [
    "JITTERS",
    "AtMany",
    "Evidence",
    "Mode",
    "Searched",
    "Solved",
    "Term",
    "curvature_at",
    "mode_near",
    "mode_of",
    "terms_of",
]

_TOLERANCE = 1e-2  # of a gradient in nats for each factor e of a scale: the belief hardly changes
_FLAT = 1e-7  # of the value, by which a step has to lower it
_LEFT = 1e-3  # nats by which a mode may be higher than where a search ends that began near it
_LONGEST = 3.0  # of a step, in each logarithm
_ITERATIONS = 60
_NOWHERE = 1e10  # the loss where there is no factor
_ENTRIES = 2**17  # of the matrices that are factorized together: they stay in the cache
_STEP = 1e-2  # of a difference quotient
_FLATTEST = 0.05  # curvature of a direction that neither data nor prior bind
#: Of the variance, in the order in which they are tried: rows may all but repeat.
JITTERS = (0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4)
_ROUND_OFF = 1e-14  # of the prior variance: a posterior variance below is not known to be positive


class Mode(NamedTuple):
    """The logarithms of the parameters, and minus their log density, a constant left aside; and the curvature of the
    latter, where the search has it."""

    logs: Float[np.ndarray, " q"]
    loss: float
    precision: Float[np.ndarray, "q q"] | None = None


class Solved(NamedTuple):
    """The factor of the covariance of the measurements, and its inverse times their values."""

    lower: Float[np.ndarray, "n n"]
    weights: Float[np.ndarray, " n"]


def left_out_errors(lower: Float[np.ndarray, "n n"], weights: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    r"""Standardized errors of each measurement, predicted from all others: $\alpha_i / \sqrt{(K^{-1})_{ii}}$.

    `lower` is the factor of the covariance of measurements, with their noise, and `weights` its inverse times their
    values (Rasmussen and Williams 2006, eq. 5.12). O(n³).
    """
    inverse, _ = dpotri(lower, lower=1)
    return weights / np.sqrt(np.diagonal(inverse))


class AtMany(NamedTuple):
    """At each of s points the log density, and mean and variance of the function at each of m rows."""

    log_densities: Float[np.ndarray, " s"]
    means: Float[np.ndarray, "s m"]
    variances: Float[np.ndarray, "s m"]


class Term(NamedTuple):
    """Where the logarithms of one summand of a kernel are: length-scales of numbers, those of codes (none where it does
    not depend on them), and the variance."""

    lengths: slice
    unlike: slice
    variance: int


def terms_of(numbers: int, codes: int, summands: Sequence[bool]) -> tuple[Term, ...]:
    """One for each summand, which says whether codes are a factor of it.

    >>> terms_of(2, 1, [False, True])[1]
    Term(lengths=slice(3, 5, None), unlike=slice(5, 6, None), variance=6)
    """
    terms, at = [], 0
    for coded in summands:
        end = at + numbers + (codes if coded else 0)
        terms.append(Term(slice(at, at + numbers), slice(at + numbers, end), end))
        at = end + 1
    return tuple(terms)


class _Part(NamedTuple):
    """A summand at parameters: its covariances, and minus twice their slopes by the squared distance."""

    rates: Float[np.ndarray, " p"]
    unlike: Float[np.ndarray, " c"]
    variance: float
    k: Float[np.ndarray, " pairs"]
    falling: Float[np.ndarray, " pairs"]


class Evidence:
    """Minus the log evidence and log prior of some measurements, and the gradient, at logarithms of the parameters.

    These are, of every summand of the kernel, the length-scales of the columns that are numbers, those of the codes
    where they are a factor of it, and the variance; then the noise above its `least`. `profile` is the correlation of
    numbers, and `level` the prior variance of a constant that is added to the function and integrated out.
    """

    def __init__(
        self,
        X: Float[np.ndarray, "n d"],
        y: Float[np.ndarray, " n"],
        codes: Bool[np.ndarray, " d"],
        *,
        prior: LogPrior,
        least: float,
        profile: Profile = PROFILES[Matern52],
        summands: Sequence[bool] = (True,),
        level: float = 0.0,
    ) -> None:
        n = len(y)
        self.X, self.y, self.codes, self.prior, self.least, self.profile = X, y, codes, prior, least, profile
        self.level = level
        self.i, self.j = np.tril_indices(n, -1)
        self.at = self.i * n + self.j
        gaps = X[self.i] - X[self.j]
        self.squares = np.ascontiguousarray(gaps[:, ~codes].T) ** 2
        self.differ = np.ascontiguousarray(gaps[:, codes].T != 0.0).astype(np.float64)
        self.terms = terms_of(len(self.squares), len(self.differ), summands)
        self.matrix = np.zeros((n, n))

    def __call__(self, logs: Float[np.ndarray, " q"]) -> tuple[float, Float[np.ndarray, " q"]]:
        """O(n³) for potrf and potri, O(n² d) for the rest."""
        return self.with_weights(logs, self.y)[:2]

    def with_weights(
        self, logs: Float[np.ndarray, " q"], y: Float[np.ndarray, " n"]
    ) -> tuple[float, Float[np.ndarray, " q"], Float[np.ndarray, " n"]]:
        """The same of other values at the same rows, and its gradient by these: the weights of the process."""
        parts = [self._part(logs, term) for term in self.terms]
        above = np.exp(logs[-1])
        upper, failed = self._factor(added([part.k for part in parts]), sum(part.variance for part in parts) + above)
        if failed:
            return _NOWHERE, np.zeros_like(logs), np.zeros_like(y)
        alpha, _ = dpotrs(upper, y, lower=0)
        doubt, gradient = self.prior.loss(logs)
        loss = 0.5 * y @ alpha + np.log(upper.diagonal()).sum() + doubt
        inverse = dpotri(upper, lower=0, overwrite_c=1)[0].T
        # By an entry of the covariance, both of its places counted, and by all of the diagonal.
        slope = inverse.reshape(-1)[self.at] - alpha[self.i] * alpha[self.j]
        diagonal = 0.5 * (inverse.trace() - alpha @ alpha)
        for term, part in zip(self.terms, parts, strict=True):
            by_entry = slope * part.k
            gradient[term.lengths] += part.rates * (self.squares @ (slope * part.falling))
            if len(part.unlike):
                gradient[term.unlike] += part.unlike * (self.differ @ by_entry)
            gradient[term.variance] += by_entry.sum() + diagonal * part.variance
        gradient[-1] += diagonal * above
        return float(loss), gradient, alpha

    def solved(self, logs: Float[np.ndarray, " q"]) -> Solved:
        """The posterior at parameters."""
        parts = [self._part(logs, term) for term in self.terms]
        k, variance = added([part.k for part in parts]), sum(part.variance for part in parts)
        for jitter in JITTERS:
            upper, failed = self._factor(k, variance * (1.0 + jitter) + np.exp(logs[-1]))
            if not failed:
                break
        alpha, _ = dpotrs(upper, self.y, lower=0)
        return Solved(np.tril(upper.T), alpha)

    def left_out(self, logs: Float[np.ndarray, " q"]) -> Float[np.ndarray, " n"]:
        """Standardized errors of each measurement, predicted from all others. O(n³)."""
        return left_out_errors(*self.solved(logs))

    def at_many(self, points: Float[np.ndarray, "s q"], rows: Float[np.ndarray, "m d"] | None = None) -> "AtMany":
        """Log evidence and log prior at many points, without gradients, and the belief about the function at few rows.

        Values and covariances with `rows` are further rows of each matrix, so that one factorization has everything.
        Where there is no factor the log density is minus infinity. O(s (n + m)³).
        """
        there = self.X[:0] if rows is None else rows
        size = max(1, _ENTRIES // (len(self.y) + len(there) + 1) ** 2)
        blocks = [self._solved_at(points[first : first + size], there) for first in range(0, len(points), size)]
        log_evidence, means, variances = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return AtMany(log_evidence + self.prior.log_density(points), means, variances)

    def _solved_at(self, points: Float[np.ndarray, "s q"], rows: Float[np.ndarray, "m d"]) -> "AtMany":
        n, m, scales = len(self.y), len(rows), np.exp(points)
        gaps = (rows[:, None] - self.X).reshape(-1, self.X.shape[1])
        squares = np.concatenate([self.squares, gaps[:, ~self.codes].T ** 2], axis=1)
        differ = np.concatenate([self.differ, (gaps[:, self.codes].T != 0.0).astype(np.float64)], axis=1)
        k, variance = np.full((len(points), squares.shape[1]), self.level), np.full(len(points), self.level)
        for term in self.terms:
            near = scales[:, term.variance, None] * self.profile(scales[:, term.lengths] ** -2.0 @ squares)[0]
            unlike = 1.0 / scales[:, term.unlike]
            k += near * np.exp(-unlike @ differ) if unlike.shape[1] else near
            variance = variance + scales[:, term.variance]
        whole = np.zeros((len(points), n + 1 + m, n + 1 + m))
        whole[:, self.i, self.j], whole[:, n + 1 :, :n] = (
            k[:, : len(self.at)],
            k[:, len(self.at) :].reshape(len(points), m, n),
        )
        whole[:, range(n), range(n)] = (variance + scales[:, -1] + self.least)[:, None]
        # Large enough for any residual: what is left of these rows behind the first n columns is not used.
        rest = 4.0 * (1.0 + m) * (np.max(variance) + self.y @ self.y / self.least)
        whole[:, n, :n], whole[:, range(n, n + 1 + m), range(n, n + 1 + m)] = self.y, rest
        lower = _factors(whole)
        residuals, halves = lower[:, n, :n], lower[:, n + 1 :, :n]
        pivots = np.diagonal(lower, axis1=1, axis2=2)[:, :n]
        found = -0.5 * np.sum(residuals**2, axis=1) - np.sum(np.log(pivots), axis=1)
        left = np.maximum(variance[:, None] - np.sum(halves**2, axis=2), _ROUND_OFF * variance[:, None])
        return AtMany(np.where(np.isfinite(found), found, -np.inf), np.einsum("smn,sn->sm", halves, residuals), left)

    def _part(self, logs: Float[np.ndarray, " q"], term: Term) -> _Part:
        rates, unlike = np.exp(-2.0 * logs[term.lengths]), np.exp(-logs[term.unlike])
        variance = float(np.exp(logs[term.variance]))
        near, falling = self.profile(rates @ self.squares)
        alike = variance * np.exp(-(unlike @ self.differ)) if len(unlike) else variance
        return _Part(rates, unlike, variance, alike * near, alike * falling)

    def _factor(self, k: np.ndarray, diagonal: float) -> tuple[np.ndarray, bool]:
        """The factor, as LAPACK sees this matrix: transposed. It lies in the memory of the next one."""
        flat = self.matrix.reshape(-1)
        flat[self.at], flat[:: len(self.y) + 1] = k + self.level, diagonal + self.least + self.level
        upper, info = dpotrf(self.matrix.T, lower=0, clean=0, overwrite_a=1)
        return upper, info != 0


def _factors(matrices: Float[np.ndarray, "s n n"]) -> Float[np.ndarray, "s n n"]:
    """Their Cholesky factors; NaN for one that has none."""
    try:
        return np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full_like(matrices, np.nan)
        half = len(matrices) // 2
        return np.concatenate([_factors(matrices[:half]), _factors(matrices[half:])])


@runtime_checkable
class Searched(Protocol):
    """What has a mode: minus a log density with its gradient, and the prior that is part of it."""

    prior: LogPrior

    def __call__(self, logs: Float[np.ndarray, " q"]) -> tuple[float, Float[np.ndarray, " q"]]: ...


def curvature_at(evidence: Searched, logs: Float[np.ndarray, " q"]) -> Float[np.ndarray, "q q"]:
    """The second derivatives of the loss, by differences of its gradient. O(q n³)."""
    here = evidence(logs)[1]
    slopes = np.array([evidence(logs + step)[1] - here for step in _STEP * np.eye(len(logs))])
    return (slopes + slopes.T) / (2.0 * _STEP)


def mode_near(
    evidence: Searched, start: Float[np.ndarray, " q"], precision: Float[np.ndarray, "q q"] | None = None
) -> Mode:
    """The end of a search from near a mode, with its curvature: with that at the start few steps are left.

    `precision` is about the curvature there, found by differences of the gradient if it is not given. Where the search
    leaves the bounds, it is made again inside of them.
    """
    low, high = evidence.prior.bounds.T
    here = np.clip(start, low, high)
    values, vectors = np.linalg.eigh(curvature_at(evidence, here) if precision is None else precision)
    inverse = (vectors / np.maximum(np.abs(values), _FLATTEST)) @ vectors.T
    end = descended(evidence, here, 0.5 * (inverse + inverse.T), left=_LEFT, longest=_LONGEST, steps=_ITERATIONS)
    if np.any((end.x < low) | (end.x > high)):
        return mode_of(evidence, [here])
    precision = np.linalg.inv(end.inverse)
    return Mode(end.x, end.loss, 0.5 * (precision + precision.T))


def mode_of(evidence: Searched, starts: Iterable[Float[np.ndarray, " q"]]) -> Mode:
    """The best end of searches by L-BFGS-B from some starts."""
    bounds = evidence.prior.bounds
    options = {"gtol": _TOLERANCE, "ftol": _FLAT, "maxiter": _ITERATIONS}
    ends = [
        minimize(evidence, np.clip(start, *bounds.T), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        for start in starts
    ]
    best = min(ends, key=lambda end: float(end.fun))
    return Mode(best.x, float(best.fun))
