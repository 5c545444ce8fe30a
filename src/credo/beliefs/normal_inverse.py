"""Joint beliefs about the mean and the variance of a normal: the conjugate priors of number and vector data."""

from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaln
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.inverse_gamma import InverseGamma
from credo.beliefs.matrices import (
    half_log_det,
    half_solve,
    lower_factor,
    matvec,
    nan_through,
    require_square,
    spd_inverse,
    support_factor,
    transpose,
    unvech,
    unvech_dual,
    vech,
    vech_dual,
)
from credo.beliefs.multivariate_student import MultivariateStudentT
from credo.beliefs.student_t import StudentT
from credo.beliefs.wishart import InverseWishart, log_wishart_normalizer, matrix_log_partition, require_enough_df
from credo.numerics.constraints import Positive, PositiveDefinite, Real
from credo.numerics.moments import outer
from credo.numerics.parameters import parameter
from credo.numerics.scalar import LOG_2PI

__all__ = ["NormalInverseGamma", "NormalInverseWishart"]


class NormalInverseGamma(ExponentialFamily):
    r"""$\sigma^2 \sim \mathrm{IG}(a, b)$ and $\mu \mid \sigma^2 \sim \mathcal{N}(m, \sigma^2/\kappa)$.

    `loc` is m, `count` is κ (how many observations the guess m is worth), `shape` is a and `scale` is b. The event is
    the vector $(\mu, \sigma^2)$; `split` takes it apart. Natural form: $T = (\log\sigma^2, 1/\sigma^2, \mu/\sigma^2,
    \mu^2/\sigma^2)$, $\eta = (-a - 3/2, -b - \kappa m^2/2, \kappa m, -\kappa/2)$ (Murphy 2007, section 6).

    >>> prior = NormalInverseGamma(loc=0.0, count=1.0, shape=3.0, scale=4.0)
    >>> prior.mean.tolist()
    [0.0, 2.0]
    """

    loc: Float[Array, "*batch"] = parameter(Real())
    count: Float[Array, "*batch"] = parameter(Positive())
    shape: Float[Array, "*batch"] = parameter(Positive())
    scale: Float[Array, "*batch"] = parameter(Positive())

    event_ndim: ClassVar[int] = 1

    @property
    def event_shape(self) -> tuple[int, ...]:
        return (2,)

    @staticmethod
    def split(x: ArrayLike) -> tuple[Array, Array]:
        """The mean μ and the variance σ² of an event."""
        x = jnp.asarray(x, dtype=jnp.float64)
        return x[..., 0], x[..., 1]

    def marginal_mean(self) -> StudentT:
        """The belief about μ alone: Student with 2a degrees of freedom."""
        return StudentT(2.0 * self.shape, self.loc, jnp.sqrt(self.scale / (self.shape * self.count)))

    def marginal_variance(self) -> InverseGamma:
        """The belief about σ² alone."""
        return InverseGamma(self.shape, self.scale)

    @property
    def mean(self) -> Array:
        return jnp.stack([self.marginal_mean().mean, self.marginal_variance().mean], axis=-1)

    @property
    def variance(self) -> Array:
        return jnp.stack([self.marginal_mean().variance, self.marginal_variance().variance], axis=-1)

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        mu, variance = self.split(x)
        inside = variance > 0.0
        v = jnp.where(inside, variance, 1.0)
        normal = -0.5 * (self.count * (mu - self.loc) ** 2 / v + jnp.log(v / self.count) + LOG_2PI)
        gamma = (
            self.shape * jnp.log(self.scale) - gammaln(self.shape) - (self.shape + 1.0) * jnp.log(v) - self.scale / v
        )
        return nan_through(x, jnp.where(inside, normal + gamma, -jnp.inf), event_ndim=1)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        normal_key, gamma_key = jax.random.split(key)
        whole = shape + self.batch_shape
        variance = self.scale / jax.random.gamma(gamma_key, self.shape, whole, dtype=jnp.float64)
        z = jax.random.normal(normal_key, whole, dtype=jnp.float64)
        return jnp.stack([self.loc + z * jnp.sqrt(variance / self.count), variance], axis=-1)

    @property
    def log_normalizer(self) -> Array:
        """A(η) from the parameters themselves, which loses nothing when the mean is far from zero."""
        return gammaln(self.shape) - self.shape * jnp.log(self.scale) - 0.5 * jnp.log(self.count)

    @property
    def natural(self) -> Array:
        second = -self.scale - 0.5 * self.count * self.loc**2
        return jnp.stack([-self.shape - 1.5, second, self.count * self.loc, -0.5 * self.count], axis=-1)

    def with_natural(self, natural: Array) -> "NormalInverseGamma":
        count = -2.0 * natural[..., 3]
        loc = natural[..., 2] / count
        return NormalInverseGamma(loc, count, -natural[..., 0] - 1.5, -natural[..., 1] - 0.5 * count * loc**2)

    def statistics(self, x: ArrayLike) -> Array:
        mu, v = self.split(x)
        return jnp.stack([jnp.log(v), 1.0 / v, mu / v, mu**2 / v], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        shape, count = -natural[..., 0] - 1.5, -2.0 * natural[..., 3]
        scale = -natural[..., 1] - 0.5 * natural[..., 2] ** 2 / count
        inside = (shape > 0.0) & (scale > 0.0) & (count > 0.0)
        shape, scale, count = (jnp.where(inside, part, 1.0) for part in (shape, scale, count))
        return jnp.where(inside, gammaln(shape) - shape * jnp.log(scale) - 0.5 * jnp.log(count), jnp.inf)

    def log_base(self, x: ArrayLike) -> Array:
        _, variance = self.split(x)
        return jnp.where(variance > 0.0, -0.5 * LOG_2PI, -jnp.inf)


class NormalInverseWishart(ExponentialFamily):
    r"""$\Sigma \sim \mathrm{IW}(\nu, \Psi)$ and $\mu \mid \Sigma \sim \mathcal{N}(m, \Sigma/\kappa)$.

    `loc` is m, `count` is κ, `df` is $\nu > d - 1$, `scatter` is $\Psi$, a scatter matrix. The event is the vector
    $(\mu, \operatorname{vech}\Sigma)$ of length $d + d(d+1)/2$; `split` and `join` go between it and the pair. Natural
    form: $T = (\log|\Sigma|, \operatorname{vech}\Sigma^{-1}, \Sigma^{-1}\mu, \mu^\top\Sigma^{-1}\mu)$, $\eta = (-(\nu
    + d + 2)/2, -\tfrac12(\Psi + \kappa m m^\top)$ with off-diagonals twice$, \kappa m, -\kappa/2)$ (Murphy 2007,
    section 9).

    >>> prior = NormalInverseWishart([0.0, 1.0], 1.0, 5.0, [[2.0, 0.0], [0.0, 4.0]])
    >>> prior.mean.tolist()
    [0.0, 1.0, 1.0, 0.0, 2.0]
    """

    loc: Float[Array, "*batch d"] = parameter(Real(), event_ndim=1)
    count: Float[Array, "*batch"] = parameter(Positive())
    df: Float[Array, "*batch"] = parameter(Positive())
    scatter: Float[Array, "*batch d d"] = parameter(PositiveDefinite(), event_ndim=2)

    event_ndim: ClassVar[int] = 1

    def __check_init__(self) -> None:
        require_square("NormalInverseWishart", self.dimension, "scatter", self.scatter)
        require_enough_df("NormalInverseWishart", self.df, self.dimension)

    @property
    def dimension(self) -> int:
        """The length d of the mean."""
        return int(self.loc.shape[-1])

    @property
    def event_shape(self) -> tuple[int, ...]:
        d = self.dimension
        return (d + d * (d + 1) // 2,)

    def split(self, x: ArrayLike) -> tuple[Array, Array]:
        """The mean μ and the covariance Σ of an event."""
        x = jnp.asarray(x, dtype=jnp.float64)
        return x[..., : self.dimension], unvech(x[..., self.dimension :])

    @staticmethod
    def join(mean: ArrayLike, covariance: ArrayLike) -> Array:
        """The event (μ, vech Σ) of a pair; inverse of `split`."""
        half = vech(jnp.asarray(covariance, dtype=jnp.float64))
        mean = jnp.asarray(mean, dtype=jnp.float64)
        return jnp.concatenate([jnp.broadcast_to(mean, half.shape[:-1] + mean.shape[-1:]), half], axis=-1)

    def marginal_mean(self) -> MultivariateStudentT:
        """The belief about μ alone: Student with ν − d + 1 degrees of freedom."""
        df = self.df - self.dimension + 1.0
        return MultivariateStudentT(df, self.loc, self.scatter / (self.count * df)[..., None, None])

    def marginal_covariance(self) -> InverseWishart:
        """The belief about Σ alone."""
        return InverseWishart(self.df, self.scatter)

    @property
    def mean(self) -> Array:
        return self.join(self.marginal_mean().mean, self.marginal_covariance().mean)

    @property
    def variance(self) -> Array:
        return self.join(self.marginal_mean().variance, self.marginal_covariance().variance)

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        mu, covariance = self.split(x)
        factor, inside = support_factor(covariance)
        square = jnp.sum(half_solve(factor, mu - self.loc) ** 2, axis=-1)
        normal = -0.5 * (self.count * square + self.dimension * (LOG_2PI - jnp.log(self.count))) - half_log_det(factor)
        inside_covariance = jnp.where(inside[..., None, None], covariance, jnp.eye(self.dimension))
        log_density = normal + self.marginal_covariance().log_prob(inside_covariance)
        return nan_through(x, jnp.where(inside, log_density, -jnp.inf), event_ndim=1)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        normal_key, matrix_key = jax.random.split(key)
        covariance = self.marginal_covariance().draw(matrix_key, shape)
        z = jax.random.normal(normal_key, shape + self.loc.shape, dtype=jnp.float64)
        half = matvec(lower_factor(covariance), z)
        return self.join(self.loc + half / jnp.sqrt(self.count)[..., None], covariance)

    @property
    def log_normalizer(self) -> Array:
        """A(η) from the parameters themselves, which loses nothing when the mean is far from zero."""
        d, half = self.dimension, half_log_det(lower_factor(self.scatter))
        return log_wishart_normalizer(self.df, d) - self.df * half - 0.5 * d * jnp.log(self.count)

    @property
    def natural(self) -> Array:
        about_zero = self.scatter + self.count[..., None, None] * outer(self.loc)
        first = -0.5 * (self.df + self.dimension + 2.0)
        parts = [
            first[..., None],
            -0.5 * vech_dual(about_zero),
            self.count[..., None] * self.loc,
            -0.5 * self.count[..., None],
        ]
        return jnp.concatenate(parts, axis=-1)

    def _from_natural(self, natural: Array) -> tuple[Array, Array, Array, Array]:
        d = self.dimension
        count = -2.0 * natural[..., -1]
        loc = natural[..., -d - 1 : -1] / count[..., None]
        scatter = -2.0 * unvech_dual(natural[..., 1 : -d - 1]) - count[..., None, None] * outer(loc)
        return loc, count, -2.0 * natural[..., 0] - d - 2.0, scatter

    def with_natural(self, natural: Array) -> "NormalInverseWishart":
        return NormalInverseWishart(*self._from_natural(natural))

    def statistics(self, x: ArrayLike) -> Array:
        mu, covariance = self.split(x)
        factor, _ = support_factor(covariance)
        precision = spd_inverse(factor @ transpose(factor))
        shift = matvec(precision, mu)
        square = jnp.sum(mu * shift, axis=-1)
        return jnp.concatenate(
            [2.0 * half_log_det(factor)[..., None], vech(precision), shift, square[..., None]], axis=-1
        )

    def log_partition(self, natural: Array) -> Array:
        _, count, df, scatter = self._from_natural(natural)
        inside = count > 0.0
        of_mean = -0.5 * self.dimension * jnp.log(jnp.where(inside, count, 1.0))
        return jnp.where(inside, matrix_log_partition(df, scatter) + of_mean, jnp.inf)

    def log_base(self, x: ArrayLike) -> Array:
        _, inside = support_factor(self.split(x)[1])
        return jnp.where(inside, -0.5 * self.dimension * LOG_2PI, -jnp.inf)
