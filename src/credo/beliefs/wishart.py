"""Distributions of symmetric positive definite matrices: precisions (Wishart) and covariances (inverse Wishart)."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import multigammaln
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.matrices import (
    half_log_det,
    lower_factor,
    nan_through,
    require,
    spd_inverse,
    support_factor,
    transpose,
    unvech_dual,
    vech,
    vech_dual,
)
from credo.numerics.batched_lapack import solve_lower
from credo.numerics.constraints import Positive, PositiveDefinite
from credo.numerics.lapack import symmetric_part
from credo.numerics.parameters import parameter

__all__ = ["InverseWishart", "Wishart"]

_LOG_2 = 0.6931471805599453


class Wishart(ExponentialFamily):
    r"""$W_d(\nu, V)$: the scatter matrix of $\nu$ draws from $\mathcal{N}(0, V)$.

    The density is $\propto |X|^{(\nu-d-1)/2} e^{-\frac12\operatorname{tr} V^{-1}X}$. `df` $\nu > d - 1$ need not be
    whole; `scale` is $V$. Events are d × d matrices, the density is with respect to the entries on and below the
    diagonal. Natural form: $T(X) = (\log|X|, \operatorname{vech} X)$, $\eta = ((\nu - d - 1)/2, -\tfrac12 V^{-1}$ with
    off-diagonals twice$)$ (Bishop 2006, eqs. B.78 to B.81).

    >>> Wishart(5.0, [[1.0, 0.0], [0.0, 2.0]]).mean.tolist()
    [[5.0, 0.0], [0.0, 10.0]]
    """

    df: Float[Array, "*batch"] = parameter(Positive())
    scale: Float[Array, "*batch d d"] = parameter(PositiveDefinite(), event_ndim=2)

    event_ndim: ClassVar[int] = 2

    def __check_init__(self) -> None:
        require_enough_df("Wishart", self.df, self.scale.shape[-1])

    @property
    def event_shape(self) -> tuple[int, ...]:
        return tuple(self.scale.shape[-2:])

    @property
    def mean(self) -> Array:
        return self.df[..., None, None] * self.scale

    @property
    def variance(self) -> Array:
        return self.df[..., None, None] * (self.scale**2 + _diagonal_products(self.scale))

    def log_prob(self, x: ArrayLike) -> Array:
        d = self.scale.shape[-1]
        x = jnp.asarray(x, dtype=jnp.float64)
        factor, inside = support_factor(x)
        trace = _half_ratio_square(lower_factor(self.scale), factor)
        log_density = (self.df - d - 1.0) * half_log_det(factor) - 0.5 * trace
        normalizer = log_wishart_normalizer(self.df, d) + self.df * half_log_det(lower_factor(self.scale))
        return nan_through(x, jnp.where(inside, log_density - normalizer, -jnp.inf), event_ndim=2)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        half = lower_factor(self.scale) @ bartlett(key, self.df, self.scale.shape[-1], shape + self.batch_shape)
        return half @ transpose(half)

    @property
    def natural(self) -> Array:
        first = 0.5 * (self.df - self.scale.shape[-1] - 1.0)
        return jnp.concatenate([first[..., None], -0.5 * vech_dual(spd_inverse(self.scale))], axis=-1)

    def with_natural(self, natural: Array) -> "Wishart":
        df = 2.0 * natural[..., 0] + self.scale.shape[-1] + 1.0
        return Wishart(df, spd_inverse(-2.0 * unvech_dual(natural[..., 1:])))

    def statistics(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        factor, _ = support_factor(x)
        return jnp.concatenate([2.0 * half_log_det(factor)[..., None], vech(x)], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        d = self.scale.shape[-1]
        return matrix_log_partition(2.0 * natural[..., 0] + d + 1.0, -2.0 * unvech_dual(natural[..., 1:]))

    def log_base(self, x: ArrayLike) -> Array:
        _, inside = support_factor(jnp.asarray(x, dtype=jnp.float64))
        return jnp.where(inside, 0.0, -jnp.inf)


class InverseWishart(ExponentialFamily):
    r"""$\mathrm{IW}_d(\nu, \Psi)$: the inverse of a $W_d(\nu, \Psi^{-1})$.

    The density is $\propto |X|^{-(\nu+d+1)/2} e^{-\frac12\operatorname{tr}\Psi X^{-1}}$. `df` is $\nu > d - 1$ and
    `scatter` is $\Psi$, the matrix to which the scatter of data is added. The mean $\Psi/(\nu - d - 1)$ exists for
    $\nu > d + 1$, the variances for $\nu > d + 3$; infinite below. Natural form: $T(X) = (\log|X|, \operatorname{vech}
    X^{-1})$, $\eta = (-(\nu + d + 1)/2, -\tfrac12\Psi$ with off-diagonals twice$)$ (Gelman et al. 2013, appendix A).

    >>> InverseWishart(5.0, [[2.0, 0.0], [0.0, 4.0]]).mean.tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    df: Float[Array, "*batch"] = parameter(Positive())
    scatter: Float[Array, "*batch d d"] = parameter(PositiveDefinite(), event_ndim=2)

    event_ndim: ClassVar[int] = 2

    def __check_init__(self) -> None:
        require_enough_df("InverseWishart", self.df, self.scatter.shape[-1])

    @property
    def event_shape(self) -> tuple[int, ...]:
        return tuple(self.scatter.shape[-2:])

    @property
    def mean(self) -> Array:
        spare = (self.df - self.scatter.shape[-1] - 1.0)[..., None, None]
        return jnp.where(spare > 0.0, self.scatter / jnp.where(spare > 0.0, spare, 1.0), jnp.inf)

    @property
    def variance(self) -> Array:
        spare = (self.df - self.scatter.shape[-1] - 1.0)[..., None, None]
        s = jnp.where(spare > 2.0, spare, 3.0)
        squares = (s + 2.0) * self.scatter**2 + s * _diagonal_products(self.scatter)
        return jnp.where(spare > 2.0, squares / ((s + 1.0) * s**2 * (s - 2.0)), jnp.inf)

    def log_prob(self, x: ArrayLike) -> Array:
        d = self.scatter.shape[-1]
        x = jnp.asarray(x, dtype=jnp.float64)
        factor, inside = support_factor(x)
        half = lower_factor(self.scatter)
        log_density = -(self.df + d + 1.0) * half_log_det(factor) - 0.5 * _half_ratio_square(factor, half)
        normalizer = log_wishart_normalizer(self.df, d) - self.df * half_log_det(half)
        return nan_through(x, jnp.where(inside, log_density - normalizer, -jnp.inf), event_ndim=2)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        triangle = bartlett(key, self.df, self.scatter.shape[-1], shape + self.batch_shape)
        # With W = A Aᵀ a standard Wishart and Ψ = L Lᵀ, the inverse of L⁻ᵀ W L⁻¹ is (A⁻¹ Lᵀ)ᵀ (A⁻¹ Lᵀ).
        upper = jnp.broadcast_to(transpose(lower_factor(self.scatter)), triangle.shape)
        half = solve_lower(triangle, upper)
        return symmetric_part(transpose(half) @ half)

    @property
    def natural(self) -> Array:
        first = -0.5 * (self.df + self.scatter.shape[-1] + 1.0)
        return jnp.concatenate([first[..., None], -0.5 * vech_dual(self.scatter)], axis=-1)

    def with_natural(self, natural: Array) -> "InverseWishart":
        df = -2.0 * natural[..., 0] - self.scatter.shape[-1] - 1.0
        return InverseWishart(df, -2.0 * unvech_dual(natural[..., 1:]))

    def statistics(self, x: ArrayLike) -> Array:
        factor, _ = support_factor(jnp.asarray(x, dtype=jnp.float64))
        inverse = spd_inverse(factor @ transpose(factor))
        return jnp.concatenate([2.0 * half_log_det(factor)[..., None], vech(inverse)], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        d = self.scatter.shape[-1]
        return matrix_log_partition(-2.0 * natural[..., 0] - d - 1.0, -2.0 * unvech_dual(natural[..., 1:]))

    def log_base(self, x: ArrayLike) -> Array:
        _, inside = support_factor(jnp.asarray(x, dtype=jnp.float64))
        return jnp.where(inside, 0.0, -jnp.inf)


def bartlett(key: Array, df: Float[Array, "*batch"], d: int, shape: tuple[int, ...]) -> Array:
    """Lower triangles A with A Aᵀ standard Wishart: χ on the diagonal, normal below (Bartlett 1933)."""
    normal_key, gamma_key = jax.random.split(key)
    z = jax.random.normal(normal_key, (*shape, d, d), dtype=jnp.float64)
    halves = 0.5 * (df[..., None] - np.arange(d))
    chi_square = 2.0 * jax.random.gamma(gamma_key, halves, (*shape, d), dtype=jnp.float64)
    return jnp.tril(z, -1) + jnp.eye(d) * jnp.sqrt(chi_square)[..., None]


def require_enough_df(who: str, df: Array, d: int) -> None:
    """The density is proper for more than d − 1 degrees of freedom only."""
    what = f"df has values at or below d - 1 = {d - 1}"
    require(df > d - 1, who, what, "The density has no finite integral there", f"Try df={d + 2}")


def log_wishart_normalizer(df: Array, d: int) -> Array:
    """The part of the normalizer of both families that only the degrees of freedom touch: νd/2 log 2 + log Γ_d(ν/2)."""
    return 0.5 * df * d * _LOG_2 + multigammaln(0.5 * df, d)


def matrix_log_partition(df: Array, matrix: Array) -> Array:
    """νd/2 log 2 + log Γ_d(ν/2) − ν/2 log |M|; infinite outside: few degrees of freedom, M not positive."""
    d = matrix.shape[-1]
    factor, positive = support_factor(matrix)
    inside = positive & (df > d - 1)
    df = jnp.where(inside, df, float(d))
    return jnp.where(inside, log_wishart_normalizer(df, d) - df * half_log_det(factor), jnp.inf)


def _half_ratio_square(lower: Array, other: Array) -> Array:
    """tr (L Lᵀ)⁻¹ M Mᵀ = |L⁻¹ M|²."""
    shape = jnp.broadcast_shapes(lower.shape, other.shape)
    lower, other = jnp.broadcast_to(lower, shape), jnp.broadcast_to(other, shape)
    ratio = solve_lower(lower, other)
    return jnp.sum(ratio**2, axis=(-1, -2))


def _diagonal_products(matrix: Array) -> Array:
    diagonal = jnp.diagonal(matrix, axis1=-2, axis2=-1)
    return diagonal[..., :, None] * diagonal[..., None, :]
