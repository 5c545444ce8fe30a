r"""A generalized linear model fitted: estimates, dispersion, likelihood, and whether the likelihood has a maximum."""

import warnings
from dataclasses import dataclass

import numpy as np

from credo.errors import ConvergenceWarning, CredoWarning, message
from credo.infer.glm.design import LinearDesign
from credo.infer.glm.existence import has_bound, maximum_is_proven
from credo.infer.glm.families import BernoulliFamily, BinomialFamily, NegativeBinomialFamily, PoissonFamily
from credo.infer.glm.loss import loss_of
from credo.infer.glm.newton import Newton, newton
from credo.infer.glm.problem import GLMProblem
from credo.infer.glm.separation import HELD, Separation, binary_signs, count_signs, separation, separation_note
from credo.infer.glm.sweep import row_losses
from credo.infer.glm.units import ColumnUnits, StandardEstimates
from credo.numerics.certificate import Certificate, Solution
from credo.numerics.threads import OneBlasThread

__all__ = ["GLMFit", "described", "fit_glm", "quasi_note"]

_NEAR = 1e-5  # a mean this near its end may be on its way to it


@dataclass(frozen=True)
class GLMFit(StandardEstimates):
    r"""The result of a fit. `inverse_information` is $(X^\top C X + \lambda I)^{-1}$, without the dispersion;
    after a lasso, which has no such matrix, it is empty (0 × 0).

    `standard_coefficients` and `standard_inverse` are the same in the standard `units` of the columns, in which
    predictions lose no digits. The dispersion is one where it is known, else Pearson's $\chi^2$ over the degrees of
    freedom.
    """

    predictor: np.ndarray
    mean: np.ndarray
    score: np.ndarray
    curvature: np.ndarray
    deviance: float
    null_deviance: float
    dispersion: float
    log_likelihood: float
    degrees: float
    rank: int
    separated: Separation


def fit_glm(problem: GLMProblem, frequencies: np.ndarray | None = None, *, who: str = "fit_glm") -> Solution[GLMFit]:
    """Minimize, then say what is known. `frequencies` count rows; they are the problem's weights if sizes are one.

    The certificate is "exact" once Newton's method has converged: the problem is convex for canonical links, and for
    the others what it found is a local maximum of the likelihood ("heuristic"). A likelihood without a maximum is
    held back by a small ridge, which ends as "stopped early", with a note and a warning.
    """
    problem, units = problem.standardized(who)
    found = newton(problem, who=who)
    separated = _separated(problem, found)
    if separated != "none":
        problem = problem._replace(ridge=HELD * problem.design.variances(problem.weights))
        found = newton(problem, who=who)
    ended = found.coefficients, found.inverse, units, found.predictor, found.rank
    value = described(problem, *ended, separated, frequencies)
    return Solution(value, _certificate(problem, found, separated, who), {})


def described(
    problem: GLMProblem,
    coefficients: np.ndarray,
    inverse: np.ndarray,
    units: ColumnUnits,
    predictor: np.ndarray,
    rank: int,
    separated: Separation,
    frequencies: np.ndarray | None,
) -> GLMFit:
    """What is known where a search in standard units has ended: dispersion, deviances and likelihood. O(n)."""
    counted = problem.weights if frequencies is None else frequencies
    family, y, w = problem.family, problem.y, problem.weights
    mean = problem.link.mean(predictor)
    loss = row_losses(problem, loss_of(family, problem.link), predictor)
    degrees = float(np.sum(counted)) - rank
    dispersion = 1.0
    if not family.known_dispersion:
        pearson = float(w @ ((y - mean) ** 2 / family.variance(mean)))
        dispersion = pearson / degrees if degrees > 0.0 else np.nan
    size = w / counted
    return GLMFit(
        standard_coefficients=coefficients,
        standard_inverse=inverse,
        units=units,
        predictor=predictor,
        mean=mean,
        score=_finite(loss.score),
        curvature=_finite(loss.curvature),
        deviance=2.0 * float(w @ loss.value),
        null_deviance=_null_deviance(problem),
        dispersion=dispersion,
        log_likelihood=float(counted @ family.log_density(y, mean, dispersion, size)),
        degrees=degrees,
        rank=rank,
        separated=separated,
    )


def _finite(rows: np.ndarray) -> np.ndarray:
    """Nothing, where a mean at the end of its range leaves a row nothing to say."""
    return np.where(np.isfinite(rows), rows, 0.0)


def _null_deviance(problem: GLMProblem) -> float:
    """Of the intercept alone, or of nothing, with the same offset."""
    y, w, design = problem.y, problem.weights, problem.design
    if not design.intercept:
        eta = design.offset
    elif not np.any(design.offset):
        mean = np.full(len(y), np.average(y, weights=w))
        if not np.all(problem.family.allows(mean)):  # all targets are at one end of the range, and are met exactly
            return 0.0
        eta = problem.link.predictor(mean)
    else:
        empty = LinearDesign(np.zeros((len(y), 0)), True, design.offset)
        eta = newton(problem._replace(design=empty, ridge=0.0)).predictor
    return 2.0 * float(w @ row_losses(problem, loss_of(problem.family, problem.link), eta).value)


def _separated(problem: GLMProblem, found: Newton) -> Separation:
    """By a linear program, where no penalty holds coefficients back and nothing cheaper proves that there is none."""
    if np.any(problem.penalties > 0.0) or not problem.family.known_dispersion:
        return "none"
    if maximum_is_proven(problem, found):
        return "none"
    binary = isinstance(problem.family, (BernoulliFamily, BinomialFamily))
    if found.converged and not has_bound(problem) and not _near_an_end(problem, found.predictor, binary):
        return "none"
    signs, held = (binary_signs if binary else count_signs)(problem.y)
    if binary and not np.any(held) and np.all(signs * (found.predictor - problem.design.offset) > 0.0):
        return "complete"
    with OneBlasThread():
        return separation(problem.design.whole(), signs, held)


def _near_an_end(problem: GLMProblem, predictor: np.ndarray, binary: bool) -> bool:
    """Whether a mean is on its way to an end of its range that its target is at."""
    mean = problem.link.mean(predictor)
    ways = (problem.y <= 0.0, mean), (problem.y >= 1.0, 1.0 - mean)
    return any(bool(np.any(way[there] < _NEAR)) for there, way in (ways if binary else ways[:1]))


def _certificate(problem: GLMProblem, found: Newton, separated: Separation, who: str) -> Certificate:
    columns = problem.design.columns
    notes: list[str] = []
    if found.rank < columns:
        notes.append(f"rank {found.rank} of {columns} columns: some are combinations of others")
    notes.extend(quasi_note(problem, who))
    if separated != "none":
        notes.append(separation_note(separated))
    converged = found.converged and separated == "none"
    if not converged:
        what = notes[-1] if separated != "none" else f"stopped after {found.iterations} iterations"
        remedy = "Try ridge=1.0, fewer columns or more rows"
        warnings.warn(ConvergenceWarning(message(who, what, "", remedy)), stacklevel=4)
    return Certificate(
        "exact" if type(problem.link) is type(problem.family.link) else "heuristic",
        status="converged" if converged else "stopped early",
        iterations=found.iterations,
        residual=None if converged else found.decrement,
        notes=tuple(notes),
    )


def quasi_note(problem: GLMProblem, who: str) -> tuple[str, ...]:
    """The note of a certificate about counts that are not whole numbers, with a warning; empty where there are none."""
    if not isinstance(problem.family, (PoissonFamily, NegativeBinomialFamily)):
        return ()
    wrong = problem.y % 1.0 != 0.0
    if not np.any(wrong):
        return ()
    note = "targets are not all whole numbers: estimates are those of a quasi-likelihood"
    what = f"{int(np.sum(wrong))} of {len(wrong)} targets are not whole numbers, for example {problem.y[wrong][0]:g}"
    cause = (
        "Targets of this family are counts. The estimates are those of a quasi-likelihood, which takes the variance "
    )
    cause += "from the mean, and predictive intervals are about whole numbers"
    remedy = "Pass counts, with exposure= if they were divided by one, or try GammaRegression for amounts"
    warnings.warn(CredoWarning(message(who, what, cause, remedy)), stacklevel=5)
    return (note,)
