"""What a Gaussian process starts from when its user says little: practitioners' advice, written down."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from credo.errors import InputError
from credo.infer.gaussian.means import ConstantMean, LinearMean, Mean, ModuleMean, ZeroMean
from credo.infer.gaussian.process import ConstantNoise, Noise, NoNoise, OutputNoise, Process, integrate_mean
from credo.infer.gaussian.varying_noise import VaryingNoise
from credo.kernels import Kernel, Matern52
from credo.kernels.roles import CODE
from credo.numerics.constraints import Constraint, Fixed

__all__ = ["default_kernel", "output_noise", "starting_process"]

_LENGTHSCALE = 0.5  # of a standardized column, for one column
_NOISE = 0.1  # of the variance of the targets: generous, so that a search begins with a smooth function


def default_kernel(d: int) -> Matern52:
    """Matérn-5/2 with a length-scale per column, starting at 0.5 √d: typical distances grow with √d."""
    return Matern52(lengthscale=jnp.full(d, _LENGTHSCALE * d**0.5))


def starting_process(
    who: str, kernel: Kernel | None, mean: Any, noise: Any, d: int, *, known: bool, integrate: bool = True
) -> Process:
    """The process that a search starts from. Noise that is known row by row needs no other, unless it is given.

    `integrate` treats the coefficients of a given mean as unknown; those of a mean named by a string always are.
    """
    kernel = default_kernel(d) if kernel is None else kernel
    kernel.require_columns(d, who)
    _refuse_codes(who, kernel, mean, noise, d)
    function = _mean(mean, d)
    if kernel.has_uncertain_inputs and not isinstance(function, (ZeroMean, ConstantMean)):
        raise InputError(
            who,
            f"mean={mean!r} depends on inputs that are known up to a variance",
            "How it varies over them would be missing from the intervals",
            'Try mean="constant" and Expected(kernel + Linear())',
        )
    process = Process(kernel, function, _noise(noise, known=known))
    return integrate_mean(process) if integrate or isinstance(mean, str) else process


def _refuse_codes(who: str, kernel: Kernel, mean: Any, noise: Any, d: int) -> None:
    """A linear mean and a varying noise read every column as a number: refused where the kernel reads a code."""
    codes = [j for j, role in enumerate(kernel.column_roles(d, who)) if role == CODE]
    linear = isinstance(mean, str) and mean == "linear"
    if codes and (linear or isinstance(noise, VaryingNoise)):
        option = 'mean="linear"' if linear else 'noise_variance="varying"'
        raise InputError(
            who,
            f"{option} reads every column as a number, but the kernel reads column {codes[0]} as a code",
            "Codes are names: a sum or distance of them means nothing",
            "Add On(Linear(), columns) to the kernel, with the columns that are numbers"
            if linear
            else f"Leave {option} out",
        )


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
