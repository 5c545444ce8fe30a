"""Weights of any Equinox module as parameters: how a small network is learnt inside a kernel or a mean function."""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.flatten_util import ravel_pytree
from jaxtyping import Float

from credo.errors import InputError
from credo.numerics.constraints import Constraint, Real
from credo.numerics.parameters import Parameterized, parameter

__all__ = ["Trainable"]


class Trainable(Parameterized):
    """A module whose every floating array is a free parameter: ``Trainable(eqx.nn.MLP(...))``.

    The weights lie in one vector, which [](#credo.numerics.flatten) finds. A constraint in their place takes the
    module's as its value and may bring a prior: ``Trainable(net, weights=Real(prior=Normal(0, 1)))``. Calling it calls
    the module.

    >>> net = Trainable(eqx.nn.Linear(2, 1, key=jax.random.key(0)))
    >>> net.weights.shape, net(jnp.ones(2)).shape
    ((3,), (1,))
    """

    template: eqx.Module
    weights: Float[Array, " p"] = parameter(Real(), event_ndim=1, default=None)

    def __post_init__(self) -> None:
        arrays, rest = eqx.partition(self.template, eqx.is_inexact_array)
        vector = ravel_pytree(arrays)[0].astype(jnp.float64)
        _check(self.template, vector)
        # Of the arrays only shapes and types are needed from here on; zeros are no second copy to fall out of step.
        self.template = eqx.combine(jax.tree.map(jnp.zeros_like, arrays), rest)
        given: Any = self.weights
        if given is None:
            self.weights = vector
        elif isinstance(given, Constraint) and given.value is None:
            self.weights = dataclasses.replace(given, value=vector)  # type: ignore[assignment]
        super().__post_init__()
        if self.weights.shape != vector.shape:
            raise InputError(
                "Trainable",
                f"weights have shape {self.weights.shape}, but the module has {vector.size} numbers",
                "They are all arrays of the module, one after the other",
                "Leave them out",
            )

    @property
    def module(self) -> Any:
        """The module with its weights in place."""
        arrays, rest = eqx.partition(self.template, eqx.is_inexact_array)
        zeros, unravel = ravel_pytree(arrays)
        return eqx.combine(unravel(self.weights.astype(zeros.dtype)), rest)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)


def _check(module: eqx.Module, vector: Array) -> None:
    inner = jax.tree.leaves(module, is_leaf=lambda node: isinstance(node, Parameterized))
    if any(isinstance(node, Parameterized) for node in inner):
        raise InputError(
            "Trainable",
            f"{type(module).__name__} declares parameters of its own",
            "They would be learned twice",
            "Pass it as it is",
        )
    if not vector.size:
        raise InputError("Trainable", f"{type(module).__name__} has no floating arrays", "", "Pass it as it is")
