r"""What is left to gain: how far the best point so far may be from the least value of the objective, and how surely.

Functions are drawn from the belief, $f_1, …, f_S$; of each, $r_i = f_i(x^*) - \min_x f_i(x)$ is what stopping at $x^*$
would leave. If the belief is right, the objective is one more such function, so that its own regret is below the k-th
smallest of the $r_i$ with probability k/(S + 1): a bound that holds whatever S is (compare Wilson 2024, who stops when
the probability of a regret above a tolerance is small).
"""

from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions.maximize import best_neighbors, brought_inside, climbable, fences, reached
from credo.decide.acquisitions.surface import AveragedSurface, GPSurface
from credo.decide.study.columns import codes_and_numbers
from credo.errors import InputError, UndefinedError
from credo.infer.gaussian.averaged import equally
from credo.infer.gaussian.paths import Paths, padded_paths, sample_paths
from credo.infer.gaussian.process import Process
from credo.kernels.fourier import FourierFeatures
from credo.numerics.concrete import placed
from credo.numerics.minimize import minimize
from credo.numerics.padding import filled
from credo.represent.space import Space
from credo.validate.risk import Claim

__all__ = ["DRAWS", "MEMBERS", "Remaining", "members_of", "remaining_gain", "widest_gap"]

#: Functions that are drawn, unless more are asked for.
DRAWS = 128
#: Draws of the parameters, each with its share of the functions.
MEMBERS = 16
_CANDIDATES = 1024
_STARTS = 2  # of each drawn function: its least candidates, from which it is followed downhill
_AROUND = 64  # candidates around the best point
_SPREADS = (0.005, 0.05)
_ROUNDS = 4  # of descent and steps
_ITERATIONS = 40
_GAIN = 1e-4  # of the standard deviation of the objective
_NOTE = "standard error of the drawn functions; that the belief is right is taken for granted"


class Remaining(NamedTuple):
    """What is left to gain in each of the functions that were drawn, from the smallest, in units of the objective.

    The functions differ in what the measurements leave open about the objective and about the parameters of the
    surrogate (length-scales, variance, noise, level). The condition is that the objective is equally smooth over the
    whole space: a narrow dip in an otherwise smooth function may be missed. `gap` states how narrow: it is the largest
    distance from one of 1024 points of the space to the nearest trial, as a share of the ranges, in the parameter where
    they differ most. A dip narrower than twice that may lie between the trials.
    """

    gains: Float[np.ndarray, " draws"]
    gap: float = 0.0

    @property
    def expected(self) -> float:
        """The mean over the functions."""
        return float(np.mean(self.gains))

    @property
    def standard_error(self) -> float:
        """Of the mean, because the functions are finitely many."""
        return float(np.std(self.gains, ddof=1) / len(self.gains) ** 0.5)

    def bound(self, level: float = 0.9) -> float:
        r"""What is left is at most that, with probability `level` or more if the belief is right.

        The $\lceil\text{level}\,(S + 1)\rceil$-th smallest, so that the finite number of draws is accounted for.

        >>> Remaining(np.arange(1.0, 20.0)).bound(0.9)
        18.0
        """
        draws = len(self.gains)
        place = int(np.ceil(level * (draws + 1) - 1e-9))
        if not 0.0 < level < 1.0 or place > draws:
            raise InputError(
                "Remaining.bound",
                f"level {level} of {draws} draws",
                "A level is between 0 and 1, and the more draws the closer to 1 it can be",
                f"Try a level of at most {draws / (draws + 1):.3f}, or more draws",
            )
        return float(self.gains[max(place, 1) - 1])

    def probability(self, least: float) -> Claim:
        """That at least so much is left; its `interval(level)` is Wilson's, for the finite number of draws."""
        draws = len(self.gains)
        share = float(np.mean(self.gains >= least))
        error = float(np.sqrt(share * (1.0 - share) / draws))
        return Claim("probability", share, error, _NOTE).within((0.0, 1.0), draws)


def remaining_gain(
    members: Sequence[GPSurface],
    space: Space,
    incumbent: Float[np.ndarray, " d"],
    generator: np.random.Generator,
    *,
    near: Float[np.ndarray, "k d"] | None = None,
    draws: int = DRAWS,
    candidates: int = _CANDIDATES,
    scale: float = 1.0,
    who: str = "remaining_gain",
) -> Remaining:
    """What stopping at a row of the encoding would leave, of an objective of which less is better.

    Each drawn function is evaluated at quasi-random candidates, at rows `near` which it may be low and around the
    incumbent, and followed downhill from the least two: a minimum that is missed makes what is left too small. `scale`
    is the unit of the surface in that of the objective. A kernel on choices has no functions that can be evaluated
    anywhere: there the least is that of the candidates. `members` are beliefs that count equally, such as a process at
    draws of its parameters; each has as many functions, `draws` in all or a few more. Cost: S (candidates + some 60
    evaluations), each O(n + features).
    """
    if draws < 2:
        raise InputError(who, f"{draws} draws", "Their spread is what is asked for", "Try draws=128")
    pool = _pool(space, incumbent, near, candidates, generator)
    each = -(-draws // len(members))
    gains = [_gains(member, space, pool, each, generator, who) for member in members]
    return Remaining(np.sort(scale * np.concatenate(gains)))


def widest_gap(space: Space, rows: Float[np.ndarray, "n d"], generator: np.random.Generator) -> float:
    """The largest distance from candidates in the space to the nearest of some rows of the encoding.

    The distance is that of the column that differs most, as a share of its range; two choices differ by a whole range.
    O(candidates n d), with memory for one column.
    """
    points = space.sample_rows(_CANDIDATES, generator)
    codes, _ = codes_and_numbers(space)
    distances = np.zeros((len(points), len(rows)))
    for j in range(len(space)):
        differ = np.abs(points[:, j, None] - rows[:, j])
        np.maximum(distances, differ != 0.0 if j in codes else differ, out=distances)
    return float(np.max(np.min(distances, axis=1)))


def members_of(surface: GPSurface | AveragedSurface) -> list[GPSurface]:
    """One belief for each draw of the parameters, evenly chosen where they are many."""
    if isinstance(surface, GPSurface):
        return [surface]
    average = equally(surface.members).resampled(MEMBERS)
    return [GPSurface(average.member(i), surface.shift, surface.scale) for i in range(average.draws)]


def _gains(
    surface: GPSurface, space: Space, pool: np.ndarray, draws: int, generator: np.random.Generator, who: str
) -> Float[np.ndarray, " s"]:
    """What is left in functions drawn from one belief, the incumbent being the first of the pool."""
    try:
        paths = padded_paths(sample_paths(surface.posterior, draws, random_state=generator))
    except UndefinedError:
        values = _drawn_at(surface, pool, draws, generator)
        return values[:, 0] - np.min(values, axis=1)
    values = _evaluated(paths, surface, pool)
    least = _least(paths, surface, space, pool, values, who)
    return np.maximum(values[:, 0] - least, 0.0)


def _pool(
    space: Space, incumbent: np.ndarray, near: np.ndarray | None, count: int, generator: np.random.Generator
) -> Float[np.ndarray, "m d"]:
    """The incumbent first, then candidates."""
    free = climbable(space)
    around = [
        incumbent + np.where(free, spread * generator.normal(size=(_AROUND // len(_SPREADS), len(incumbent))), 0.0)
        for spread in _SPREADS
    ]
    close = brought_inside(space, np.concatenate(around))
    known = incumbent[None][:0] if near is None else near
    return np.concatenate([incumbent[None], known, close, space.sample_rows(count, generator)])


def _evaluated(paths: Paths, surface: GPSurface, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "s m"]:
    inputs = (filled(rows) - np.asarray(surface.shift)) / np.asarray(surface.scale)
    return np.asarray(paths(placed(inputs)))[:, : len(rows)]


def _drawn_at(
    surface: GPSurface, rows: np.ndarray, draws: int, generator: np.random.Generator
) -> Float[np.ndarray, "s m"]:
    """Values of drawn functions at these rows only, exactly. O(m³)."""
    joint = surface.posterior.joint(surface.inputs(placed(rows)))
    return np.asarray(joint.sample((draws,), random_state=int(generator.integers(2**31))))


def _least(
    paths: Paths, surface: GPSurface, space: Space, pool: np.ndarray, values: np.ndarray, who: str
) -> Float[np.ndarray, " s"]:
    """The least value of each function, from its least candidates downhill and, in discrete columns, step by step."""
    lowest = np.argsort(values, axis=1, kind="stable")[:, :_STARTS]
    of_path = np.repeat(np.arange(len(values)), lowest.shape[1])
    ends, found = pool[lowest.ravel()], values[of_path, lowest.ravel()]
    climbed = climbable(space)
    for _ in range(_ROUNDS):
        before = found
        ends, found = _descended(paths, surface, space, of_path, ends, found, climbed, who)
        if np.all(climbed):
            break
        ends, found = _stepped(paths, surface, space, of_path, ends, found)
        if not np.any(found < before - _GAIN):
            break
    return np.min(found.reshape(len(values), -1), axis=1)


class _Shared(NamedTuple):
    """What all drawn functions have in common."""

    process: Process
    X: Array
    shift: Array
    scale: Array


def _value(x: Array, shared: _Shared, own: tuple[FourierFeatures, Array, Array]) -> Array:
    """One function at one row, by its own features, their weights, and its weights of the data."""
    features, theta, update = own
    row = ((x - shared.shift) / shared.scale)[None]
    prior = features.weigh(row, theta)[0]
    return shared.process.mean(row)[0] + prior + shared.process.kernel.cross(row, shared.X)[0] @ update


def _descended(
    paths: Paths,
    surface: GPSurface,
    space: Space,
    of_path: np.ndarray,
    rows: np.ndarray,
    values: np.ndarray,
    climbed: np.ndarray,
    who: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Each row followed downhill on its own function, in the continuous columns."""
    if not np.any(climbed):
        return rows, values
    drawn = (paths.features, paths.theta, paths.update.T)
    own = jax.tree.map(lambda leaf: np.asarray(leaf)[of_path] if eqx.is_array(leaf) else leaf, drawn)
    solution = minimize(
        _value,
        rows,
        shared=_Shared(paths.process, paths.X, surface.shift, surface.scale),
        own=own,
        bounds=np.stack(fences(rows, climbed), axis=-1),
        batch=True,
        max_iterations=_ITERATIONS,
        tolerance=1e-3,
        gain=_GAIN,
        rough=True,
        who=who,
    )
    ends = reached(space, rows, solution.info["x"], climbed)
    found = _evaluated(paths, surface, ends)[of_path, np.arange(len(ends))]
    won = found < values
    return np.where(won[:, None], ends, rows), np.where(won, found, values)


def _stepped(
    paths: Paths, surface: GPSurface, space: Space, of_path: np.ndarray, rows: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each row moved to the neighbor where its own function is least, where that is lower."""

    def height(near: np.ndarray, of_row: np.ndarray) -> np.ndarray:
        return -_evaluated(paths, surface, near)[of_path[of_row], np.arange(len(near))]

    ends, best = best_neighbors(space, rows, -values, height)
    return ends, -best
