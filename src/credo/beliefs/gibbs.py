"""The Gibbs distribution over a finite set: cheap states are likely, the more so the colder it is."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import logsumexp
from jaxtyping import ArrayLike, Float

from credo.beliefs.codes import Codes
from credo.errors import InputError
from credo.numerics.constraints import Real
from credo.numerics.parameters import parameter

__all__ = ["Gibbs"]


class Gibbs(Codes):
    r"""$p_i = e^{-\beta c_i} / Z(\beta)$ over states $0, \dots, k - 1$ with `costs` c and `inverse_temperature` β.

    Of all distributions with the same mean cost it has the largest entropy (Jaynes 1957). At $\beta = 0$ it is
    uniform, as $\beta \to \infty$ it settles on the cheapest states; a negative $\beta$ prefers dear ones. $\log Z$
    generates the costs' moments: $-\partial_\beta \log Z$ is the mean cost, $\partial_\beta^2 \log Z$ its variance. An
    exponential family in $\beta$ with $T(i) = -c_i$.

    Draws are state codes; `mean` and `variance` are those of the one-hot vector, of shape ``batch_shape + (k,)``, as
    for Categorical.

    >>> Gibbs([0.0, 1.0], 0.0).probabilities.tolist()
    [0.5, 0.5]
    """

    costs: Float[Array, "*batch k"] = parameter(Real(), event_ndim=1)
    inverse_temperature: Float[Array, "*batch"] = parameter(Real(), default=1.0)

    @property
    def log_probabilities(self) -> Array:
        """−β c − log Z, of shape ``batch_shape + (k,)``."""
        return jax.nn.log_softmax(-self.inverse_temperature[..., None] * self.costs, axis=-1)

    @property  # type: ignore[misc]
    def probabilities(self) -> Array:  # type: ignore[override]
        """The probability of each state, of shape ``batch_shape + (k,)``."""
        return jnp.exp(self.log_probabilities)

    @property
    def log_normalizer(self) -> Array:
        """log Z(β) = log Σ exp(−β c)."""
        return self.log_partition(self.natural)

    @property
    def mean_cost(self) -> Array:
        """E c = −∂ log Z / ∂β."""
        return jnp.sum(self.probabilities * self.costs, axis=-1)

    @property
    def cost_variance(self) -> Array:
        """Var c = ∂² log Z / ∂β²."""
        return jnp.sum(self.probabilities * (self.costs - self.mean_cost[..., None]) ** 2, axis=-1)

    def entropy(self) -> Array:
        """log Z + β E c, in nats."""
        log_p = self.log_probabilities
        return -jnp.sum(jnp.where(log_p > -jnp.inf, jnp.exp(log_p) * log_p, 0.0), axis=-1)

    @property
    def free_energy(self) -> Array:
        """−log Z / β = E c − entropy / β: the least value of that expression over all distributions (for β > 0).

        Minus infinity at β = 0, where entropy is free; the cost itself when there is one state.
        """
        beta, k = self.inverse_temperature, self.costs.shape[-1]
        if k == 1:
            return self.costs[..., 0]
        return jnp.where(beta == 0, -jnp.inf, -self.log_normalizer / jnp.where(beta == 0, 1.0, beta))

    def kl(self, other: "Gibbs") -> Array:
        """Σ p (log p − log q), over the same states; their costs may differ."""
        if not isinstance(other, Gibbs) or other.costs.shape[-1] != self.costs.shape[-1]:
            raise InputError(
                "Gibbs", f"the divergence to {other} was asked", "It has other states", "Pass the same states"
            )
        return jnp.sum(self.probabilities * (self.log_probabilities - other.log_probabilities), axis=-1)

    @property
    def natural(self) -> Array:
        return self.inverse_temperature[..., None]

    def with_natural(self, natural: Array) -> "Gibbs":
        return Gibbs(self.costs, natural[..., 0])

    def statistics(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x)
        k = self.costs.shape[-1]
        one_hot = jax.nn.one_hot(x, k, dtype=jnp.float64)
        return -jnp.sum(one_hot * self.costs, axis=-1)[..., None]

    def log_partition(self, natural: Array) -> Array:
        return logsumexp(-natural * self.costs, axis=-1)
