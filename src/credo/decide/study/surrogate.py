"""What is believed of the objective after some trials: the default Gaussian process, in units that do not move.

A column from 0 to 1 is scaled so that evenly spread points have a standard deviation of one, whatever points a study
has come to; codes of choices stay codes. The objective is standardized, and turned so that less is better.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions import AveragedSurface, GPSurface, surface_of
from credo.kernels import Hamming, Kernel, Matern52, On
from credo.models import GPRegressor
from credo.models.gp.defaults import default_kernel
from credo.numerics.concrete import placed
from credo.numerics.constraints import Positive
from credo.numerics.parameters import flatten
from credo.represent.space import Space

__all__ = ["Learned", "learn_objective", "starting_kernel"]

_SPREAD = float(np.sqrt(1.0 / 12.0))  # of numbers that are spread evenly from 0 to 1
_NOISE = 0.01  # of the variance of the objective, where the search for it begins
_LEAST_NOISE = 1e-8


class Learned(NamedTuple):
    """The belief in standard units, what takes it back to those of the objective, and the parameters that were learnt.

    `value = center + scale * standard`, of the objective turned so that less is better.
    """

    surface: GPSurface | AveragedSurface
    center: float
    scale: float
    noise: float
    parameters: list[float]

    def standard(self, values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Values of the turned objective in standard units."""
        return (values - self.center) / self.scale


def starting_kernel(space: Space) -> Kernel:
    """Matérn-5/2 over the columns that are numbers, times a factor for every choice that differs."""
    codes = tuple(j for j, kind in enumerate(space.column_kinds) if kind.kind == "code")
    numbers = tuple(j for j in range(len(space)) if j not in codes)
    if not codes:
        return default_kernel(len(numbers))
    unlike = On(Hamming(lengthscale=jnp.ones(len(codes))), codes)
    if not numbers:
        return unlike
    return On(Matern52(lengthscale=default_kernel(len(numbers)).lengthscale), numbers) * unlike


def units_of(space: Space) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """Shift and scale of each column of the encoding: those of codes are zero and one."""
    codes = np.array([kind.kind == "code" for kind in space.column_kinds])
    return np.where(codes, 0.0, 0.5), np.where(codes, 1.0, _SPREAD)


def learn_objective(
    space: Space,
    rows: Float[np.ndarray, "n d"],
    values: Float[np.ndarray, " n"],
    *,
    start: Sequence[float] | None = None,
    restarts: int = 0,
    inference: str = "map",
    seed: int = 0,
) -> Learned:
    """The process after measurements at encoded rows, its search begun at parameters of an earlier one. O(n³)."""
    center, scale = float(np.mean(values)), float(np.std(values)) or 1.0
    shift, width = units_of(space)
    kernel, noise = starting_kernel(space), _NOISE
    if start is not None and len(start) == len(flatten(kernel).vector) + 1:
        kernel, noise = flatten(kernel).rebuild(placed(np.asarray(start[:-1]))), float(start[-1])
    model = GPRegressor(
        kernel=kernel,
        noise_variance=Positive(max(noise, _LEAST_NOISE)),
        inference=inference,  # type: ignore[arg-type]
        n_restarts=restarts,
        standardize=False,
        random_state=seed,
    ).fit((rows - shift) / width, (values - center) / scale)
    surface = surface_of(model, (placed(shift), placed(width)))
    learnt = [*np.asarray(flatten(model.kernel_).vector).tolist(), float(model.noise_variance_)]
    return Learned(surface, center, scale, float(model.noise_variance_), learnt)
