"""Noise whose size depends on where one measures: a second Gaussian process on its logarithm."""

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.beliefs.normal import Normal
from credo.infer.gaussian.process import Noise
from credo.kernels import RBF, Kernel
from credo.numerics.cholesky import Factor, factorize
from credo.numerics.concrete import placed
from credo.numerics.constraints import Fixed, Real
from credo.numerics.parameters import parameter

__all__ = ["VaryingNoise", "varying_noise"]

_STANDARD = Normal(jnp.asarray(0.0), jnp.asarray(1.0))
_LEVEL = Normal(jnp.asarray(-3.0), jnp.asarray(2.5))
_NUGGET = 1e-8  # of the variance: sites that a long length-scale makes alike must not cost digits
_SITES = 24  # values of the log noise that are learnt; between them the second process interpolates


class VaryingNoise(Noise):
    r"""$\log \sigma^2(x) = \ell + g(x)$, g a Gaussian process known by its values at a few sites Z.

    The values are $L\nu$ with $LL^\top = k(Z, Z)$ and $\nu$ standard normal before the data, so their prior is on the
    free coordinates themselves, whatever the kernel's parameters; elsewhere $g(x) = k(x, Z) L^{-\top} \nu$. With the
    prior counted, the search finds the most likely log noise (in the manner of Goldberg, Williams & Bishop 1998 and
    Kersting et al. 2007); its own uncertainty is not in the interval.
    """

    kernel: Kernel
    sites: Float[Array, "m d"]
    level: Float[Array, ""] = parameter(Real(prior=_LEVEL), default=-2.3)
    values: Float[Array, " m"] = parameter(Real(prior=_STANDARD), event_ndim=1, kw_only=True)

    def variance(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        covariance = self.kernel.gram(self.sites)
        nugget = _NUGGET * jnp.mean(jnp.diagonal(covariance)) * jnp.eye(self.sites.shape[0])
        factor = Factor(factorize(covariance + nugget)[0])
        weights = factor.solve(factor.multiply_half(self.values))
        return jnp.exp(self.level + self.kernel.cross(X, self.sites) @ weights)


def varying_noise(X: np.ndarray) -> VaryingNoise:
    """A start: constant noise, and sites spread over the rows of X (in standard units), each far from those before."""
    count = min(_SITES, len(np.unique(X, axis=0)))
    chosen = [int(np.argmin(np.sum((X - X.mean(axis=0)) ** 2, axis=1)))]
    distance = np.sum((X - X[chosen[0]]) ** 2, axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.sum((X - X[chosen[-1]]) ** 2, axis=1))
    kernel = RBF(variance=Fixed(1.0), lengthscale=jnp.asarray(X.shape[1] ** 0.5))  # type: ignore[arg-type]
    return VaryingNoise(kernel, placed(X[chosen]), values=jnp.zeros(count))
