"""Modules of one structure put together many times: what their constructors check is checked once."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax

__all__ = ["assembler"]

P = TypeVar("P")
M = TypeVar("M")


def assembler(build: Callable[[P], M], parts: P) -> Callable[[P], M]:
    """What `build` makes of other parts of the same structure, without running it again.

    `build` arranges the arrays of `parts` in modules and changes none of them; every array that it does not find there
    is the same in all that is assembled.

    >>> import jax.numpy as jnp
    >>> pair = assembler(lambda parts: {"sum": (parts[1], jnp.zeros(())), "of": parts[0]}, [jnp.ones(2), jnp.ones(3)])
    >>> pair(["a", "b"])["of"], pair(["a", "b"])["sum"][0]
    ('a', 'b')
    """
    places = {id(array): i for i, array in enumerate(jax.tree.leaves(parts))}
    leaves, structure = jax.tree.flatten(build(parts))
    order = [places.get(id(leaf)) for leaf in leaves]
    assert len(set(order) - {None}) == len(places), "build changed an array"
    same = [leaf if i is None else None for leaf, i in zip(leaves, order, strict=True)]  # the others are not kept

    def assembled(others: P) -> Any:
        given = jax.tree.leaves(others)
        return jax.tree.unflatten(
            structure, [leaf if i is None else given[i] for leaf, i in zip(same, order, strict=True)]
        )

    return assembled
