r"""Gaussian factors in the place of class labels, and the algebra of C latent functions under them.

The factor of one label is $e^{\nu^\top f - f^\top W f / 2}$ with $W = \operatorname{diag}(a) - a a^\top / \sum_c a_c$.
That is noise of precision $a_c > 0$ on each function, where a constant that all functions share stays unknown. In
Laplace's method a are the class probabilities π. The C n by C n system of the posterior comes apart into C matrices of
n rows and one that couples them.
References: Rasmussen and Williams (2006) eqs. 3.45 to 3.47; Riihimäki, Jylänki and Vehtari (2013) for general a.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.infer.latent import site_factor
from credo.numerics.cholesky import Factor, factorize
from credo.numerics.scalar import safe_sqrt

__all__ = ["ClassCurvature", "class_curvature", "nearest_sizes", "site_precision"]

_LEAST = 1e-12  # precision that ties two classes together
_CLOSEST = 1e-3  # that the size of the observed class stays above its precision, as a share of it
_LARGEST = 1e4  # the size of the observed class in units of its precision


class ClassCurvature(NamedTuple):
    r"""W of all rows: a, the roots of the weights, $B_c^{-1}$, the $F_c$, the factor of F, and $\log|I + K W|$."""

    sizes: Float[Array, "n c"]
    root: Float[Array, " n"]
    inverses: Float[Array, "c n n"]
    blocks: Float[Array, "c n n"]
    total: Factor
    log_det: Float[Array, ""]
    jitter: Float[Array, ""]

    def pull(self, v: Float[Array, "n c"]) -> Float[Array, "n c"]:
        r"""$R v$ with $R = (K + W^{-1})^{-1}$, of blocks $w^{1/2} (\delta_{cd} F_c - F_c F^{-1} F_d)\,w^{1/2}$."""
        each = jnp.einsum("cij,jc->ic", self.blocks, self.root[:, None] * v)
        common = self.total.solve(jnp.sum(each, axis=1))
        return self.root[:, None] * (each - jnp.einsum("cij,j->ic", self.blocks, common))


def class_curvature(
    covariance: Float[Array, "n n"], weights: Float[Array, " n"], sizes: Float[Array, "n c"]
) -> ClassCurvature:
    """The factorizations for sites of the given sizes, each counted `weights` times. O(C n³). For use inside jit."""
    root, halves = safe_sqrt(weights), safe_sqrt(sizes).T
    factors = jax.vmap(site_factor, in_axes=(None, 0))(covariance, halves * root)
    inverses = factors.inverse()
    blocks = halves[:, :, None] * inverses * halves[:, None, :]
    lower, _, jitter, _ = factorize(jnp.sum(blocks, axis=0))
    total = Factor(lower)
    log_det = jnp.sum(factors.log_det) + total.log_det - jnp.sum(jnp.log(jnp.sum(sizes, axis=1)))
    return ClassCurvature(
        sizes, root, inverses, blocks, total, log_det, jnp.maximum(jitter, jnp.max(factors.info.jitter))
    )


def site_precision(sizes: Float[Array, " c"]) -> Float[Array, "c c"]:
    r"""$W = \operatorname{diag}(a) - a a^\top / \sum_c a_c$ of one label.

    >>> site_precision(jnp.array([1.0, 1.0])).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    return jnp.diag(sizes) - sizes[:, None] * sizes / jnp.sum(sizes)


def nearest_sizes(precision: Float[Array, "c c"], observed: Float[Array, " c"]) -> Float[Array, " c"]:
    r"""The a whose W has the ties $-W_{yc}$ of the observed class y, and the trace, of a given precision.

    The rows of `precision` sum to zero; `observed` is one for y and zero elsewhere. With the ties $t_c = -S_{yc}$,
    $Q = \sum_{c<d} t_c t_d$ and T the sum of the ties among the other classes, $a_y = S_{yy} + Q/T$ and
    $a_c = t_c / (1 - S_{yy}/a_y)$. For two and three classes W then is the whole precision.

    >>> sizes = jnp.array([0.5, 0.2, 0.3])
    >>> bool(jnp.allclose(nearest_sizes(site_precision(sizes), jnp.array([0.0, 1.0, 0.0])), sizes))
    True
    """
    others = 1.0 - observed
    ties = jnp.maximum(-(precision @ observed), _LEAST) * others
    own = jnp.sum(ties)
    if len(observed) == 2:
        return jnp.where(observed > 0.0, 2.0 * own, 2.0 * ties)
    products = 0.5 * (own**2 - jnp.sum(ties**2))
    among = 0.5 * jnp.trace(precision) - own
    wanted = own + products / jnp.maximum(among, products / (_LARGEST * own))
    size = jnp.maximum(wanted, (1.0 + _CLOSEST) * own)
    return jnp.where(observed > 0.0, size, ties * size / (size - own))
