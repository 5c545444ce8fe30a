"""What a kernel says about points whose columns do not fit it, and how it looks up what a column names."""

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.base import Kernel

__all__ = [
    "require_codes",
    "require_exact_inputs",
    "require_indices",
    "require_one_column",
    "require_one_each",
    "rows_named",
]

_WORDS = {"lengthscale": "length-scale"}


def require_one_each(kernel: Kernel, name: str, d: int, who: str) -> None:
    """Refuse a parameter `name` of `kernel` that is neither one number for all d columns nor one for each."""
    value: Array = getattr(kernel, name)
    if value.shape in ((), (d,)):
        return
    word = _WORDS.get(name, name.replace("_", " "))
    given = f"{value.shape[0]} {word}s" if value.ndim == 1 else f"{word}s of shape {value.shape}"
    raise InputError(
        who,
        f"X has {d} columns, but the kernel was given {given}",
        f"A {word} per column was probably meant",
        f"Try kernel={type(kernel).__name__}({name}=np.ones({d})), or leave it out",
    )


def require_one_column(kernel: Kernel, d: int, who: str, what: str) -> None:
    """Refuse points of more columns than the one in which `kernel` reads `what`."""
    if d == 1:
        return
    name = type(kernel).__name__
    raise InputError(
        who,
        f"X has {d} columns, but {name} is on one, {what}",
        "The other columns need a kernel of their own",
        f"Try On({name}(...), [0])",
    )


def rows_named(table: Float[Array, "v k"], X: Float[Array, "n 1"]) -> Float[Array, "n k"]:
    """The rows of `table` that X names by their number from zero; NaN for a number that is none, as jit cannot refuse.

    >>> rows_named(jnp.asarray([[1.0], [2.0]]), jnp.asarray([[1.0], [0.0], [0.5]])).tolist()
    [[2.0], [1.0], [nan]]
    """
    index = X[:, 0].astype(jnp.int64)
    index = jnp.where((index == X[:, 0]) & (index >= 0), index, table.shape[0])
    return table.at[index].get(mode="fill", fill_value=jnp.nan)


def require_indices(X: Array, count: int, who: str, one: str, all_of: str) -> None:
    """Refuse a first column of X that is not whole numbers below `count`: no number of `one` of `all_of`."""
    index = np.asarray(X)[:, 0]
    wrong = ~((index >= 0) & (index < count) & (index == np.floor(index)))
    if np.any(wrong):
        raise InputError(
            who,
            f"{index[np.argmax(wrong)]:g} is no {one} of {all_of}",
            f"{one.capitalize()}s are counted from zero",
            f"Pass whole numbers from 0 to {count - 1}",
        )


def require_codes(X: Array, who: str, one: str, least: float) -> None:
    """Refuse values of X that are not whole numbers from `least` up: codes of `one`, a category or a letter."""
    codes = np.asarray(X)
    wrong = ~((codes == np.floor(codes)) & (codes >= least))
    if np.any(wrong):
        raise InputError(
            who,
            f"{codes.ravel()[np.argmax(wrong)]:g} is not the code of a {one}",
            "The column holds measurements, or codes that were scaled beforehand",
            "Pass codes as whole numbers"
            + ("" if np.isinf(least) else f", from 0 up, and {least:g} behind the last {one}"),
        )


def require_exact_inputs(kernel: Kernel, who: str) -> None:
    """Refuse observations at inputs that are known up to noise, for a model that has no place for it."""
    if kernel.has_uncertain_inputs:
        raise InputError(
            who,
            "the kernel has Expected, for observations at inputs that are known up to noise",
            "How f varies over such an input would be missing from the uncertainty of the model",
            "Try GPRegressor, or Expected(..., averages=True) if y is an average over the inputs",
        )
