"""Choosing the parameters of a process: from many starts, screened on a subset where the rows are many."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.infer.gaussian.evidence import log_evidence
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.process import Process, log_belief
from credo.numerics.certificate import Solution
from credo.numerics.concrete import placed
from credo.numerics.minimize import curvature, minimize
from credo.numerics.parameters import flatten
from credo.numerics.progress import Tracker

__all__ = ["SCREENED_FROM", "Optimum", "Task", "log_posterior", "select", "starts_around"]

#: Distinct points above which starts are screened on a subset; below, every start can afford all rows.
SCREENED_FROM = 1500
_SUBSET = 512  # a padding bucket
_FINALISTS = 2  # ends of searches on the subset that go on with all rows
_CAREFUL = 10  # iterations by steps that add to length-scales
_CLOSE = 10.0  # nats on all rows by which they may be behind the best
_TOLERANCE = 1e-4
_GAIN = 5e-5  # nats in two iterations: what is left is well below 1e-3
_SHORTER = 1.5  # log of the factor from the given length-scale of a column to one at which its effect bends
_LONG = 0.7  # log of the factor above that from which a length-scale is long
_FLAT = 1.0  # nats a squared unit of a logarithm: less curvature than that is taken for as much
_ROUGH_GAIN = 0.02  # on the subset
_JOIN = 3.0  # nats above an optimum that is known
_SAME = 0.05  # largest distance of free coordinates (relative changes of scales) at which two optima are one
_AS_HIGH = 1e-3  # nats: ends this close in height lie on one ridge, or are one optimum with its terms exchanged


class Task(NamedTuple):
    """What is optimized or sampled: a process to start from, the data, and whether the prior counts."""

    process: Process
    data: Observations
    with_prior: bool


class Optimum(NamedTuple):
    """A local optimum: the process, its log evidence (and prior, when it counts), and the start that led there."""

    process: Process
    objective: float
    start: int


def log_posterior(free: Array, task: Task) -> Array:
    """The log evidence at free coordinates; with the prior, the log density of those coordinates up to a constant.

    Priors are densities in the coordinates that are searched (logarithms of scales), Jacobian included, so that the
    mode does not sit where a scale happens to be measured finely.
    """
    flat = flatten(task.process)
    process = flat.rebuild(free)
    value = log_evidence(process, task.data)
    if not task.with_prior:
        return value
    return value + log_belief(process, task.data.X, task.data.present) + flat.log_jacobian(free)


class _Search(NamedTuple):
    """A task, the logs of the units in which steps add to scales, and the columns that steps combine."""

    task: Task
    unit: Array
    basis: Array


def _lengthscales(process: Process) -> np.ndarray:
    return np.array(["lengthscale" in name for name in flatten(process).names], dtype=bool)


def _free(point: Array, additive: Array, unit: Any = 0.0) -> Array:
    """The free coordinate log ℓ at the search coordinate v with ℓ = log(1 + exp v), in the unit given by its log."""
    return jnp.where(additive, unit + jnp.log(jax.nn.softplus(point)), point)


def _searched(free: np.ndarray, additive: np.ndarray, unit: Any = 0.0) -> np.ndarray:
    """The search coordinate v = ℓ + log(1 − exp(−ℓ)), ℓ in its unit."""
    scale = np.exp(np.where(additive, free - unit, 0.0))
    return np.where(additive, scale + np.log(-np.expm1(-scale)), free)


def _loss(point: Array, search: _Search, additive: Array) -> Array:
    """Of a point whose coordinates in the basis are logarithms, but for those that are `additive`."""
    return -log_posterior(_free(search.basis @ point, additive, search.unit), search.task)


@eqx.filter_jit
def _loss_at(point: Array, search: _Search) -> Array:
    return _loss(point, search, jnp.zeros(point.shape, dtype=bool))


def _losses(points: np.ndarray, search: _Search) -> np.ndarray:
    """Of free coordinates, one by one: any number of them is one compilation."""
    return np.array([float(_loss_at(placed(point), search)) for point in points])


def starts_around(start: np.ndarray, n_restarts: int, rng: np.random.Generator) -> np.ndarray:
    """The free coordinates that are given, and as many random ones a standard normal step away."""
    return start + np.concatenate([np.zeros((1, len(start))), rng.normal(size=(n_restarts, len(start)))])


def select(
    process: Process,
    data: Observations,
    *,
    with_prior: bool = True,
    n_restarts: int = 4,
    rng: np.random.Generator,
    progress: Tracker | None = None,
    who: str = "select",
) -> Solution[tuple[Optimum, ...]]:
    """The distinct local optima found, best first, from the given parameters and `n_restarts` random ones around them.

    Where there are more than 1500 distinct points, the starts run on a random 512 of them, and what is best on all
    rows, of the ends and of the given start, goes on there. Its steps begin with the curvature of the subset, and
    length-scales that the subset made long are short again where all rows are for it, so that few evaluations on all
    rows are left.
    """
    start, scales = np.asarray(flatten(process).vector), _lengthscales(process)
    starts = starts_around(start, n_restarts, rng)
    # Steps of size one are for standard units; a longer scale that is given is a unit, so that yours do not matter.
    unit = np.where(scales, np.maximum(start, 0.0), 0.0)
    search = _Search(Task(process, data, with_prior), placed(unit), placed(np.eye(len(start))))
    ends = partial(_ends, scales=scales, progress=progress, who=who)
    if data.rows <= SCREENED_FROM or not len(start):
        # No start is dropped: a worse optimum is an answer too, and costs little.
        solution, origins = ends(search, starts, drop=False)
    else:
        starts, origins, basis = _screened(search, starts, scales, rng, ends)
        solution = _in_logarithms(search, starts, basis=basis, gain=_GAIN, progress=progress, who=who)
    return Solution(_distinct(process, solution.info, origins), solution.certificate, solution.info)


def _in_logarithms(
    search: _Search, starts: np.ndarray, *, basis: np.ndarray | None = None, **settings: Any
) -> Solution:
    """Where searches from free coordinates end; with a symmetric basis, steps combine its columns."""
    none = placed(np.zeros(starts.shape, dtype=bool))
    points = starts
    if basis is not None:
        search, points = search._replace(basis=placed(basis)), np.linalg.solve(basis, starts.T).T
    found = minimize(
        _loss, points, shared=search, own=none, comparable=True, tolerance=_TOLERANCE, join=_JOIN, **settings
    )
    return found if basis is None else dataclasses.replace(found, info={**found.info, "x": found.info["x"] @ basis})


def _natural_steps(search: _Search, point: np.ndarray, scale: float) -> np.ndarray:
    """The symmetric basis in which the curvature at a point, times `scale`, is one; no less than a nat a unit squared.

    A quasi-Newton search learns the curvature of p parameters in more than p iterations. From the curvature of a subset
    of the rows it begins with nearly that of all.
    """
    bend = curvature(_loss, point, shared=search, own=placed(np.zeros(len(point), dtype=bool)))
    if not np.all(np.isfinite(bend)):
        return np.eye(len(point))
    values, vectors = np.linalg.eigh(scale * bend)
    return (vectors / np.sqrt(np.maximum(np.abs(values), _FLAT))) @ vectors.T


def _ends(
    search: _Search,
    starts: np.ndarray,
    *,
    scales: np.ndarray,
    gain: float = _GAIN,
    drop: bool = True,
    progress: Any,
    who: str,
) -> tuple[Solution, np.ndarray]:
    """Where searches from free coordinates end, and the starts that had a value to begin with.

    Every other start begins with iterations that add to length-scales. In logarithms an early, long step may make a
    column irrelevant, where the evidence is flat, for good: on the energy table four of five starts ended 17 nats
    lower. On the concrete table it is the other way round, by 4 nats. Once the scales are about right, logarithms need
    a third of the iterations.
    """
    additive = scales & (np.arange(len(starts)) % 2 == 0)[:, None]
    unit = np.asarray(search.unit)
    begun = minimize(
        _loss,
        _searched(starts, additive, unit),
        shared=search,
        own=placed(additive),
        comparable=True,
        max_iterations=_CAREFUL,
        tolerance=_TOLERANCE,
        gain=gain,
        drop=False,
        rough=True,
        progress=progress,
        who=who,
    )
    usable = np.flatnonzero(np.isfinite(begun.info["values"]))
    points = np.asarray(_free(jnp.asarray(begun.info["x"]), jnp.asarray(additive), search.unit))[usable]
    return _in_logarithms(search, points, gain=gain, drop=drop, progress=progress, who=who), usable


def _screened(
    search: _Search,
    starts: np.ndarray,
    scales: np.ndarray,
    rng: np.random.Generator,
    ends: Callable[..., tuple[Solution, np.ndarray]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The most promising ends of searches on a subset, by their value on all rows, where they began, and the basis."""
    task = search.task
    rows = np.sort(rng.choice(task.data.rows, _SUBSET, replace=False))
    subset = jax.tree.map(lambda a: placed(np.asarray(a)[rows]), task.data)
    on_subset = search._replace(task=task._replace(data=subset))
    rough, origins = ends(on_subset, starts, gain=_ROUGH_GAIN)
    found = np.flatnonzero(np.isfinite(rough.info["values"]))
    found = found[_representatives(rough.info["x"][found], rough.info["values"][found], 0.3)]
    # The given start may already be better than what a subset leads to.
    candidates = np.concatenate([rough.info["x"][found], starts[:1]])
    origins = np.append(origins[found], 0)
    losses = _losses(candidates, search)
    order = np.argsort(np.where(np.isfinite(losses), losses, np.inf))
    order = order[losses[order] <= losses[order[0]] + _CLOSE][:_FINALISTS]
    basis = _natural_steps(on_subset, candidates[order[0]], task.data.rows / _SUBSET)
    finalists = candidates[order]
    finalists[0] = _with_bends(search, finalists[0], losses[order[0]], scales, starts[0])
    return finalists, origins[order], basis


def _with_bends(search: _Search, point: np.ndarray, loss: float, scales: np.ndarray, start: np.ndarray) -> np.ndarray:
    """A point whose long length-scales are shortened where all rows are for it.

    A column whose effect is weak looks linear on a subset, which is an optimum of its own: a length-scale that is long.
    On all rows its bend may be worth many nats (75 in a table of 3000 rows and 20 columns), and no short step leads
    there.
    """
    short = start + _SHORTER
    columns = np.flatnonzero(scales & (point > short + _LONG))
    if not len(columns):
        return point
    single = np.where(np.eye(len(point), dtype=bool)[columns], short, point)
    losses = _losses(single, search)
    gains = np.where(np.isfinite(losses), loss - losses, 0.0)
    if not np.any(gains > 0.0):
        return point
    best = single[int(np.argmax(gains))]
    bent = point.copy()
    bent[columns[gains > 0.0]] = short[columns[gains > 0.0]]
    together = _losses(bent[None], search)[0]
    return bent if together <= loss - np.max(gains) else best


def _distinct(process: Process, info: Any, origins: np.ndarray) -> tuple[Optimum, ...]:
    """The ends that are optima, best first: the best of all, and of the others those whose search has converged."""
    values, converged = np.asarray(info["values"]), np.array([status == "converged" for status in info["statuses"]])
    order = np.argsort(values)
    order = order[np.isfinite(values[order]) & (converged[order] | (np.arange(len(order)) == 0))]
    points = np.asarray(info["x"])[order]
    rebuild = flatten(process).rebuild
    return tuple(
        Optimum(rebuild(jnp.asarray(points[i])), -float(values[order[i]]), int(origins[order[i]]))
        for i in _representatives(points, values[order], _SAME)
    )


def _representatives(points: np.ndarray, values: np.ndarray, distance: float) -> list[int]:
    """The first of each group of points that lie together or are equally high."""
    kept: list[int] = []
    for i, point in enumerate(points):
        near = (np.max(np.abs(point - points[j]), initial=0.0) < distance for j in kept)
        as_high = (abs(values[i] - values[j]) < _AS_HIGH for j in kept)
        if not any(near) and not any(as_high):
            kept.append(i)
    return kept
