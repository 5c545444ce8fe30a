"""The evidence of a Gaussian process, and what follows from one factor of its covariance."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float

from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.process import Process
from credo.kernels import Kernel
from credo.numerics.cholesky import Factor
from credo.numerics.gaussian import gaussian_log_density
from credo.numerics.scalar import LOG_2PI

__all__ = ["Evidence", "log_evidence", "measurement_variance", "padded_covariance", "repeats", "site_variances"]


class Evidence(NamedTuple):
    """log p(y | X) = fit + complexity + constant: how well the data are met, and how much the model could have met.

    `fit` is −½ rᵀK⁻¹r (never positive), `complexity` −½ log |K| and the like of the repeats, `constant` −n/2 log 2π.
    """

    fit: Array | float
    complexity: Array | float
    constant: Array | float

    @property
    def total(self) -> Array | float:
        """Their sum."""
        return self.fit + self.complexity + self.constant


def measurement_variance(process: Process, X: Float[Array, "n d"], known: Float[Array, " n"]) -> Float[Array, " n"]:
    """The variance of one measurement around the process: its noise, what is known of it, and that of its input."""
    variance = process.noise.variance(X) + known
    return variance + process.kernel.input_noise(X) if process.kernel.has_uncertain_inputs else variance


def site_variances(process: Process, data: Observations) -> tuple[Array, Array]:
    """The variance v of one measurement, and v/w of the mean of w, at each point."""
    single = measurement_variance(process, data.X, data.known)
    return single, single / jnp.where(data.present, data.weights, 1.0)


def padded_covariance(
    kernel: Kernel, X: Float[Array, "n d"], variances: Float[Array, " n"], present: Bool[Array, " n"]
) -> tuple[Float[Array, "n n"], Float[Array, ""]]:
    """K + diag(variances) with padded rows that touch nothing, and the mean of its diagonal over the rows there are.

    That mean is what jitter is relative to; it also stands on the diagonal of padded rows, so that norm and smallest
    pivot are those of the others.
    """
    both = present[:, None] & present[None, :]
    mean = jnp.sum(jnp.where(present, kernel.diagonal(X) + variances, 0.0)) / jnp.maximum(jnp.sum(present), 1)
    scale = jnp.where(mean > 0.0, mean, 1.0)
    return jnp.where(both, kernel.gram(X), 0.0) + jnp.diag(jnp.where(present, variances, scale)), scale


def repeats(single: Array, data: Observations) -> Evidence:
    """What measurements beyond the first at a point add to the evidence, where one has the variance `single`."""
    again = data.present & (data.weights != 1.0) & (single > 0.0)
    weight, variance = jnp.where(again, data.weights, 1.0), jnp.where(again, single, 1.0)
    return Evidence(
        fit=-0.5 * jnp.sum(jnp.where(again, data.scatter / variance, 0.0)),
        complexity=-0.5 * jnp.sum(jnp.where(again, (weight - 1.0) * jnp.log(variance) + jnp.log(weight), 0.0)),
        constant=-0.5 * LOG_2PI * jnp.sum(weight - 1.0),
    )


def log_evidence(process: Process, data: Observations) -> Float[Array, ""]:
    r"""$\log p(y \mid X, \theta)$, differentiable in every parameter; one potrf and one potri with its gradient.

    $\log\mathcal N(\bar y \mid m, K + \mathrm{diag}(v/w))$ plus the terms of repeated measurements; a weight w counts
    as w rows. Rasmussen and Williams 2006, eq. 2.30.
    """
    single, shared = site_variances(process, data)
    residual = data.y - process.mean(data.X)
    unrepeated = gaussian_log_density(
        process.kernel.gram(data.X), residual, noise=shared, weights=data.present.astype(jnp.float64)
    )
    return unrepeated + repeats(single, data).total


def evidence_of(factor: Factor, half: Array, single: Array, data: Observations) -> Evidence:
    """The parts, given the factor of K + diag(v/w) and half = L⁻¹ r on padded rows."""
    more = repeats(single, data)
    half_log_det = jnp.sum(jnp.where(data.present, jnp.log(factor.diagonal), 0.0))
    return Evidence(
        fit=-0.5 * jnp.sum(half**2) + more.fit,
        complexity=-half_log_det + more.complexity,
        constant=-0.5 * LOG_2PI * jnp.sum(data.present) + more.constant,
    )
