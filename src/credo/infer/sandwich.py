r"""Covariances of estimates that do not trust the model's variance: heteroscedasticity-robust and clustered.

An estimate that solves $\sum_i w_i u_i(\theta) = 0$ has covariance near $B M B$, with the bread $B$ the inverse of the
derivative and the meat $M$ the variance of that sum: $\sum_i w_i u_i u_i^\top$ (White 1980), or the sum over clusters
of the outer products of their own sums (Liang & Zeger 1986). A weight counts rows, as everywhere.
"""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Float
from scipy import sparse

from credo.errors import InputError
from credo.infer.glm.design import weighted_gram

__all__ = ["Robust", "clustered_covariance", "robust_covariance"]

#: HC0 is White's; HC1 scales it by n/(n − p); HC2 and HC3 divide residuals by √(1 − h) and 1 − h (MacKinnon & White
#: 1985).
Robust = Literal["HC0", "HC1", "HC2", "HC3"]


def robust_covariance(
    kind: str,
    bread: Float[np.ndarray, "p p"],
    design: Float[np.ndarray, "n p"] | sparse.csr_array,
    residuals: Float[np.ndarray, " n"],
    leverages: Float[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
) -> Float[np.ndarray, "p p"]:
    """The sandwich whose meat is Σ w e² x x', with the correction named. O(n p²)."""
    if kind not in get_args(Robust):
        raise InputError("robust_covariance", f"kind is {kind!r}", "It is not known", f"Try one of {get_args(Robust)}")
    rest = 1.0 - leverages
    if kind in ("HC2", "HC3") and np.any(rest < 1e-10):
        row = int(np.argmin(rest))
        raise InputError(
            "robust_covariance",
            f"row {row} has leverage 1",
            f"It is fitted exactly whatever its target, and {kind} divides by one minus the leverage",
            "Try HC1, or leave that row out",
        )
    power = {"HC0": 0.0, "HC1": 0.0, "HC2": 1.0, "HC3": 2.0}[kind]
    squared = weights * residuals**2 * (rest**-power if power else 1.0)
    rows, columns = float(np.sum(weights)), design.shape[1]
    correction = rows / (rows - columns) if kind == "HC1" else 1.0
    return correction * (bread @ weighted_gram(design, squared) @ bread)


def clustered_covariance(
    groups: np.ndarray,
    bread: Float[np.ndarray, "p p"],
    design: Float[np.ndarray, "n p"] | sparse.csr_array,
    residuals: Float[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
) -> tuple[Float[np.ndarray, "p p"], int]:
    """The sandwich over clusters of rows, times G/(G − 1) · (n − 1)/(n − p), and the number G of clusters. O(n p²)."""
    codes = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
    count = int(np.max(codes, initial=-1)) + 1
    if len(codes) != design.shape[0] or count < 2:
        raise InputError(
            "clustered_covariance",
            f"{len(codes)} group labels with {count} distinct values for {design.shape[0]} rows",
            "There is one label a row, and at least two clusters",
            "Pass the groups in the order of fit's rows",
        )
    membership = sparse.csr_array((weights * residuals, (codes, np.arange(len(codes)))), (count, len(codes)))
    sums = membership @ design
    sums = sums.toarray() if sparse.issparse(sums) else sums
    rows, columns = float(np.sum(weights)), design.shape[1]
    correction = count / (count - 1.0) * (rows - 1.0) / (rows - columns)
    return correction * (bread @ (sums.T @ sums) @ bread), count
