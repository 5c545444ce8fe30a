"""What a kernel says about points whose columns do not fit it."""

from jax import Array

from credo.errors import InputError
from credo.kernels.base import Kernel

__all__ = ["require_one_column", "require_one_each"]

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
