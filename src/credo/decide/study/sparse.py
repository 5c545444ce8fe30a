r"""A kernel for many columns of which few matter: most length-scales are long, unless the data say otherwise.

Inverse squared length-scales are half-Cauchy around a scale of their own, $\ell_j^{-2} \sim C^+(\tau)$ with $\tau \sim
C^+(0.1)$ for columns from 0 to 1: the prior of SAAS (Eriksson & Jankowiak 2021). Its mass is where nothing varies, and
its tails let single columns leave. Here one search finds the mode of all of them together, τ included, or they are
drawn, as `GPRegressor` is asked to.
"""

from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.decide.study.columns import SPREAD, over_columns
from credo.kernels import Hamming, Kernel, Matern52, Warp
from credo.numerics.constraints import Positive
from credo.numerics.parameters import Parameterized, parameter
from credo.represent.space import Space

__all__ = ["SparsityPrior", "Stretch", "sparse_kernel"]

_SPARSITY = 0.1  # of τ, for columns from 0 to 1


@final
class SparsityPrior(eqx.Module):
    r"""Of a length-scale ℓ whose inverse square is half-Cauchy, $\ell^{-2} \sim C^+(s)$ with scale s.

    $p(\ell) = \frac{4}{\pi\ell}\left[\frac{\ell^{-2}}{s} + \frac{s}{\ell^{-2}}\right]^{-1}$: the logarithm of ℓ has a
    hyperbolic secant's density around $-\tfrac12\log s$, whose tails are exponential, not those of a square.

    >>> f"{SparsityPrior(jnp.asarray(1.0)).log_prob(1.0):.4f}"
    '-0.4516'
    """

    scale: Float[Array, ""]

    def log_prob(self, x: ArrayLike) -> Array:
        """The log density at a length-scale."""
        log_x = jnp.log(jnp.asarray(x, dtype=jnp.float64))
        ratio = -2.0 * log_x - jnp.log(self.scale)
        return np.log(4.0 / np.pi) - jnp.logaddexp(ratio, -ratio) - log_x


@final
class Stretch(Parameterized):
    """Rows in a unit that all columns share: $x / c$, with c learnt."""

    factor: Float[Array, ""] = parameter(Positive(prior=SparsityPrior(jnp.asarray(_SPARSITY * SPREAD**2))))

    def __call__(self, x: Float[Array, " d"]) -> Float[Array, " d"]:
        return x / self.factor


def sparse_kernel(space: Space) -> Kernel:
    r"""Matérn-5/2 over the columns that are numbers, sparse, times a factor for every choice that differs.

    The length-scale of column j is $c\,\lambda_j$, with $c = \tau^{-1/2}$ the [](#Stretch) and
    $\lambda_j^{-2} \sim C^+(1)$: the same prior, written so that it factors. In units where columns that are spread
    evenly have standard deviation one, as those of a study. As many parameters as the default kernel, and one.

    >>> from credo.represent.space import Real
    >>> print(sparse_kernel(Space({f"x{j}": Real(0, 1) for j in range(2)})))
    Warp(Matern52(variance=1, lengthscale=[1, 1]), Stretch)
    """
    return over_columns(space, _sparse, lambda count: Hamming(lengthscale=jnp.ones(count)))


def _sparse(count: int) -> Kernel:
    relative = Positive(jnp.ones(count), prior=SparsityPrior(jnp.asarray(1.0)))
    start = 0.5 * count**0.5  # where the default kernel's search begins
    return Warp(Matern52(lengthscale=relative), Stretch(start))  # type: ignore[arg-type]
