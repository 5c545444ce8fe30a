r"""A Gaussian belief about C latent functions, one for each class, and the class probabilities it implies.

The posterior precision of all C n latent values is $\operatorname{diag}(K^{-1}, \dots) + W$, where W couples the
classes of one row. With the sizes a of the sites (in Laplace's method the class probabilities π),
$D_c = \operatorname{diag}(w\,a_c)$ and $B_c = I + D_c^{1/2} K D_c^{1/2}$, everything is written in
$F_c = a_c^{1/2} B_c^{-1} a_c^{1/2}$ and their sum F, which is diagonal at rows of weight zero.
References: Rasmussen and Williams (2006) section 3.5, with $E_c = w^{1/2} F_c w^{1/2}$.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import ArrayLike, Float

from credo.errors import InputError
from credo.infer.latent import checked_cross
from credo.numerics.batched_lapack import symmetric_eigen
from credo.numerics.certificate import Info
from credo.numerics.cholesky import Factor
from credo.numerics.lapack import symmetric_part
from credo.numerics.random import RandomState, as_key
from credo.numerics.scalar import safe_sqrt

__all__ = ["SoftmaxApproximation", "SoftmaxMoments", "SoftmaxProbability", "softmax_probability"]

_ROWS_AT_ONCE = 64  # bounds the memory of the draws


class SoftmaxMoments(NamedTuple):
    """Mean (m, C) and covariance (m, C, C) of the C latent functions at each of m rows."""

    mean: Float[Array, "*batch m c"]
    covariance: Float[Array, "*batch m c c"]


class SoftmaxApproximation(eqx.Module):
    r"""A Gaussian belief about C latent functions of one prior covariance, from n rows with one class each.

    `mean` is the belief's mean at those rows (for Laplace's method the mode), `alpha` is $K^{-1}$(mean − prior mean).
    `blocks` are the $F_c$, `factor` that of their sum, `root` the square root of the weights. The `log_evidence` of
    [](#credo.infer.laplace_softmax) has the right derivative in K and the prior mean.
    """

    mean: Float[Array, "*batch n c"]
    alpha: Float[Array, "*batch n c"]
    root: Float[Array, "*batch n"]
    blocks: Float[Array, "*batch c n n"]
    factor: Factor
    log_evidence: Float[Array, "*batch"]
    info: Info

    def predict(self, cross: ArrayLike, prior_variance: ArrayLike, prior_mean: ArrayLike = 0.0) -> SoftmaxMoments:
        r"""The belief about the latent functions at m other rows. O(C n² m).

        `cross` (m, n) is the prior covariance of those rows with the n learned from, `prior_variance` (m,) their
        prior variance, `prior_mean` a number or (m, C). Rasmussen and Williams (2006), eqs. 3.39 and 3.45.
        """
        rows = checked_cross("SoftmaxApproximation", cross, self.alpha.shape[-2])
        scaled = rows * self.root
        inner = jnp.einsum("cij,mj->icm", self.blocks, scaled)
        n, classes, m = inner.shape
        own = jnp.asarray(prior_variance)[..., None] - jnp.einsum("mi,icm->mc", scaled, inner)
        half = self.factor.half_solve(inner.reshape(n, classes * m)).reshape(n, classes, m)
        shared = jnp.einsum("icm,idm->mcd", half, half)
        # Where the rows say all there is to say, the difference is round-off.
        covariance = jnp.maximum(own, 0.0)[:, :, None] * jnp.eye(classes) + shared
        return SoftmaxMoments(jnp.asarray(prior_mean) + rows @ self.alpha, symmetric_part(covariance))


class SoftmaxProbability(NamedTuple):
    r"""Class probabilities (m, C) by Monte Carlo, the standard error of each, and the variance of $p(y = c \mid f)$.

    The variance is over the belief about f: the part of $p(1 - p)$ that more data can remove.
    """

    mean: Float[Array, "m c"]
    standard_error: Float[Array, "m c"]
    variance: Float[Array, "m c"]


def softmax_probability(
    mean: ArrayLike, covariance: ArrayLike, *, draws: int = 2000, random_state: RandomState = None
) -> SoftmaxProbability:
    r"""Mean and variance of $\operatorname{softmax}(f)$ where $f \sim \mathcal N$(mean, covariance), row by row.

    `mean` is (m, C), `covariance` (m, C, C), singular or not. The `draws` come in pairs mirrored at the mean, which
    cancels what is odd in f, and are the same for all rows, so that rows compare without noise between them. The
    standard error is that of the pairs. O(m C draws).

    >>> even = softmax_probability(jnp.zeros((1, 2)), jnp.eye(2)[None], random_state=0)
    >>> even.mean.round(12).tolist(), bool((even.standard_error < 1e-12).all())
    ([[0.5, 0.5]], True)
    """
    center, spread = jnp.asarray(mean, dtype=jnp.float64), jnp.asarray(covariance, dtype=jnp.float64)
    if center.ndim != 2 or spread.shape != (*center.shape, center.shape[1]):
        raise InputError(
            "softmax_probability",
            f"mean has shape {center.shape} and covariance {spread.shape}",
            "One covariance of the classes was meant for each row",
            "Pass shapes (m, C) and (m, C, C)",
        )
    if draws < 4:
        raise InputError("softmax_probability", f"draws={draws}", "An error cannot be told from so few", "Try 2000")
    return _probability(center, spread, as_key(random_state), -(-int(draws) // 2))


@eqx.filter_jit
def _probability(mean: Array, covariance: Array, key: Array, pairs: int) -> SoftmaxProbability:
    normal = jax.random.normal(key, (pairs, mean.shape[1]))

    def of_row(row: tuple[Array, Array]) -> SoftmaxProbability:
        center, spread = row
        eigenvalues, basis = symmetric_eigen(spread)
        away = normal @ (basis * safe_sqrt(eigenvalues)).T
        mirrored = jax.nn.softmax(center + jnp.stack([away, -away]), axis=-1)
        average = jnp.mean(mirrored, axis=(0, 1))
        error = jnp.std(jnp.mean(mirrored, axis=0), axis=0, ddof=1) / jnp.sqrt(pairs)
        return SoftmaxProbability(average, error, jnp.mean((mirrored - average) ** 2, axis=(0, 1)))

    return lax.map(of_row, (mean, covariance), batch_size=min(_ROWS_AT_ONCE, mean.shape[0]))
