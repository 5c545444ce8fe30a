"""What a Gaussian process starts from when its user says little: practitioners' advice, written down."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from credo.errors import InputError
from credo.infer.gaussian.means import ConstantMean, LinearMean, Mean, ModuleMean, ZeroMean
from credo.infer.gaussian.process import ConstantNoise, Noise, NoNoise, OutputNoise, Process
from credo.kernels import Kernel, Matern52
from credo.models.gp.scaling import Standardization
from credo.numerics.concrete import placed
from credo.numerics.constraints import Constraint, Fixed

__all__ = ["default_kernel", "output_noise", "require_points", "starting_process"]

_LENGTHSCALE = 0.5  # of a standardized column, for one column
_NOISE = 0.1  # of the variance of the targets: generous, so that a search begins with a smooth function


def default_kernel(d: int) -> Matern52:
    """Matérn-5/2 with a length-scale per column, starting at 0.5 √d: typical distances grow with √d."""
    return Matern52(lengthscale=jnp.full(d, _LENGTHSCALE * d**0.5))


def starting_process(who: str, kernel: Kernel | None, mean: Any, noise: Any, d: int, *, known: bool) -> Process:
    """The process that a search starts from. Noise that is known row by row needs no other, unless it is given."""
    kernel = default_kernel(d) if kernel is None else kernel
    kernel.require_columns(d, who)
    return Process(kernel, _mean(mean, d), _noise(noise, known=known))


def require_points(who: str, kernel: Kernel, X: np.ndarray, scaling: Standardization) -> None:
    """Refuse rows that are no points of the kernel, as nodes of a graph once they are standardized."""
    try:
        kernel.require_points(placed(scaling.inputs(X)), who)
    except InputError as error:
        kernel.require_points(placed(X), who)  # in its own words, where the rows themselves are wrong
        raise InputError(
            who,
            f"{kernel} takes the rows as they are, not standardized",
            "Shifted and scaled, nodes and variances mean nothing",
            "Try standardize=False",
        ) from error


def _mean(mean: Any, d: int) -> Mean:
    if isinstance(mean, Mean):
        return mean
    if isinstance(mean, eqx.Module):
        return ModuleMean(mean)
    if mean == "constant":
        return ConstantMean()
    return LinearMean(jnp.zeros(d)) if mean == "linear" else ZeroMean()


def _noise(noise: Any, *, known: bool) -> Noise:
    if isinstance(noise, Noise):
        return noise
    if noise is None:
        return NoNoise() if known else ConstantNoise(_NOISE)  # type: ignore[arg-type]
    if isinstance(noise, Constraint):
        return ConstantNoise(noise)  # type: ignore[arg-type]
    return ConstantNoise(Fixed(float(noise))) if noise > 0 else NoNoise()  # type: ignore[arg-type]


def output_noise(noise: float | None, count: int) -> Noise:
    """Of each of `count` outputs: learnt, or held at a number."""
    if noise == 0:
        return NoNoise()
    levels = np.full(count, _NOISE if noise is None else float(noise))
    return OutputNoise(levels if noise is None else Fixed(levels))  # type: ignore[arg-type]
