"""Where an acquisition is largest: quasi-random candidates, then ascent from the best; discrete columns by steps.

A column that varies continuously is climbed by L-BFGS-B, many starts in one batched evaluation. A discrete one is
changed a step at a time, all neighbors judged together; the two alternate until neither helps. Nothing is enumerated.
"""

from collections.abc import Callable

import equinox as eqx
import numpy as np
from jax import Array
from jaxtyping import Bool, Float
from scipy.stats import qmc

from credo.decide.acquisitions.composed import OnPlanes
from credo.decide.acquisitions.free import APART, Suggested, first_free
from credo.decide.acquisitions.improvement import Acquisition
from credo.decide.acquisitions.quick import QuickImprovement, quick_improvement, quick_surface
from credo.decide.acquisitions.surface import Surface
from credo.decide.acquisitions.tabulated import has_slopes, tabulated
from credo.numerics.ascent import ascended
from credo.numerics.concrete import placed
from credo.numerics.minimize import minimize
from credo.numerics.padding import filled
from credo.numerics.threads import OneBlasThread
from credo.represent.space import Space
from credo.represent.space.planes import Elimination

__all__ = ["maximize_acquisition"]

_CANDIDATES = 512
_STARTS = 8
_ROUNDS = 8  # of ascent and steps
_LEVELS = 32  # of an integer, above which it is climbed like a continuous column and rounded
_SPREADS = (0.02, 0.1)  # of candidates around the best rows, in shares of a range
_ITERATIONS = 60
_DIRECTIONS, _REACHES = 32, (0.2, 0.1, 0.05, 0.02, 0.01)  # of steps where there are no slopes
_GAIN = 1e-3  # of a logarithm of a gain: an ascent that brings less in two steps has arrived


def maximize_acquisition(
    acquisition: Acquisition,
    space: Space,
    generator: np.random.Generator,
    *,
    near: Float[np.ndarray, "k d"] | None = None,
    taken: Float[np.ndarray, "t d"] | None = None,
    away: Float[np.ndarray, "p d"] | None = None,
    least: float = APART,
    candidates: int = _CANDIDATES,
    starts: int = _STARTS,
    who: str = "maximize_acquisition",
) -> Suggested:
    """The row of a space with the largest acquisition that was found, and that is not among the rows `taken`.

    It differs from the rows `away` by at least the share `least` of a range in some column, unless no row that was
    looked at does. Rows `near` which it may be large, as the best so far, get candidates around them. Cost: one
    evaluation at all candidates, and some twenty at `starts` rows.
    """
    judged = quick_improvement(acquisition) or acquisition
    pool, climbed, planes = _candidates(space, generator, near, candidates), climbable(space), space.planes
    with OneBlasThread():
        values = evaluated(judged, pool)
        ends = pool[_chosen(values, starts, generator)]
        best = evaluated(judged, ends)
        for turn in range(_ROUNDS):
            before = best
            left = None if planes is None else planes.eliminated(turn)
            ends, best = _ascended(judged, space, ends, best, climbed, left, who)
            ends, best = _stepped(judged, space, ends, best, climbed)
            alternates = planes is not None or not np.all(climbed)
            stuck = not np.any(best > before + _GAIN) and (planes is None or turn > 0)
            if not alternates or stuck:
                break
    rows, found = np.concatenate([ends, pool]), np.concatenate([best, values])
    return first_free(space, rows, found, taken, who, away=away, least=least)


def evaluated(acquisition: Acquisition | QuickImprovement, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
    """The acquisition at each row; minus infinity where it has no value."""
    if not isinstance(acquisition, QuickImprovement):
        quick = quick_improvement(acquisition)
        if quick is not None:
            return evaluated(quick, rows)
        whole = filled(rows)
        values = np.asarray(_values(tabulated(acquisition, whole), placed(whole)))[: len(rows)]
    else:
        with OneBlasThread():
            values = acquisition.values(rows)
    return np.where(np.isnan(values), -np.inf, values)


def moments_at(
    surface: Surface, rows: Float[np.ndarray, "m d"]
) -> tuple[Float[np.ndarray, "m s"], Float[np.ndarray, "m s"]]:
    """Mean and variance at each row, on the host."""
    quick = quick_surface(surface)
    if quick is not None:
        with OneBlasThread():
            here, spread = quick.moments(rows)
        return here[:, None], spread[:, None]
    whole = filled(rows)
    mean, variance = _moments(tabulated(surface, whole), placed(whole))
    return np.asarray(mean)[: len(rows)], np.asarray(variance)[: len(rows)]


@eqx.filter_jit
def _moments(surface: Surface, X: Array) -> tuple[Array, Array]:
    return surface.moments(X)


@eqx.filter_jit
def _values(acquisition: Acquisition, X: Array) -> Array:
    return acquisition(X)


def _loss(x: Array, acquisition: Acquisition, _: None) -> Array:
    return -acquisition(x[None])[0]


def _candidates(
    space: Space, generator: np.random.Generator, near: np.ndarray | None, count: int
) -> Float[np.ndarray, "m d"]:
    everywhere = space.sample_rows(count, generator)
    if near is None or not len(near):
        return everywhere
    around = [near + spread * generator.normal(size=(8, *near.shape)) for spread in _SPREADS]
    return np.concatenate([everywhere, brought_inside(space, np.concatenate([near, *np.concatenate(around)]))])


def brought_inside(space: Space, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "k d"]:
    """The nearest points of the space, also of its equations, without those that other constraints forbid."""
    on_planes = rows if space.planes is None else space.planes.onto(rows)
    inside = space.snap(np.clip(on_planes, 0.0, _highest(space)))
    return inside[space.allowed(inside)]


def _highest(space: Space) -> Float[np.ndarray, " d"]:
    """Of each column: the last code of a choice, one of all others."""
    return np.array([kind.levels - 1.0 if kind.levels and kind.kind == "code" else 1.0 for kind in space.column_kinds])


def climbable(space: Space) -> Bool[np.ndarray, " d"]:
    """Which columns have a slope to follow: those that vary continuously, and integers of very many levels."""
    return np.array(
        [
            kind.fixed is None
            and (kind.kind == "continuous" or (kind.kind == "integer" and (kind.levels or 0) > _LEVELS))
            for kind in space.column_kinds
        ]
    )


def _chosen(values: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """The best half of the starts, and others drawn in proportion to the gain, so that not all climb one hill."""
    order = np.argsort(-values, kind="stable")
    count = min(count, len(order))
    sure = order[: (count + 1) // 2]
    rest = order[len(sure) :]
    spread = np.std(values[np.isfinite(values)]) or 1.0
    keys = np.where(np.isfinite(values[rest]), values[rest], -1e300) / spread + generator.gumbel(size=len(rest))
    return np.concatenate([sure, rest[np.argsort(-keys, kind="stable")[: count - len(sure)]]])


def _ascended(
    acquisition: Acquisition | QuickImprovement,
    space: Space,
    rows: np.ndarray,
    values: np.ndarray,
    climbed: np.ndarray,
    left: Elimination | None,
    who: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Each row climbed in its continuous columns; where that leaves what is allowed, as far as it may go.

    Where equations hold between columns, `left` says which are climbed, and what the others then are.
    """
    if not np.any(climbed):
        return rows, values
    if not isinstance(acquisition, QuickImprovement) and not has_slopes(acquisition):
        return _tried_around(acquisition, space, rows, values, climbed)
    low, high = fences(rows, climbed)
    if isinstance(acquisition, QuickImprovement):
        summits = _climbed_quickly(acquisition, rows, low, high, left)
    else:
        summits = _climbed(acquisition if left is None else OnPlanes.of(acquisition, left), rows, low, high, who)
    if left is None:
        ends = reached(space, rows, summits, climbed)
    else:  # an eliminated column may be beyond its bounds: not clipped, which would leave the plane, but shortened
        ends = space.snap(_allowed_part(space, rows, left.complete(summits)))
    better = evaluated(acquisition, ends)
    won = better > values
    return np.where(won[:, None], ends, rows), np.where(won, better, values)


def _climbed(acquisition: Acquisition, rows: np.ndarray, low: np.ndarray, high: np.ndarray, who: str) -> np.ndarray:
    solution = minimize(
        _loss,
        rows,
        shared=acquisition,
        bounds=np.stack([low, high], axis=-1),
        batch=True,
        max_iterations=_ITERATIONS,
        tolerance=1e-4,
        gain=_GAIN,
        rough=True,
        who=who,
    )
    return np.asarray(solution.info["x"])


def _climbed_quickly(
    acquisition: QuickImprovement, rows: np.ndarray, low: np.ndarray, high: np.ndarray, left: Elimination | None
) -> np.ndarray:
    """In units of the length-scales, in which the acquisition is about equally curved all around."""
    process = acquisition.process
    units = np.ones(rows.shape[1])
    for term in process.terms:
        units[term.numbers] = np.minimum(units[term.numbers], 1.0 / term.rates)

    def climbing(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if left is None:
            return acquisition.with_slopes(at)
        values, slopes = acquisition.with_slopes(left.complete(at))
        return values, left.pulled(slopes)

    return ascended(climbing, rows, low, high, units, rounds=_ITERATIONS, gain=_GAIN)[0]


def _tried_around(
    acquisition: Acquisition, space: Space, rows: np.ndarray, values: np.ndarray, climbed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where there are no slopes: steps in all directions from each row, the best taken, ever shorter."""
    directions = qmc.Sobol(rows.shape[1], seed=0).random(_DIRECTIONS)
    for reach in _REACHES:
        steps = reach * (2.0 * directions - 1.0) * climbed
        around = space.snap(np.clip(rows[:, None] + steps, 0.0, _highest(space)).reshape(-1, rows.shape[1]))
        found = np.where(space.allowed(around), evaluated(acquisition, around), -np.inf).reshape(len(rows), -1)
        best = np.argmax(found, axis=1)
        better = np.max(found, axis=1)
        moved = around.reshape(len(rows), -1, rows.shape[1])[np.arange(len(rows)), best]
        won = better > values
        rows, values = np.where(won[:, None], moved, rows), np.where(won, better, values)
    return rows, values


def fences(rows: Float[np.ndarray, "*m d"], climbed: Bool[np.ndarray, " d"]) -> tuple[np.ndarray, np.ndarray]:
    """Between which each row may climb: the whole range of its continuous columns, and nowhere in the others."""
    return np.where(climbed, 0.0, rows), np.where(climbed, 1.0, rows)


def reached(
    space: Space, rows: Float[np.ndarray, "m d"], summits: Float[np.ndarray, "m d"], climbed: Bool[np.ndarray, " d"]
) -> Float[np.ndarray, "m d"]:
    """The points that rows come to which climb towards their summits: inside, and as far as constraints allow."""
    return space.snap(_allowed_part(space, rows, np.clip(summits, *fences(rows, climbed))))


def _allowed_part(space: Space, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The last point on the way from an allowed row to its end that is allowed, by bisection."""
    fine = space.allowed(ends)
    if np.all(fine):
        return ends
    low, high = np.zeros(len(rows)), np.where(fine, 0.0, 1.0)
    for _ in range(30):
        middle = 0.5 * (low + high)
        there = space.allowed(rows + middle[:, None] * (ends - rows))
        low, high = np.where(there, middle, low), np.where(there, high, middle)
    return np.where(fine[:, None], ends, rows + low[:, None] * (ends - rows))


def _stepped(
    acquisition: Acquisition | QuickImprovement, space: Space, rows: np.ndarray, values: np.ndarray, climbed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each row moved to its best neighbor, where one is better."""
    if np.all(climbed):
        return rows, values
    return best_neighbors(space, rows, values, lambda near, _: evaluated(acquisition, near))


def best_neighbors(
    space: Space,
    rows: Float[np.ndarray, "m d"],
    values: Float[np.ndarray, " m"],
    judge: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> tuple[Float[np.ndarray, "m d"], Float[np.ndarray, " m"]]:
    """Each row moved one step to its best neighbor, where one is better.

    `judge` gives the values of neighbors, all at once, and is told of which row each is one.
    """
    around = [space.neighbors(row) for row in rows]
    of_row = np.repeat(np.arange(len(rows)), list(map(len, around)))
    if not len(of_row):
        return rows, values
    near = np.concatenate(around)
    found = judge(near, of_row)
    moved, best = rows.copy(), values.copy()
    for i in np.unique(of_row):
        own = np.flatnonzero(of_row == i)
        chosen = own[np.argmax(found[own])]
        if found[chosen] > best[i]:
            moved[i], best[i] = near[chosen], found[chosen]
    return moved, best
