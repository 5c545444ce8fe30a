r"""Slopes of a lasso freed of its bias, with their covariance (Zhang & Zhang 2014; van de Geer et al. 2014).

$b = \hat\beta + \Theta A^\top(t - A\hat\beta)$, with Θ an approximate inverse of $G = A^\top A$: its row j is what is
left of column j once a lasso has explained it by the others. The covariance is $\sigma^2\Theta G\Theta^\top/\sum w$.
Intervals are right where few slopes are not zero, $s\log d \ll \sqrt n$.
"""

import numpy as np
from jaxtyping import Float

from credo.infer.proximal.active_set import solve_active_set
from credo.infer.proximal.quadratic import Quadratic, WholeQuadratic
from credo.numerics.progress import tracker
from credo.numerics.semidefinite import scaled_inverse

__all__ = ["debiased"]

_PLENTY = 2.0  # rows a column from which the inverse itself serves


def debiased(
    quadratic: Quadratic, beta: Float[np.ndarray, " d"], variance: float
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, "d d"]]:
    """The slopes without the bias of the penalty, and their covariance for noise of `variance`.

    One lasso a column, at the penalty √(2 log d/Σw) for columns of unit length; where rows are twice as many as columns
    there is no need of it, Θ is the inverse, and the answer is least squares. O(d²) of memory.
    """
    d = len(beta)
    gram = quadratic.block(np.arange(d))
    theta = _inverse(gram) if quadratic.weight >= _PLENTY * d else None
    if theta is None:
        theta = _left_overs(gram, np.sqrt(2.0 * np.log(max(d, 2)) / quadratic.weight))
    active = np.flatnonzero(beta)
    values = beta + theta @ quadratic.descent(active, beta[active])
    return values, variance / quadratic.weight * (theta @ gram @ theta.T)


def _inverse(gram: np.ndarray) -> np.ndarray | None:
    """None where columns are combinations of others: a slope that no row can tell has no interval of its own."""
    inverse, rank = scaled_inverse(gram)
    return inverse if rank == len(gram) else None


def _left_overs(gram: np.ndarray, level: float) -> np.ndarray:
    theta = np.zeros_like(gram)
    with tracker("debiasing", len(gram)) as track:
        for j in range(len(gram)):
            theta[j] = _left_over(gram, j, level)
            track.advance()
    return theta


def _left_over(gram: np.ndarray, j: int, level: float) -> np.ndarray:
    """Column j less its prediction from the others, as slopes, scaled so that its product with column j is one."""
    others = np.delete(np.arange(len(gram)), j)
    scale = np.sqrt(gram[j, j] * np.diagonal(gram)[others])
    apart = WholeQuadratic(gram[np.ix_(others, others)], gram[others, j])
    answer = solve_active_set(apart, level * scale, np.zeros(len(others)))
    row = np.zeros(len(gram))
    row[j], row[others] = 1.0, -answer.beta
    product = float(row @ gram[j])
    return row / product if product > 0.0 else np.zeros(len(gram))
