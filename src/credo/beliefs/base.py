"""What every belief answers, whatever its family."""

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike

from credo.beliefs.budget import UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.numerics.concrete import is_known, placed
from credo.numerics.parameters import Parameterized, declared_parameters
from credo.numerics.random import RandomState, as_key

__all__ = ["Belief"]


class Belief(Parameterized):
    """A distribution over y, of batch shape (one belief a row) and event shape (one draw).

    `log_prob`, `cdf`, `quantile` broadcast their argument against the batch shape, as scipy.stats does; NaN in, NaN
    out, except that a quantile refuses it. Parameters are broadcast to the batch shape at construction, so a belief
    can be vmapped over its rows.
    """

    budget: UncertaintyBudget = eqx.field(default_factory=UncertaintyBudget.unsplit, kw_only=True, repr=False)

    event_ndim: ClassVar[int] = 0
    is_discrete: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        fields = declared_parameters(type(self))
        if not fields:
            return
        batch = _common_batch(self, fields)
        for name, ndim in fields.items():
            value = getattr(self, name)
            event = value.shape[value.ndim - ndim :]
            object.__setattr__(self, name, jnp.broadcast_to(value, batch + event))

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the rows: () for one belief, (n,) for a predictive of n rows."""
        name, ndim = next(iter(declared_parameters(type(self)).items()))
        shape = getattr(self, name).shape
        return tuple(shape[: len(shape) - ndim])

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of one draw: () for a number, (m,) for m outputs."""
        return ()

    @property
    @abstractmethod
    def mean(self) -> Array:
        """The expectation; infinite where it does not exist."""

    @property
    @abstractmethod
    def variance(self) -> Array:
        """The variance of each entry of the event; infinite where it does not exist."""

    @property
    def std(self) -> Array:
        """The square root of the variance."""
        return jnp.sqrt(self.variance)

    @abstractmethod
    def log_prob(self, x: ArrayLike) -> Array:
        """The logarithm of the density (or probability) at x; minus infinity outside the support."""

    @abstractmethod
    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        """Draws of shape ``shape + batch_shape + event_shape`` from one JAX key; pure, for use inside jit."""

    def sample(self, shape: int | np.integer | tuple[int, ...] = (), random_state: RandomState = None) -> Array:
        """Draws of shape ``shape + batch_shape + event_shape``; `random_state` is an int, a generator or a JAX key."""
        shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)
        return self.draw(as_key(random_state), shape)

    def cdf(self, x: ArrayLike) -> Array:
        """P(y ≤ x); for scalar events."""
        raise self._undefined("cdf")

    def quantile(self, p: ArrayLike) -> Array:
        """The smallest x with P(y ≤ x) ≥ p; for scalar events."""
        raise self._undefined("quantile")

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """The central interval ``(low, high)`` that holds y with probability `level` (at least, when y is discrete)."""
        if not 0.0 < level < 1.0:
            raise InputError(
                type(self).__name__,
                f"level={level} is not between 0 and 1",
                "A percentage was probably meant",
                "Try level=0.9",
            )
        tail = (1.0 - level) / 2.0
        return _between(self, jnp.asarray(tail))

    def _checked(self, p: ArrayLike) -> Array:
        """Probabilities to ask a quantile for; outside 0 to 1 they are refused (inside jit the answer is NaN)."""
        p = jnp.asarray(p, dtype=jnp.float64)
        if is_known(p) and not bool(jnp.all((p >= 0.0) & (p <= 1.0))):
            worst = np.asarray(p).ravel()[int(np.argmax(~((np.asarray(p) >= 0) & (np.asarray(p) <= 1))))]
            raise InputError(
                type(self).__name__,
                f"p={worst:g} is not a probability",
                "A percentage or a log probability was passed",
                "Try p=0.5",
            )
        return jnp.where((p >= 0.0) & (p <= 1.0), p, jnp.nan)

    def with_budget(self, budget: UncertaintyBudget) -> Self:
        """The same belief carrying the split of its variance."""
        return eqx.tree_at(lambda belief: belief.budget, self, budget)

    def __getitem__(self, index: Any) -> Self:
        """The belief about some rows, budget included."""
        batch = self.batch_shape
        if not batch:
            raise InputError(
                type(self).__name__, "a single belief has no rows", "The batch shape is ()", "Use it as it is"
            )
        rows = numbered_rows(type(self).__name__, batch, index)
        leading = partial(rows_of, batch=batch, rows=rows)
        picked = {name: leading(getattr(self, name)) for name in declared_parameters(type(self))}
        chosen = eqx.tree_at(lambda b: [getattr(b, name) for name in picked], self, list(picked.values()))
        return chosen.with_budget(jax.tree.map(leading, self.budget))

    def _undefined(self, what: str) -> UndefinedError:
        return UndefinedError(
            type(self).__name__,
            f"{what} is defined for numbers on a line, but one draw has shape {self.event_shape} or no order",
            "A vector or a class label was asked for an order",
            "Try a marginal, or samples from .sample()",
        )

    def __str__(self) -> str:
        name = type(self).__name__
        fields = declared_parameters(type(self))
        if self.batch_shape or self.event_shape:
            return f"{name} of batch shape {self.batch_shape} and event shape {self.event_shape}"
        return f"{name}({', '.join(f'{f}={_in_words(getattr(self, f))}' for f in fields)})"


def _in_words(value: Any) -> str:
    """A number with six digits, an array with a few of its entries."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array:.6g}"
    return np.array2string(array, threshold=6, precision=4, separator=", ").replace("\n", "")


def numbered_rows(who: str, batch: tuple[int, ...], index: Any) -> Any:
    """The numbers of the chosen rows, counted through the batch axes: no index can then reach into an event."""
    numbers = np.arange(int(np.prod(batch))).reshape(batch)
    if not is_known(*(index if isinstance(index, tuple) else (index,))):
        return jnp.asarray(numbers)[index]
    try:
        return numbers[np.asarray(index) if isinstance(index, Array) else index]
    except IndexError as error:
        raise InputError(
            who, f"no rows {index!r} in batch shape {batch}", str(error), "Index the batch axes only"
        ) from error


def rows_of(leaf: Any, *, batch: tuple[int, ...], rows: Any) -> Any:
    """The numbered rows of a leaf that has the batch shape. NumPy picks them where it can, and compiles nothing."""
    if not eqx.is_array(leaf) or leaf.shape[: len(batch)] != batch:
        return leaf
    flat = (-1, *leaf.shape[len(batch) :])
    if not is_known(leaf, rows):
        return leaf.reshape(flat)[rows]
    return placed(np.asarray(leaf).reshape(flat)[rows])


@eqx.filter_jit
def _between(belief: Belief, tail: Array) -> tuple[Array, Array]:
    """Both ends of a central interval in one compiled call: step by step it costs tens of milliseconds."""
    return belief.quantile(tail), belief.quantile(1.0 - tail)


def _common_batch(belief: Belief, fields: dict[str, int]) -> tuple[int, ...]:
    shapes = []
    for name, ndim in fields.items():
        value = getattr(belief, name)
        if value.ndim < ndim:
            raise InputError(
                type(belief).__name__,
                f"{name} has shape {value.shape}, but needs at least {ndim} axes",
                "A scalar was given where a vector or matrix is meant",
                f"Pass an array of {ndim} axes or more",
            )
        shapes.append(value.shape[: value.ndim - ndim])
    try:
        batch = tuple(np.broadcast_shapes(*shapes))
    except ValueError as error:
        listed = ", ".join(f"{name} {shape}" for name, shape in zip(fields, shapes, strict=True))
        raise InputError(
            type(belief).__name__,
            f"batch shapes do not fit: {listed}",
            "The arguments have different lengths",
            "Pass equal lengths",
        ) from error
    if 0 in batch:
        raise InputError(
            type(belief).__name__,
            f"batch shape {batch} has no rows",
            "An empty array was passed",
            "Pass at least one row",
        )
    return batch
