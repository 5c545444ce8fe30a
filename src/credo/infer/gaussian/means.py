"""Mean functions of Gaussian processes: what is believed of the function far from all data."""

from abc import abstractmethod
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.normal import Normal
from credo.numerics.constraints import Real
from credo.numerics.parameters import Parameterized, parameter

__all__ = ["BasisMean", "ConstantMean", "LinearMean", "Mean", "ModuleMean", "ZeroMean"]

# Coefficients are few standard deviations of the targets, in standardized units.
_COEFFICIENT = Normal(jnp.asarray(0.0), jnp.asarray(3.0))


class Mean(Parameterized):
    """A function of rows whose parameters are learnt together with those of the kernel.

    They are optimized, so their own uncertainty is not in the interval. A term of the kernel (Constant, Linear) has the
    same shape of function with its uncertainty counted.
    """

    @abstractmethod
    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        """The mean at each row of X."""


class ZeroMean(Mean):
    """Zero; with standardized targets their average."""

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.zeros(X.shape[0])


class ConstantMean(Mean):
    """One level for all rows."""

    value: Float[Array, ""] = parameter(Real(prior=_COEFFICIENT), default=0.0)

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.value, X.shape[:1])


class LinearMean(Mean):
    """intercept + X slopes."""

    slopes: Float[Array, " d"] = parameter(Real(prior=_COEFFICIENT), event_ndim=1)
    intercept: Float[Array, ""] = parameter(Real(prior=_COEFFICIENT), default=0.0)

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return self.intercept + X @ self.slopes


class BasisMean(Mean):
    """Σⱼ cⱼ φⱼ(x) for a function `basis` from one row to the vector φ(x).

    >>> mean = BasisMean(lambda x: jnp.array([1.0, x[0] ** 2]), coefficients=[1.0, 2.0])
    >>> mean(jnp.array([[3.0]])).tolist()
    [19.0]
    """

    basis: Callable[[Array], Array]
    coefficients: Float[Array, " q"] = parameter(Real(prior=_COEFFICIENT), event_ndim=1)

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jax.vmap(self.basis)(X) @ self.coefficients


class ModuleMean(Mean):
    """Any Equinox module from one row to one number; wrap it in `Trainable` for its weights to be learnt."""

    module: eqx.Module

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jax.vmap(lambda x: jnp.reshape(self.module(x), ()))(X)  # type: ignore[operator]
