r"""How much better than the best the next measurement may be: expected improvement, its probability, confidence bounds.

All are to be maximized, for an objective of which less is better. Of several beliefs the gain is averaged, not its
logarithm: $\log\frac1s\sum_s \mathrm{EI}_s$.
"""

from abc import abstractmethod

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import logsumexp
from jaxtyping import ArrayLike, Float
from scipy.special import erfcx, ndtr

from credo.decide.acquisitions.surface import Surface
from credo.errors import InputError
from credo.numerics import log_expected_excess, log_ndtr

__all__ = [
    "Acquisition",
    "ConfidenceBound",
    "LogExpectedImprovement",
    "LogProbabilityOfImprovement",
    "growing_width",
    "improvement_slopes",
    "log_expected_improvement",
    "log_probability_of_improvement",
]

_ROOT_2, _ROOT_2_PI, _ROOT_HALF_PI = (float(np.sqrt(factor)) for factor in (2.0, 2.0 * np.pi, 0.5 * np.pi))
_FAR = -100.0  # of a standardized gain, from where on three terms of its series have all digits


def log_expected_improvement(mean: ArrayLike, std: ArrayLike, best: ArrayLike) -> Array:
    r"""$\log\mathbb E\,(y^* - f)_+ = \log\sigma + \log h\!\left(\frac{y^* - \mu}{\sigma}\right)$, $h(z) = \varphi(z) +
    z\,\Phi(z)$.

    For $f \sim \mathcal N(\mu, \sigma^2)$ and the best value $y^*$ so far. In logarithms it has a slope where the gain
    itself is zero to the last digit (Ament et al. 2023, eq. 9).

    >>> f"{log_expected_improvement(mean=5.0, std=0.1, best=0.0):.2f}"
    '-1261.05'
    """
    std = jnp.asarray(std)
    return jnp.log(std) + log_expected_excess((jnp.asarray(best) - jnp.asarray(mean)) / std)


def log_probability_of_improvement(mean: ArrayLike, std: ArrayLike, best: ArrayLike, slack: ArrayLike = 0.0) -> Array:
    r"""$\log\Phi\!\left(\frac{y^* - \xi - \mu}{\sigma}\right)$: of being better than the best by at least the slack ξ.

    >>> f"{log_probability_of_improvement(mean=1.0, std=1.0, best=1.0):.4f}"
    '-0.6931'
    """
    return log_ndtr((jnp.asarray(best) - jnp.asarray(slack) - jnp.asarray(mean)) / jnp.asarray(std))


def improvement_slopes(
    mean: Float[np.ndarray, " m"], std: Float[np.ndarray, " m"], best: float
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    r"""`log_expected_improvement` by NumPy, and its derivatives by mean and standard deviation.

    They are $-\Phi(z)/(\sigma h(z))$ and $\varphi(z)/(\sigma h(z))$. Below $z = -1$ the ratio $m = \Phi/\varphi$ is
    that of the scaled complementary error function, and $h = \varphi\,(1 + z\,m)$, far below by its series.

    >>> value, by_mean, by_std = improvement_slopes(np.array([5.0]), np.array([0.1]), 0.0)
    >>> f"{value[0]:.2f} {by_mean[0]:.1f} {by_std[0]:.0f}"
    '-1261.05 -500.4 25030'
    """
    z = (best - mean) / std
    near = np.maximum(z, -1.0)
    density, below = np.exp(-0.5 * near**2) / _ROOT_2_PI, ndtr(near)
    h = density + near * below
    value, by_mean, by_std = np.log(h), below / h, density / h
    low = z < -1.0
    if np.any(low):
        t, far = z[low], z[low] < _FAR
        close = np.maximum(t, _FAR)
        ratio = _ROOT_HALF_PI * erfcx(-close / _ROOT_2)
        left = np.where(far, (1.0 - 3.0 / t**2 + 15.0 / t**4) / t**2, 1.0 + close * ratio)
        ratio = np.where(far, (1.0 - left) / -t, ratio)
        value[low] = np.log(left) - 0.5 * t**2 - np.log(_ROOT_2_PI)
        by_mean[low], by_std[low] = ratio / left, 1.0 / left
    return np.log(std) + value, -by_mean / std, by_std / std


def growing_width(step: int, dimension: int, failure: float = 0.1) -> float:
    r"""$\sqrt{\beta_t}$ with $\beta_t = 2\log\left(t^{d/2+2}\pi^2/(3\delta)\right)$, the schedule of Brochu et al.
    (2010).

    The bounds then hold at every step with probability $1 - \delta$, and the regret is sublinear (Srinivas et al. 2010,
    theorems 1 and 2, in whose form constants of the kernel appear as well).

    >>> f"{growing_width(1, 2):.2f} {growing_width(100, 2):.2f}"
    '2.64 5.88'
    """
    if step < 1 or dimension < 1 or not 0.0 < failure < 1.0:
        raise InputError(
            "growing_width",
            f"step {step}, dimension {dimension}, failure {failure}",
            "Steps and dimensions count from one, a failure is a probability",
            "Try growing_width(1, 2)",
        )
    return float(np.sqrt(2.0 * ((dimension / 2.0 + 2.0) * np.log(step) + np.log(np.pi**2 / (3.0 * failure)))))


class Acquisition(eqx.Module):
    """What is gained by measuring at encoded rows, one number a row, to be maximized."""

    @abstractmethod
    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        """At each row."""


def averaged(logarithms: Float[Array, "m s"]) -> Float[Array, " m"]:
    """The logarithm of the mean over the beliefs."""
    return logsumexp(logarithms, axis=1) - np.log(logarithms.shape[1])


class LogExpectedImprovement(Acquisition):
    """The logarithm of the expected improvement on `best`, which may differ from belief to belief."""

    surface: Surface
    best: Float[Array, " s"]

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        mean, variance = self.surface.moments(X)
        return averaged(log_expected_improvement(mean, jnp.sqrt(variance), self.best))


class LogProbabilityOfImprovement(Acquisition):
    """The logarithm of the probability of improving on `best` by the slack."""

    surface: Surface
    best: Float[Array, " s"]
    slack: Float[Array, ""]

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        mean, variance = self.surface.moments(X)
        return averaged(log_probability_of_improvement(mean, jnp.sqrt(variance), self.best, self.slack))


class ConfidenceBound(Acquisition):
    r"""$-(\mu - w\,\sigma)$, the lower bound turned upside down; of several beliefs that of their mixture's moments."""

    surface: Surface
    width: Float[Array, ""]

    def __call__(self, X: Float[Array, "m d"]) -> Float[Array, " m"]:
        mean, variance = self.surface.moments(X)
        middle = jnp.mean(mean, axis=1)
        spread = jnp.sqrt(jnp.mean(variance, axis=1) + jnp.var(mean, axis=1))
        return self.width * spread - middle
