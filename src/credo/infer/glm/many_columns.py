r"""Logistic regression with many columns a row: how far out its maximum of the likelihood is, and how far it scatters.

With $\kappa = p/n$ columns a row that stays away from zero, the estimates are not near the truth but near $\alpha$
times it, and vary more than the information says (Sur & Candès 2019): $\hat\beta_j \approx \alpha\beta_j +
\sigma Z/(\sqrt n\,\tau_j)$, with $\tau_j^2$ the variance of column $j$ given the others (Zhao, Sur & Candès 2022,
Theorem 3.1). With $Q_1 = \beta_0 + \gamma Z_1$ the true log odds of a row, $Q_2 = b + \alpha\gamma Z_1 +
\sqrt\kappa\,\sigma Z_2$ those of a fit that has not seen it, $y$ the class and $r = y - \rho'(t)$ the residual after it
has, where $t + \lambda\rho'(t) = Q_2 + \lambda y$ and $\rho'$ is the logistic function, the constants solve

$$\kappa^2\sigma^2 = \lambda^2\,\mathbb E\,r^2,\qquad \mathbb E\,Z_1 r = 0,\qquad \mathbb E\,r = 0,\qquad
1 - \kappa = \mathbb E\,\frac1{1 + \lambda\rho''(t)}.$$

The signal $\gamma$ is not known, but $\eta^2 = \operatorname{Var} Q_2 = \alpha^2\gamma^2 + \kappa\sigma^2$ and $b$ are
seen in predictors of rows left out, which have a closed form (SLOE: Yadlowsky, Yun, McLean & D'Amour 2021).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import special

from credo.errors import UndefinedError
from credo.infer.glm.design import LinearDesign
from credo.numerics.certificate import Certificate, Solution
from credo.numerics.quadrature import gauss_normal
from credo.numerics.semidefinite import scaled_inverse

__all__ = ["Corrected", "Inflation", "correct_many_columns", "inflation_of", "left_out_predictors"]

_NODES = 64
_HALVINGS = 60
_SOLVED = 1e-8
_WEAK = 1e-3  # a signal this small is none: the equations have their limits here to six digits


class Inflation(NamedTuple):
    """The constants of the theory: β̂ is near `bias` times β, scatters by `scatter`, at a `signal` of √Var(x'β)."""

    bias: float  # α
    scatter: float  # σ
    step: float  # λ
    signal: float  # γ
    intercept: float  # β₀, where columns have their means


class Corrected(NamedTuple):
    """Slopes and intercept without their bias, the covariance of the slopes, and what was taken off."""

    slopes: Float[np.ndarray, " p"]
    covariance: Float[np.ndarray, "p p"]
    intercept: float
    inflation: Inflation


def correct_many_columns(
    design: LinearDesign,
    coefficients: Float[np.ndarray, " k"],
    inverse: Float[np.ndarray, "k k"],
    score: Float[np.ndarray, " n"],
    curvature: Float[np.ndarray, " n"],
    weights: Float[np.ndarray, " n"],
    *,
    who: str = "correct_many_columns",
) -> Solution[Corrected]:
    """From a maximum of the likelihood: coefficients, inverse information, residuals and curvature of each row.

    Rows are counted by `weights`. Assumes columns that are jointly normal, or light-tailed and many, and a correctly
    specified model; intervals are about one slope at a time. The intercept has no known standard error. O(n p²).
    """
    total, first = float(np.sum(weights)), int(design.intercept)
    seen = left_out_predictors(design, coefficients, inverse, score, curvature)
    middle = float(weights @ seen) / total if design.intercept else 0.0
    spread = float(np.sqrt(weights @ (seen - middle) ** 2 / total))
    columns = design.columns - first
    inflation, weak = inflation_of(columns / total, spread, middle if design.intercept else None, who=who)
    center = first * np.asarray(design.X.T @ weights) / total
    slopes = coefficients[first:] / inflation.bias
    centered = design.gram(weights)[first:, first:] - total * np.outer(center, center)
    # One over an entry of the inverse scatter is the residual sum of squares of that column on the others.
    free = total - columns + 1.0 - first
    covariance = (inflation.scatter / inflation.bias) ** 2 * free / total * scaled_inverse(centered)[0]
    value = Corrected(slopes, covariance, inflation.intercept - float(center @ slopes), inflation)
    notes = ["assumes columns that are jointly normal, or light-tailed and many"]
    if weak:
        notes.append("the predictors of rows left out vary no more than without any signal: none was assumed")
    return Solution(value, Certificate("heuristic", notes=tuple(notes)), {"eta": spread, "middle": middle})


def left_out_predictors(
    design: LinearDesign,
    coefficients: Float[np.ndarray, " k"],
    inverse: Float[np.ndarray, "k k"],
    score: Float[np.ndarray, " n"],
    curvature: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """The predictor of each row by a fit without it (one of its copies), to first order. O(n p²)."""
    leverage = design.forms(inverse)
    return design.predictor(coefficients) - leverage * score / np.maximum(1.0 - leverage * curvature, 1e-12)


def inflation_of(
    ratio: float, spread: float, middle: float | None, *, who: str = "inflation_of"
) -> tuple[Inflation, bool]:
    """Solve for columns a row κ, from the spread η and middle b (None: no intercept) of predictors of unseen rows.

    Also says whether the spread was too small for any signal, in which case it is taken for none.
    """
    bare = _solve_without_signal(ratio, middle)
    weak = bare is not None and bool(spread <= np.sqrt(ratio) * bare.scatter * (1.0 + 1e-4))
    found = bare if weak else _solve(ratio, spread, middle)
    if found is None:
        raise UndefinedError(
            who,
            f"the equations for {ratio:.3g} columns a row and predictors of spread {spread:.3g} have no solution",
            "The maximum of the likelihood hardly exists: classes are nearly separated, or columns have heavy tails",
            "Pass more rows or fewer columns, or fit with ridge=1.0",
        )
    return found, weak


class _Point(NamedTuple):
    spread: float  # η
    share: float  # correlation of Q₂ with the truth, αγ/η
    signal: float
    step: float
    truth: float  # β₀
    middle: float  # b


def _solve(ratio: float, spread: float, middle: float | None) -> Inflation | None:
    """Unknown are the share, γ, λ and β₀."""

    def point(u: np.ndarray) -> _Point:
        truth = u[3] if middle is not None else 0.0
        return _Point(spread, float(special.expit(u[0])), np.exp(u[1]), np.exp(u[2]), truth, middle or 0.0)

    curvature = 0.5 / (2.0 + spread)  # about that of a predictor of this spread
    for share in (0.8, 0.95, 0.5, 0.99, 0.2, 0.998):
        step = ratio / (1.0 - ratio) / curvature
        start = [special.logit(share), np.log(share * spread), np.log(step), 0.8 * (middle or 0.0)]
        found = _root(ratio, point, start, middle is not None)
        if found is not None and found.signal > _WEAK and found.share > _WEAK:
            return _inflation(ratio, found)
    return None


def _solve_without_signal(ratio: float, middle: float | None) -> Inflation | None:
    """Unknown are η, α, λ and β₀."""

    def point(u: np.ndarray) -> _Point:
        truth, spread, bias = u[3] if middle is not None else 0.0, np.exp(u[0]), np.exp(u[1])
        return _Point(spread, min(bias * _WEAK / spread, 1.0), _WEAK, np.exp(u[2]), truth, middle or 0.0)

    step = 5.0 * ratio / (1.0 - ratio)
    start = [np.log(2.0 * np.sqrt(ratio)), -np.log1p(-ratio), np.log(step), 0.8 * (middle or 0.0)]
    found = _root(ratio, point, start, middle is not None)
    return None if found is None else _inflation(ratio, found)


def _root(
    ratio: float, point: Callable[[np.ndarray], _Point], start: list[float], with_intercept: bool
) -> _Point | None:
    from scipy.optimize import root

    count = 3 + with_intercept
    with np.errstate(all="ignore"):
        found = root(lambda u: _misses(ratio, point(u))[:count], start[:count], method="hybr", options={"xtol": 1e-12})
        solved = np.all(np.isfinite(found.x)) and np.max(np.abs(found.fun)) < _SOLVED
    return point(found.x) if solved else None


def _inflation(ratio: float, at: _Point) -> Inflation:
    scatter = at.spread * np.sqrt((1.0 - at.share**2) / ratio)
    bias = at.share * at.spread / at.signal
    return Inflation(float(bias), float(scatter), float(at.step), float(at.signal), float(at.truth))


def _misses(ratio: float, at: _Point) -> np.ndarray:
    """By how much each of the equations is missed, in units of its own size.

    With Q₂ = b + ηU and Z₁ = sU + √(1 − s²)V the residual depends on U and the class only.
    """
    rule = gauss_normal(_NODES)
    u, weight = np.asarray(rule.nodes), np.asarray(rule.weights)
    signal = at.share * u[:, None] + np.sqrt(1.0 - at.share**2) * u
    chance = special.expit(at.truth + at.signal * signal)
    often = np.stack([1.0 - chance, chance], axis=-1)  # U × V × class
    classes = np.array([0.0, 1.0])
    fitted = _proximal(at.middle + at.spread * u[:, None] + at.step * classes, at.step)
    mean = special.expit(fitted)
    residual = classes - mean  # U × class
    by_class = np.einsum("u,v,uvc->uc", weight, weight, often)
    along = np.einsum("u,v,uv,uvc->uc", weight, weight, signal, often)
    left = ratio * at.spread**2 * (1.0 - at.share**2)
    return np.array(
        [
            at.step**2 * np.sum(by_class * residual**2) / left - 1.0,
            np.sum(along * residual) / at.share,
            (np.sum(by_class / (1.0 + at.step * mean * (1.0 - mean))) - (1.0 - ratio)) / ratio,
            np.sum(by_class * residual),
        ]
    )


def _proximal(z: np.ndarray, step: float) -> np.ndarray:
    """t with t + λρ'(t) = z, between z − λ and z, by bisection."""
    low, high = z - step, z.copy()
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        above = middle + step * special.expit(middle) > z
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return 0.5 * (low + high)
