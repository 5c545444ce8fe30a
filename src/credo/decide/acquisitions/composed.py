"""Acquisitions made of others: times the probability that a row is feasible, per cost, and a drawn function's own."""

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from credo.decide.acquisitions.improvement import Acquisition, averaged
from credo.decide.acquisitions.surface import Surface
from credo.infer.gaussian.paths import Paths
from credo.numerics import log_ndtr
from credo.numerics.concrete import placed
from credo.represent.space.planes import Elimination

__all__ = ["Feasible", "Likely", "OnPlanes", "PerCost", "Priced", "ThompsonSample"]

_LIKELY = 0.5  # the least probability of being feasible
_STEEP = 1e3  # of an acquisition, for each nat of probability that is missing


class Feasible(Acquisition):
    r"""$\log\alpha(x) + \sum_j\log P(c_j(x) \le b_j)$: a gain counts only where all outcomes meet their bounds.

    The constraints are taken to be independent given the data, each a surface with its bound in its units
    (Gardner et al. 2014). Without an acquisition, where nothing feasible is known, the probability alone.
    """

    gain: Acquisition | None
    outcomes: tuple[Surface, ...]
    bounds: Float[Array, " j"]

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        total = jnp.zeros(X.shape[0]) if self.gain is None else self.gain(X)
        return total + self.log_probability(X)

    def log_probability(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        """Of meeting all bounds."""
        total = jnp.zeros(X.shape[0])
        for outcome, bound in zip(self.outcomes, self.bounds, strict=True):
            mean, variance = outcome.moments(X)
            total = total + averaged(log_ndtr((bound - mean) / jnp.sqrt(variance)))
        return total


class Likely(Acquisition):
    r"""What is no logarithm of a gain, where all outcomes meet their bounds with probability a half or more.

    $a(x) - 10^3\,(\log\tfrac12 - \log P(x))_+$: further out the probability alone counts, so that there is a way back.
    """

    value: Acquisition
    feasible: Feasible

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        missing = jnp.log(_LIKELY) - self.feasible.log_probability(X)
        return self.value(X) - _STEEP * jnp.maximum(missing, 0.0)


class Priced(Acquisition):
    r"""An acquisition for each trial that it is expected to use up, where success is likely enough for the price.

    $a(x) - \log\left[P + (1 - P)\max(1, \kappa)\right] - 10^3\,(\log p^* - \log P)_+$ with the probability P that a
    trial at x succeeds, and a crash that costs κ trials. Successes are expected to make up for crashes where $P \ge
    \kappa\,(1 - P)$, from $p^* = \kappa/(1 + \kappa)$ on. Where no row reaches that the likeliest counts. An
    acquisition that is no logarithm of a gain cannot be divided by trials: of it only the requirement is left.
    """

    acquisition: Acquisition
    success: Feasible
    price: Float[Array, ""]
    of_logarithm: bool = eqx.field(static=True, default=True)

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        log_p = self.success.log_probability(X)
        crashes = -jnp.expm1(jnp.minimum(log_p, 0.0))
        missing = jnp.maximum(jnp.log(self.required) - log_p, 0.0)
        trials = 1.0 + crashes * jnp.maximum(self.price - 1.0, 0.0) if self.of_logarithm else 1.0
        return self.acquisition(X) - jnp.log(trials) - _STEEP * missing

    @property
    def required(self) -> Array:
        """The probability of success from which on successes are expected to make up for crashes."""
        return self.price / (1.0 + self.price)


class OnPlanes(Acquisition):
    """The same acquisition as a function of the columns that linear equations leave free."""

    acquisition: Acquisition
    pivots: Int[Array, " e"]
    constant: Float[Array, " e"]
    weights: Float[Array, "e d"]

    @classmethod
    def of(cls, acquisition: Acquisition, left: Elimination) -> "OnPlanes":
        """With what was eliminated filled in."""
        return cls(acquisition, *(placed(part) for part in left))

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        return self.acquisition(X.at[:, self.pivots].set(self.constant + X @ self.weights.T))


class PerCost(Acquisition):
    r"""$\log\alpha(x) - \log c(x)$: the gain for each unit of cost, whose logarithm a surface believes in."""

    gain: Acquisition
    log_cost: Surface

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        return self.gain(X) - jnp.mean(self.log_cost.moments(X)[0], axis=1)


class ThompsonSample(Acquisition):
    """One function drawn from the belief, turned upside down: where it is least is where to measure."""

    path: Paths
    shift: Float[Array, " d"]
    scale: Float[Array, " d"]

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        return -self.path((X - self.shift) / self.scale)[0]
