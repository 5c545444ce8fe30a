"""Student's t distribution of a vector."""

from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.base import Belief
from credo.beliefs.log_gamma import log_gamma_ratio
from credo.beliefs.matrices import (
    condition_on_entries,
    finite_array,
    half_log_det,
    half_solve,
    lower_factor,
    matvec,
    require_square,
    split_indices,
    transpose,
)
from credo.beliefs.student_t import StudentT
from credo.numerics.constraints import Positive, PositiveDefinite, Real
from credo.numerics.lapack import symmetric_part
from credo.numerics.parameters import parameter

__all__ = ["MultivariateStudentT"]


class MultivariateStudentT(Belief):
    r"""$t_\nu(\mu, S)$: a normal whose covariance $S$ is divided by a $\chi^2_\nu/\nu$ variable common to all entries.

    $p(x) \propto (1 + \delta/\nu)^{-(\nu + d)/2}$ with $\delta = (x - \mu)^\top S^{-1} (x - \mu)$. The mean exists for
    $\nu > 1$, the covariance $\nu S/(\nu - 2)$ for $\nu > 2$ (Bishop 2006, eqs. 2.159 to 2.165); both are infinite
    below.

    >>> MultivariateStudentT(4.0, [0.0, 1.0], [[1.0, 0.0], [0.0, 3.0]]).variance.tolist()
    [2.0, 6.0]
    """

    df: Float[Array, "*batch"] = parameter(Positive())
    loc: Float[Array, "*batch d"] = parameter(Real(), event_ndim=1)
    shape_matrix: Float[Array, "*batch d d"] = parameter(PositiveDefinite(), event_ndim=2)

    event_ndim: ClassVar[int] = 1

    def __check_init__(self) -> None:
        require_square("MultivariateStudentT", self.loc.shape[-1], "shape_matrix", self.shape_matrix)

    @property
    def event_shape(self) -> tuple[int, ...]:
        return (self.loc.shape[-1],)

    @property
    def mean(self) -> Array:
        return jnp.where(self.df[..., None] > 1.0, self.loc, jnp.inf)

    @property
    def variance(self) -> Array:
        df = self.df[..., None]
        finite = df > 2.0
        scale = jnp.diagonal(self.shape_matrix, axis1=-2, axis2=-1)
        return jnp.where(finite, scale * df / jnp.where(finite, df - 2.0, 1.0), jnp.inf)

    @property
    def covariance(self) -> Array:
        """ν S / (ν − 2); infinite for ν ≤ 2."""
        df = self.df[..., None, None]
        finite = df > 2.0
        return jnp.where(finite, self.shape_matrix * df / jnp.where(finite, df - 2.0, 1.0), jnp.inf)

    def log_prob(self, x: ArrayLike) -> Array:
        df, d = self.df, self.event_shape[0]
        lower = lower_factor(self.shape_matrix)
        square = jnp.sum(half_solve(lower, jnp.asarray(x) - self.loc) ** 2, axis=-1)
        constant = log_gamma_ratio(0.5 * df, 0.5 * d) - 0.5 * d * jnp.log(df * jnp.pi) - half_log_det(lower)
        return constant - 0.5 * (df + d) * jnp.log1p(square / df)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        normal_key, gamma_key = jax.random.split(key)
        z = jax.random.normal(normal_key, shape + self.loc.shape, dtype=jnp.float64)
        half = 0.5 * self.df
        precision = jax.random.gamma(gamma_key, half, shape + self.batch_shape, dtype=jnp.float64) / half
        return self.loc + matvec(lower_factor(self.shape_matrix), z) / jnp.sqrt(precision)[..., None]

    def marginal(self, indices: Sequence[int] | np.ndarray) -> "MultivariateStudentT":
        """The belief about some entries, in the order given; its budget follows."""
        kept, _ = split_indices("MultivariateStudentT", indices, self.event_shape[0])
        budget = self.budget.of_entries(kept, self.loc.shape)
        return MultivariateStudentT(
            self.df, self.loc[..., kept], self.shape_matrix[..., kept[:, None], kept], budget=budget
        )

    def marginals(self) -> StudentT:
        """The entries one by one: a StudentT of batch shape ``batch_shape + (d,)``, with quantiles and intervals."""
        scale = jnp.sqrt(jnp.diagonal(self.shape_matrix, axis1=-2, axis2=-1))
        return StudentT(self.df[..., None], self.loc, scale, budget=self.budget)

    def condition(self, indices: Sequence[int] | np.ndarray, values: Any) -> "MultivariateStudentT":
        r"""The belief about the other entries, in their order, once those at `indices` are known to be `values`.

        $t_{\nu + d_b}$ at the normal's conditional mean, with its Schur complement times $(\nu + \delta_b)/(\nu +
        d_b)$, where $\delta_b = (x_b - \mu_b)^\top S_{bb}^{-1} (x_b - \mu_b)$: a surprising value widens it (Ding
        2016, eq. 1).
        """
        loc, schur, square = condition_on_entries("MultivariateStudentT", self.loc, self.shape_matrix, indices, values)
        df = self.df + (self.event_shape[0] - loc.shape[-1])
        return MultivariateStudentT(df, loc, schur * ((self.df + square) / df)[..., None, None])

    def affine(self, A: Any, b: Any = 0.0) -> "MultivariateStudentT":
        """The belief about A x + b, for A of full row rank; the degrees of freedom stay."""
        A = finite_array("MultivariateStudentT.affine", "A", A)
        b = finite_array("MultivariateStudentT.affine", "b", b)
        return MultivariateStudentT(
            self.df, matvec(A, self.loc) + b, symmetric_part(A @ self.shape_matrix @ transpose(A))
        )
