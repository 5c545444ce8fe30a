"""The next point of a study, as a function of what it has seen and of a seed: the same in, the same out."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float

from credo.decide.acquisitions import (
    Acquisition,
    ConfidenceBound,
    FantasySurface,
    GPSurface,
    LogExpectedImprovement,
    LogProbabilityOfImprovement,
    Surface,
    growing_width,
    imagined,
    maximize_acquisition,
)
from credo.decide.acquisitions.composed import Feasible, ThompsonSample
from credo.decide.acquisitions.entropy import MaxValueEntropy, least_values
from credo.decide.acquisitions.knowledge import KnowledgeGradient
from credo.decide.acquisitions.maximize import evaluated, first_free, moments_at
from credo.decide.study.surrogate import Learned, learn_objective
from credo.decide.study.why import Why
from credo.errors import InputError
from credo.infer.gaussian.paths import sample_paths
from credo.represent.space import Space

__all__ = ["ACQUISITIONS", "Known", "Named", "Suggestion", "suggest"]

Named = Literal["log_ei", "log_nei", "pi", "lcb", "thompson", "mes", "kg", "random"]
ACQUISITIONS: tuple[Named, ...] = ("log_ei", "log_nei", "pi", "lcb", "thompson", "mes", "kg", "random")
_FANTASIES = 32  # of trials under way, and of what is behind noise
_PATHS = 16
_NEAR = 4  # of the best points, around which there are candidates
_SPARE = 64  # points beside the design, of which one is free unless the space is nearly used up
_SLACK = 0.01  # of the standard deviation of the objective, by which an improvement counts


class Known(NamedTuple):
    """What a study has seen: rows of the encoding, values turned so that less is better, trials that failed, and
    trials that are under way."""

    rows: Float[np.ndarray, "n d"]
    values: Float[np.ndarray, " n"]
    failed: Float[np.ndarray, "f d"]
    pending: Float[np.ndarray, "p d"]

    @property
    def taken(self) -> Float[np.ndarray, "t d"]:
        """All of them."""
        return np.concatenate([self.rows, self.failed, self.pending])


class Suggestion(NamedTuple):
    """A row of the encoding, and why."""

    row: Float[np.ndarray, " d"]
    why: Why


def suggest(
    space: Space,
    known: Known,
    *,
    acquisition: Named = "log_ei",
    initial: int,
    turned: float = 1.0,
    start: Sequence[float] | None = None,
    design_seed: int = 0,
    seed: int = 0,
) -> Suggestion:
    """The point to measure next.

    The first `initial` are an even design over the space; then a Gaussian process is fitted to what is known, and the
    acquisition is maximized. Trials under way are imagined to come out as believed; where some failed, the gain counts
    by the probability of not failing. `start` are parameters of an earlier surrogate.
    """
    generator, taken = np.random.default_rng(seed), known.taken
    if len(taken) < initial or len(known.values) < 2 or acquisition == "random":
        return Suggestion(_design(space, taken, initial, design_seed, generator), Why("start", acquisition=acquisition))
    learned = learn_objective(space, known.rows, known.values, start=start, restarts=1, seed=seed)
    surface, best = _with_pending(learned, known, generator)
    gain = _acquisition(acquisition, learned, surface, best, space, known, generator)
    outcomes = _crashes(space, known, seed)
    whole = gain if outcomes is None else Feasible(gain, (outcomes,), jnp.asarray([0.5]))
    near = known.rows[np.argsort(known.values, kind="stable")[:_NEAR]]
    found = maximize_acquisition(whole, space, generator, near=near, taken=taken if space.count else None, who="ask")
    return Suggestion(found.row, _why(learned, best, found.row, turned, acquisition, outcomes))


def _design(
    space: Space, taken: np.ndarray, initial: int, design_seed: int, generator: np.random.Generator
) -> Float[np.ndarray, " d"]:
    """The next point of an even design that is not taken yet, then any."""
    left = space.sample_rows(initial, design_seed)[len(taken) :] if len(taken) < initial else taken[:0]
    rows = np.concatenate([left, space.sample_rows(_SPARE, generator)])
    return first_free(space, rows, -np.arange(len(rows), dtype=np.float64), taken, "ask").row


def _with_pending(
    learned: Learned, known: Known, generator: np.random.Generator
) -> tuple[Surface, Float[np.ndarray, " s"]]:
    """The belief with what is under way imagined, and in each fantasy the least mean at what was or is measured."""
    surface: Surface = learned.surface
    rows = known.rows
    if len(known.pending) and isinstance(learned.surface, GPSurface):
        normals = generator.normal(size=(len(known.pending), _FANTASIES))
        surface, _ = imagined(learned.surface, known.pending, normals, noisy=True)
        rows = np.concatenate([rows, known.pending])
    mean, _ = moments_at(surface, rows)
    return surface, np.min(mean, axis=0)


def _acquisition(
    name: Named,
    learned: Learned,
    surface: Surface,
    best: np.ndarray,
    space: Space,
    known: Known,
    generator: np.random.Generator,
) -> Acquisition:
    least = jnp.asarray(best)
    if name == "log_nei" and isinstance(surface, GPSurface):
        normals = generator.normal(size=(len(known.rows), _FANTASIES))
        noiseless, values = imagined(surface, known.rows, normals, noisy=False)
        return LogExpectedImprovement(noiseless, jnp.min(values, axis=0))
    if name in ("log_ei", "log_nei"):
        return LogExpectedImprovement(surface, least)
    if name == "pi":
        return LogProbabilityOfImprovement(surface, least, jnp.asarray(_SLACK))
    if name == "lcb":
        return ConfidenceBound(surface, jnp.asarray(growing_width(len(known.rows), len(space))))
    base = surface.base if isinstance(surface, FantasySurface) else surface
    if not isinstance(base, GPSurface):
        raise InputError("ask", f"acquisition {name!r} of averaged parameters", "", 'Try "log_ei"')
    if name == "kg":
        return KnowledgeGradient(base, jnp.asarray(np.concatenate([known.rows, space.sample_rows(64, generator)])))
    paths = sample_paths(base.posterior, 1 if name == "thompson" else _PATHS, random_state=generator)
    if name == "thompson":
        return ThompsonSample(paths, base.shift, base.scale)
    points = np.concatenate([known.rows, space.sample_rows(1024, generator)])
    drawn = np.asarray(paths(base.inputs(jnp.asarray(points))))
    return MaxValueEntropy(base, jnp.asarray(least_values(drawn, float(np.min(best)), 1.0))[:, None])


def _crashes(space: Space, known: Known, seed: int) -> Surface | None:
    """A belief about whether a trial fails, one where it did and zero where not; None where none has."""
    if not len(known.failed):
        return None
    rows = np.concatenate([known.rows, known.failed])
    failed: Bool[np.ndarray, " n"] = np.arange(len(rows)) >= len(known.rows)
    learned = learn_objective(space, rows, failed.astype(np.float64), seed=seed)
    return _Rescaled(learned.surface, jnp.asarray(learned.center), jnp.asarray(learned.scale))


class _Rescaled(Surface):
    """A surface in other units."""

    base: Surface
    center: Any
    scale: Any

    def moments(self, X: Any) -> tuple[Any, Any]:
        mean, variance = self.base.moments(X)
        return self.center + self.scale * mean, self.scale**2 * variance


def _why(
    learned: Learned, best: np.ndarray, row: np.ndarray, turned: float, acquisition: str, outcomes: Surface | None
) -> Why:
    mean, variance = (part[0] for part in moments_at(learned.surface, row[None]))
    center, spread = float(np.mean(mean)), float(np.sqrt(np.mean(variance) + np.var(mean)))
    in_units = lambda value: turned * (learned.center + learned.scale * value)  # noqa: E731
    feasible = None
    if outcomes is not None:
        feasible = float(np.exp(evaluated(Feasible(None, (outcomes,), jnp.asarray([0.5])), row[None])[0]))
    return Why.of_gain(
        in_units(center),
        learned.scale * spread,
        in_units(float(np.min(best))),
        turned,
        feasible=feasible,
        acquisition=acquisition,
        parameters=tuple(learned.parameters),
    )
