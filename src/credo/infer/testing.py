r"""Estimates with their covariance, and what is asked of them: intervals, Wald and likelihood-ratio tests, criteria.

An estimate divided by its standard error is compared with a Student t of the residual degrees of freedom where the
noise variance was estimated, with a normal (infinitely many) where it is known or the statement is asymptotic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float
from scipy import linalg, special

from credo.errors import InputError, UndefinedError

__all__ = [
    "Estimates",
    "HypothesisTest",
    "akaike",
    "bayes_criterion",
    "likelihood_ratio",
    "names_of",
    "normal_log_likelihood",
    "wald",
]

Numbers = TypeVar("Numbers", float, np.ndarray)


@dataclass(frozen=True)
class HypothesisTest:
    """A statistic, the degrees of freedom of its distribution if the hypothesis holds, and its p-value."""

    __test__ = False  # not one of pytest's

    name: str
    statistic: float
    degrees: tuple[float, ...]
    p_value: float

    def __str__(self) -> str:
        degrees = ", ".join(f"{d:g}" for d in self.degrees)
        return f"{self.name}({degrees}) = {self.statistic:.6g}, p = {self.p_value:.3g}"


@dataclass(frozen=True)
class Estimates:
    """Named numbers, the covariance of their error, and the degrees of freedom it was estimated with."""

    names: tuple[str, ...]
    values: Float[np.ndarray, " k"]
    covariance: Float[np.ndarray, "k k"]
    degrees: float = np.inf

    @property
    def standard_errors(self) -> Float[np.ndarray, " k"]:
        """The roots of the diagonal of the covariance."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))

    @property
    def statistics(self) -> Float[np.ndarray, " k"]:
        """Each estimate in standard errors; infinite where an exact fit leaves none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.values == 0.0, 0.0, self.values / self.standard_errors)

    @property
    def p_values(self) -> Float[np.ndarray, " k"]:
        """The probability of a statistic at least this far from zero if the number were zero."""
        far = -np.abs(self.statistics)
        return 2.0 * (special.ndtr(far) if np.isinf(self.degrees) else special.stdtr(self.degrees, far))

    def interval(self, level: float = 0.95) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
        """``(low, high)`` for each number by itself."""
        if not 0.0 < level < 1.0:
            raise InputError("Estimates", f"level is {level}", "It is a probability", "Try level=0.95")
        p = 0.5 + 0.5 * level
        quantile = special.ndtri(p) if np.isinf(self.degrees) else special.stdtrit(self.degrees, p)
        reach = quantile * self.standard_errors
        return self.values - reach, self.values + reach


def wald(estimates: Estimates, hypothesis: Any, value: Any = 0.0) -> HypothesisTest:
    r"""Whether $H\theta = v$: $(H\hat\theta - v)^\top (H \Sigma H^\top)^{-1} (H\hat\theta - v)$.

    With finite degrees of freedom it is divided by the rows q of H and compared with an F of (q, degrees); with
    infinitely many, with a chi-squared of q.

    >>> two = Estimates(("a", "b"), np.array([1.0, 2.0]), np.eye(2))
    >>> print(wald(two, np.eye(2)))
    chi2(2) = 5, p = 0.0821
    """
    H = np.atleast_2d(np.asarray(hypothesis, dtype=np.float64))
    k = len(estimates.values)
    if H.ndim != 2 or H.shape[1] != k or np.linalg.matrix_rank(H) < H.shape[0]:
        raise InputError(
            "wald",
            f"the hypothesis has shape {np.shape(hypothesis)} and rank {np.linalg.matrix_rank(H)}",
            f"Each row is a combination of {k} estimates, and none follows from the others",
            "Pass one row of coefficients for each statement",
        )
    gap = H @ estimates.values - np.broadcast_to(np.asarray(value, dtype=np.float64), H.shape[:1])
    statistic = float(gap @ linalg.solve(H @ estimates.covariance @ H.T, gap, assume_a="sym"))
    q = H.shape[0]
    if np.isinf(estimates.degrees):
        return HypothesisTest("chi2", statistic, (q,), float(special.chdtrc(q, statistic)))
    return HypothesisTest(
        "F", statistic / q, (q, estimates.degrees), float(special.fdtrc(q, estimates.degrees, statistic / q))
    )


def likelihood_ratio(larger: float, smaller: float, degrees: int) -> HypothesisTest:
    """Twice the gain in log likelihood from a model to one with `degrees` more parameters that contains it (Wilks)."""
    if degrees < 1 or smaller > larger + 1e-6 * max(1.0, abs(larger)):
        raise UndefinedError(
            "likelihood_ratio",
            f"log likelihood {larger:.8g} with {degrees} more parameters, {smaller:.8g} without",
            "The models are in the wrong order, are not nested, or were fitted to different rows",
            "Pass a model whose columns are among the other's, fitted to the same rows",
        )
    statistic = max(2.0 * (larger - smaller), 0.0)
    return HypothesisTest("chi2", statistic, (degrees,), float(special.chdtrc(degrees, statistic)))


def normal_log_likelihood(mean_square: Numbers, rows: float) -> Numbers:
    """Of normal residuals of this mean square, at the variance that fits best."""
    return -0.5 * rows * (np.log(2.0 * np.pi * mean_square) + 1.0)


def akaike(log_likelihood: Numbers, parameters: Numbers) -> Numbers:
    """AIC, −2 log L + 2k: smaller is better.

    In every linear model of credo k counts coefficients and not the noise variance, as in statsmodels' OLS and GLM.
    (R counts the variance too: its criteria are larger by 2 and log n.)
    """
    return -2.0 * log_likelihood + 2.0 * parameters


def bayes_criterion(log_likelihood: Numbers, parameters: Numbers, rows: float) -> Numbers:
    """BIC, −2 log L + k log n: minus twice the log evidence up to what does not grow with n (Schwarz 1978)."""
    return -2.0 * log_likelihood + parameters * float(np.log(rows))


def names_of(columns: Sequence[str] | None, d: int, *, intercept: bool) -> tuple[str, ...]:
    """The columns of fit, or x0, x1, …, behind the intercept."""
    named = tuple(str(c) for c in columns) if columns is not None else tuple(f"x{j}" for j in range(d))
    return (("intercept", *named)) if intercept else named
