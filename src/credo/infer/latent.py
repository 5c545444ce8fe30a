r"""What approximate inference about a latent Gaussian vector starts from, and what it returns.

The prior is $f \sim \mathcal N(m, K)$ and each label depends on its own entry of f. Laplace's method and expectation
propagation both put a Gaussian factor of precision $s_i$ in the place of each label, so both need one matrix,
$B = I + S^{1/2} K S^{1/2}$, whose eigenvalues are at least one, however singular K is; and both predict alike.
References: Rasmussen and Williams (2006) sections 3.4 to 3.6.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import ArrayLike, Float

from credo.errors import InputError, NumericalError
from credo.numerics.certificate import CONVERGED, FAILED, Info
from credo.numerics.cholesky import Factor, as_square, check_symmetric, condition_estimate, factorize
from credo.numerics.concrete import is_known, known_not_finite
from credo.numerics.scalar import safe_sqrt

__all__ = [
    "LatentApproximation",
    "LatentMoments",
    "LatentProblem",
    "Limits",
    "checked_cross",
    "latent_problem",
    "raise_if_failed",
    "site_factor",
]


class LatentMoments(NamedTuple):
    """Mean and variance of the latent function, one a row asked about."""

    mean: Float[Array, "*batch m"]
    variance: Float[Array, "*batch m"]


class LatentApproximation(eqx.Module):
    r"""A Gaussian belief about a latent function, from n rows with one label each.

    `mean` is the belief's mean at those rows (for Laplace's method the mode), `precision` is what each label
    contributes, $s_i$, and `alpha` is $K^{-1}$(mean − prior mean), computed without inverting K. A row of weight
    zero has precision and alpha zero. `log_evidence` has the right derivative in K and the prior mean.
    """

    mean: Float[Array, "*batch n"]
    alpha: Float[Array, "*batch n"]
    precision: Float[Array, "*batch n"]
    factor: Factor
    log_evidence: Float[Array, "*batch"]
    info: Info

    def predict(self, cross: ArrayLike, prior_variance: ArrayLike, prior_mean: ArrayLike = 0.0) -> LatentMoments:
        r"""The belief about the latent function at m other rows. O(n² m).

        `cross` (m, n) is the prior covariance of those rows with the n learned from, `prior_variance` (m,) their
        prior variance. Mean $m_* + k_*^\top \alpha$, variance $k_{**} - k_*^\top S^{1/2} B^{-1} S^{1/2} k_*$
        (Rasmussen and Williams 2006, eqs. 3.21 and 3.24).
        """
        rows = checked_cross("LatentApproximation", cross, self.alpha.shape[-1])
        half = self.factor.half_solve((rows * safe_sqrt(self.precision)).T)
        # Where the rows say all there is to say, the difference is round-off.
        variance = jnp.maximum(jnp.asarray(prior_variance) - jnp.sum(half**2, axis=0), 0.0)
        return LatentMoments(jnp.asarray(prior_mean) + rows @ self.alpha, variance)


def checked_cross(who: str, cross: ArrayLike, n: int) -> Float[Array, "m n"]:
    """The prior covariance of m rows with the n learned from, refused when its shape or its entries are wrong."""
    rows = jnp.asarray(cross, dtype=jnp.float64)
    if rows.ndim != 2 or rows.shape[1] != n:
        raise InputError(
            who,
            f"cross has shape {rows.shape}, but {n} rows were learned from",
            "It was transposed, or padded rows were left out",
            f"Pass shape (m, {n})",
        )
    if known_not_finite(rows):
        raise InputError(who, "cross has NaN or infinite entries", "Values are missing", "Drop those rows")
    return rows


def site_factor(covariance: Float[Array, "n n"], root: Float[Array, " n"]) -> Factor:
    r"""The factor of $B = I + S^{1/2} K S^{1/2}$, `root` being the diagonal of $S^{1/2}$. For use inside jit."""
    matrix = root[:, None] * covariance * root + jnp.eye(len(root))
    lower, attempts, jitter, failed = factorize(matrix)
    norm = lax.stop_gradient(jnp.max(jnp.sum(jnp.abs(matrix), axis=-1)))
    status = jnp.where(failed, FAILED, CONVERGED)
    return Factor(lower, Info(status, attempts, jnp.zeros_like(jitter), jitter, condition_estimate(norm, lower)))


def raise_if_failed(who: str, info: Info) -> None:
    """Raise where the host can see that there is no answer; inside jit the caller finds the status FAILED."""
    if is_known(info.status) and np.any(np.asarray(info.status) == FAILED):
        raise NumericalError(
            who,
            f"there is no finite evidence after {int(np.max(np.asarray(info.iterations)))} iterations",
            "The covariance is not positive semi-definite, or its entries are extreme",
            "Check the kernel, or try standardized inputs",
        )


class Limits(NamedTuple):
    """When an iteration ends; fixed while compiling."""

    max_iterations: int
    tolerance: float


class LatentProblem(NamedTuple):
    """A checked problem. Where the weight is zero, covariance, mean and label are zero too, whatever was given."""

    covariance: Float[Array, "n n"]
    mean: Float[Array, "n *c"]
    labels: Float[Array, " n"]
    weights: Float[Array, " n"]

    def with_constant_labels(self) -> "LatentProblem":
        """The same problem, in which no derivative flows through labels and weights."""
        return self._replace(labels=lax.stop_gradient(self.labels), weights=lax.stop_gradient(self.weights))


def latent_problem(
    who: str,
    covariance: ArrayLike,
    labels: ArrayLike,
    weights: ArrayLike | None,
    mean: ArrayLike | None,
    n_classes: int | None = None,
) -> LatentProblem:
    """Check and complete what an engine was given; values can be checked outside jit only.

    Labels are 0 to `n_classes` − 1. Where `n_classes` is None they are 0 and 1, and the prior mean has one column.
    """
    covariance = as_square(who, covariance)
    n = covariance.shape[0]
    if covariance.ndim != 2:
        raise InputError(who, f"the covariance has shape {covariance.shape}", "It has batch axes", "Try jax.vmap")
    targets = jnp.asarray(labels).astype(jnp.float64)
    counts = jnp.ones(n) if weights is None else jnp.asarray(weights, dtype=jnp.float64)
    shape = (n,) if n_classes is None else (n, n_classes)
    prior = jnp.zeros(shape) if mean is None else jnp.asarray(mean, dtype=jnp.float64)
    wanted = (("labels", targets, (n,)), ("weights", counts, (n,)), ("the prior mean", prior, shape))
    for name, array, expected in wanted:
        if array.shape != expected:
            raise InputError(
                who, f"{name} has shape {array.shape}, not {expected}", "One entry for each row was meant", ""
            )
    _check_weights(who, counts)
    present = counts > 0
    prior = jnp.where(present.reshape((n,) + (1,) * (prior.ndim - 1)), prior, 0.0)
    covariance = jnp.where(present[:, None] & present, covariance, 0.0)
    targets = jnp.where(present, targets, 0.0)
    check_symmetric(who, covariance)
    _check_variances(who, covariance)
    _check_values(who, prior, targets, 2 if n_classes is None else n_classes)
    return LatentProblem(covariance, prior, targets, counts)


def _check_weights(who: str, weights: Array) -> None:
    if is_known(weights) and not np.all(np.isfinite(np.asarray(weights)) & (np.asarray(weights) >= 0)):
        raise InputError(
            who,
            f"weights range from {np.min(np.asarray(weights)):g} to {np.max(np.asarray(weights)):g}",
            "A weight counts how often a row was seen: a finite number, zero or more",
            "Pass counts",
        )


def _check_variances(who: str, covariance: Array) -> None:
    if is_known(covariance) and np.min(np.diagonal(np.asarray(covariance))) < 0:
        raise InputError(
            who,
            f"the smallest prior variance is {np.min(np.diagonal(np.asarray(covariance))):g}",
            "The function is no valid kernel, or has a wrong sign",
            "Pass a positive semi-definite covariance",
        )


def _check_values(who: str, mean: Array, labels: Array, n_classes: int) -> None:
    if known_not_finite(mean):
        raise InputError(who, "the prior mean has NaN or infinite entries", "", "Check how it was computed")
    if is_known(labels) and not np.all(np.isin(np.asarray(labels), np.arange(n_classes))):
        raise InputError(
            who,
            f"labels other than 0 to {n_classes - 1} were given",
            "Classes are counted from zero",
            "Encode the classes as numbers",
        )
