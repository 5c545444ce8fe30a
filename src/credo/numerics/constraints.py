"""Where a parameter may lie, and the smooth map from an unconstrained number to it."""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError

__all__ = ["Bounded", "Constraint", "Extended", "Fixed", "Positive", "PositiveDefinite", "Real", "Simplex", "Whole"]


class Constraint(eqx.Module):
    """A set that a parameter lies in, with an optional prior (anything with `log_prob`) and, as an override, a value."""

    value: Any = None
    prior: Any = eqx.field(default=None, kw_only=True)

    @property
    def is_free(self) -> bool:
        """Whether an optimizer or sampler may move the parameter."""
        return True

    def without_value(self, who: str, field: Any) -> "Constraint":
        """The constraint alone, once the module keeps the value."""
        if self.value is None:
            raise InputError(who, f"{field.name}={type(self).__name__}() has no value", "", f"Try {type(self).__name__}(1.0)")
        return dataclasses.replace(self, value=None)

    def contains(self, x: Any) -> Any:
        """Elementwise, whether x is allowed."""
        raise NotImplementedError

    def words(self) -> str:
        """The set in words, for messages."""
        raise NotImplementedError

    def to_free(self, x: Array) -> Array:
        """The unconstrained image of x."""
        raise NotImplementedError

    def from_free(self, u: Array) -> Array:
        """The constrained value at u; inverse of `to_free`."""
        raise NotImplementedError

    def log_jacobian(self, u: Array) -> Array:
        """log |det dx/du|, summed over all entries."""
        raise NotImplementedError


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


class Bounded(Constraint):
    """Strictly between `low` and `high`; the free coordinate is the logit of the position between them."""

    low: float = eqx.field(default=0.0, kw_only=True, static=True)
    high: float = eqx.field(default=1.0, kw_only=True, static=True)

    def __check_init__(self) -> None:
        if not self.low < self.high:
            raise InputError("Bounded", f"low={self.low} is not below high={self.high}", "", "Swap them")

    def contains(self, x: Any) -> Any:
        return (np.asarray(x) > self.low) & (np.asarray(x) < self.high)

    def words(self) -> str:
        return f"between {self.low:g} and {self.high:g}"

    def to_free(self, x: Array) -> Array:
        return jnp.log(x - self.low) - jnp.log(self.high - x)

    def from_free(self, u: Array) -> Array:
        return self.low + (self.high - self.low) * jax.nn.sigmoid(u)

    def log_jacobian(self, u: Array) -> Array:
        return jnp.sum(jnp.log(self.high - self.low) + jax.nn.log_sigmoid(u) + jax.nn.log_sigmoid(-u))


class _Held(Constraint):
    """A constraint under which nothing moves."""

    @property
    def is_free(self) -> bool:
        return False

    def to_free(self, x: Array) -> Array:
        return jnp.zeros(0)

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
        padded = jnp.concatenate([u, jnp.zeros((*u.shape[:-1], 1))], axis=-1)
        return jax.nn.softmax(padded, axis=-1)

    def log_jacobian(self, u: Array) -> Array:
        return jnp.sum(jnp.log(self.from_free(u)))  # det of diag(p) - p p' over K - 1 entries is the product of all K


class PositiveDefinite(Constraint):
    """Symmetric positive definite in the last two axes; free coordinates are its Cholesky factor with log diagonal."""

    def contains(self, x: Any) -> Any:
        x = np.asarray(x)
        if x.ndim < 2 or x.shape[-1] != x.shape[-2] or not np.all(np.isfinite(x)):
            return False
        scale = np.max(np.abs(x), initial=0.0)
        if not np.allclose(x, np.swapaxes(x, -1, -2), rtol=0, atol=1e-8 * scale):
            return False
        return np.linalg.eigvalsh(x)[..., 0] > 0

    def words(self) -> str:
        return "symmetric positive definite"

    def to_free(self, x: Array) -> Array:
        lower = jnp.linalg.cholesky(x)
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
