"""Minimize a JAX function from many starts: L-BFGS-B on the host over a jitted value and gradient."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError, NumericalError
from credo.numerics.certificate import CONVERGED, FAILED, STOPPED, Info, Kind, Solution, certify
from credo.numerics.concrete import traced
from credo.numerics.lockstep import DROPPED, Evaluation, Limits, Race, Search, run_together
from credo.numerics.memory import KeptMemory
from credo.numerics.precision import require_float64
from credo.numerics.progress import SilentTracker, Tracker
from credo.numerics.threads import OneBlasThread, available_cores

__all__ = ["Minimum", "curvature", "minimize"]

_WIDTH = 16  # points in one batched evaluation: one compilation serves any number of starts
_BATCHED_BELOW = 500  # rows; above, evaluations are one by one
_ALONE_FROM = 1500  # rows; above, one evaluation fills the machine, below, each has a core
_MOST_CORES = 4  # each takes memory for its own matrices
_WORDS = {CONVERGED: "converged", STOPPED: "stopped early", FAILED: "failed", DROPPED: "dropped"}


class Minimum(NamedTuple):
    """The lowest point found: where, how low, the largest entry of the projected gradient, the start that led there."""

    x: np.ndarray
    value: float
    gradient_norm: float
    start: int


def minimize(
    fun: Callable[[Array, Any, Any], Array],
    starts: Any,
    *,
    shared: Any = None,
    own: Any = None,
    comparable: bool = False,
    bounds: Any = None,
    batch: bool | None = None,
    convex: bool = False,
    max_iterations: int = 500,
    tolerance: float = 1e-5,
    gain: float = 0.0,
    drop: bool = True,
    join: float = 0.0,
    rough: bool = False,
    progress: Tracker | None = None,
    who: str = "minimize",
) -> Solution[Minimum]:
    """The lowest of the local minima of ``fun(x, shared, own[i])`` reached from each row i of `starts`.

    A start converges when no entry of its projected gradient exceeds `tolerance`, when one iteration lowers the value
    by less than ``tolerance**2`` of its size, or when two in a row lower it by less than `gain`. An ill-conditioned
    function ends it earlier, in a line search that finds no lower point because rounding hides it: that counts as
    converged up to a gradient of ``100 * tolerance`` times the value (or one, where that is larger) and as stopped
    early above, and a note of the certificate says so.

    Parameters
    ----------
    fun
        A pure JAX function of a vector, best defined at module level: it is part of the key under which the compiled
        evaluation is kept, so the same function with new data of the same shapes does not compile again.
    starts
        Shape (B, p), or (p,) for one.
    shared
        A pytree that all starts see. Arrays and floats are traced; anything else is static.
    own
        A pytree whose arrays have leading axis B: the data of each start. Replicates of a fit are starts with their own
        weights; their values are not comparable, so none is dropped, and the answers of all are in ``info["x"]``.
    comparable
        That starts with data of their own have one function after all, as where these choose coordinates.
    bounds
        (p, 2) or (B, p, 2), lower and upper; infinities leave a side open.
    batch
        Whether all live starts are evaluated in one vmapped call. None: where the longest array has under 500 rows.
        Without, up to 1500 rows, as many starts as there are cores (four at most) keep step, each on its own.
    convex
        That `fun` is known to be convex, so that a local minimum is the minimum.
    max_iterations, tolerance, gain
        Per start; see above. `gain` is in the units of the function: of a log density, 1e-4 says enough.
    drop
        End a start that is after 10 iterations further above the best one than 40 times its gain of the last 5.
    join
        End a start that is less than this above a minimum which another one has found, when half the way straight to
        it takes more than 60 % of the descent: it has come to the same minimum, which is its answer too.
    rough
        That the answer is where another search begins, so that ending after `max_iterations` is no cause to warn.
    progress
        Told "compiling", "minimizing", and each start that ends.
    who
        In whose name errors and warnings speak.

    Notes
    -----
    Where the function is not finite, a start sees a wall that turns its line search back; a start with no finite
    value to begin with has failed, and only when all have failed is it an error. `info` holds, for each start,
    ``x``, ``values``, ``gradient_norms``, ``statuses``, ``iterations``, ``evaluations``.

    >>> solution = minimize(lambda x, shared, own: jnp.sum((x - shared) ** 2), np.zeros(2), shared=np.array([1.0, 2.0]))
    >>> solution.value.x.round(6).tolist()
    [1.0, 2.0]
    """
    require_float64(who)
    points = _checked_starts(who, starts)
    count, dimension = points.shape
    shared, own = traced(shared), _checked_own(who, traced(own), count)
    replicates = own is not None and not comparable
    limits, race = (
        Limits(float(tolerance), int(max_iterations), float(gain)),
        None if replicates else Race(drops=drop, reach=float(join)),
    )
    fences = _checked_bounds(who, bounds, count, dimension)
    searches = [Search(points[i], None if fences is None else fences[i], limits, race) for i in range(count)]
    track = progress if progress is not None else SilentTracker()
    track.phase("compiling")
    evaluator = _Evaluator(fun, shared, own, min(count, _WIDTH), track)
    rows = _longest(shared, own)
    with ExitStack() as stack:
        limit = stack.enter_context(OneBlasThread())
        if rows >= _BATCHED_BELOW:
            stack.enter_context(KeptMemory())
        if count > 1 and (rows < _BATCHED_BELOW if batch is None else batch):
            run_together(searches, evaluator.many, track.advance)
        else:
            cores = stack.enter_context(_Cores(limit, evaluator, rows))
            run_together(searches, cores.evaluate, track.advance, at_once=cores.count)
    return _solution(who, searches, convex, rough, replicates=replicates, breakdown=evaluator.breakdown)


def curvature(
    fun: Callable[[Array, Any, Any], Array], x: np.ndarray, *, shared: Any = None, own: Any = None, step: float = 0.05
) -> np.ndarray:
    """The Hessian of ``fun(x, shared, own)`` by central differences of the gradient: two evaluations per coordinate.

    It uses the evaluation that [](#credo.numerics.minimize) has compiled for data of the same shapes. `own` is the data
    of one start, without a leading axis. Entries are NaN where the function has no gradient.

    >>> curvature(lambda x, shared, own: x[0] ** 2 + x[0] * x[1], np.zeros(2)).round(6).tolist()
    [[2.0, 1.0], [1.0, 0.0]]
    """
    shared, own, point = traced(shared), traced(own), np.asarray(x, dtype=np.float64)
    evaluator = _Evaluator(fun, shared, None, 1, SilentTracker())
    with OneBlasThread(), KeptMemory():
        sides = [
            [evaluator.of(own, point + sign * step * direction)[1] for sign in (1.0, -1.0)]
            for direction in np.eye(len(point))
        ]
    slopes = np.array([(above - below) / (2.0 * step) for above, below in sides]).reshape(len(point), len(point))
    return 0.5 * (slopes + slopes.T)


@eqx.filter_jit
def _evaluate_many(fun: Callable, points: Array, indices: Array, shared: Any, own: Any) -> tuple[Array, Array]:
    arrays, static = eqx.partition(own, eqx.is_array)

    def at(x: Array, mine: Any) -> tuple[Array, Array]:
        return jax.value_and_grad(fun)(x, shared, eqx.combine(mine, static))

    return jax.vmap(at)(points, jax.tree.map(lambda leaf: leaf[indices], arrays))


@eqx.filter_jit
def _evaluate_one(fun: Callable, x: Array, shared: Any, mine: Any) -> tuple[Array, Array]:
    return jax.value_and_grad(fun)(x, shared, mine)


def _broke_down(error: Exception) -> bool:
    """Whether evaluating failed at a point, a callback included; failing to trace is a mistake in the function."""
    return isinstance(error, (RuntimeError, ArithmeticError, np.linalg.LinAlgError)) or "INTERNAL:" in str(error)


class _Cores:
    """Evaluations one by one, on a core each while that pays: LAPACK gains little from a second core up to there."""

    def __init__(self, limit: OneBlasThread, evaluator: "_Evaluator", rows: int) -> None:
        self.limit, self.evaluator, self.small = limit, evaluator, rows < _BATCHED_BELOW
        self.count = 1 if self.small or rows >= _ALONE_FROM else min(available_cores(), _MOST_CORES)
        self.threads: ThreadPoolExecutor | None = None
        self.compiled = False  # two threads that compile do it twice

    def __enter__(self) -> "_Cores":
        if self.count > 1:
            self.threads = ThreadPoolExecutor(self.count - 1)
        return self

    def __exit__(self, *error: Any) -> None:
        if self.threads is not None:
            self.threads.shutdown()

    def evaluate(self, indices: list[int], points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if len(indices) > 1 and self.threads is not None and self.compiled:
            others = self.threads.map(self.evaluator.one, indices[1:], points[1:])
            answers = [self.evaluator.one(indices[0], points[0]), *others]  # this thread's memory is kept, see `memory`
        else:
            with nullcontext() if self.small else self.limit.paused():
                answers = [self.evaluator.one(i, x) for i, x in zip(indices, points, strict=True)]
        self.compiled = True
        return np.array([value for value, _ in answers]), np.stack([gradient for _, gradient in answers])


class _Evaluator:
    """Values and gradients as NumPy; a breakdown at one point is a value of NaN there."""

    def __init__(self, fun: Callable, shared: Any, own: Any, width: int, track: Tracker) -> None:
        self.fun, self.shared, self.own, self.width, self.track = fun, shared, own, width, track
        self.breakdown: Exception | None = None

    def one(self, i: int, x: np.ndarray) -> Evaluation:
        return self.of(jax.tree.map(lambda leaf: leaf[i] if eqx.is_array(leaf) else leaf, self.own), x)

    def of(self, mine: Any, x: np.ndarray) -> Evaluation:
        try:
            value, gradient = _evaluate_one(self.fun, jnp.asarray(x), self.shared, mine)
            return float(value), np.asarray(gradient)
        except Exception as error:
            if not _broke_down(error):
                raise
            self.breakdown = error
            return np.nan, np.full_like(x, np.nan)
        finally:
            self.track.phase("minimizing")

    def many(self, indices: list[int], points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chunks = range(0, len(indices), self.width)
        parts = [self._chunk(indices[k : k + self.width], points[k : k + self.width]) for k in chunks]
        self.track.phase("minimizing")
        return np.concatenate([value for value, _ in parts]), np.concatenate([gradient for _, gradient in parts])

    def _chunk(self, indices: list[int], points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        live = len(indices)
        filler = self.width - live
        index = np.concatenate([indices, np.full(filler, indices[0])]).astype(np.int64)
        padded = np.concatenate([points, np.repeat(points[:1], filler, axis=0)])
        try:
            values, gradients = _evaluate_many(self.fun, jnp.asarray(padded), jnp.asarray(index), self.shared, self.own)
            return np.asarray(values)[:live], np.asarray(gradients)[:live]
        except Exception as error:
            if not _broke_down(error):
                raise
            # One point broke the batch; alone, each shows whether it was the one.
            answers = [self.one(i, x) for i, x in zip(indices, points, strict=True)]
            return np.array([value for value, _ in answers]), np.stack([gradient for _, gradient in answers])


def _solution(
    who: str, searches: list[Search], convex: bool, rough: bool, *, replicates: bool, breakdown: Any
) -> Solution[Minimum]:
    statuses = np.array([s.status for s in searches])
    if np.all(statuses == FAILED):
        raise NumericalError(
            who,
            f"the function has no finite value and gradient at any of {len(searches)} starts",
            "The data are not finite, or the starts lie where the model overflows or a matrix is singular",
            "Try standardized data, other starts, or bounds",
        ) from breakdown
    values = np.array([s.value for s in searches])
    best = int(np.nanargmin(values))
    chosen = searches[best]
    # Of several starts on one function the best one is the answer; of replicates every one is.
    answers = searches if replicates else [chosen]
    info = Info(
        status=np.array([min(s.status, STOPPED) for s in answers]),
        iterations=np.array([s.iterations for s in answers]),
        residual=np.nanmax([s.gradient_norm for s in answers]),
    )
    kind: Kind = "exact" if convex else "heuristic"
    certificate = certify(info, kind, who, notes=_notes(searches, convex), warn=not rough)
    value = Minimum(chosen.x, float(chosen.value), chosen.gradient_norm, best)
    return Solution(
        value,
        certificate,
        {
            "x": np.stack([s.x for s in searches]),
            "values": values,
            "gradient_norms": np.array([s.gradient_norm for s in searches]),
            "statuses": tuple(_WORDS[s.status] for s in searches),
            "iterations": np.array([s.iterations for s in searches]),
            "evaluations": np.array([s.evaluations for s in searches]),
        },
    )


def _notes(searches: list[Search], convex: bool) -> tuple[str, ...]:
    blocked = [s.gradient_norm for s in searches if s.blocked]
    counts = {
        "had no finite value": sum(s.status == FAILED for s in searches),
        "were dropped as hopeless": sum(s.status == DROPPED for s in searches),
        "came to the minimum of another": sum(s.joined for s in searches),
        f"ended where no lower point was found, with a gradient of up to {max(blocked, default=0.0):.2g}": len(blocked),
    }
    notes = [f"{count} of {len(searches)} starts {words}" for words, count in counts.items() if count]
    return tuple(notes) if convex else ("a local minimum", *notes)


def _checked_starts(who: str, starts: Any) -> np.ndarray:
    points = np.array(starts, dtype=np.float64)
    points = points[None] if points.ndim == 1 else points
    if points.ndim != 2 or not points.shape[0] or not np.all(np.isfinite(points)):
        raise InputError(
            who,
            f"starts have shape {np.shape(starts)}"
            + ("" if np.all(np.isfinite(points)) else " and are not all finite"),
            "A start is a finite vector, several are the rows of a matrix",
            "Try starts=np.zeros((1, p))",
        )
    return points


def _checked_bounds(who: str, bounds: Any, count: int, dimension: int) -> np.ndarray | None:
    if bounds is None:
        return None
    fences = np.asarray(bounds, dtype=np.float64)
    if fences.shape not in ((dimension, 2), (count, dimension, 2)) or not np.all(fences[..., 0] <= fences[..., 1]):
        raise InputError(
            who,
            f"bounds have shape {fences.shape}, or a lower one above its upper one",
            f"They are (low, high) for each of {dimension} coordinates",
            f"Pass shape ({dimension}, 2), or ({count}, {dimension}, 2) for each start its own",
        )
    return np.broadcast_to(fences, (count, dimension, 2))


def _checked_own(who: str, own: Any, count: int) -> Any:
    wrong = [leaf.shape for leaf in jax.tree.leaves(own) if eqx.is_array(leaf) and leaf.shape[:1] != (count,)]
    if wrong:
        raise InputError(
            who,
            f"own data of shape {wrong[0]} for {count} starts",
            "Their first axis runs over the starts",
            "Stack them first",
        )
    return own


def _longest(shared: Any, own: Any) -> int:
    rows = [leaf.shape[0] for leaf in jax.tree.leaves(shared) if eqx.is_array(leaf) and leaf.ndim]
    rows += [leaf.shape[1] for leaf in jax.tree.leaves(own) if eqx.is_array(leaf) and leaf.ndim > 1]
    return max(rows, default=0)
