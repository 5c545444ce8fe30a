"""The Dirichlet distribution of a vector of probabilities."""

from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.log_gamma import log_multivariate_beta
from credo.beliefs.matrices import nan_through, require
from credo.numerics.constraints import Positive
from credo.numerics.parameters import parameter
from credo.numerics.scalar import safe_log, xlogy

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    r"""$p(x) = \frac{1}{B(\alpha)} \prod_i x_i^{\alpha_i - 1}$ on the simplex, with `concentration` $\alpha$.

    There are two entries or more. The density is with respect to the first k − 1 entries. Natural form: $T(x) = \log
    x$, $\eta = \alpha - 1$, $A = \log B(\alpha)$ (Bishop 2006, eq. 2.38).

    >>> Dirichlet([1.0, 2.0, 1.0]).mean.tolist()
    [0.25, 0.5, 0.25]
    """

    concentration: Float[Array, "*batch k"] = parameter(Positive(), event_ndim=1)

    event_ndim: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        k = self.concentration.shape[-1]
        require(
            k > 1, "Dirichlet", f"concentration has length {k}", "One class has nothing to share", "Pass two or more"
        )

    @property
    def event_shape(self) -> tuple[int, ...]:
        return (self.concentration.shape[-1],)

    @property
    def total(self) -> Array:
        """Σ αᵢ, the number of pseudo-observations."""
        return jnp.sum(self.concentration, axis=-1)

    @property
    def mean(self) -> Array:
        return self.concentration / self.total[..., None]

    @property
    def variance(self) -> Array:
        return self.mean * (1.0 - self.mean) / (self.total[..., None] + 1.0)

    @property
    def covariance(self) -> Array:
        """(diag m − m mᵀ) / (Σα + 1) with m the mean; singular, since the entries sum to one."""
        m = self.mean
        return (m[..., :, None] * (jnp.eye(m.shape[-1]) - m[..., None, :])) / (self.total[..., None, None] + 1.0)

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        inside = self.log_base(x) > -jnp.inf
        inner = jnp.sum(xlogy(self.concentration - 1.0, jnp.where(inside[..., None], x, 0.5)), axis=-1)
        log_density = jnp.where(inside, inner - log_multivariate_beta(self.concentration), -jnp.inf)
        return nan_through(x, log_density, event_ndim=1)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.dirichlet(key, self.concentration, shape + self.batch_shape, dtype=jnp.float64)

    @property
    def natural(self) -> Array:
        return self.concentration - 1.0

    def with_natural(self, natural: Array) -> "Dirichlet":
        return Dirichlet(natural + 1.0)

    def statistics(self, x: ArrayLike) -> Array:
        return safe_log(x)

    def log_partition(self, natural: Array) -> Array:
        concentration = natural + 1.0
        inside = jnp.all(concentration > 0.0, axis=-1)  # log |Γ| is finite outside too
        return jnp.where(inside, log_multivariate_beta(jnp.where(inside[..., None], concentration, 1.0)), jnp.inf)

    def log_base(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        inside = jnp.all(x >= 0.0, axis=-1) & (jnp.abs(jnp.sum(x, axis=-1) - 1.0) < 1e-8)
        return jnp.where(inside, 0.0, -jnp.inf)
