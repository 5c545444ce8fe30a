"""From a process and observations to its posterior: parameters given, chosen by the evidence, or averaged over."""

import dataclasses
from typing import Any, Literal, NamedTuple

import jax.numpy as jnp
import numpy as np

from credo.errors import NotPositiveDefiniteError, NumericalError
from credo.infer.gaussian.averaged import AveragedPosterior, averaged, weighted
from credo.infer.gaussian.importance import WeightedDraws, draw_parameters
from credo.infer.gaussian.loo import left_out_log_density
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior, condition
from credo.infer.gaussian.process import Process
from credo.infer.gaussian.selection import Optimum, Task, log_posterior, select
from credo.infer.mcmc import Draws, ess_mean, nuts, slice_sample
from credo.numerics.certificate import FAILED, Certificate, Solution, certify
from credo.numerics.parameters import flatten
from credo.numerics.progress import Tracker

__all__ = ["DRAWN", "FEWEST_KEPT", "Inference", "Learned", "kept_draws", "learn_process", "reweighted", "with_factor"]

#: What is done about the parameters of a process: an average over weighted draws where rows are few and the mode
#: otherwise, their mode under the prior, the maximum of the evidence, draws by slice sampling or by NUTS, or nothing.
Inference = Literal["auto", "map", "ml", "mcmc", "nuts"] | None

_SAMPLERS: dict[str, Any] = {"mcmc": slice_sample, "nuts": nuts}
_CHAINS, _DRAWS, _WARMUP = 4, 250, 150
# With fewer rows than these the mode is too sure of itself, and an average is cheap.
_ROWS_PER_PARAMETER, _MOST_ROWS = 20, 200
_FEWEST_EFFECTIVE = 8  # independent draws that an average must be as good as; otherwise the mode is taken
_NOT_COUNTED = "the parameters are a local optimum; their own uncertainty is not in the interval"
#: Draws of the parameters in all, warm-up included.
DRAWN = _CHAINS * (_DRAWS + _WARMUP)
#: Draws that predictions average over at least, however many rows there are.
FEWEST_KEPT = 32
_ENTRIES = 2**24  # of their factors together: 128 MiB
_INDEFINITE = "the kernel is not positive semi-definite here: its matrix had to be changed to be a covariance"
_SPREAD = 0.5  # of the chains' starts around the mode, in free coordinates: about that of the posterior
_NO_VARIANCE = 1e-100


class Learned(NamedTuple):
    """The posterior at the best parameters, the optima found, and with sampling the draws and the average over them."""

    posterior: GPPosterior
    optima: tuple[Optimum, ...]
    draws: Draws | None
    average: AveragedPosterior | None


def learn_process(
    process: Process,
    data: Observations,
    inference: Inference,
    *,
    n_restarts: int = 4,
    rng: np.random.Generator,
    progress: Tracker | None = None,
    who: str = "learn_process",
) -> Solution[Learned]:
    """Condition `process` on `data`, its free parameters treated as `inference` says."""
    free = len(flatten(process).vector)
    if inference is None or not free:
        return _conditioned(process, data, (), who, ())
    found = select(
        process, data, with_prior=inference != "ml", n_restarts=n_restarts, rng=rng, progress=progress, who=who
    )
    optima = _preferred(found.value, data, 0.5 * free) if inference in ("auto", "map") else found.value
    best = optima[0].process
    _require_variance(best, data, who)
    notes: tuple[str, ...] = (_NOT_COUNTED,)
    if inference == "auto" and data.rows <= min(_ROWS_PER_PARAMETER * free, _MOST_ROWS):
        draws = draw_parameters(best, data, found.value)
        if draws.effective >= _FEWEST_EFFECTIVE:
            return _weighted_average(best, data, optima, draws, who)
        notes = (*notes, f"an average was tried, but its draws were as good as {draws.effective:.1f} independent ones")
    if inference in ("auto", "map", "ml"):
        lower = found.value[0].objective - optima[0].objective
        if lower > 0.0:
            notes = (*notes, f"another optimum is {lower:.2g} nats higher; this one predicts points left out better")
        return _conditioned(best, data, optima, who, notes, found.certificate)
    return _sampled(best, data, optima, inference, rng, progress, who)


def _preferred(optima: tuple[Optimum, ...], data: Observations, close: float) -> tuple[Optimum, ...]:
    """First the optimum that predicts left-out points best, of those that are `close` to the highest; then the others.

    How high a mode is says little of how much of the posterior it holds: widths differ by a factor in every parameter.
    Where heights hardly tell modes apart, prediction does, which also depends less on the kernel's being right
    (Rasmussen and Williams 2006, §5.4.2).
    """
    near = [o for o in optima if optima[0].objective - o.objective <= close]
    if len(near) < 2:
        return optima
    scores = np.array([float(left_out_log_density(o.process, data)) for o in near])
    best = near[int(np.argmax(np.where(np.isfinite(scores), scores, -np.inf)))]
    return (best, *(o for o in optima if o is not best))


def _require_variance(process: Process, data: Observations, who: str) -> None:
    """Refuse a search that ran away to no variance at all: the evidence of targets that are met exactly has no end."""
    variance = process.kernel.diagonal(data.X) + process.noise.variance(data.X) + data.known
    if not float(jnp.max(variance)) > _NO_VARIANCE:
        raise NumericalError(
            who,
            "the evidence grows without bound as every variance falls to zero",
            "The targets are all equal, or the mean function meets them exactly",
            'Try inference="map", whose priors keep variances away from zero, or a known noise_variance',
        )


def _conditioned(
    process: Process,
    data: Observations,
    optima: tuple[Optimum, ...],
    who: str,
    notes: tuple[str, ...],
    search: Certificate | None = None,
) -> Solution[Learned]:
    posterior = condition(process, data)
    certificate = Certificate("exact") if search is None else dataclasses.replace(search, kind="exact", notes=())
    # Given its parameters the posterior is exact; that they are one optimum among others is a note.
    extra = () if search is None else tuple(note for note in search.notes if note != "a local minimum")
    certificate = with_factor(certificate.noting(*notes, *extra), posterior, who)
    return Solution(Learned(posterior, optima, None, None), certificate)


def with_factor(certificate: Certificate, posterior: GPPosterior, who: str) -> Certificate:
    """The certificate with what the factor of this posterior (of a batch: the worst) says; an error without one."""
    if np.any(np.asarray(posterior.factor.info.status) == FAILED):
        raise NotPositiveDefiniteError(
            who,
            f"the covariance of {posterior.alpha.shape[-1]} rows is not positive definite, and jitter did not help",
            "Rows that all but repeat each other with almost no noise, or a function that is no valid kernel",
            "Try a larger noise_variance, remove such rows, or check the kernel",
        )
    factor = certify(posterior.factor.info._replace(iterations=0), "exact", who)
    kernel = posterior.process.kernel
    notes = certificate.notes
    if factor.jitter and not kernel.is_positive_semidefinite and _INDEFINITE not in notes:
        notes = (*notes, _INDEFINITE)
    return dataclasses.replace(certificate, jitter=factor.jitter, condition=factor.condition, notes=notes)


def _weighted_average(
    best: Process, data: Observations, optima: tuple[Optimum, ...], draws: WeightedDraws, who: str
) -> Solution[Learned]:
    """The average over weighted draws, and the posterior at the best parameters."""
    average = weighted(best, data, draws)
    note = "predictions average over weighted draws of the parameters; the error is that of a mean, in their spread"
    certificate = reweighted(Certificate("estimated", error=1.0, notes=(note,)), average)
    return Solution(
        Learned(condition(best, data), optima, None, average), with_factor(certificate, average.members, who)
    )


def reweighted(certificate: Certificate, average: AveragedPosterior) -> Certificate:
    """With the error of an average as it is now: that of a mean, in standard deviations over the draws."""
    return dataclasses.replace(certificate, error=float(1.0 / np.sqrt(average.effective)))


def kept_draws(rows: int) -> int:
    """How many draws predictions average over: all of them while their factors take little memory."""
    return int(np.clip(_ENTRIES // max(rows, 1) ** 2, FEWEST_KEPT, _CHAINS * _DRAWS))


def _sampled(
    process: Process,
    data: Observations,
    optima: tuple[Optimum, ...],
    inference: str,
    rng: np.random.Generator,
    progress: Tracker | None,
    who: str,
) -> Solution[Learned]:
    flat = flatten(process)
    mode = np.asarray(flat.vector)
    starts = mode + _SPREAD * rng.normal(size=(_CHAINS, len(mode)))
    sampled = _SAMPLERS[inference](
        log_posterior,
        starts,
        shared=Task(process, data, True),
        n_draws=_DRAWS,
        n_warmup=_WARMUP,
        names=flat.names,
        random_state=int(rng.integers(2**32)),
        progress=progress,
        who=who,
    )
    draws: Draws = sampled.value
    total = draws.flat.shape[0]
    kept = min(kept_draws(data.rows), total)
    every = np.linspace(0, total - 1, kept).round().astype(int)
    # The coordinate that mixes worst; thinned draws are independent when there are fewer than effective ones.
    effective = float(np.clip(np.min(ess_mean(np.asarray(draws.values))), 1.0, kept))
    average = averaged(process, data, jnp.asarray(np.asarray(draws.flat)[every]), effective)
    note = f"predictions average over {kept} of {total} draws of the parameters, as good as {effective:.0f} independent"
    certificate = with_factor(sampled.certificate.noting(note), average.members, who)
    return Solution(Learned(condition(process, data), optima, draws, average), certificate, sampled.info)
