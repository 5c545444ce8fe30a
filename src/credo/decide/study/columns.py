"""The columns of an encoded space as a surrogate sees them: in units that do not move, numbers and codes apart."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from credo.kernels import Kernel, On
from credo.represent.space import Space

__all__ = ["SPREAD", "codes_and_numbers", "in_units", "over_columns", "units_beside", "units_of"]

#: The standard deviation of numbers that are spread evenly from 0 to 1: the unit in which a surrogate works.
SPREAD = float(np.sqrt(1.0 / 12.0))


def codes_and_numbers(space: Space) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Those that are codes, and those that are numbers."""
    codes = tuple(j for j, kind in enumerate(space.column_kinds) if kind.kind == "code")
    return codes, tuple(j for j in range(len(space)) if j not in codes)


def units_of(space: Space) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """Shift and scale of each column of the encoding: those of codes are zero and one."""
    return units_beside(codes_and_numbers(space)[0], len(space))


def units_beside(codes: Sequence[int], d: int) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """The same of d columns, those given being codes."""
    coded = np.isin(np.arange(d), codes)
    return np.where(coded, 0.0, 0.5), np.where(coded, 1.0, SPREAD)


def in_units(space: Space, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    """Rows of the encoding in the units of a surrogate."""
    shift, width = units_of(space)
    return (rows - shift) / width


def over_columns(space: Space, smooth: Callable[[int], Kernel], unlike: Callable[[int], Kernel]) -> Kernel:
    """A kernel of the columns that are numbers, times one of the codes of choices; each is made for so many columns."""
    codes, numbers = codes_and_numbers(space)
    if not codes:
        return smooth(len(numbers))
    if not numbers:
        return On(unlike(len(codes)), codes)
    return On(smooth(len(numbers)), numbers) * On(unlike(len(codes)), codes)
