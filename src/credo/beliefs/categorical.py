"""One of k classes, and how often each of them comes up."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.special import gammaln, logsumexp
from jaxtyping import ArrayLike, Float

from credo.beliefs.codes import Codes
from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.matrices import finite_array, nan_through
from credo.numerics.constraints import Simplex, Whole
from credo.numerics.parameters import parameter
from credo.numerics.scalar import safe_log, xlogy

__all__ = ["Categorical", "Multinomial"]


class Categorical(Codes):
    r"""One of the classes $0, \dots, k - 1$, class i with probability $p_i$.

    Draws and the argument of `log_prob` are class codes, of event shape (). `mean` and `variance` are those of the
    one-hot vector, of shape ``batch_shape + (k,)``: codes are names, so cdf, quantile and interval are undefined.
    Natural form: the first k − 1 entries of the one-hot vector, with $\eta_i = \log p_i/p_k$ (finite only where no
    probability is zero).

    >>> Categorical([0.2, 0.8]).log_prob(1).item() == jnp.log(0.8).item()
    True
    """

    probabilities: Float[Array, "*batch k"] = parameter(Simplex(), event_ndim=1)

    @classmethod
    def from_logits(cls, logits: Any) -> "Categorical":
        """Probabilities proportional to exp(logits) along the last axis."""
        return cls(jax.nn.softmax(finite_array("Categorical", "logits", logits), axis=-1))

    @property
    def log_probabilities(self) -> Array:
        return safe_log(self.probabilities)

    def entropy(self) -> Array:
        """−Σ p log p, in nats."""
        return -jnp.sum(xlogy(self.probabilities, self.probabilities), axis=-1)

    def kl(self, other: "Categorical") -> Array:
        """Σ p log(p / q): zero terms where p is zero, infinite where only q is."""
        p, q = jnp.broadcast_arrays(self.probabilities, other.probabilities)
        terms = jnp.where(p > 0.0, p * (safe_log(p) - safe_log(q)), 0.0)
        return jnp.sum(terms, axis=-1)

    @property
    def natural(self) -> Array:
        return log_ratios(self.probabilities)

    def with_natural(self, natural: Array) -> "Categorical":
        return Categorical(jax.nn.softmax(_with_zero(natural), axis=-1))

    def statistics(self, x: ArrayLike) -> Array:
        return jax.nn.one_hot(jnp.asarray(x), self.probabilities.shape[-1], dtype=jnp.float64)[..., :-1]

    def log_partition(self, natural: Array) -> Array:
        return logsumexp(_with_zero(natural), axis=-1)

    def maximum_likelihood(self, mean_statistics: Array) -> "Categorical":
        return Categorical(_with_rest(mean_statistics))


class Multinomial(ExponentialFamily):
    r"""How often each of k classes comes up in `trials` independent draws.

    $p(x) = \frac{n!}{\prod x_i!} \prod p_i^{x_i}$, of event shape (k,). Natural form: the first k − 1 counts, with
    $\eta_i = \log p_i/p_k$; the number of trials is kept (Bishop 2006, eq. 2.34).

    >>> Multinomial(10, [0.2, 0.3, 0.5]).mean.tolist()
    [2.0, 3.0, 5.0]
    """

    trials: Float[Array, "*batch"] = parameter(Whole())
    probabilities: Float[Array, "*batch k"] = parameter(Simplex(), event_ndim=1)

    event_ndim: ClassVar[int] = 1
    is_discrete: ClassVar[bool] = True

    @property
    def event_shape(self) -> tuple[int, ...]:
        return (self.probabilities.shape[-1],)

    @property
    def mean(self) -> Array:
        return self.trials[..., None] * self.probabilities

    @property
    def variance(self) -> Array:
        return self.trials[..., None] * self.probabilities * (1.0 - self.probabilities)

    @property
    def covariance(self) -> Array:
        """n (diag p − p pᵀ); singular, since the counts sum to n."""
        p = self.probabilities
        return self.trials[..., None, None] * p[..., :, None] * (jnp.eye(p.shape[-1]) - p[..., None, :])

    def log_prob(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        base = self.log_base(x)
        inside = base > -jnp.inf
        inner = jnp.sum(xlogy(jnp.where(inside[..., None], x, 0.0), self.probabilities), axis=-1)
        return nan_through(x, jnp.where(inside, base + inner, -jnp.inf), event_ndim=1)

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        whole = shape + self.probabilities.shape
        return jax.random.multinomial(key, self.trials, self.probabilities, shape=whole, dtype=jnp.float64)

    @property
    def natural(self) -> Array:
        return log_ratios(self.probabilities)

    def with_natural(self, natural: Array) -> "Multinomial":
        return Multinomial(self.trials, jax.nn.softmax(_with_zero(natural), axis=-1))

    def statistics(self, x: ArrayLike) -> Array:
        return jnp.asarray(x, dtype=jnp.float64)[..., :-1]

    def log_partition(self, natural: Array) -> Array:
        return self.trials * logsumexp(_with_zero(natural), axis=-1)

    def log_base(self, x: ArrayLike) -> Array:
        x = jnp.asarray(x, dtype=jnp.float64)
        inside = jnp.all((x >= 0.0) & (x == jnp.floor(x)), axis=-1) & (jnp.sum(x, axis=-1) == self.trials)
        coefficient = gammaln(self.trials + 1.0) - jnp.sum(gammaln(jnp.where(inside[..., None], x, 0.0) + 1.0), axis=-1)
        return jnp.where(inside, coefficient, -jnp.inf)

    def maximum_likelihood(self, mean_statistics: Array) -> "Multinomial":
        return Multinomial(self.trials, _with_rest(mean_statistics / self.trials[..., None]))


def log_ratios(probabilities: Float[Array, "*batch k"]) -> Float[Array, "*batch k-1"]:
    """log pᵢ/p_k of the first k − 1 classes."""
    log_p = safe_log(probabilities)
    return log_p[..., :-1] - log_p[..., -1:]


def _with_zero(natural: Array) -> Array:
    return jnp.concatenate([natural, jnp.zeros((*natural.shape[:-1], 1))], axis=-1)


def _with_rest(first: Array) -> Array:
    return jnp.concatenate([first, 1.0 - jnp.sum(first, axis=-1, keepdims=True)], axis=-1)
