r"""A small Gaussian process after the data by NumPy alone: its moments at rows, and their slopes.

With some hundred observations an evaluation takes a fraction of a millisecond, and compiling it a second: who asks for
some thousand of them once would mostly compile. To round-off the same as JAX's, for the kernels that are everyone's
default: Matérn-5/2 or squared exponential over numbers, times Hamming over codes, and sums of these.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotrs

from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.posterior import GPPosterior
from credo.infer.gaussian.quick_mode import JITTERS, Evidence, Solved
from credo.infer.gaussian.quick_profiles import PROFILES, Profile, added
from credo.kernels import Constant, Hamming, Kernel, Matern52, On
from credo.kernels.algebra import Product, Sum
from credo.kernels.stationary import Stationary

__all__ = ["QuickProcess", "QuickTerm", "Slopes", "constant_term", "quick_process", "solved_at", "terms_at"]

_ENTRIES = 2**22  # of covariances between rows and points, computed together
_ROUND_OFF = 1e-14  # of the prior variance: a posterior variance below is not known to be positive


class Slopes(NamedTuple):
    """Mean and variance at each row, and their gradients."""

    mean: Float[np.ndarray, " m"]
    variance: Float[np.ndarray, " m"]
    mean_slope: Float[np.ndarray, "m d"]
    variance_slope: Float[np.ndarray, "m d"]


class QuickTerm(NamedTuple):
    r"""A summand of a kernel, $\sigma^2 \rho(r^2)\,e^{-\sum_c [x_c \ne z_c]/\ell_c}$ with r the scaled distance.

    `profile` is $\rho$, `numbers` and `codes` are columns, `rates` one over the length-scales of the former in units of
    the encoding, `unlike` the $1/\ell_c$.
    """

    profile: Profile
    numbers: Int[np.ndarray, " p"]
    codes: Int[np.ndarray, " c"]
    rates: Float[np.ndarray, " p"]
    unlike: Float[np.ndarray, " c"]
    variance: float

    def cross(self, rows: Float[np.ndarray, "m d"], points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "m n"]:
        """The covariances between rows and points."""
        x, z = rows[:, self.numbers] * self.rates, points[:, self.numbers] * self.rates
        squares = np.sum(x**2, axis=1)[:, None] + np.sum(z**2, axis=1) - 2.0 * (x @ z.T)
        return self._alike(rows, points) * self.profile(np.maximum(squares, 0.0))[0]

    def with_slopes(
        self, rows: Float[np.ndarray, "m d"], points: Float[np.ndarray, "n d"]
    ) -> tuple[Float[np.ndarray, "m n"], Float[np.ndarray, "m n"], Float[np.ndarray, "m n p"]]:
        """Covariances, their slope for each unit of a gap, and the gaps in units of the length-scales."""
        gaps = (rows[:, None, self.numbers] - points[None, :, self.numbers]) * self.rates
        near, falling = self.profile(np.einsum("mnp,mnp->mn", gaps, gaps))
        alike = self._alike(rows, points)
        return alike * near, -alike * falling, gaps

    def _alike(self, rows: np.ndarray, points: np.ndarray) -> Float[np.ndarray, "..."]:
        """The variance, less where codes differ."""
        if not len(self.codes):
            return np.asarray(self.variance)
        differ = rows[:, None, self.codes] != points[None, :, self.codes]
        return self.variance * np.exp(-(differ @ self.unlike))


class QuickProcess(NamedTuple):
    """A posterior whose kernel is the sum of `terms`. `points` are the rows that were measured, `lower` the factor of
    their covariance with noise, and `weights` its inverse times their values."""

    terms: tuple[QuickTerm, ...]
    points: Float[np.ndarray, "n d"]
    lower: Float[np.ndarray, "n n"]
    weights: Float[np.ndarray, " n"]

    def moments(self, rows: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of the function at each row, in blocks of bounded size. O(n²) a row."""
        block = max(1, _ENTRIES // len(self.points))
        parts = [self._moments(rows[i : i + block]) for i in range(0, max(len(rows), 1), block)]
        means, variances = zip(*parts, strict=True)
        return np.concatenate(means), np.concatenate(variances)

    def _moments(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cross = added([term.cross(rows, self.points) for term in self.terms])
        half = dtrsm(1.0, self.lower.T, cross.T, trans_a=1)
        return cross @ self.weights, self._left(half)

    def averages(
        self, nodes: Float[np.ndarray, "m k d"], weights: Float[np.ndarray, " k"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
        """Mean and variance of the weighted average of the function over k nodes, m times. O(n² + k n + k²) each."""
        m, k, d = nodes.shape
        near = added([term.cross(nodes.reshape(-1, d), self.points) for term in self.terms])
        cross = np.einsum("k,mkn->mn", weights, near.reshape(m, k, -1))
        half = dtrsm(1.0, self.lower.T, cross.T, trans_a=1)
        among = (added([term.cross(some, some) for term in self.terms]) for some in nodes)
        before = np.array([weights @ covariance @ weights for covariance in among])
        left = before - np.einsum("nm,nm->m", half, half)
        return cross @ self.weights, np.maximum(left, _ROUND_OFF * before)

    def slopes(self, rows: Float[np.ndarray, "m d"]) -> Slopes:
        """Moments with their gradients in the columns that are numbers. O(n²) a row."""
        parts = [term.with_slopes(rows, self.points) for term in self.terms]
        cross = added([part[0] for part in parts])
        half = dtrsm(1.0, self.lower.T, cross.T, trans_a=1)
        whole = dtrsm(1.0, self.lower.T, half).T
        mean_slope, variance_slope = np.zeros(rows.shape), np.zeros(rows.shape)
        for term, (_, slope, gaps) in zip(self.terms, parts, strict=True):
            by_mean = np.einsum("mn,mnp->mp", slope * self.weights, gaps)
            mean_slope[:, term.numbers] += by_mean * term.rates
            by_variance = -2.0 * np.einsum("mn,mnp->mp", slope * whole, gaps)
            variance_slope[:, term.numbers] += by_variance * term.rates
        return Slopes(cross @ self.weights, self._left(half), mean_slope, variance_slope)

    def _left(self, half: np.ndarray) -> np.ndarray:
        variance = sum(term.variance for term in self.terms)
        return np.maximum(variance - np.einsum("nm,nm->m", half, half), _ROUND_OFF * variance)


def terms_at(evidence: Evidence, logs: Float[np.ndarray, " q"]) -> tuple[QuickTerm, ...]:
    """The summands of the kernel of an evidence, at logarithms of its parameters, and the constant if it has one."""
    scales, none = np.exp(logs), np.zeros(0, dtype=np.int64)
    numbers, codes = np.flatnonzero(~evidence.codes), np.flatnonzero(evidence.codes)
    constant = (constant_term(evidence.profile, evidence.level),) if evidence.level else ()
    terms = tuple(
        QuickTerm(
            evidence.profile,
            numbers,
            codes if term.unlike.stop > term.unlike.start else none,
            1.0 / scales[term.lengths],
            1.0 / scales[term.unlike],
            float(scales[term.variance]),
        )
        for term in evidence.terms
    )
    return (*terms, *constant)


def solved_at(
    terms: Sequence[QuickTerm], noise: float, X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"]
) -> Solved:
    """The posterior after measurements that may be very many: no array of pairs for each column. O(n³), once."""
    covariance = added([term.cross(X, X) for term in terms])
    variance, diagonal = sum(term.variance for term in terms), np.arange(len(y))
    for jitter in JITTERS:
        covariance[diagonal, diagonal] = variance * (1.0 + jitter) + noise
        lower, failed = dpotrf(covariance.T, lower=1)
        if not failed:
            break
    alpha, _ = dpotrs(lower, y, lower=1)
    return Solved(np.ascontiguousarray(lower), alpha)


def quick_process(
    posterior: GPPosterior, shift: Float[np.ndarray, " d"], scale: Float[np.ndarray, " d"]
) -> QuickProcess | None:
    """The same belief at rows in other units, `row = shift + scale * input`; None where it is not of that kind.

    Its kernel has to be the default one, and its mean zero.
    """
    if not isinstance(posterior.process.mean, ZeroMean):
        return None
    data = posterior.data
    present = np.asarray(data.weights) > 0.0
    n = int(np.sum(present))
    if not np.all(present[:n]):  # padding comes last
        return None
    kernel = posterior.process.kernel
    summands = kernel.terms if isinstance(kernel, Sum) else (kernel,)
    terms = [_quick_term(summand, scale) for summand in summands]
    if any(term is None for term in terms):
        return None
    return QuickProcess(
        tuple(term for term in terms if term is not None),
        shift + scale * np.asarray(data.X)[:n],
        np.ascontiguousarray(np.asarray(posterior.factor.lower)[:n, :n]),
        np.asarray(posterior.alpha)[:n],
    )


def constant_term(profile: Profile, variance: float) -> QuickTerm:
    """One level for all rows: a term that no column changes."""
    none = np.zeros(0, dtype=np.int64)
    return QuickTerm(profile, none, none, np.zeros(0), np.zeros(0), variance)


def _quick_term(kernel: Kernel, scale: Float[np.ndarray, " d"]) -> QuickTerm | None:
    if isinstance(kernel, Constant):
        return constant_term(PROFILES[Matern52], float(kernel.variance))
    parts = _factors(kernel, len(scale))
    if parts is None:
        return None
    (numbers, smooth), (codes, hamming) = parts
    lengths = np.ones(0) if smooth is None else np.asarray(smooth.lengthscale)
    unlike = np.ones(0) if hamming is None else np.asarray(hamming.lengthscale)
    return QuickTerm(
        PROFILES[Matern52 if smooth is None else type(smooth)],
        numbers,
        codes,
        1.0 / (np.broadcast_to(lengths, numbers.shape) * scale[numbers]),
        1.0 / np.broadcast_to(unlike, codes.shape),
        float(np.prod([float(kernel.variance) for kernel in (smooth, hamming) if kernel is not None])),
    )


def _factors(
    kernel: Kernel, d: int
) -> tuple[tuple[np.ndarray, Stationary | None], tuple[np.ndarray, Hamming | None]] | None:
    """The columns of the stationary and of the Hamming factor with these, where the kernel has no others."""
    none = np.zeros(0, dtype=np.int64)
    if type(kernel) in PROFILES:
        return (np.arange(d), kernel), (none, None)  # type: ignore[return-value]
    found: dict[bool, tuple[np.ndarray, Kernel]] = {}
    for factor in kernel.factors if isinstance(kernel, Product) else (kernel,):
        inner = factor.kernel if isinstance(factor, On) else None
        smooth = type(inner) in PROFILES
        if inner is None or not (smooth or type(inner) is Hamming) or smooth in found:
            return None
        found[smooth] = (np.array(factor.columns), inner)  # type: ignore[attr-defined]
    return found.get(True, (none, None)), found.get(False, (none, None))  # type: ignore[return-value]
