r"""How well a Bayesian model would predict new rows, from draws of its posterior: WAIC and leave-one-out.

Both estimate $\mathrm{elpd} = \sum_i \log p(y_i \mid y_{-i})$ from the log-likelihood of each row under each draw,
with no refit; larger is better. Two models of the same rows are compared by the row:
``paired_difference(-first.pointwise, -second.pointwise)``. AIC and BIC, which need a fit and no draws, are
`akaike` and `bayes_criterion` of `credo.infer.testing`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy import special

from credo.errors import InputError
from credo.numerics import Certificate
from credo.validate.pareto import smoothed_log_weights

__all__ = ["Criterion", "psis_loo", "waic"]

_UNRELIABLE = 0.7
_LARGE_VARIANCE = 0.4
_BLOCK = 2**22  # entries of the log-likelihood that are worked on at once


@dataclass(frozen=True)
class Criterion:
    """Expected log predictive density of the rows, summed, with its standard error over rows.

    `effective_parameters` is how much worse new rows are predicted than those learnt from. `pointwise` has a number a
    row; `k_hat` is the Pareto shape of each row's importance ratios, or None where there are none (WAIC). Rows whose
    k-hat is above `threshold` cannot be trusted, and the certificate says so.
    """

    name: str
    elpd: float
    standard_error: float
    effective_parameters: float
    pointwise: Float[np.ndarray, " n"]
    k_hat: Float[np.ndarray, " n"] | None
    threshold: float
    certificate: Certificate

    @property
    def unreliable(self) -> Int[np.ndarray, " m"]:
        """The rows whose Pareto shape is above the threshold."""
        return np.flatnonzero(self.k_hat > self.threshold) if self.k_hat is not None else np.zeros(0, dtype=np.int64)

    def __str__(self) -> str:
        return (
            f"elpd ({self.name}) = {self.elpd:.6g} ± {self.standard_error:.2g} over {len(self.pointwise)} rows, "
            f"{self.effective_parameters:.3g} effective parameters\n{self.certificate}"
        )


def waic(log_likelihood: Any) -> Criterion:
    r"""$\sum_i \log\frac1S\sum_s p(y_i \mid \theta_s) - \sum_i \operatorname{Var}_s \log p(y_i \mid \theta_s)$.

    `log_likelihood` has a row a draw and a column a row of the data. The standard error is that of a sum of n rows
    taken as independent. It approximates leave-one-out and is poor where a row's variance is above 0.4, which the
    certificate notes; [](#credo.validate.psis_loo) finds out where it fails itself. O(Sn). (Watanabe 2010;
    Vehtari, Gelman & Gabry 2017.)

    >>> rng = np.random.default_rng(0)
    >>> y, draws = np.arange(-1.0, 1.1, 0.1), rng.normal(0.0, 1.0 / np.sqrt(21), size=(1000, 1))
    >>> result = waic(-0.5 * (y - draws) ** 2)
    >>> bool(0.2 < result.effective_parameters < 0.6)  # one mean, and rows closer to it than their noise
    True
    """
    table = _checked("waic", log_likelihood)
    fit = special.logsumexp(table, axis=0) - np.log(len(table))
    variance = np.var(table, axis=0, ddof=1)
    pointwise = fit - variance
    large = int(np.sum(variance > _LARGE_VARIANCE))
    notes = ["an approximation to leave-one-out whose error was not measured"]
    if large:
        notes.append(f"{large} of {len(variance)} rows have a variance above {_LARGE_VARIANCE}: use psis_loo")
    certificate = Certificate("heuristic", notes=tuple(notes))
    return Criterion("WAIC", *_summed(pointwise, fit), pointwise, None, np.inf, certificate)


def psis_loo(log_likelihood: Any, relative_efficiency: Any = 1.0) -> Criterion:
    r"""Leave-one-out by importance sampling: $\log p(y_i \mid y_{-i}) \approx \log\sum_s w_{is}\,p(y_i \mid \theta_s)$.

    The ratios $1/p(y_i \mid \theta_s)$ turn draws given all rows into draws without row i; their largest are replaced
    by quantiles of a generalized Pareto fitted to them. `log_likelihood` has a row a draw and a column a row of the
    data; `relative_efficiency` is effective over nominal draws, one number or one a row (1 for independent draws).

    The Pareto shape of a row says whether that works: above $\min(1 - 1/\log_{10} S, 0.7)$ the certificate is
    "heuristic" and names how many rows are above, which want a refit without them; else it is "estimated", and its
    error is the Monte Carlo standard error of elpd from the draws, by the delta method, with what rows have in common.
    The standard error of the result is over rows taken as independent. O(Sn log S). (Vehtari, Simpson, Gelman, Yao &
    Gabry 2024; Vehtari, Gelman & Gabry 2017, also for the standard error.)

    >>> rng = np.random.default_rng(0)
    >>> y, draws = np.arange(-1.0, 1.1, 0.1), rng.normal(0.0, 1.0 / np.sqrt(21), size=(1000, 1))
    >>> result = psis_loo(-0.5 * (y - draws) ** 2)
    >>> result.certificate.kind, len(result.unreliable)
    ('estimated', 0)
    """
    table = _checked("psis_loo", log_likelihood)
    draws, rows = table.shape
    efficiency = _checked_efficiency(relative_efficiency, rows)
    pointwise, k_hat = np.empty(rows), np.empty(rows)
    influence = np.zeros(draws)  # of each draw on elpd: what its rows have in common adds up
    step = max(_BLOCK // draws, 1)
    for start in range(0, rows, step):
        at = slice(start, min(start + step, rows))
        log_weights, k_hat[at] = smoothed_log_weights(-table[:, at].T, efficiency[at])
        terms = log_weights + table[:, at].T
        pointwise[at] = special.logsumexp(terms, axis=1)
        off = np.exp(terms - pointwise[at, None]) - np.exp(log_weights)
        influence += np.sum(off / np.sqrt(efficiency[at, None]), axis=0)
    fit = special.logsumexp(table, axis=0) - np.log(draws)
    threshold = min(1.0 - 1.0 / np.log10(draws), _UNRELIABLE)
    certificate = _certified(k_hat, threshold, float(np.sqrt(np.sum(influence**2))))
    return Criterion("PSIS-LOO", *_summed(pointwise, fit), pointwise, k_hat, float(threshold), certificate)


def _certified(k_hat: np.ndarray, threshold: float, error: float) -> Certificate:
    high = int(np.sum(k_hat > threshold))
    if not high:
        note = f"every Pareto k-hat is at most {threshold:.2g} (largest {np.max(k_hat):.2g}); error is of Monte Carlo"
        return Certificate("estimated", error=error, notes=(note,))
    above = f"{high} of {len(k_hat)} rows have a Pareto k-hat above {threshold:.2g} (largest {np.max(k_hat):.2g})"
    return Certificate("heuristic", notes=(f"{above}: their terms cannot be trusted, refit without each of them",))


def _summed(pointwise: np.ndarray, fit: np.ndarray) -> tuple[float, float, float]:
    """The sum, its standard error over rows, and the sum of what the fit to the same rows is better by."""
    n = len(pointwise)
    return float(np.sum(pointwise)), float(np.sqrt(n * np.var(pointwise, ddof=1))), float(np.sum(fit - pointwise))


def _checked(who: str, log_likelihood: Any) -> np.ndarray:
    table = np.asarray(log_likelihood, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise InputError(
            who,
            f"log_likelihood has shape {table.shape}",
            "It has a row a draw and a column a row of the data, two of each or more",
            "Put the draws of all chains below each other",
        )
    if not np.all(np.isfinite(table)):
        draw, row = np.argwhere(~np.isfinite(table))[0]
        raise InputError(
            who,
            f"log_likelihood is {table[draw, row]} for draw {draw} and row {row}",
            "A row is impossible under a draw, or its likelihood underflowed before the logarithm",
            "Compute it in the log domain",
        )
    return table


def _checked_efficiency(relative_efficiency: Any, rows: int) -> np.ndarray:
    efficiency = np.asarray(relative_efficiency, dtype=np.float64)
    if efficiency.shape not in ((), (rows,)) or not np.all((efficiency > 0.0) & np.isfinite(efficiency)):
        raise InputError(
            "psis_loo",
            f"relative_efficiency is {relative_efficiency} for {rows} rows",
            "It is effective over nominal draws, a positive number or one for each row",
            "Try relative_efficiency=1.0",
        )
    return np.broadcast_to(efficiency, (rows,))
