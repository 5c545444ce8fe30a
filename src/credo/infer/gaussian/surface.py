"""The log evidence over two parameters of a process, all others held: a picture of what the data say about them."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.process import Process
from credo.infer.gaussian.selection import Task, log_posterior
from credo.numerics.concrete import placed
from credo.numerics.constraints import Bounded, Constraint, Positive, Real
from credo.numerics.padding import bucket
from credo.numerics.parameters import flatten, free_constraints
from credo.numerics.rows import map_rows

__all__ = ["EvidenceSurface", "evidence_surface", "parameter_values"]

_MATRICES = 3  # n × n, that one value takes on the way
_SIMPLE = (Positive, Real, Bounded)


class EvidenceSurface(NamedTuple):
    """The log evidence at each pair of values of two parameters, the others as they are `at` the process.

    `x` and `y` are values of the two `names`, evenly spaced in the coordinates that a search moves in, and `log_scale`
    says of which that is the logarithm. `optima` are the pairs that a search ended at: there, other parameters may have
    other values than on this surface. What is minus infinity has no covariance in double precision.
    """

    names: tuple[str, str]
    x: Float[np.ndarray, " a"]
    y: Float[np.ndarray, " b"]
    log_evidence: Float[np.ndarray, "a b"]
    log_scale: tuple[bool, bool]
    at: tuple[float, float]
    held: dict[str, float]
    optima: tuple[tuple[float, float], ...] = ()

    @property
    def highest(self) -> tuple[float, float]:
        """The pair of the highest value on the grid."""
        i, j = np.unravel_index(int(np.argmax(self.log_evidence)), self.log_evidence.shape)
        return float(self.x[i]), float(self.y[j])


def evidence_surface(
    process: Process,
    data: Observations,
    x: str | None = None,
    y: str | None = None,
    *,
    points: int = 32,
    reach: float = 3.0,
    who: str = "evidence_surface",
) -> EvidenceSurface:
    r"""The log evidence of `data` over two free parameters of `process`, `points` values of each.

    `x` and `y` are their names as [](#credo.numerics.flatten) has them, or a part that only one has; by default the
    first length-scale and the noise, where there are such. The grid reaches `reach` to both sides of the process in
    free coordinates: with three, positive parameters run from a twentieth to twenty times their value. O(points² n³).

    >>> from credo.infer.gaussian import ConstantNoise, ZeroMean, observations
    >>> from credo.kernels import RBF
    >>> data, _ = observations([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
    >>> surface = evidence_surface(Process(RBF(), ZeroMean(), ConstantNoise(0.1)), data, points=5)
    >>> surface.names, surface.log_evidence.shape
    (('kernel.lengthscale', 'noise.level'), (5, 5))
    """
    if points < 2 or not 0.0 < reach < np.inf:
        raise InputError(who, f"points={points} and reach={reach}", "", "Try points=32, reach=3.0")
    flat, constraints = flatten(process), free_constraints(process)
    first, second = _two(tuple(constraints), x, y, who)
    for name in (first, second):
        _require_simple(name, constraints[name], who)
    at, steps = np.asarray(flat.vector), np.linspace(-reach, reach, points)
    one, two = flat.names.index(first), flat.names.index(second)
    free = np.tile(at, (points * points, 1))
    free[:, one] += np.repeat(steps, points)
    free[:, two] += np.tile(steps, points)
    padded = data.padded(bucket(data.weights.shape[0]))
    heights = np.asarray(_heights(placed(free), Task(process, padded, False))).reshape(points, points)
    values = parameter_values(process)
    return EvidenceSurface(
        (first, second),
        np.asarray(constraints[first].from_free(jnp.asarray(at[one] + steps))),
        np.asarray(constraints[second].from_free(jnp.asarray(at[two] + steps))),
        np.where(np.isnan(heights), -np.inf, heights),
        (isinstance(constraints[first], Positive), isinstance(constraints[second], Positive)),
        (values[first], values[second]),
        {name: value for name, value in values.items() if name not in (first, second)},
    )


def parameter_values(process: Process) -> dict[str, float]:
    """The free parameters that are one number each, by name."""
    vector, constraints = np.asarray(flatten(process).vector), free_constraints(process)
    return {
        name: float(constraint.from_free(jnp.asarray(u)))
        for (name, constraint), u in zip(constraints.items(), vector, strict=True)
        if _is_simple(constraint)
    }


@eqx.filter_jit
def _heights(free: Float[Array, "m p"], task: Task) -> Float[Array, " m"]:
    n = task.data.weights.shape[0]
    return map_rows(jax.vmap(lambda u: log_posterior(u, task)), free, cost=_MATRICES * n * n)


def _two(names: tuple[str, ...], x: str | None, y: str | None, who: str) -> tuple[str, str]:
    """Two different parameters: those that are named, and what goes best with them."""
    if len(names) < 2:
        what = f"the process has {len(names)} free parameters"
        raise InputError(who, what, "The others are held with Fixed, or there is no noise", "A surface takes two")
    named = [None if side is None else _named(names, side, who) for side in (x, y)]
    first = named[0] or _other(names, named[1])
    second = named[1] or _other(names, first)
    if first == second:
        raise InputError(who, f"x and y are both {first!r}", "", f"Free parameters are: {', '.join(names)}")
    return first, second


def _other(names: tuple[str, ...], taken: str | None) -> str:
    """A length-scale or the noise, whichever is not taken; without such, the first that is left."""
    left = [name for name in names if name != taken]
    parts = [part for part in ("lengthscale", "noise") if taken is None or part not in taken]
    return next((name for part in parts for name in left if part in name), left[0])


def _named(names: tuple[str, ...], part: str, who: str) -> str:
    found = [part] if part in names else [name for name in names if part in name]
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} free parameters are named like {part!r}"
    cause = "The name is misspelt, or the parameter is held" if not found else f"They are {', '.join(found)}"
    raise InputError(who, what, cause, f"Free parameters are: {', '.join(names)}")


def _is_simple(constraint: Constraint) -> bool:
    """Whether each number has a free coordinate of its own, by a map that is the same for all of them."""
    return isinstance(constraint, _SIMPLE) and not np.ndim(getattr(constraint, "low", 0.0))


def _require_simple(name: str, constraint: Constraint, who: str) -> None:
    if _is_simple(constraint):
        return
    raise InputError(
        who,
        f"{name!r} is {constraint.words()}",
        "Its free coordinates are no parameters one by one",
        "Take a parameter that is one number, such as a length-scale or the noise",
    )
