"""The belief of any estimator as a surface: computed on the host, at the rows that are asked about, before jit."""

from collections.abc import Callable
from typing import Any, TypeVar

import equinox as eqx
import jax
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions.surface import Surface
from credo.errors import UndefinedError
from credo.numerics.concrete import placed

__all__ = ["HostSurface", "TabulatedSurface", "has_slopes", "tabulated"]

Module = TypeVar("Module", bound=eqx.Module)


class HostSurface(Surface):
    """A belief that only the host can compute: `predict` gives mean and variance (m, s) at encoded rows (m, d)."""

    predict: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]] = eqx.field(static=True)

    def moments(self, X: Any) -> tuple[Any, Any]:
        raise UndefinedError(
            "HostSurface", "its moments were asked for inside a compiled function", "", "Tabulate it at the rows first"
        )


class TabulatedSurface(Surface):
    """Moments at the very rows that it will be asked about, in their order."""

    mean: Float[Array, "m s"]
    variance: Float[Array, "m s"]

    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m s"], Float[Array, "m s"]]:
        return self.mean, self.variance


def has_slopes(module: eqx.Module) -> bool:
    """Whether gradients pass through: not where a surface is the host's."""
    return not any(isinstance(leaf, HostSurface) for leaf in jax.tree.leaves(module, is_leaf=_is_host))


def tabulated(module: Module, rows: Float[np.ndarray, "m d"]) -> Module:
    """An acquisition or surface with every [](#HostSurface) in it replaced by its moments at these rows."""
    if has_slopes(module):
        return module

    def replaced(leaf: Any) -> Any:
        if not isinstance(leaf, HostSurface):
            return leaf
        return TabulatedSurface(*(placed(np.asarray(part, dtype=np.float64)) for part in leaf.predict(rows)))

    return jax.tree.map(replaced, module, is_leaf=_is_host)


def _is_host(node: Any) -> bool:
    return isinstance(node, HostSurface)
