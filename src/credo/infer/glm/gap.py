r"""How far at most a penalized generalized linear model is above its minimum: the gap of Fenchel and Young.

With $\ell_i$ half the deviance of a row, $o$ the offset and $\Omega(\beta) = \lambda_1\lVert\beta\rVert_1 +
\tfrac12\lambda_2\lVert\beta\rVert^2$, every $u$ with $\sum_i w_i u_i = 0$ (where there is an intercept) gives

$$\min_\beta\ \sum_i w_i\,\ell_i(o_i + x_i^\top\beta) + \Omega(\beta)\ \ge\ \sum_i w_i\,(u_i o_i - \ell_i^*(u_i)) -
\Omega^*(-X^\top W u),$$

and at the solution $u_i = \ell_i'(\eta_i)$ makes it an equality (Rockafellar 1970, Theorem 31.1). Near it that $u$ is
drawn towards zero until it is allowed, as Ndiaye, Fercoq, Gramfort & Salmon (2017) do.
"""

from collections.abc import Callable

import numpy as np
from scipy import special

from credo.infer.glm.families import BernoulliFamily, BinomialFamily, GammaFamily, GaussianFamily, PoissonFamily
from credo.infer.glm.links import IdentityLink, LogitLink, LogLink
from credo.infer.glm.loss import loss_of
from credo.infer.glm.problem import GLMProblem

__all__ = ["duality_gap"]

Conjugate = Callable[[np.ndarray, np.ndarray], np.ndarray]


def duality_gap(
    problem: GLMProblem, lasso: float | np.ndarray, coefficients: np.ndarray, predictor: np.ndarray
) -> float | None:
    """Of these coefficients, in units of the log likelihood (times the dispersion); None where no conjugate is known.

    The lasso and the problem's ridge are one number, or one per slope. O(n d).
    """
    conjugate = _CONJUGATES.get((type(problem.family), type(problem.link)))
    if conjugate is None:
        return None
    y, w, design = problem.y, problem.weights, problem.design
    lasso, ridge = (np.broadcast_to(part, design.X.shape[1:]) for part in (lasso, problem.ridge))
    loss, slopes = loss_of(problem.family, problem.link)(y, predictor), coefficients[int(design.intercept) :]
    primal = float(w @ loss.value) + float(lasso @ np.abs(slopes)) + 0.5 * float(ridge @ slopes**2)
    u = -loss.score
    if design.intercept:
        u = _balanced(u, w)
    pull = np.abs(design.X.T @ (w * u))
    over = 0.0
    if np.all(ridge > 0.0):
        over = 0.5 * float(np.sum(np.maximum(pull - lasso, 0.0) ** 2 / ridge))
    else:
        u = u * min(1.0, float(np.min(lasso / np.maximum(pull, np.finfo(float).tiny), initial=np.inf)))
    dual = float(w @ (u * design.offset - conjugate(y, u))) - over
    return max(float(primal - dual), 0.0)


def _balanced(u: np.ndarray, w: np.ndarray) -> np.ndarray:
    """With Σ w u = 0, by making the side that outweighs the other smaller: towards zero all u stay allowed."""
    up, down = float(w @ np.maximum(u, 0.0)), float(w @ np.maximum(-u, 0.0))
    least = min(up, down)
    return np.where(u > 0.0, u * (least / up if up > 0.0 else 0.0), u * (least / down if down > 0.0 else 0.0))


def _gaussian(y: np.ndarray, u: np.ndarray) -> np.ndarray:
    return u * (0.5 * u + y)


def _logistic(y: np.ndarray, u: np.ndarray) -> np.ndarray:
    p = np.clip(y + u, 0.0, 1.0)  # rounding
    return special.xlogy(p, p) + special.xlog1py(1.0 - p, -p) - special.xlogy(y, y) - special.xlog1py(1.0 - y, -y)


def _poisson(y: np.ndarray, u: np.ndarray) -> np.ndarray:
    mean = np.maximum(y + u, 0.0)  # rounding
    return special.xlogy(mean, mean) - special.xlogy(y, y) - u


def _gamma(y: np.ndarray, u: np.ndarray) -> np.ndarray:
    rest = 1.0 - u
    return special.xlogy(rest, rest) + u * (1.0 + np.log(y))


_CONJUGATES: dict[tuple[type, type], Conjugate] = {
    (GaussianFamily, IdentityLink): _gaussian,
    (BernoulliFamily, LogitLink): _logistic,
    (BinomialFamily, LogitLink): _logistic,
    (PoissonFamily, LogLink): _poisson,
    (GammaFamily, LogLink): _gamma,
}
