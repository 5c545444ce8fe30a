"""Mean functions of Gaussian processes: what is believed of the function far from all data."""

from abc import abstractmethod
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.beliefs.normal import Normal
from credo.kernels import Constant, Kernel, Linear, Warp
from credo.numerics.constraints import Fixed, Real
from credo.numerics.parameters import Parameterized, constraint_of, parameter

__all__ = ["BasisMean", "ConstantMean", "LinearMean", "Mean", "ModuleMean", "ZeroMean"]

# Coefficients are few standard deviations of the targets, in standardized units.
_COEFFICIENT = Normal(jnp.asarray(0.0), jnp.asarray(3.0))


class Mean(Parameterized):
    """A function of rows whose parameters are learned together with those of the kernel.

    Coefficients that the mean is linear in can be integrated out (`covariance`). Others are optimized, and their own
    uncertainty is not in the interval.
    """

    def covariance(self) -> Kernel | None:
        r"""The covariance $\sum_j s_j^2 \phi_j(x) \phi_j(x')$ of the mean under normal priors of its coefficients.

        None where it is not linear in its parameters, or where their priors are not normal around zero.
        """
        return None

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

    def covariance(self) -> Kernel | None:
        variance = _prior_variance(self, "value")
        return None if variance is None else Constant(Fixed(variance))  # type: ignore[arg-type]


class LinearMean(Mean):
    """intercept + X slopes."""

    slopes: Float[Array, " d"] = parameter(Real(prior=_COEFFICIENT), event_ndim=1)
    intercept: Float[Array, ""] = parameter(Real(prior=_COEFFICIENT), default=0.0)

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return self.intercept + X @ self.slopes

    def covariance(self) -> Kernel | None:
        of_slopes, of_intercept = _prior_variance(self, "slopes"), _prior_variance(self, "intercept")
        if of_slopes is None or of_intercept is None:
            return None
        return Linear(Fixed(of_slopes)) + Constant(Fixed(of_intercept))  # type: ignore[arg-type]


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

    def covariance(self) -> Kernel | None:
        variance = _prior_variance(self, "coefficients")
        return None if variance is None else Warp(Linear(Fixed(variance)), self.basis)  # type: ignore[arg-type]


class ModuleMean(Mean):
    """Any Equinox module from one row to one number; wrap it in `Trainable` for its weights to be learnt."""

    module: eqx.Module

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jax.vmap(lambda x: jnp.reshape(self.module(x), ()))(X)  # type: ignore[operator]


def _prior_variance(mean: Mean, name: str) -> Array | None:
    """The variance of a coefficient whose prior is normal around zero; None where it is held or has another."""
    constraint = constraint_of(mean, name)
    prior = constraint.prior
    if not isinstance(constraint, Real) or not isinstance(prior, Normal) or bool(jnp.any(prior.loc != 0.0)):
        return None
    return prior.scale**2
