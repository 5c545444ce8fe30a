"""What is believed of the objective after some trials: the default Gaussian process, in units that do not move.

A column from 0 to 1 is scaled so that evenly spread points have a standard deviation of one, whatever points a study
has come to; codes of choices stay codes. The objective is standardized, and turned so that less is better.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions import Surface, surface_of
from credo.decide.study.columns import in_units, over_columns, units_of
from credo.decide.study.quick_surrogate import LEAST_NOISE, learn_quickly
from credo.infer.gaussian.quick_mode import Mode
from credo.infer.gaussian.quick_warp import LogWarp
from credo.kernels import Hamming, Kernel
from credo.models import GPRegressor
from credo.models.gp.defaults import default_kernel
from credo.numerics.concrete import placed
from credo.numerics.constraints import Positive
from credo.numerics.parameters import flatten
from credo.represent.space import Space

__all__ = [
    "MOST_AVERAGED",
    "Learned",
    "Measured",
    "learn_objective",
    "learned_by",
    "parameters_of",
    "resumed",
    "standardized",
    "starting_kernel",
]

_NOISE = 0.01  # of the variance of the objective, where a search by JAX begins
_SAME = 1e-15  # of the largest value: a spread that is round-off
_STRAIGHT = -3.0  # log κ of a warp, below which it changes little
MOST_AVERAGED = 200  # trials, above which the parameters are known well enough


class Measured(NamedTuple):
    """Encoded rows and values that the default surrogate was learned from, and the mode of its parameters.

    Of few values, or without its curvature, it is only near the mode.
    """

    rows: Float[np.ndarray, "n d"]
    values: Float[np.ndarray, " n"]
    near: Mode


class Learned(NamedTuple):
    """The belief in standard units, what takes it back to those of the objective, and the parameters that were learnt.

    `value = center + scale * standard`, of the objective turned so that less is better. `measured` is what was learned
    from, where the surrogate is the default one and the measurements are few. `ahead` are standardized errors of
    beliefs that were there before the measurements, NaN where there was none; None for a surrogate that was passed.
    `bent` is whether the surface is about a logarithm that departs from the values.
    """

    surface: Surface
    center: float
    scale: float
    parameters: list[float]
    measured: Measured | None = None
    ahead: Float[np.ndarray, " n"] | None = None
    bent: bool = False

    def standard(self, values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Values of the turned objective in standard units."""
        return (values - self.center) / self.scale


def starting_kernel(space: Space) -> Kernel:
    """Matérn-5/2 over the columns that are numbers, times a factor for every choice that differs."""
    return over_columns(space, default_kernel, lambda count: Hamming(lengthscale=jnp.ones(count)))


def learn_objective(
    space: Space,
    rows: Float[np.ndarray, "n d"],
    values: Float[np.ndarray, " n"],
    *,
    start: Sequence[float] | None = None,
    restarts: int = 0,
    seed: int = 0,
    kernel: Kernel | None = None,
    warped: bool = False,
) -> Learned:
    """The process after measurements at encoded rows, its search begun at parameters of an earlier one. O(n³).

    With `restarts` and no parameters to begin at there are so many random starts beside the usual one; with them, the
    usual one after every fifth measurement. The default kernel at the mode of its parameters is found by NumPy: it is
    Matérn's, or where there is noise the squared exponential, if the evidence speaks for it. Another kernel is JAX's.

    With `warped` the surface may be about a logarithm of few values: good for telling where to measure, not for
    telling what comes out, which `measured` is for.
    """
    if kernel is None:
        standard, center, scale = standardized(values)
        few = len(values) <= MOST_AVERAGED
        warp = LogWarp.of(standard) if warped and few else None
        quick = learn_quickly(space, in_units(space, rows), standard, start, restarts, seed, warp=warp)
        measured = Measured(rows, values, quick.near) if few else None
        return Learned(quick.surface, center, scale, quick.parameters, measured, bent=quick.strength > _STRAIGHT)
    kernel, level = resumed(kernel, _NOISE, start)
    model = GPRegressor(
        kernel=kernel,
        noise_variance=Positive(max(level, LEAST_NOISE)),
        n_restarts=restarts,
        inference="map",
        standardize=False,
        random_state=seed,
    )
    return learned_by(model, space, rows, values)


def learned_by(
    model: GPRegressor, space: Space, rows: Float[np.ndarray, "n d"], values: Float[np.ndarray, " n"]
) -> Learned:
    """A process of one's own, fitted in the units of a study: columns and objective of spread about one."""
    standard, center, scale = standardized(values)
    model.fit(in_units(space, rows), standard)
    shift, width = units_of(space)
    surface = surface_of(model, (placed(shift), placed(width)))
    return Learned(surface, center, scale, parameters_of(model))


def standardized(values: Float[np.ndarray, " n"]) -> tuple[Float[np.ndarray, " n"], float, float]:
    """With mean zero and standard deviation one, the mean, and the standard deviation.

    Where all are the same the unit is their size, so that what is believed does not depend on the unit; of zeros one.
    """
    size = float(np.max(np.abs(values))) or 1.0  # the square of which may be too large for a number
    shares = values / size
    center, spread = float(np.mean(shares)), float(np.std(shares))
    if spread <= _SAME:
        return np.zeros_like(values), size * center, size
    return (shares - center) / spread, size * center, size * spread


def resumed(kernel: Kernel, noise: float, start: Sequence[float] | None) -> tuple[Kernel, float]:
    """Where a search begins: at the parameters that an earlier one ended at, if they are of such a kernel."""
    flat = flatten(kernel)
    # The last one is a variance here, and its logarithm where NumPy searched: of fewer rows than now.
    if start is None or len(start) != len(flat.vector) + 1 or start[-1] <= 0.0:
        return kernel, noise
    return flat.rebuild(placed(np.asarray(start[:-1]))), float(start[-1])


def parameters_of(model: GPRegressor) -> list[float]:
    """Of a fitted process, as `resumed` takes them."""
    return [*np.asarray(flatten(model.kernel_).vector).tolist(), float(model.noise_variance_)]
