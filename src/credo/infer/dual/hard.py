"""A margin that no row may enter: the cost grows until no coefficient is on its bound."""

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.infer.dual.covariance import StreamedCovariance
from credo.infer.dual.problem import class_problem
from credo.infer.dual.solve import Limits, SupportVectors, solve_margin
from credo.infer.glm.separation import plane_separates
from credo.kernels import Kernel, Linear

__all__ = ["solve_hard_margin"]

_COSTS = (1e3, 1e6, 1e9)  # over the mean variance


def solve_hard_margin(
    kernel: Kernel,
    X: Float[np.ndarray, "n d"],
    sign: Float[np.ndarray, " n"],
    limits: Limits = Limits(),
) -> SupportVectors:
    """The widest margin with every row outside.

    Refused where the kernel cannot separate the classes: for a linear one a linear program tells, for others a cost of
    a thousand million that still has rows inside.
    """
    if isinstance(kernel, Linear) and plane_separates(X, sign) is False:
        raise _not_separable(limits.who, f"no plane separates the classes of {len(X)} rows")
    if len(np.unique(X, axis=0)) < len(np.unique(np.column_stack([X, sign]), axis=0)):
        raise _not_separable(limits.who, "equal rows have different classes")
    variance = float(np.mean(StreamedCovariance(kernel, X).diagonal()))
    for cost in _COSTS:
        bound = cost / variance
        found = solve_margin(kernel, X, class_problem(sign, np.full(len(X), bound)), limits)
        if np.max(np.abs(found.coefficients), initial=0.0) < bound:
            return found
    inside = int(np.sum(np.abs(found.coefficients) >= bound))
    raise _not_separable(limits.who, f"{inside} of {len(X)} rows stay inside the margin at any cost")


def _not_separable(who: str, what: str) -> InputError:
    return InputError(
        who, what, "A hard margin (C=inf) needs classes that the kernel separates", "Try C=1.0, or another kernel"
    )
