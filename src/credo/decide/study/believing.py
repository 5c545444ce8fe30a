"""All that is believed after some trials: the objectives, what is bounded, what a trial costs, whether it fails."""

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions import GPSurface, Surface
from credo.decide.acquisitions.composed import Feasible
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.study.crashes import learn_crashes
from credo.decide.study.known import Known
from credo.decide.study.setup import Setup
from credo.decide.study.surrogate import Learned
from credo.decide.study.surrogates import learn
from credo.errors import InputError

__all__ = ["Beliefs", "Rescaled", "learn_beliefs"]

_COST_POINTS = 128  # at which a function of the cost is learnt


class Beliefs(NamedTuple):
    """One [](#Learned) for each objective and each bound, the logarithm of the cost, and whether a trial fails."""

    objectives: tuple[Learned, ...]
    bounds: tuple[Learned, ...] = ()
    log_cost: Learned | None = None
    crashes: Surface | None = None

    @property
    def feasible(self) -> Feasible | None:
        """The probability that a trial succeeds and meets its bounds; None where nothing stands against it."""
        surfaces: list[Surface] = [learned.surface for learned in self.bounds]
        limits = [-learned.center / learned.scale for learned in self.bounds]  # an excess of zero, in its units
        if self.crashes is not None:
            surfaces, limits = [*surfaces, self.crashes], [*limits, 0.0]
        return Feasible(None, tuple(surfaces), jnp.asarray(limits)) if surfaces else None

    @property
    def parameters(self) -> tuple[tuple[float, ...], ...]:
        """Of every surrogate, in the order of objectives, bounds and cost."""
        several = [*self.objectives, *self.bounds, *([] if self.log_cost is None else [self.log_cost])]
        return tuple(tuple(learned.parameters) for learned in several)


class Rescaled(Surface):
    """A surface in other units."""

    base: Surface
    center: Float[Array, ""]
    scale: Float[Array, ""]

    @classmethod
    def of(cls, learned: Learned) -> "Rescaled":
        """In the units of what was measured."""
        return cls(learned.surface, jnp.asarray(learned.center), jnp.asarray(learned.scale))

    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m s"], Float[Array, "m s"]]:
        mean, variance = self.base.moments(X)
        return self.center + self.scale * mean, self.scale**2 * variance


def learn_beliefs(
    setup: Setup,
    known: Known,
    *,
    starts: Sequence[Sequence[float]] = (),
    imagine: bool = False,
    seed: int = 0,
    warped: bool = False,
) -> Beliefs:
    """What is known turned into beliefs; searches begin at the parameters of earlier ones.

    With `imagine` the trials under way are taken to come out as believed, and learnt from (the "kriging believer" of
    Ginsbourger, Le Riche & Carraro 2010); without, they are left out. With `warped` the surface of the first objective
    may be about a logarithm of it.
    """
    columns = [*known.values.T, *known.excess.T]
    columns += [np.log(known.costs)] if known.costs is not None else []
    begins: list[Sequence[float] | None] = [*starts, *([None] * len(columns))]
    learned = [
        _learnt(setup, known, column, begin, imagine, seed, warped and i == 0)
        for i, (column, begin) in enumerate(zip(columns, begins, strict=False))
    ]
    if setup.surrogate is None:
        none = np.full(len(known.rows), np.nan)
        learned = [each._replace(ahead=known.ahead if i == 0 else none) for i, each in enumerate(learned)]
    m, j = known.values.shape[1], known.excess.shape[1]
    log_cost = learned[m + j] if known.costs is not None else _known_cost(setup, seed)
    crashes = learn_crashes(setup.space, known, seed, decided=setup.crash_cost > 0.0)
    return Beliefs(tuple(learned[:m]), tuple(learned[m : m + j]), log_cost, crashes)


def _learnt(
    setup: Setup,
    known: Known,
    values: np.ndarray,
    start: Sequence[float] | None,
    imagine: bool,
    seed: int,
    warped: bool,
) -> Learned:
    learned = learn(setup, known.rows, values, start=start, seed=seed, warped=warped)
    if not imagine or not len(known.pending):
        return learned
    mean, _ = moments_at(learned.surface, known.pending)
    believed = learned.center + learned.scale * np.mean(mean, axis=1)
    rows = np.concatenate([known.rows, known.pending])
    begin = learned.parameters if isinstance(learned.surface, GPSurface) else None
    imagined = learn(setup, rows, np.concatenate([values, believed]), start=begin, seed=seed)
    measured = learned.measured
    if measured is not None:  # in units of all results, imagined ones included, its mode is another one
        measured = measured._replace(near=measured.near._replace(precision=None))
    return imagined._replace(measured=measured)


def _known_cost(setup: Setup, seed: int) -> Learned | None:
    """The logarithm of a cost that is a function of the point, learnt from points all over the space."""
    if setup.cost is None:
        return None
    rows = setup.space.sample_rows(_COST_POINTS, seed)
    costs = np.array([float(setup.cost(point)) for point in setup.space.decode(rows)])
    if not np.all(np.isfinite(costs)) or np.any(costs <= 0.0):
        raise InputError("Study", f"cost gave {np.min(costs)}", "A cost is positive", "Correct the function")
    return learn(setup, rows, np.log(costs), seed=seed)
