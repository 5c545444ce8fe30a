"""Where a parameter may lie, and the smooth map from an unconstrained number to it."""

import dataclasses
from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError, UndefinedError
from credo.numerics.batched_lapack import factor_lower

__all__ = [
    "Bounded",
    "Constraint",
    "Extended",
    "Fixed",
    "Nonnegative",
    "Positive",
    "PositiveDefinite",
    "Probability",
    "Real",
    "Simplex",
    "Whole",
]


class Constraint(eqx.Module):
    """A set that a parameter lies in, with an optional prior (anything with `log_prob`); an override brings a value."""

    value: Any = None
    prior: Any = eqx.field(default=None, kw_only=True)

    @property
    def is_free(self) -> bool:
        """Whether an optimizer or sampler may move the parameter."""
        return True

    def without_value(self, who: str, field: Any) -> "Constraint":
        """The constraint alone, once the module keeps the value."""
        if self.value is None:
            raise InputError(
                who, f"{field.name}={type(self).__name__}() has no value", "", f"Try {type(self).__name__}(1.0)"
            )
        return dataclasses.replace(self, value=None)

    @abstractmethod
    def contains(self, x: Any) -> Any:
        """Elementwise, whether x is allowed."""

    @abstractmethod
    def words(self) -> str:
        """The set in words, for messages."""

    @abstractmethod
    def to_free(self, x: Array) -> Array:
        """The unconstrained image of x."""

    @abstractmethod
    def from_free(self, u: Array) -> Array:
        """The constrained value at u; inverse of `to_free`."""

    @abstractmethod
    def log_jacobian(self, u: Array) -> Array:
        """log |det dx/du|, summed over all entries."""


class Real(Constraint):
    """Any finite number."""

    def contains(self, x: Any) -> Any:
        return np.isfinite(x)

    def words(self) -> str:
        return "finite"

    def to_free(self, x: Array) -> Array:
        return x

    def from_free(self, u: Array) -> Array:
        return u

    def log_jacobian(self, u: Array) -> Array:
        return jnp.zeros(())


class Positive(Constraint):
    """Above zero; the free coordinate is the logarithm, so that steps are relative."""

    def contains(self, x: Any) -> Any:
        return np.isfinite(x) & (np.asarray(x) > 0)

    def words(self) -> str:
        return "positive and finite"

    def to_free(self, x: Array) -> Array:
        return jnp.log(x)

    def from_free(self, u: Array) -> Array:
        return jnp.exp(u)

    def log_jacobian(self, u: Array) -> Array:
        return jnp.sum(u)


def _nested_floats(bound: Any) -> Any:
    """A bound as a float, or as nested tuples of floats where it is an array: hashable, so that it can be static."""
    bound = np.asarray(bound, dtype=np.float64).tolist()
    return _as_tuple(bound)


def _as_tuple(nested: Any) -> Any:
    return tuple(_as_tuple(part) for part in nested) if isinstance(nested, list) else nested


class Bounded(Constraint):
    """Strictly between `low` and `high`, numbers or arrays; the free coordinate is the logit of the position."""

    low: Any = eqx.field(default=0.0, kw_only=True, static=True, converter=_nested_floats)
    high: Any = eqx.field(default=1.0, kw_only=True, static=True, converter=_nested_floats)

    def __check_init__(self) -> None:
        low, high = np.asarray(self.low), np.asarray(self.high)
        if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high)) and np.all(low < high)):
            raise InputError(
                "Bounded",
                f"low={self.low} is not below high={self.high}",
                "The bounds are in another order, equal or not finite",
                "Swap them, or use Positive or Real for an open side",
            )

    def contains(self, x: Any) -> Any:
        return (np.asarray(x) > np.asarray(self.low)) & (np.asarray(x) < np.asarray(self.high))

    def words(self) -> str:
        return f"between {_plain(self.low)} and {_plain(self.high)}"

    def _range(self) -> tuple[Array, Array]:
        return jnp.asarray(self.low), jnp.asarray(self.high)

    def to_free(self, x: Array) -> Array:
        low, high = self._range()
        return jnp.log(x - low) - jnp.log(high - x)

    def from_free(self, u: Array) -> Array:
        low, high = self._range()
        return low + (high - low) * jax.nn.sigmoid(u)

    def log_jacobian(self, u: Array) -> Array:
        low, high = self._range()
        return jnp.sum(jnp.log(high - low) + jax.nn.log_sigmoid(u) + jax.nn.log_sigmoid(-u))


def _plain(bound: Any) -> str:
    return f"{bound:g}" if isinstance(bound, float) else str(bound)


class Probability(Bounded):
    """From 0 to 1, both included: a classifier may be certain. The free coordinate is the logit, which has no ends."""

    def contains(self, x: Any) -> Any:
        return (np.asarray(x) >= 0.0) & (np.asarray(x) <= 1.0)

    def words(self) -> str:
        return "a probability, from 0 to 1"


class _Held(Constraint):
    """A constraint under which nothing moves."""

    @property
    def is_free(self) -> bool:
        return False

    def to_free(self, x: Array) -> Array:
        return jnp.zeros(0)

    def from_free(self, u: Array) -> Array:
        raise UndefinedError(type(self).__name__, "a held parameter has no free coordinates", "", "Use its value")

    def log_jacobian(self, u: Array) -> Array:
        return jnp.zeros(())


class Fixed(_Held):
    """Held at its value; the declared constraint of the field still checks it."""

    def contains(self, x: Any) -> Any:
        return np.isfinite(x)

    def words(self) -> str:
        return "finite"


class Extended(_Held):
    """Any number, infinities included, and held: the ends of a truncated range."""

    def contains(self, x: Any) -> Any:
        return ~np.isnan(x)

    def words(self) -> str:
        return "a number (infinities allowed)"


class Whole(_Held):
    """0, 1, 2, …, and held: a number of trials."""

    def contains(self, x: Any) -> Any:
        x = np.asarray(x)
        return np.isfinite(x) & (x >= 0) & (x == np.floor(x))

    def words(self) -> str:
        return "a whole number, zero or more"


class Nonnegative(_Held):
    """Zero or more, and held: the coefficient of a power series, where zero is no edge but an absent term."""

    def contains(self, x: Any) -> Any:
        return np.isfinite(x) & (np.asarray(x) >= 0)

    def words(self) -> str:
        return "zero or more"


class Simplex(Constraint):
    """Positive numbers that sum to one along the last axis; free coordinates are log ratios to the last entry."""

    def contains(self, x: Any) -> Any:
        x = np.asarray(x)
        return np.all(x >= 0, axis=-1) & (np.abs(np.sum(x, axis=-1) - 1.0) < 1e-8)

    def words(self) -> str:
        return "non-negative and of sum one along the last axis"

    def to_free(self, x: Array) -> Array:
        return jnp.log(x[..., :-1]) - jnp.log(x[..., -1:])

    def from_free(self, u: Array) -> Array:
        return jax.nn.softmax(self._logits(u), axis=-1)

    def log_jacobian(self, u: Array) -> Array:
        # The determinant of diag(p) - p p' over K - 1 entries is the product of all K.
        return jnp.sum(jax.nn.log_softmax(self._logits(u), axis=-1))

    def _logits(self, u: Array) -> Array:
        return jnp.concatenate([u, jnp.zeros((*u.shape[:-1], 1))], axis=-1)


class PositiveDefinite(Constraint):
    """Symmetric positive definite in the last two axes; free coordinates are its Cholesky factor with log diagonal."""

    def contains(self, x: Any) -> Any:
        x = np.asarray(x)
        if x.ndim < 2 or x.shape[-1] != x.shape[-2] or not np.all(np.isfinite(x)):
            return False
        scale = np.max(np.abs(x), initial=0.0)
        if not np.allclose(x, np.swapaxes(x, -1, -2), rtol=0, atol=1e-8 * scale):
            return False
        try:
            np.linalg.cholesky(x)  # a tenth of the time of the eigenvalues, which say which matrix of a batch is wrong
            return np.ones(x.shape[:-2], dtype=bool)
        except np.linalg.LinAlgError:
            return np.linalg.eigvalsh(x)[..., 0] > 0

    def words(self) -> str:
        return "symmetric positive definite"

    def to_free(self, x: Array) -> Array:
        lower = factor_lower(x)
        rows, columns = np.tril_indices(x.shape[-1])
        entries = lower[..., rows, columns]
        return jnp.where(rows == columns, jnp.log(jnp.where(rows == columns, entries, 1.0)), entries)

    def from_free(self, u: Array) -> Array:
        lower = self._lower(u)
        return lower @ jnp.swapaxes(lower, -1, -2)

    def log_jacobian(self, u: Array) -> Array:
        d = _side(u.shape[-1])
        rows, columns = np.tril_indices(d)
        # dK/dL has determinant 2^d prod L_ii^(d - i) (i from 0), and dL_ii/du_ii = L_ii adds one power more.
        powers = np.where(rows == columns, d - rows + 1, 0)
        batch = int(np.prod(u.shape[:-1]))
        return batch * d * jnp.log(2.0) + jnp.sum(u * powers)

    def _lower(self, u: Array) -> Array:
        d = _side(u.shape[-1])
        rows, columns = np.tril_indices(d)
        entries = jnp.where(rows == columns, jnp.exp(jnp.where(rows == columns, u, 0.0)), u)
        return jnp.zeros((*u.shape[:-1], d, d)).at[..., rows, columns].set(entries)


def _side(entries: int) -> int:
    return int((np.sqrt(8 * entries + 1) - 1) / 2)
