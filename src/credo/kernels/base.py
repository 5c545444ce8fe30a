"""What every covariance function has: matrices from rows, sums and products as written, its formula as text."""

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from numbers import Real as RealNumber
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.errors import InputError, UndefinedError
from credo.kernels.roles import NUMBER, Roles, merged
from credo.numerics.concrete import is_known
from credo.numerics.constraints import Real
from credo.numerics.parameters import Parameterized, constraint_of, declared_parameters
from credo.numerics.rows import map_rows

__all__ = ["Kernel"]

Points = ArrayLike | Sequence[Any]  # rows of numbers

_BLOCK = 2**22  # entries of a covariance held at once where only a product with it is wanted: 32 MiB
_SUM, _PRODUCT, _ATOM = 1, 2, 3  # how tightly the outermost operation of a formula binds


class Kernel(Parameterized):
    r"""A covariance function $k(x, x')$: symmetric, and positive semi-definite on any set of points.

    A row of X is a point; its columns are numbers, codes or variances, as `column_roles` declares. ``k(X)`` is the
    n × n covariance, ``k(X, Z)`` the n × m one. ``k1 + k2``, ``k1 * k2``, ``2.0 * k``, ``k ** 2`` and ``k.exp()`` are
    kernels again. Everything is pure: jit, vmap and derivatives of any order pass through, and at coincident points
    they are the limits, as far as the process has them.

    A subclass writes `cross` and `diagonal`, and `column_roles` where its columns are not all numbers.
    """

    __array_ufunc__ = None  # so that a NumPy number times a kernel asks the kernel

    @abstractmethod
    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        """k(x, z) for every row x of X and z of Z."""

    @abstractmethod
    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        """k(x, x) for every row x of X, in O(n)."""

    @property
    def parts(self) -> "tuple[Kernel, ...]":
        """The kernels that it is made of; none for most."""
        values = [getattr(self, field.name) for field in dataclasses.fields(self)]
        leaves = jax.tree.leaves(values, is_leaf=lambda value: isinstance(value, Kernel))
        return tuple(leaf for leaf in leaves if isinstance(leaf, Kernel))

    @property
    def is_positive_semidefinite(self) -> bool:
        """Whether every matrix of it is a covariance: not for [](#credo.kernels.Sigmoid) and what holds one."""
        return all(part.is_positive_semidefinite for part in self.parts)

    @property
    def has_uncertain_inputs(self) -> bool:
        """Whether an observation is of f at an input that is known up to noise: see [](#credo.kernels.Expected)."""
        return any(part.has_uncertain_inputs for part in self.parts)

    def input_noise(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        """The variance of f(x) around its average over the uncertain input x of each row, before the data.

        It is E k(x, x) − E k(x, x') for independent x and x' of the row's distribution: noise of an observation around
        the process that the kernel describes. Zero where inputs are exact.
        """
        if self.has_uncertain_inputs:
            raise UndefinedError(
                type(self).__name__,
                f"{self} has no variance over its inputs",
                "Only a sum or a product of Expected with other kernels describes an average of one function",
                f"Try Expected({type(self).__name__}(...)): Expected as the outermost kernel",
            )
        return jnp.zeros(X.shape[0])

    def require_columns(self, d: int, who: str) -> None:
        """Refuse, in the name of `who`, points with a number of columns that the parameters do not fit."""
        for part in self.parts:
            part.require_columns(d, who)

    def column_roles(self, d: int, who: str) -> Roles:
        """What each of d columns is to the kernel; refused, in the name of `who`, where two of its parts disagree.

        A kernel without parts reads every column as a number, unless its class declares something else. Scaling follows
        from the roles: numbers may be standardized, codes stay as they are, variances have squared units.
        """
        each = [part.column_roles(d, who) for part in self.parts]
        return merged(each, who) if each else (NUMBER,) * d

    def require_points(self, X: Float[Array | np.ndarray, "n d"], who: str) -> None:
        """Refuse, in the name of `who`, rows that are not points of this kernel: in their columns, or in value.

        Values are checked where the host has them. Inside jit they are tracers; a wrong value then gives NaN.
        """
        self.require_columns(X.shape[1], who)
        self.column_roles(X.shape[1], who)
        if is_known(X):
            self._check_values(jnp.asarray(X), who)

    def _check_values(self, X: Array, who: str) -> None:
        """Refuse known values that mean nothing to this kernel or to its parts."""
        for part in self.parts:
            part._check_values(X, who)

    def gram(self, X: Float[Array, "n d"]) -> Float[Array, "n n"]:
        """k(x, x') for all pairs of rows of X, with a diagonal free of round-off."""
        on_diagonal = jnp.eye(X.shape[0], dtype=bool)
        return jnp.where(on_diagonal, self.diagonal(X)[:, None], self.cross(X, X))

    def of(self, x: Points, z: Points) -> Float[Array, ""]:
        """The covariance of two points, as a scalar to differentiate."""
        return self.cross(_point(x), _point(z))[0, 0]

    def __call__(self, X: Points, Z: Points | None = None) -> Float[Array, "n m"]:
        """The covariance of the rows of X with those of Z, or with each other."""
        return _gram(self, self._rows(X, "X")) if Z is None else _cross(self, *self._pair(X, Z))

    def times(self, X: Points, Z: Points, V: ArrayLike) -> Float[Array, "n ..."]:
        """k(X, Z) V for V of shape (m,) or (m, p), in blocks of rows: 32 MiB of covariance at a time, whatever n."""
        X, Z = self._pair(X, Z)
        V = jnp.asarray(V, dtype=jnp.float64)
        if V.shape[:1] != Z.shape[:1]:
            raise InputError(
                type(self).__name__,
                f"V has shape {V.shape}, but Z has {Z.shape[0]} rows",
                "",
                "Pass one row of V a row of Z",
            )
        return _times(self, X, Z, V, _BLOCK)

    def _pair(self, X: Points, Z: Points) -> tuple[Float[Array, "n d"], Float[Array, "m d"]]:
        X, Z = self._rows(X, "X"), self._rows(Z, "Z")
        if X.shape[1] != Z.shape[1]:
            raise InputError(
                type(self).__name__,
                f"X has {X.shape[1]} columns, but Z has {Z.shape[1]}",
                "They are points of one space",
                "Pass the same columns in both",
            )
        return X, Z

    def _rows(self, X: Points, name: str) -> Float[Array, "n d"]:
        rows = jnp.asarray(X, dtype=jnp.float64)
        if rows.ndim != 2:
            raise InputError(
                type(self).__name__,
                f"{name} has shape {rows.shape}",
                "A kernel takes points as rows of a matrix",
                f"Try {name}.reshape(-1, 1) for points on a line, {name}[None] for one point",
            )
        self.require_points(rows, type(self).__name__)
        return rows

    def __add__(self, other: Any) -> "Kernel":
        from credo.kernels.algebra import Sum

        return Sum.joined(self, as_kernel(other))

    def __radd__(self, other: Any) -> "Kernel":
        return as_kernel(other) + self

    def __mul__(self, other: Any) -> "Kernel":
        from credo.kernels.algebra import Product

        return Product.joined(self, as_kernel(other))

    def __rmul__(self, other: Any) -> "Kernel":
        return as_kernel(other) * self

    def __pow__(self, exponent: Any) -> "Kernel":
        from credo.kernels.algebra import PolynomialOf

        if not isinstance(exponent, int) or exponent < 1:
            raise InputError(
                type(self).__name__,
                f"the exponent is {exponent!r}",
                "Only whole powers of a kernel are kernels for certain",
                "Try k ** 2",
            )
        return PolynomialOf(self, jnp.zeros(exponent + 1).at[exponent].set(1.0))

    def exp(self) -> "Kernel":
        """exp(k): again a kernel, since its power series has positive coefficients."""
        from credo.kernels.algebra import Exp

        return Exp(self)

    @property
    def _binding(self) -> int:
        """How tightly the formula's outermost operation binds, for parentheses."""
        return _ATOM

    def _formula(self) -> str:
        """The kernel as the expression that makes it; what is held at its default is left out."""
        declared = declared_parameters(type(self))
        parts = []
        for field in dataclasses.fields(self):
            if field.name == "overrides" or not field.init:
                continue
            value = getattr(self, field.name)
            text = self._argument(field, value) if field.name in declared else repr(value)
            parts += [f"{field.name}={text}"] if text else []
        return f"{type(self).__name__}({', '.join(parts)})"

    def _argument(self, field: Any, value: Any) -> str:
        override = self.overrides.get(field.name)
        if override is not None and (isinstance(override, Real) or not override.is_free):
            return f"{type(override).__name__}({as_text(value)})"
        at_default = is_known(value) and np.ndim(value) == 0 and value == field.default
        return "" if at_default and not constraint_of(self, field.name).is_free else as_text(value)

    def __repr__(self) -> str:
        return self._formula()

    def __str__(self) -> str:
        return self._formula()


def _point(x: Points) -> Float[Array, "1 d"]:
    return jnp.atleast_1d(jnp.asarray(x, dtype=jnp.float64))[None]


def as_kernel(value: Any) -> Kernel:
    """A kernel as it is; a positive number as a constant kernel that is held, so that ``2.0 * k`` scales."""
    from credo.kernels.constant import Constant
    from credo.numerics.constraints import Fixed

    if isinstance(value, Kernel):
        return value
    if isinstance(value, (RealNumber, jax.Array, np.ndarray)) and jnp.ndim(value) == 0:  # type: ignore[arg-type]
        return Constant(Fixed(value))  # type: ignore[arg-type]
    raise InputError(
        "Kernel", f"{value!r} is no kernel and no number", "", "Add or multiply kernels and positive numbers"
    )


def in_parentheses(kernel: Kernel, binding: int) -> str:
    """The formula of `kernel` where something that binds as tightly as `binding` stands around it."""
    return f"({kernel})" if kernel._binding < binding else str(kernel)


def as_text(value: Any) -> str:
    """Numbers as they are read, in lists of lists; four digits."""
    if not is_known(value):
        return str(value)
    values = np.asarray(value)
    return f"{float(values):.4g}" if values.ndim == 0 else "[" + ", ".join(as_text(row) for row in values) + "]"


@eqx.filter_jit
def _gram(kernel: Kernel, X: Array) -> Array:
    return kernel.gram(X)


@eqx.filter_jit
def _cross(kernel: Kernel, X: Array, Z: Array) -> Array:
    return kernel.cross(X, Z)


@eqx.filter_jit
def _times(kernel: Kernel, X: Array, Z: Array, V: Array, block: int) -> Array:
    return map_rows(lambda x: kernel.cross(x, Z) @ V, X, cost=Z.shape[0], entries=block)
