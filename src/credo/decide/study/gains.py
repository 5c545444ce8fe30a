"""What a measurement of one objective is worth: the acquisition that a study was set up with, on what is believed."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float

from credo.decide.acquisitions import (
    Acquisition,
    AveragedSurface,
    ConfidenceBound,
    GPSurface,
    LogExpectedImprovement,
    LogProbabilityOfImprovement,
    Surface,
    growing_width,
    imagined,
)
from credo.decide.acquisitions.composed import ThompsonSample
from credo.decide.acquisitions.entropy import MaxValueEntropy, least_values
from credo.decide.acquisitions.knowledge import KnowledgeGradient
from credo.decide.acquisitions.maximize import moments_at
from credo.errors import InputError, UndefinedError
from credo.infer.gaussian.paths import padded_paths, sample_paths
from credo.numerics.concrete import placed
from credo.numerics.padding import filled
from credo.represent.space import Space

__all__ = ["FANTASIZED", "POINTS", "Situation", "gain_of", "with_fantasies"]

#: What averages over fantasies of trials under way; all others take these to come out as believed.
FANTASIZED: tuple[str, ...] = ("log_ei", "log_nei", "qlog_ei", "pi", "lcb")
_FANTASIES = 32  # of trials under way, and of what is behind noise
_PATHS = 16
#: Beside the measured rows, those among which the least mean is looked for.
POINTS = 64
_DENSE = 1024  # among which the least value of a drawn function is looked for
_SLACK = 0.01  # of the standard deviation of the objective, by which an improvement counts


class Situation(NamedTuple):
    """A belief about one objective in its units, the rows where it was or is measured, its means there, in every belief
    one, where bounds were met, and the least mean among the latter."""

    surface: Surface
    rows: Float[np.ndarray, "n d"]
    means: Float[np.ndarray, "n s"]
    met: Bool[np.ndarray, " n"]
    best: Float[np.ndarray, " s"]

    @classmethod
    def of(cls, surface: Surface, rows: Float[np.ndarray, "n d"], met: Bool[np.ndarray, " n"]) -> "Situation":
        """With the best looked up; of all rows where none met the bounds."""
        mean, _ = moments_at(surface, rows)
        among = met if np.any(met) else np.ones(len(rows), dtype=bool)
        return cls(surface, rows, mean, met, np.min(mean[among], axis=0))


def with_fantasies(surface: Surface, pending: Float[np.ndarray, "p d"], generator: np.random.Generator) -> Surface:
    """The belief in fantasies of what is under way, where it is a Gaussian process.

    The function itself is imagined there, not a noisy measurement of it: else the same setting again would seem to gain
    what is left unknown behind the noise, and trials under way at once would be one experiment.
    """
    if not len(pending) or not isinstance(surface, GPSurface):
        return surface
    normals = generator.normal(size=(len(pending), _FANTASIES))
    return imagined(surface, pending, normals, noisy=False)[0]


def gain_of(name: str, now: Situation, base: Surface, space: Space, generator: np.random.Generator) -> Acquisition:
    """The acquisition of that name. `base` is the belief without fantasies."""
    least = placed(now.best)
    if name == "log_nei" and isinstance(base, GPSurface):
        normals = generator.normal(size=(len(now.rows), _FANTASIES))
        noiseless, values = imagined(base, now.rows, normals, noisy=False)
        among = np.flatnonzero(now.met) if np.any(now.met) else np.arange(len(now.rows))
        return LogExpectedImprovement(noiseless, jnp.min(values[among], axis=0))
    if name in ("log_ei", "qlog_ei", "random"):
        return LogExpectedImprovement(now.surface, least)
    if name == "pi":
        return LogProbabilityOfImprovement(now.surface, least, jnp.asarray(_SLACK))
    if name == "lcb":
        return ConfidenceBound(now.surface, jnp.asarray(growing_width(len(now.rows), len(space))))
    if name == "kg" and isinstance(base, (GPSurface, AveragedSurface)):
        return KnowledgeGradient.of(base, np.concatenate([now.rows, space.sample_rows(POINTS, generator)]))
    if not isinstance(base, GPSurface):
        what = f"acquisition {name!r} of a belief that is no single Gaussian process"
        cause = "Parameters are averaged or missed on purpose, or the surrogate is another"
        raise InputError("ask", what, cause, 'Try "log_ei"')
    return _of_functions(name, base, now, space, generator)


def _of_functions(
    name: str, base: GPSurface, now: Situation, space: Space, generator: np.random.Generator
) -> Acquisition:
    """Those that draw functions."""
    try:
        paths = padded_paths(sample_paths(base.posterior, 1 if name == "thompson" else _PATHS, random_state=generator))
    except UndefinedError as error:
        what = f"acquisition {name!r} in a space with unordered choices"
        raise InputError("ask", what, "No function of these can be drawn", 'Try "log_ei"') from error
    if name == "thompson":
        return ThompsonSample(paths, base.shift, base.scale)
    points = np.concatenate([now.rows, space.sample_rows(_DENSE, generator)])
    drawn = np.asarray(paths(base.inputs(placed(filled(points)))))
    return MaxValueEntropy(base, jnp.asarray(least_values(drawn, float(np.min(now.best)), 1.0))[:, None])
