r"""Draws from the spectral measure of a stationary kernel: frequencies $\omega$ with $\mathbb{E}\cos\omega^\top r =
k(r)/k(0)$.

Every kernel turns uniform numbers into frequencies, with shapes that do not depend on its parameters. The numbers are a
randomly shifted Sobol sequence, so that averages over the frequencies have a smaller error than over independent ones.
"""

from functools import singledispatch

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import ndtri
from jaxtyping import Float

from credo.beliefs.gamma import Gamma
from credo.errors import InputError, UndefinedError
from credo.kernels.algebra import On, PolynomialOf, Product, Sum
from credo.kernels.base import Kernel
from credo.kernels.constant import Constant
from credo.kernels.normal_scores import chi_square_from_score, student_from_score
from credo.kernels.periodic import Cosine, Periodic, SpectralMixture
from credo.kernels.sobol import shifted_sobol
from credo.kernels.spectral import HARMONICS, periodic_weights
from credo.kernels.stationary import RBF, Matern12, Matern32, Matern52, RationalQuadratic, Stationary
from credo.numerics.random import as_key

__all__ = ["frequencies_from", "has_frequencies", "sample_frequencies", "uniforms_needed", "variance_of"]

_DEGREES = {Matern12: 1.0, Matern32: 3.0, Matern52: 5.0}  # of freedom, 2ν
_TURN = 2.0 * np.pi


def sample_frequencies(kernel: Kernel, key: Array, count: int, d: int) -> Float[Array, "count d"]:
    r"""`count` angular frequencies from the spectral measure of a kernel of d columns, scaled to a probability.

    Each row has the measure as its distribution, so $k(0)\,\mathbb{E}\cos\omega^\top r = k(r)$; rows are spread more
    evenly than independent ones, which makes averages better. Normal for the squared exponential, a multivariate t with
    2ν degrees of freedom for the Matérn family, a Gamma mixture of normals for the rational quadratic, lines for
    constant, cosine and periodic kernels. A sum takes its terms in proportion to their variance, a product adds the
    frequencies of its factors, `On` leaves the other columns at zero. Differentiable in the parameters as far as no
    line or term is chosen; a kernel that is not stationary raises `UndefinedError`.

    >>> omega = sample_frequencies(RBF(lengthscale=2.0), jax.random.key(0), 512, 1)
    >>> f"{jnp.mean(jnp.cos(omega)):.2f}, {RBF(lengthscale=2.0).of([0.0], [1.0]):.2f}"
    '0.88, 0.88'
    """
    if count < 1:
        raise InputError("sample_frequencies", f"count={count}", "", "Ask for one frequency or more")
    kernel.require_columns(d, "sample_frequencies")
    return _drawn(kernel, as_key(key), count, d)


@eqx.filter_jit
def _drawn(kernel: Kernel, key: Array, count: int, d: int) -> Array:
    return frequencies_from(kernel, shifted_sobol(key, count, max(1, uniforms_needed(kernel, d))), d)


def has_frequencies(kernel: Kernel) -> bool:
    """Whether the kernel has a spectral measure that can be drawn from."""
    try:
        uniforms_needed(kernel, 1)
    except UndefinedError:
        return False
    return True


@singledispatch
def uniforms_needed(kernel: Kernel, d: int) -> int:
    """How many uniform numbers one frequency of the kernel takes."""
    raise UndefinedError(
        "sample_frequencies",
        f"{kernel} has no spectral measure that can be drawn from",
        "It is not stationary, or it is white, or its measure is not known",
        "Try samples of the function at given points: sample(X, n) of a Gaussian process",
    )


@singledispatch
def frequencies_from(kernel: Kernel, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    """One frequency from each row of uniform numbers; `uniforms_needed` says how many they are, and refuses."""
    raise NotImplementedError(f"{type(kernel).__name__} is registered with uniforms_needed, and must be here too")


@uniforms_needed.register(RBF)
def _(kernel: Kernel, d: int) -> int:
    return d


@frequencies_from.register
def _(kernel: RBF, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    return ndtri(uniforms[:, :d]) / kernel.lengthscale


@uniforms_needed.register(Matern12)
@uniforms_needed.register(Matern32)
@uniforms_needed.register(Matern52)
def _(kernel: Kernel, d: int) -> int:
    return 1 if d == 1 else d + 1


@frequencies_from.register(Matern12)
@frequencies_from.register(Matern32)
@frequencies_from.register(Matern52)
def _(kernel: Stationary, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    df, scores = _DEGREES[type(kernel)], ndtri(uniforms)
    if d == 1:  # from one number where two would do, since one dimension is filled more evenly than two
        return student_from_score(df, scores[:, :1]) / kernel.lengthscale
    return scores[:, :d] / jnp.sqrt(chi_square_from_score(df, scores[:, d : d + 1]) / df) / kernel.lengthscale


@uniforms_needed.register(RationalQuadratic)
def _(kernel: Kernel, d: int) -> int:
    return d + 1


@frequencies_from.register
def _(kernel: RationalQuadratic, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    variance = Gamma(kernel.alpha, kernel.alpha).quantile(uniforms[:, d])
    return ndtri(uniforms[:, :d]) * jnp.sqrt(variance)[:, None] / kernel.lengthscale


@uniforms_needed.register(Constant)
def _(kernel: Kernel, d: int) -> int:
    return 0


@frequencies_from.register
def _(kernel: Constant, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    return jnp.zeros((uniforms.shape[0], d))


@uniforms_needed.register(Cosine)
def _(kernel: Kernel, d: int) -> int:
    return 1


@frequencies_from.register
def _(kernel: Cosine, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    sign = jnp.where(uniforms[:, :1] < 0.5, -1.0, 1.0)
    return sign * _TURN / jnp.broadcast_to(kernel.period, (d,))


@uniforms_needed.register(Periodic)
def _(kernel: Kernel, d: int) -> int:
    return d


@frequencies_from.register
def _(kernel: Periodic, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    """A product over columns of one-dimensional ones, each on the multiples of its base frequency."""
    weights = periodic_weights(jnp.broadcast_to(kernel.lengthscale, (d,)))
    chosen = jax.vmap(_chosen, in_axes=(0, 1), out_axes=1)(weights, uniforms[:, :d])
    return _TURN / kernel.period * jnp.asarray(HARMONICS)[chosen]


@uniforms_needed.register(SpectralMixture)
def _(kernel: Kernel, d: int) -> int:
    return d + 1


@frequencies_from.register
def _(kernel: SpectralMixture, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    """A Gaussian around a mean or, as often, around its mirror image."""
    q = kernel.weights.shape[0]
    chosen = _chosen(jnp.concatenate([kernel.weights, kernel.weights]), uniforms[:, d])
    mean = jnp.where((chosen < q)[:, None], 1.0, -1.0) * kernel.means[chosen % q]
    return _TURN * (mean + kernel.scales[chosen % q] * ndtri(uniforms[:, :d]))


@uniforms_needed.register
def _(kernel: On, d: int) -> int:
    return uniforms_needed(kernel.kernel, len(kernel.columns))


@frequencies_from.register
def _(kernel: On, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    own = frequencies_from(kernel.kernel, uniforms, len(kernel.columns))
    return jnp.zeros((uniforms.shape[0], d)).at[:, jnp.asarray(kernel.columns)].add(own)


@uniforms_needed.register
def _(kernel: Sum, d: int) -> int:
    return 1 + max(uniforms_needed(term, d) for term in kernel.terms)


@frequencies_from.register
def _(kernel: Sum, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    chosen = _chosen(jnp.stack([variance_of(term, d) for term in kernel.terms]), uniforms[:, 0])
    each = jnp.stack([frequencies_from(term, uniforms[:, 1:], d) for term in kernel.terms])
    return each[chosen, jnp.arange(uniforms.shape[0])]


@uniforms_needed.register
def _(kernel: Product, d: int) -> int:
    return sum(uniforms_needed(factor, d) for factor in kernel.factors)


@frequencies_from.register
def _(kernel: Product, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    total, used = jnp.zeros((uniforms.shape[0], d)), 0
    for factor in kernel.factors:
        total = total + frequencies_from(factor, uniforms[:, used:], d)
        used += uniforms_needed(factor, d)
    return total


@uniforms_needed.register
def _(kernel: PolynomialOf, d: int) -> int:
    return 1 + (kernel.coefficients.shape[0] - 1) * uniforms_needed(kernel.kernel, d)


@frequencies_from.register
def _(kernel: PolynomialOf, uniforms: Float[Array, "m e"], d: int) -> Float[Array, "m d"]:
    """Of $k^j$ in proportion to its share of the variance: the sum of j frequencies of k."""
    powers = jnp.arange(kernel.coefficients.shape[0])
    chosen = _chosen(kernel.coefficients * variance_of(kernel.kernel, d) ** powers, uniforms[:, 0])
    total, needed = jnp.zeros((uniforms.shape[0], d)), uniforms_needed(kernel.kernel, d)
    for j in range(kernel.coefficients.shape[0] - 1):
        own = frequencies_from(kernel.kernel, uniforms[:, 1 + j * needed :], d)
        total = total + jnp.where((chosen > j)[:, None], own, 0.0)
    return total


def variance_of(kernel: Kernel, d: int) -> Float[Array, ""]:
    """k(0) of a stationary kernel: the mass of its spectral measure."""
    return kernel.diagonal(jnp.zeros((1, d)))[0]


def _chosen(weights: Float[Array, " q"], uniform: Float[Array, " m"]) -> Array:
    """Numbers of entries, each as often as its weight says."""
    cumulative = jnp.cumsum(weights)
    return jnp.minimum(jnp.searchsorted(cumulative, uniform * cumulative[-1], side="right"), weights.shape[0] - 1)
