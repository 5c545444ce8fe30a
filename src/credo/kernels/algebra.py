"""Kernels made of kernels: sums, products, power series, and the same kernel on other inputs."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError, UndefinedError
from credo.kernels.base import _PRODUCT, _SUM, Kernel, as_text, in_parentheses
from credo.kernels.constant import Constant
from credo.kernels.roles import CODE, NUMBER, Roles, moved
from credo.numerics.constraints import Nonnegative
from credo.numerics.parameters import parameter

__all__ = ["Exp", "On", "PolynomialOf", "Product", "Sum", "Warp"]


class Sum(Kernel):
    """k₁ + k₂ + …: the covariance of independent functions added up.

    >>> from credo.kernels import RBF, White
    >>> RBF() + White(0.1)
    RBF(variance=1, lengthscale=1) + White(variance=0.1)
    """

    terms: tuple[Kernel, ...]

    @classmethod
    def joined(cls, *kernels: Kernel) -> "Sum":
        """The sum with the terms of sums among `kernels` written out."""
        return cls(tuple(term for k in kernels for term in (k.terms if isinstance(k, Sum) else (k,))))

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return sum(term.cross(X, Z) for term in self.terms)  # type: ignore[return-value]

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return sum(term.diagonal(X) for term in self.terms)  # type: ignore[return-value]

    def input_noise(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return sum(term.input_noise(X) for term in self.terms)  # type: ignore[return-value]

    @property
    def _binding(self) -> int:
        return _SUM

    def _formula(self) -> str:
        return " + ".join(_operands(self.terms, _SUM))


class Product(Kernel):
    """k₁ k₂ …: correlated only where every factor is.

    >>> from credo.kernels import RBF
    >>> (RBF() + 1.0) * RBF(lengthscale=2.0)
    (RBF(variance=1, lengthscale=1) + 1) * RBF(variance=1, lengthscale=2)
    """

    factors: tuple[Kernel, ...]

    @classmethod
    def joined(cls, *kernels: Kernel) -> "Product":
        """The product with the factors of products among `kernels` written out."""
        return cls(tuple(factor for k in kernels for factor in (k.factors if isinstance(k, Product) else (k,))))

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        value = self.factors[0].cross(X, Z)
        for factor in self.factors[1:]:
            value = value * factor.cross(X, Z)
        return value

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        value = self.factors[0].diagonal(X)
        for factor in self.factors[1:]:
            value = value * factor.diagonal(X)
        return value

    def input_noise(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        """Of factors with independent inputs: E Π kᵢ(x, x) − Π E kᵢ(x, x')."""
        _require_separate_inputs(self.factors, X.shape[1])
        whole = jnp.ones(X.shape[0])
        for factor in self.factors:
            whole = whole * (factor.diagonal(X) + factor.input_noise(X))
        return whole - self.diagonal(X)

    @property
    def _binding(self) -> int:
        return _PRODUCT

    def _formula(self) -> str:
        return " * ".join(_operands(self.factors, _PRODUCT))


def _require_separate_inputs(factors: tuple[Kernel, ...], d: int) -> None:
    """Refuse factors that average over the same uncertain column: E k₁ E k₂ is not E k₁k₂."""
    roles = [factor.column_roles(d, "Product") for factor in factors if factor.has_uncertain_inputs]
    uncertain = [j for each in roles for j, role in enumerate(each) if role is not None and role.kind == "uncertain"]
    if len(set(uncertain)) < len(uncertain):
        raise UndefinedError(
            "Product",
            f"two factors average over the uncertain column {max(uncertain, key=uncertain.count)}",
            "The product of two averages is not the average of the product",
            "Try Expected(k1 * k2) for Expected(k1) * Expected(k2)",
        )


def _operands(kernels: tuple[Kernel, ...], binding: int) -> list[str]:
    """The parts as text; a held constant is the number that was written, beside a kernel that makes a kernel of it."""
    numbers = [kernel.held_text() if isinstance(kernel, Constant) else "" for kernel in kernels]
    if all(numbers):
        numbers[0] = ""
    return [number or in_parentheses(kernel, binding) for kernel, number in zip(kernels, numbers, strict=True)]


class Exp(Kernel):
    """exp(k), entry by entry. Mind the variance of k: exp grows fast.

    >>> from credo.kernels import Linear
    >>> Linear().exp()
    Exp(Linear(variance=1))
    """

    kernel: Kernel

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.exp(self.kernel.cross(X, Z))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.exp(self.kernel.diagonal(X))

    def _formula(self) -> str:
        return f"Exp({self.kernel})"


class PolynomialOf(Kernel):
    r"""$\sum_j c_j k^j$ with coefficients $c_0, c_1, \dots \ge 0$, which are held fixed. ``k ** 2`` is one of these.

    >>> from credo.kernels import RBF
    >>> RBF() ** 2
    PolynomialOf(RBF(variance=1, lengthscale=1), [0, 0, 1])
    """

    kernel: Kernel
    coefficients: Float[Array, " c"] = parameter(Nonnegative(), event_ndim=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coefficients.ndim != 1:
            raise InputError(
                "PolynomialOf", f"coefficients have shape {self.coefficients.shape}", "", "Pass [c0, c1, ...]"
            )

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.polyval(self.coefficients[::-1], self.kernel.cross(X, Z))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.polyval(self.coefficients[::-1], self.kernel.diagonal(X))

    def _formula(self) -> str:
        return f"PolynomialOf({self.kernel}, {as_text(self.coefficients)})"


class On(Kernel):
    """The kernel on some of the columns.

    >>> from credo.kernels import RBF
    >>> float(On(RBF(), [1])([[5.0, 0.0]], [[7.0, 0.0]])[0, 0])
    1.0
    """

    kernel: Kernel
    columns: tuple[int, ...] = eqx.field(
        static=True, converter=lambda columns: tuple(int(c) for c in np.atleast_1d(columns))
    )

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self.kernel.cross(self.chosen(X), self.chosen(Z))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return self.kernel.diagonal(self.chosen(X))

    def input_noise(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return self.kernel.input_noise(self.chosen(X))

    def chosen(self, X: Float[Array, "*n d"]) -> Float[Array, "*n c"]:
        """The columns that the kernel is on."""
        return X[..., jnp.asarray(self.columns)]

    def require_columns(self, d: int, who: str) -> None:
        if not self.columns or not all(-d <= c < d for c in self.columns):
            raise InputError(
                who,
                f"the kernel is on columns {list(self.columns)}, but X has {d} columns",
                "Columns count from zero",
                f"Choose from 0 to {d - 1}",
            )
        self.kernel.require_columns(len(self.columns), who)

    def column_roles(self, d: int, who: str) -> Roles:
        return moved(self.kernel.column_roles(len(self.columns), who), self.columns, d, who)

    def _check_values(self, X: Array, who: str) -> None:
        self.kernel._check_values(self.chosen(X), who)

    def _formula(self) -> str:
        return f"On({self.kernel}, {list(self.columns)})"


class Warp(Kernel):
    r"""$k(u(x), u(x'))$ for any map u of one row to one row.

    A plain function is fixed. A module with parameters of its own learns them; any other Equinox module, a small
    network say, learns its weights when it comes as ``Trainable(network)``: deep kernel learning. In an estimator that
    standardizes columns the map takes standardized rows, or rows as they are if the kernel reads codes.

    >>> from credo.kernels import RBF
    >>> f"{Warp(RBF(), jnp.log)([[1.0]], [[jnp.e]])[0, 0]:.6f}"
    '0.606531'
    """

    kernel: Kernel
    u: Callable[[Array], Array]

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self.kernel.cross(jax.vmap(self.u)(X), jax.vmap(self.u)(Z))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return self.kernel.diagonal(jax.vmap(self.u)(X))

    def require_columns(self, d: int, who: str) -> None:
        self.kernel.require_columns(self._image_columns(d, who), who)

    def column_roles(self, d: int, who: str) -> Roles:
        """Numbers; codes, so that the map sees the rows as they are, where the kernel reads more than numbers."""
        image = self.kernel.column_roles(self._image_columns(d, who), who)
        return (NUMBER if {*image} <= {NUMBER, None} else CODE,) * d

    def _image_columns(self, d: int, who: str) -> int:
        """How many columns the map makes of d."""
        row = jax.ShapeDtypeStruct((d,), jnp.float64)
        try:
            image = eqx.filter_eval_shape(self.u, row)
        except (TypeError, ValueError) as error:
            raise InputError(
                who,
                f"the map of Warp does not take a row of {d} columns",
                str(error).splitlines()[0],
                "Check its input size",
            ) from error
        if image.ndim != 1:
            raise InputError(
                who, f"the map of Warp gives shape {image.shape} for one row", "", "Return a vector: one row to one row"
            )
        return image.shape[0]

    def _check_values(self, X: Array, who: str) -> None:
        """The values that the inner kernel sees are the map's, not the caller's."""

    def _formula(self) -> str:
        name = getattr(self.u, "__name__", type(self.u).__name__)
        return f"Warp({self.kernel}, {name})"
