"""What every sampler does around its transitions: check the input, evaluate the starts, pace the work."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError
from credo.numerics.concrete import traced
from credo.numerics.precision import require_float64
from credo.numerics.progress import Tracker
from credo.numerics.threads import blas_threads_for

__all__ = ["BUFFER", "LogDensity", "Problem", "check_starts", "collect", "stated_problem"]

#: A pure JAX function of a vector and of whatever data it needs, as a scalar.
LogDensity = Callable[[Array, Any], Array]

BUFFER = 64  # draws that one compiled call can hold; how many it makes is traced
_SECONDS = 0.5  # of work between two reports to a tracker
_FEWEST_DRAWS = 4  # without which there is no diagnostic


class Problem(NamedTuple):
    """A target and the chains that are to explore it, checked."""

    log_density: LogDensity
    shared: Any
    starts: Array
    n_draws: int
    n_warmup: int
    names: tuple[str, ...] | None

    def threads(self) -> AbstractContextManager:
        """One BLAS thread while matrices are small."""
        leaves = [leaf for leaf in jax.tree.leaves(self.shared) if eqx.is_array(leaf) and leaf.ndim]
        return blas_threads_for(max((leaf.shape[0] for leaf in leaves), default=0))


def stated_problem(
    who: str, log_density: LogDensity, starts: Any, shared: Any, n_draws: int, n_warmup: int, names: Any
) -> Problem:
    """The problem with its data as JAX arrays; what cannot be sampled is refused in the name of `who`."""
    require_float64(who)
    points = np.array(starts, dtype=np.float64)
    points = points[None] if points.ndim == 1 else points
    finite = bool(np.all(np.isfinite(points)))
    if points.ndim != 2 or not points.size or not finite:
        raise InputError(
            who,
            f"starts have shape {np.shape(starts)}" + ("" if finite else " and are not all finite"),
            "A start is a finite vector, one for each chain",
            "Try starts=np.random.default_rng(0).normal(size=(4, p))",
        )
    for name, value, least in (("n_draws", n_draws, _FEWEST_DRAWS), ("n_warmup", n_warmup, 0)):
        if value < least:
            raise InputError(who, f"{name} is {value}", f"It is at least {least}", f"Try {name}=500")
    names = None if names is None else tuple(names)
    if names is not None and len(names) != points.shape[1]:
        raise InputError(
            who, f"there are {len(names)} names for {points.shape[1]} coordinates", "", "Pass one name a coordinate"
        )
    problem = Problem(log_density, traced(shared), jnp.asarray(points), int(n_draws), int(n_warmup), names)
    shape = eqx.filter_eval_shape(log_density, problem.starts[0], problem.shared).shape
    if shape:
        raise InputError(
            who, f"log_density returns an array of shape {shape}", "A log density is one number", "Sum over its terms"
        )
    return problem


def check_starts(who: str, densities: Array, gradients: Array | None = None) -> None:
    """Refuse starts where the log density, or its gradient, is not finite."""
    values = np.asarray(densities)
    steep = np.zeros_like(values) if gradients is None else np.sum(np.asarray(gradients), axis=1)
    bad = np.flatnonzero(~np.isfinite(values) | ~np.isfinite(steep))
    if bad.size:
        first = int(bad[0])
        part = "log density" if not np.isfinite(values[first]) else "gradient of the log density"
        raise InputError(
            who,
            f"the {part} at start {first} is not finite ({bad.size} of {values.size} starts are like this)",
            "The start lies outside the support, or the model overflows there",
            "Try starts where the density is positive",
        )


def collect(
    advance: Callable[[int], tuple[np.ndarray, np.ndarray]], total: int, track: Tracker
) -> tuple[np.ndarray, np.ndarray]:
    """`total` draws of every chain and their log densities, from an `advance` that makes a few at a time."""
    parts = [advance(count) for count in _paced(total, track)]
    return tuple(np.concatenate(column, axis=1) for column in zip(*parts, strict=True))  # type: ignore[return-value]


def _paced(total: int, track: Tracker) -> Iterator[int]:
    """Numbers of draws that sum to `total`, each about half a second of work, with a report after each."""
    count = 1
    while total > 0:
        count = min(count, total, BUFFER)
        started = time.perf_counter()
        yield count
        elapsed = max(time.perf_counter() - started, 1e-9)
        track.advance(count)
        total -= count
        count = int(np.clip(count * _SECONDS / elapsed, 1, BUFFER))
