"""The belief about a new observation of a linear model with normal noise of unknown variance."""

import numpy as np
from jaxtyping import ArrayLike

from credo.beliefs import StudentT, UncertaintyBudget
from credo.numerics.concrete import placed

__all__ = ["SMALLEST", "TOO_FEW", "linear_predictive"]

TOO_FEW = "the variance of a Student t with two degrees of freedom or fewer is infinite; a few more rows make it finite"
SMALLEST = 1e-290  # of a sum of squares: its root and its parts are still normal numbers


def linear_predictive(location: ArrayLike, spread: ArrayLike, degrees: float, scatter: float) -> StudentT:
    r"""Student t of ν degrees, squared scale $(S/\nu)(1 + h)$: S the residual sum of squares, h the `spread`.

    The budget: noise is $\mathbb E\sigma^2 = S/(\nu - 2)$, parameter is that times h. Not split for ν ≤ 2, where there
    is no variance.
    """
    # An exact fit leaves no scatter, and a scale is positive.
    left = max(float(scatter), SMALLEST)
    h = np.asarray(spread, dtype=np.float64)
    scale = np.sqrt(left / degrees * (1.0 + h))
    belief = StudentT(*(placed(np.broadcast_to(part, h.shape)) for part in (float(degrees), location, scale)))
    if degrees <= 2.0:
        return belief.with_budget(UncertaintyBudget.unsplit(TOO_FEW))
    noise = np.full(h.shape, left / (degrees - 2.0))
    return belief.with_budget(UncertaintyBudget(noise=placed(noise), parameter=placed(noise * h)))
