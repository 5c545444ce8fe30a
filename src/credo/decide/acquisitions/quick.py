r"""The expected improvement under a small belief by NumPy alone, with its slopes: nothing is compiled for it.

A study of a hundred trials would mostly compile. Where the surrogate is the default one the acquisition is computed
here, to round-off the same; any other kernel or acquisition stays with JAX.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions.improvement import Acquisition, LogExpectedImprovement, improvement_slopes
from credo.decide.acquisitions.surface import GPSurface, Surface
from credo.infer.gaussian.quick import QuickProcess, quick_process

__all__ = ["QuickImprovement", "quick_improvement", "quick_surface"]


class QuickImprovement(NamedTuple):
    """The logarithm of the expected improvement on `best`."""

    process: QuickProcess
    best: float

    def values(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """At each row."""
        mean, variance = self.process.moments(rows)
        return improvement_slopes(mean, np.sqrt(variance), self.best)[0]

    def with_slopes(self, rows: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, "m d"]]:
        """At each row, and its gradient there."""
        at = self.process.slopes(rows)
        std = np.sqrt(at.variance)
        value, by_mean, by_std = improvement_slopes(at.mean, std, self.best)
        return value, by_mean[:, None] * at.mean_slope + (0.5 * by_std / std)[:, None] * at.variance_slope


def quick_improvement(acquisition: Acquisition) -> QuickImprovement | None:
    """The same acquisition, where it is the expected improvement under one belief that `quick_surface` knows."""
    if not isinstance(acquisition, LogExpectedImprovement) or acquisition.best.shape != (1,):
        return None
    process = quick_surface(acquisition.surface)
    return None if process is None else QuickImprovement(process, float(np.asarray(acquisition.best)[0]))


def quick_surface(surface: Surface) -> QuickProcess | None:
    """The same belief at rows of the encoding, where it is small and of the default kernel; else None."""
    if not isinstance(surface, GPSurface):
        return None
    return quick_process(surface.posterior, np.asarray(surface.shift), np.asarray(surface.scale))
