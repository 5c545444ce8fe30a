"""From draws to a certificate: how far the chains can be trusted, in numbers and in words."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from credo.errors import ConvergenceWarning, message
from credo.infer.mcmc.diagnostics import Diagnostics, diagnose
from credo.infer.mcmc.draws import Draws
from credo.numerics.certificate import Certificate, Solution

__all__ = ["ESS_LIMIT", "RHAT_LIMIT", "certified"]

RHAT_LIMIT = 1.05  # above, the chains disagree
ESS_LIMIT = 100.0  # below, even the diagnostics are not to be trusted
_DIVERGENT = 0.01  # share of divergent draws above which a region is likely to be missing


def certified(
    who: str,
    draws: Draws,
    *,
    n_warmup: int,
    divergences: int | None = None,
    notes: Sequence[str] = (),
    info: Mapping[str, Any] | None = None,
) -> Solution[Draws]:
    """The draws with a certificate; a `ConvergenceWarning` to the caller's caller when they should not be relied on.

    `error` is the largest Monte Carlo standard error of a mean in units of that coordinate's standard deviation.
    `divergences` None is a sampler that knows none.
    """
    found = diagnose(draws)
    doubts = _doubts(draws, found, divergences or 0)
    if doubts:
        warnings.warn(
            ConvergenceWarning(message(who, "; ".join(doubts.values()), *_advice(doubts, draws))), stacklevel=3
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(
            np.isfinite(found.mcse), found.mcse / np.std(np.asarray(draws.values), axis=(0, 1), ddof=1), np.inf
        )
    bulk, tail = np.min(found.ess_bulk), np.min(found.ess_tail)
    certificate = Certificate(
        "estimated",
        status="stopped early" if doubts else "converged",
        error=float(np.max(relative)),
        iterations=n_warmup + draws.n_draws,
        notes=(
            "the error is the largest Monte Carlo standard error of a mean, in posterior standard deviations",
            f"R-hat at most {np.max(_or_infinite(found.rhat)):.3f}",
            f"effective sample size at least {bulk:.0f} in the bulk and {tail:.0f} in the tails",
            *([] if divergences is None else [f"{divergences} divergences"]),
            *notes,
            *doubts.values(),
        ),
    )
    return Solution(draws, certificate, {**found._asdict(), "divergences": divergences, **(info or {})})


def _or_infinite(rhat: np.ndarray) -> np.ndarray:
    """A coordinate that never moved has no R-hat, and is no better than one whose chains never meet."""
    return np.where(np.isnan(rhat), np.inf, rhat)


def _doubts(draws: Draws, found: Diagnostics, divergences: int) -> dict[str, str]:
    """Why the draws should not be relied on, with the worst coordinate of each kind; empty when they may be."""
    doubts = {}
    rhat, size = _or_infinite(found.rhat), np.minimum(found.ess_bulk, found.ess_tail)
    worst, poorest = int(np.argmax(rhat)), int(np.argmin(size))
    total = draws.n_chains * draws.n_draws
    if rhat[worst] > RHAT_LIMIT:
        doubts["rhat"] = f"the chains disagree, with R-hat {rhat[worst]:.3g} of coordinate {draws.label(worst)}"
    if size[poorest] < ESS_LIMIT:
        doubts["ess"] = (
            f"{total} draws are worth {size[poorest]:.0f} independent ones of coordinate {draws.label(poorest)}"
        )
    if divergences > _DIVERGENT * total:
        doubts["divergences"] = (
            f"{divergences} of {total} draws were divergent, so a region of the target may be missing"
        )
    return doubts


def _advice(doubts: dict[str, str], draws: Draws) -> tuple[str, str]:
    if "divergences" in doubts:
        return (
            "The target has a wall or a region of strong curvature",
            "Try slice_sample, a smoother parameterization, or a larger target_acceptance",
        )
    return (
        "The target has several modes or long tails, or the chains are too short for it",
        f"Try n_draws={2 * draws.n_draws} or more, and starts inside the bulk of the target",
    )
