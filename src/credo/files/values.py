"""Whether the values of a module are ones that its constructor would have let pass."""

import dataclasses
import math
from itertools import combinations

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from credo.numerics.constraints import Bounded
from credo.numerics.parameters import Parameterized, declared_parameters

__all__ = ["complaint"]

_MOST = 2**24  # entries that a comparison may have, if its operands have fewer
_REFUSALS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def complaint(module: eqx.Module) -> str | None:
    """What a module has to say against its own values, or None.

    Parameters are held against the constraint of their field and of the instance, and Equinox's `__check_init__` is
    asked, as at construction. The constructor itself is not run: it may compute, and the fields are what it computed.
    The same question is asked when a file is written and when it is read, so what was saved can be loaded.

    >>> from credo.numerics import Bounded
    >>> complaint(Bounded(low=0.0, high=1.0)) is None
    True
    """
    try:
        if isinstance(module, Parameterized):
            _check_parameters(module)
        if isinstance(module, Bounded):
            _refuse_growth(np.shape(module.low), np.shape(module.high))
        for cls in type(module).__mro__:
            if "__check_init__" in vars(cls):
                vars(cls)["__check_init__"](module)
    except _REFUSALS as error:
        return str(error)
    return None


def _check_parameters(module: Parameterized) -> None:
    event_ndims = declared_parameters(type(module))
    for field in dataclasses.fields(module):
        if field.name in event_ndims:
            value, override = getattr(module, field.name), module.overrides.get(field.name)
            if isinstance(override, Bounded):
                _refuse_growth(np.shape(value), np.shape(override.low), np.shape(override.high))
            module._check(field, override, jnp.asarray(value))
    if hasattr(module, "__check_init__"):  # which may compare one parameter with another
        shapes = {name: np.shape(getattr(module, name)) for name in event_ndims}
        _refuse_growth(*(shape[: max(len(shape) - event_ndims[name], 0)] for name, shape in shapes.items()))


def _refuse_growth(*shapes: tuple[int, ...]) -> None:
    """A column against a row makes a matrix: a small file must not ask for a large one."""
    for first, second in combinations(shapes, 2):
        try:
            size = math.prod(np.broadcast_shapes(first, second))
        except ValueError:  # they do not fit, and nothing is made of them
            continue
        if size > max(_MOST, math.prod(first), math.prod(second)):
            raise ValueError(f"values of the shapes {first} and {second} do not belong together")
