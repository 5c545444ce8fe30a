r"""A cheap proof that a likelihood has a maximum: a Newton decrement that is small against the rows.

Losses of a logistic or a Poisson regression have $|\ell'''| \le \ell''$ in their predictor. Along a direction $v$ the
objective $f$ then has $|f'''| \le S f''$ with $S = \max_i |x_i^\top v| \le R\,\lVert v\rVert_H$, where
$R^2 = \max_i x_i^\top H^{-1} x_i$ is the largest variance of a predictor and $H$ the information. With the Newton
decrement $\lambda^2 = g^\top H^{-1} g$ this gives (Bach 2010, Proposition 1)

$$f(\beta + v) \ge f(\beta) - \lambda\,\frac{S}{R} + \frac{e^{-S} + S - 1}{R^2},$$

which grows without end in every direction as soon as $\lambda R < 1$: then a finite maximum of the likelihood exists.
Where classes are separated it does not, and $\lambda R \ge 1$ at every point. The norm of $H^{-1}$ makes the condition
independent of the columns' units. A leverage is at most one, so $x_i^\top H^{-1} x_i \le 1/(w_i \ell_i'')$: rows that
are not far out need no product.
"""

import numpy as np

from credo.infer.glm.families import BernoulliFamily, BinomialFamily, PoissonFamily
from credo.infer.glm.links import LogitLink, LogLink
from credo.infer.glm.newton import Newton
from credo.infer.glm.problem import GLMProblem
from credo.numerics.semidefinite import scaled_inverse

__all__ = ["ROUNDING", "has_bound", "largest_variance_allowed", "maximum_is_proven"]

_PAIRS = {(BernoulliFamily, LogitLink), (BinomialFamily, LogitLink), (PoissonFamily, LogLink)}
#: Error of a row's score, relative to its target and mean.
ROUNDING = 4.0 * np.finfo(float).eps
_MARGIN = 0.5  # that λR stays below, for what rounding does to the information


def has_bound(problem: GLMProblem) -> bool:
    """Whether family and link have the bound on the third derivative."""
    return (type(problem.family), type(problem.link)) in _PAIRS


def maximum_is_proven(problem: GLMProblem, found: Newton) -> bool:
    """Whether the condition holds where Newton's method took its last information. O(n), and O(p²) a row far out.

    False says nothing: the family has no such bound, the search ended too early, or there is no maximum.
    """
    if not has_bound(problem) or not np.isfinite(found.decrement):
        return False
    if found.rank < problem.design.columns and found.rank < scaled_inverse(problem.design.gram(problem.weights))[1]:
        return False  # the information does not see a direction that the rows have
    noise = ROUNDING * float(problem.weights @ (1.0 + np.abs(problem.y)))
    most = largest_variance_allowed(found.decrement, noise)
    far = np.flatnonzero(problem.weights * found.curvature * most <= 1.0)
    return not len(far) or bool(np.max(problem.design.rows(far).forms(found.inverse)) < most)


def largest_variance_allowed(decrement: float, noise: float) -> float:
    """R² below which (λ + noise · R) R stays under the margin: `noise` · R bounds the rounding error of λ."""
    decrement = max(decrement, 0.0)
    return float((2.0 * _MARGIN / (np.sqrt(decrement) + np.sqrt(decrement + 4.0 * _MARGIN * noise))) ** 2)
