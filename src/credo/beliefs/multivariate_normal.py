"""The normal distribution of a vector, and the one conditioning routine of Gaussian models."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.matrices import (
    condition_on_entries,
    finite_array,
    half_log_det,
    half_solve,
    lower_factor,
    matvec,
    require_positive_definite,
    require_square,
    spd_inverse,
    spd_solve,
    spd_solve_factored,
    split_indices,
    support_factor,
    transpose,
    unvech,
    unvech_dual,
    vech,
    vech_dual,
)
from credo.beliefs.normal import Normal
from credo.numerics.batched_lapack import solve_lower
from credo.numerics.constraints import PositiveDefinite, Real
from credo.numerics.lapack import symmetric_part
from credo.numerics.parameters import parameter
from credo.numerics.scalar import LOG_2PI

__all__ = ["Conditioned", "MultivariateNormal"]


class Conditioned(NamedTuple):
    """A posterior (or product), and the logarithm of its normalizer: the density of what was observed."""

    posterior: "MultivariateNormal"
    log_evidence: Array


class MultivariateNormal(ExponentialFamily):
    r"""$\mathcal{N}(\mu, \Sigma)$ over vectors of length d, with `loc` μ and positive definite `covariance` Σ.

    The moment form is kept: marginals, affine images and conditioning need no factor of $\Sigma$. `log_prob` and
    `draw` factor it once a call, $O(d^3)$. `from_information` takes the precision $\Lambda = \Sigma^{-1}$ and the
    shift $h = \Lambda\mu$.

    Natural form, minimal: $T(x) = (x, \operatorname{vech} xx^\top)$ with each product $x_i x_j$ once, so that
    $\eta = (h, -\tfrac12\Lambda_{ii}, -\Lambda_{ij}$ for $i > j)$ (Bishop 2006, section 2.3).

    >>> prior = MultivariateNormal([0.0, 0.0], [[1.0, 0.5], [0.5, 1.0]])
    >>> prior.condition([1], [2.0]).mean.tolist()
    [1.0]
    """

    loc: Float[Array, "*batch d"] = parameter(Real(), event_ndim=1)
    covariance: Float[Array, "*batch d d"] = parameter(PositiveDefinite(), event_ndim=2)

    event_ndim: ClassVar[int] = 1

    def __check_init__(self) -> None:
        require_square("MultivariateNormal", self.loc.shape[-1], "covariance", self.covariance)

    @classmethod
    def from_information(cls, precision: Any, shift: Any) -> "MultivariateNormal":
        """The normal with density ∝ exp(−½ xᵀΛx + hᵀx): precision Λ, positive definite, and shift h = Λμ."""
        shift = finite_array("MultivariateNormal", "shift", shift)
        precision = finite_array("MultivariateNormal", "precision", precision, 2 * shift.shape[-1:])
        require_positive_definite("MultivariateNormal", "precision", precision)
        return cls(spd_solve(precision, shift), spd_inverse(precision))

    @property
    def event_shape(self) -> tuple[int, ...]:
        return (self.loc.shape[-1],)

    @property
    def mean(self) -> Array:
        return self.loc

    @property
    def variance(self) -> Array:
        return jnp.diagonal(self.covariance, axis1=-2, axis2=-1)

    @property
    def precision(self) -> Array:
        """Λ = Σ⁻¹."""
        return spd_inverse(self.covariance)

    @property
    def shift(self) -> Array:
        """h = Σ⁻¹μ."""
        return spd_solve(self.covariance, self.loc)

    def log_prob(self, x: ArrayLike) -> Array:
        lower = lower_factor(self.covariance)
        return normal_log_density(lower, jnp.asarray(x) - self.loc)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        z = jax.random.normal(key, shape + self.loc.shape, dtype=jnp.float64)
        return self.loc + matvec(lower_factor(self.covariance), z)

    def entropy(self) -> Array:
        """½ log |2πe Σ|, in nats."""
        return 0.5 * self.event_shape[0] * (1.0 + LOG_2PI) + half_log_det(lower_factor(self.covariance))

    def marginal(self, indices: Sequence[int] | np.ndarray) -> "MultivariateNormal":
        """The belief about some entries, in the order given; its budget follows."""
        kept, _ = split_indices("MultivariateNormal", indices, self.event_shape[0])
        budget = self.budget.of_entries(kept, self.loc.shape)
        return MultivariateNormal(self.loc[..., kept], self.covariance[..., kept[:, None], kept], budget=budget)

    def marginals(self) -> Normal:
        """The entries one by one: a Normal of batch shape ``batch_shape + (d,)``, which has quantiles and intervals."""
        return Normal(self.loc, jnp.sqrt(self.variance), budget=self.budget)

    def condition(self, indices: Sequence[int] | np.ndarray, values: Any) -> "MultivariateNormal":
        r"""The belief about the other entries, in their order, once those at `indices` are known to be `values`.

        $\mu_a + \Sigma_{ab}\Sigma_{bb}^{-1}(x_b - \mu_b)$ and the Schur complement $\Sigma_{aa} -
        \Sigma_{ab}\Sigma_{bb}^{-1}\Sigma_{ba}$ (Bishop 2006, eqs. 2.81, 2.82).
        """
        loc, covariance, _ = condition_on_entries("MultivariateNormal", self.loc, self.covariance, indices, values)
        return MultivariateNormal(loc, covariance)

    def condition_linear(self, A: Any, noise_covariance: Any, y: Any, b: Any = 0.0) -> Conditioned:
        r"""Posterior of x and log density of y for $y = A x + b + \varepsilon$, $\varepsilon \sim \mathcal{N}(0, R)$.

        $K = \Sigma A^\top S^{-1}$ with $S = A \Sigma A^\top + R$; mean $\mu + K(y - A\mu - b)$; covariance in Joseph's
        form $(I - KA)\Sigma(I - KA)^\top + K R K^\top$, which stays positive semi-definite in floating point (Bishop
        2006, eqs. 2.113 to 2.117). The evidence is $\mathcal{N}(y; A\mu + b, S)$. $O(m^3 + m d^2)$ for m observations.
        """
        who, d = "MultivariateNormal.condition_linear", self.event_shape[0]
        y = finite_array(who, "y", y)
        m = y.shape[-1] if y.ndim else 1
        A = finite_array(who, "A", A, (m, d))
        noise = finite_array(who, "noise_covariance", noise_covariance, (m, m))
        image = self.covariance @ transpose(A)
        lower = lower_factor(symmetric_part(A @ image + noise))
        residual = y - matvec(A, self.loc) - finite_array(who, "b", b)
        gain = transpose(spd_solve_factored(lower, transpose(image)))
        keep = jnp.eye(d) - gain @ A
        covariance = symmetric_part(keep @ self.covariance @ transpose(keep) + gain @ noise @ transpose(gain))
        posterior = MultivariateNormal(self.loc + matvec(gain, residual), covariance)
        return Conditioned(posterior, normal_log_density(lower, residual))

    def affine(self, A: Any, b: Any = 0.0) -> "MultivariateNormal":
        """The belief about A x + b, for A of full row rank."""
        A = finite_array("MultivariateNormal.affine", "A", A)
        b = finite_array("MultivariateNormal.affine", "b", b)
        return MultivariateNormal(matvec(A, self.loc) + b, symmetric_part(A @ self.covariance @ transpose(A)))

    def product(self, other: "MultivariateNormal") -> Conditioned:
        r"""$p(x)\,q(x) = Z\,\mathcal{N}(x; \cdot)$: the normal, and log Z.

        $Z = \mathcal{N}(\mu_p; \mu_q, \Sigma_p + \Sigma_q)$. It is conditioning on an observation $\mu_q$ of x itself
        with noise $\Sigma_q$.
        """
        return self.condition_linear(jnp.eye(self.event_shape[0]), other.covariance, other.loc)

    def kl(self, other: "MultivariateNormal") -> Array:
        r"""KL(self ‖ other) = ½ Σᵢ (mᵢᵢ² − 1 − log mᵢᵢ²) + ½ Σ_{i>j} mᵢⱼ² + ½ |L'⁻¹(μ − μ')|², M = L'⁻¹L.

        Both factors are triangular, so each term is non-negative and nothing cancels, however close the beliefs are.
        """
        mine, theirs = jnp.broadcast_arrays(lower_factor(self.covariance), lower_factor(other.covariance))
        ratio = solve_lower(theirs, mine)
        excess = jnp.diagonal(ratio, axis1=-2, axis2=-1) ** 2 - 1.0
        below = jnp.sum(jnp.tril(ratio, -1) ** 2, axis=(-1, -2))
        shift = jnp.sum(half_solve(theirs, self.loc - other.loc) ** 2, axis=-1)
        return 0.5 * (jnp.sum(excess - jnp.log1p(excess), axis=-1) + below + shift)

    @property
    def natural(self) -> Array:
        return jnp.concatenate([self.shift, -0.5 * vech_dual(self.precision)], axis=-1)

    def with_natural(self, natural: Array) -> "MultivariateNormal":
        d = self.event_shape[0]
        return MultivariateNormal.from_information(-2.0 * unvech_dual(natural[..., d:]), natural[..., :d])

    def statistics(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        return jnp.concatenate([x, vech(x[..., :, None] * x[..., None, :])], axis=-1)

    def log_partition(self, natural: Array) -> Array:
        d = self.event_shape[0]
        lower, inside = support_factor(-2.0 * unvech_dual(natural[..., d:]))
        square = jnp.sum(half_solve(lower, natural[..., :d]) ** 2, axis=-1)
        return jnp.where(inside, 0.5 * square - half_log_det(lower), jnp.inf)

    def log_base(self, x: ArrayLike) -> Array:
        return jnp.full(jnp.shape(x)[:-1], -0.5 * self.event_shape[0] * LOG_2PI)

    def maximum_likelihood(self, mean_statistics: Array) -> "MultivariateNormal":
        d = self.event_shape[0]
        first, second = mean_statistics[..., :d], unvech(mean_statistics[..., d:])
        return MultivariateNormal(first, second - first[..., :, None] * first[..., None, :])


def normal_log_density(lower: Float[Array, "*batch d d"], residual: Float[Array, "*rows d"]) -> Array:
    """log N(residual; 0, L Lᵀ)."""
    square = jnp.sum(half_solve(lower, residual) ** 2, axis=-1)
    return -0.5 * square - half_log_det(lower) - 0.5 * residual.shape[-1] * LOG_2PI
