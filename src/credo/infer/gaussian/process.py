"""A Gaussian process with its noise: everything that is believed before the data."""

from abc import abstractmethod

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.log_normal import LogNormal
from credo.infer.gaussian.means import Mean, ZeroMean
from credo.kernels import Kernel
from credo.kernels.columns import rows_named
from credo.numerics.constraints import Positive
from credo.numerics.parameters import Parameterized, log_prior, parameter

__all__ = ["ConstantNoise", "NoNoise", "Noise", "OutputNoise", "Process", "integrate_mean", "log_belief"]

_NOISE = LogNormal(jnp.asarray(-3.0), jnp.asarray(2.5))
_LARGEST_SIGNAL_TO_NOISE = 1e6  # as variances; beyond it a matrix in double precision says little
_STEEPNESS = 30


class Noise(Parameterized):
    """The variance of a measurement around the function."""

    @abstractmethod
    def variance(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        """At each row of X."""


class ConstantNoise(Noise):
    """The same variance everywhere."""

    level: Float[Array, ""] = parameter(Positive(prior=_NOISE), default=0.1)

    def variance(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.level, X.shape[:1])


class OutputNoise(Noise):
    """One variance for each output, whose number is in the last column of X."""

    levels: Float[Array, " p"] = parameter(Positive(prior=_NOISE), event_ndim=1)

    def variance(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return rows_named(self.levels[:, None], X[:, -1:])[:, 0]


class NoNoise(Noise):
    """None: measurements are the function, or their noise is known and comes with the rows."""

    def variance(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.zeros(X.shape[0])


class Process(Parameterized):
    r"""$y = f(x) + \varepsilon$, $f \sim \mathcal{GP}(m, k)$, $\varepsilon \sim \mathcal N(0, \sigma^2(x))$."""

    kernel: Kernel
    mean: Mean
    noise: Noise


def integrate_mean(process: Process) -> Process:
    r"""The same process with the coefficients of its mean integrated out, where it is linear in them.

    With $m(x) = \phi(x)^\top\beta$ and $\beta \sim \mathcal N(0, B)$ the function is a process of mean zero and
    covariance $k(x, x') + \phi(x)^\top B\,\phi(x')$ (Rasmussen and Williams 2006, eq. 2.40): predictions are those of
    generalized least squares with a weak prior, and intervals widen where the trend is extrapolated. A mean that is
    held, not linear in its parameters, or under another prior stays as it is.
    """
    trend = process.mean.covariance()
    return process if trend is None else Process(process.kernel + trend, ZeroMean(), process.noise)


def log_belief(process: Process, X: Float[Array, "n d"], present: Array) -> Float[Array, ""]:
    r"""The log prior density of the parameters, and a wall against extreme signal-to-noise.

    The wall is $-(\log \mathrm{snr}/\log 10^6)^{30}$ with snr the mean signal variance over the mean noise variance: of
    no account up to about 10⁵, prohibitive beyond 10⁶, where the covariance matrix is singular in double precision
    and the evidence is round-off (Deisenroth and Rasmussen's advice for learning dynamics, as a prior).
    """
    total = jnp.maximum(jnp.sum(present), 1.0)
    signal = jnp.sum(jnp.where(present, process.kernel.diagonal(X), 0.0)) / total
    noise = jnp.sum(jnp.where(present, process.noise.variance(X), 0.0)) / total
    noisy = noise > 0.0
    ratio = jnp.log(jnp.where(noisy, signal / jnp.where(noisy, noise, 1.0), 1.0)) / jnp.log(_LARGEST_SIGNAL_TO_NOISE)
    return log_prior(process) - jnp.maximum(ratio, 0.0) ** _STEEPNESS
