"""Standard normal draws that fill the space evenly: a Sobol sequence, shifted at random, through the quantiles."""

import numpy as np
from jaxtyping import Float

from credo.kernels.sobol import shifted_sobol
from credo.numerics import ndtri
from credo.numerics.random import RandomState, as_key

__all__ = ["even_normals"]


def even_normals(count: int, d: int, random_state: RandomState = None) -> Float[np.ndarray, "count d"]:
    r"""`count` points, each standard normal in d columns, and together spread as a Sobol sequence is.

    Averages over them are unbiased, and of smooth functions their error falls nearly as 1/count. Best where count is a
    power of two.

    >>> draws = even_normals(256, 2, random_state=0)
    >>> bool(np.all(np.abs(draws.mean(axis=0)) < 0.02))
    True
    """
    return np.asarray(ndtri(shifted_sobol(as_key(random_state), count, d)))
