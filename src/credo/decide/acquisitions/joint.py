"""What a surface believes of several rows together: covariances and noise, with an axis of beliefs."""

from abc import abstractmethod

import equinox as eqx
import jax
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions.surface import AveragedSurface, FantasySurface, GPSurface, Surface
from credo.errors import InputError
from credo.infer.gaussian.posterior import GPPosterior
from credo.numerics.batched_lapack import solve_lower

__all__ = ["JointSurface", "covariances", "noises"]


class JointSurface(Surface):
    """A surface that has covariances of its own making."""

    @abstractmethod
    def covariances(self, X: Float[Array, "m d"], Z: Float[Array, "k d"]) -> Float[Array, "c m k"]:
        """Of the function at rows X and Z, in each belief; c is one where all beliefs share it."""


def covariances(surface: Surface, X: Float[Array, "m d"], Z: Float[Array, "k d"]) -> Float[Array, "c m k"]:
    r"""Of the function at rows X and Z, in each belief; c is one where all beliefs share it, as fantasies do.

    A fantasy takes $C(x, r)(C(r, r) + D)^{-1}C(r, z)$ off the covariance, whatever was imagined. O(n² (m + k)).
    """
    if isinstance(surface, JointSurface):
        return surface.covariances(X, Z)
    if isinstance(surface, GPSurface):
        return surface.covariance(X, Z)[None]
    if isinstance(surface, FantasySurface):
        ours, theirs = (_half(surface, rows) for rows in (X, Z))
        return (surface.base.covariance(X, Z) - ours.T @ theirs)[None]
    if isinstance(surface, AveragedSurface):
        drawn, functions = eqx.partition(surface.members, eqx.is_array)
        return jax.vmap(lambda arrays: _member(surface, arrays, functions).covariance(X, Z))(drawn)
    raise InputError(
        "covariances",
        f"a {type(surface).__name__} has moments row by row only",
        "Its belief about several rows together is not known",
        'Use a Gaussian process, or an acquisition of single rows such as "log_ei"',
    )


def noises(surface: Surface, X: Float[Array, "m d"]) -> Float[Array, "m c"]:
    """The variance of a measurement around the function, in each belief; c is one where all beliefs share it."""
    if isinstance(surface, FantasySurface):
        return noises(surface.base, X)
    if isinstance(surface, GPSurface):
        return surface.noise(X)[:, None]
    if isinstance(surface, AveragedSurface):
        drawn, functions = eqx.partition(surface.members, eqx.is_array)
        return jax.vmap(lambda arrays: _member(surface, arrays, functions).noise(X))(drawn).T
    raise InputError(
        "noises", f"a {type(surface).__name__} has no noise", "It is no process of measurements", "Pass a GPSurface"
    )


def _half(surface: FantasySurface, X: Array) -> Array:
    cross = surface.base.covariance(X, surface.rows) * surface.present
    return solve_lower(surface.lower, cross.T)


def _member(surface: AveragedSurface, arrays: GPPosterior, functions: GPPosterior) -> GPSurface:
    return GPSurface(eqx.combine(arrays, functions), surface.shift, surface.scale)
