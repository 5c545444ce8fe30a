r"""Parameters of a process averaged over with few rows: weighted draws around its optima, without a Markov chain.

The posterior of the free coordinates (logarithms of scales) is near a mixture of Laplace's approximations at its modes.
Quasi-random draws from a heavy-tailed version of it, weighted by the ratio of the densities, average as exactly as
their effective number says; where this is small, the proposal is adapted to the weighted draws and both count
(adaptive multiple importance sampling, Cornuet et al. 2012). The draws depend on the data alone, not on a seed.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float, Int
from scipy import special, stats

from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.process import Process
from credo.infer.gaussian.selection import Optimum, Task, log_posterior
from credo.numerics.minimize import curvature
from credo.numerics.parameters import flatten
from credo.numerics.threads import blas_threads_for

__all__ = ["ModeShape", "WeightedDraws", "adaptive_draws", "chosen_draws", "draw_parameters", "resampled"]

_DRAWS = 256  # a round; a power of two, as quasi-random numbers like it
_ROUNDS = 8
_ENOUGH = 0.25  # of the draws so far, that are effective: no further round
_SUFFICIENT = 64  # effective draws after which a round that leads no further is the last
_MOST_KEPT, _FEWEST_KEPT, _ENTRIES = 128, 32, 2**21  # entries of the factors of all draws together: 16 MiB
_TAILS = 5.0  # degrees of freedom of the proposal
_AROUND_MODES = 0.25  # the share of what is drawn around the modes, once the proposal is adapted
_FROM_PRIORS = 0.2  # the share of what is drawn from priors
_BEHIND = 8.0  # nats by which a mode may be lower than the highest
_STEP = 1e-2  # of a difference quotient, in logarithms of scales
_FLATTEST = 0.1  # precision of a direction that neither data nor prior bind
_WIDER = 2.0  # of a defensive part of the proposal, against modes that are wider than their curvature
_AT_ONCE = 16


class WeightedDraws(NamedTuple):
    """Free coordinates of the parameters with their weights, as good as `effective` independent draws."""

    free: Float[np.ndarray, "s p"]
    weights: Float[np.ndarray, " s"]
    effective: float


class ModeShape(NamedTuple):
    """A mode of a density: where it is, minus the curvature of the log density there, and its height."""

    center: Float[np.ndarray, " p"]
    precision: Float[np.ndarray, "p p"]
    height: float


class _Part(NamedTuple):
    """A Student t: its center, a root of its squared scale, the inverse of that root, and its share."""

    center: Float[np.ndarray, " p"]
    root: Float[np.ndarray, "p p"]
    inverse: Float[np.ndarray, "p p"]
    share: float


def draw_parameters(process: Process, data: Observations, optima: tuple[Optimum, ...]) -> WeightedDraws:
    """Weighted draws from the posterior of the free parameters of a process. O(n³) each, some hundreds in all."""
    with blas_threads_for(data.X.shape[0]):
        task = Task(process, data, True)
        kept = int(np.clip(_ENTRIES // data.X.shape[0] ** 2, _FEWEST_KEPT, _MOST_KEPT))
        return resampled(adaptive_draws(partial(_log_posteriors, task=task), _modes(task, optima)), kept)


def adaptive_draws(
    log_density: Callable[[Float[np.ndarray, "s p"]], Float[np.ndarray, " s"]],
    modes: Sequence[ModeShape],
    *,
    priors: Sequence[ModeShape] = (),
    size: int = _DRAWS,
) -> WeightedDraws:
    """Weighted draws from a density, proposed around its modes and then where the weights are, `size` in a round.

    `priors` are normals from which a small share of the draws comes in every round, so that a mode that no search
    found still has its weight. `log_density` takes all draws of a round at once, and a constant may be missing. The
    draws come back in the order in which it saw them.
    """
    modes_and_priors = parts = _around_modes(modes, priors)
    rounds: list[tuple[np.ndarray, np.ndarray, list[_Part]]] = []
    for count in range(_ROUNDS):
        points = _drawn(parts, size, seed=count)
        rounds.append((points, log_density(points), parts))
        free, logs = _weighted(rounds)
        weights = special.softmax(logs)
        effective = float(1.0 / np.sum(weights**2))
        if effective >= _ENOUGH * len(weights) or (count >= 3 and effective >= _SUFFICIENT):
            break
        parts = [_adapted(free, logs), *(part._replace(share=_AROUND_MODES * part.share) for part in modes_and_priors)]
    return WeightedDraws(free, weights, effective)


def _modes(task: Task, optima: tuple[Optimum, ...]) -> list[ModeShape]:
    """The optima of a search with the curvature at each."""
    near = [optimum for optimum in optima if optimum.objective >= optima[0].objective - _BEHIND]
    centers = [np.asarray(flatten(optimum.process).vector) for optimum in near]
    return [
        ModeShape(center, curvature(_loss, center, shared=task, step=_STEP), optimum.objective)
        for center, optimum in zip(centers, near, strict=True)
    ]


def _around_modes(modes: Sequence[ModeShape], priors: Sequence[ModeShape]) -> list[_Part]:
    """Laplace's approximation at each mode, by its share of the posterior, a wider version of all, and the priors."""
    parts, heights = [], []
    for mode in modes:
        part, log_volume = _laplace(mode)
        parts.append(part)
        heights.append(mode.height + log_volume)
    shares = (1.0 - _FROM_PRIORS * bool(priors)) * (0.9 * special.softmax(heights) + 0.1 / len(parts))
    narrow = [part._replace(share=0.8 * share) for part, share in zip(parts, shares, strict=True)]
    wide = [
        part._replace(root=_WIDER * part.root, inverse=part.inverse / _WIDER, share=0.2 * share)
        for part, share in zip(parts, shares, strict=True)
    ]
    believed = [_laplace(prior)[0]._replace(share=_FROM_PRIORS / len(priors)) for prior in priors]
    return [*narrow, *wide, *believed]


def _laplace(mode: ModeShape) -> tuple[_Part, float]:
    """A Student t around a mode, and the logarithm of its volume."""
    values, vectors = np.linalg.eigh(np.where(np.isfinite(mode.precision), mode.precision, 0.0))
    scales = 1.0 / np.sqrt(np.maximum(values, _FLATTEST))
    return _Part(mode.center, vectors * scales, (vectors / scales).T, 1.0), float(np.sum(np.log(scales)))


def _drawn(parts: list[_Part], size: int, seed: int) -> Float[np.ndarray, "s p"]:
    """Quasi-random draws from the mixture."""
    away, which = _standard_draws(size, len(parts[0].center), seed)
    chosen = np.minimum(np.searchsorted(np.cumsum([part.share for part in parts]), which), len(parts) - 1)
    points = np.empty_like(away)
    for k, part in enumerate(parts):
        mine = chosen == k
        points[mine] = part.center + away[mine] @ part.root.T
    return points


@lru_cache(maxsize=64)
def _standard_draws(size: int, p: int, seed: int) -> tuple[Float[np.ndarray, "s p"], Float[np.ndarray, " s"]]:
    """Quasi-random standard Student t vectors, and a uniform number with each; always the same."""
    uniform = np.clip(stats.qmc.Sobol(p + 2, seed=seed).random(size), 1e-9, 1.0 - 1e-9)
    squares = 2.0 * special.gammaincinv(0.5 * _TAILS, uniform[:, p])  # a chi-squared quantile
    return special.ndtri(uniform[:, :p]) * np.sqrt(_TAILS / squares)[:, None], uniform[:, -1]


def _log_proposal(points: np.ndarray, parts: list[_Part]) -> Float[np.ndarray, " s"]:
    p = points.shape[1]
    logs = []
    for part in parts:
        squares = np.sum(((points - part.center) @ part.inverse.T) ** 2, axis=1)
        log_root = np.linalg.slogdet(part.inverse)[1]
        logs.append(np.log(part.share) + log_root - 0.5 * (_TAILS + p) * np.log1p(squares / _TAILS))
    return special.logsumexp(logs, axis=0)


def _weighted(rounds: list[tuple[np.ndarray, np.ndarray, list[_Part]]]) -> tuple[np.ndarray, np.ndarray]:
    """All draws so far and their log weights as from one proposal: the mixture of those of all rounds."""
    free = np.concatenate([points for points, _, _ in rounds])
    target = np.concatenate([values for _, values, _ in rounds])
    proposal = special.logsumexp([_log_proposal(free, parts) for _, _, parts in rounds], axis=0)
    return free, np.where(np.isfinite(target), target - proposal, -np.inf)


def _adapted(free: np.ndarray, logs: np.ndarray) -> _Part:
    """A Student t with the mean and covariance of the weighted draws.

    Where few draws have nearly all the weight, a power of the weights is taken that tells more of them apart from none:
    the next draws then come from where those go.
    """
    enough, power = 3.0 * free.shape[1], 1.0
    while 1.0 / np.sum(special.softmax(power * logs) ** 2) < enough and power > 1e-3:
        power *= 0.8
    weights = special.softmax(power * logs)
    center = weights @ free
    covariance = (weights[:, None] * (free - center)).T @ (free - center)
    values, vectors = np.linalg.eigh(covariance)
    scales = np.sqrt(np.maximum(values, 1e-2 * max(float(np.max(values)), 1e-4)))
    return _Part(center, vectors * scales, (vectors / scales).T, 1.0 - _AROUND_MODES)


def resampled(draws: WeightedDraws, count: int) -> WeightedDraws:
    """At most `count` of the draws, chosen by their weights; those that are chosen more than once share theirs."""
    kept, shares = chosen_draws(draws.weights, count)
    # Always as many, so that another table compiles nothing: what is left has no weight.
    filler = np.full(count - len(kept), kept[0])
    share = np.concatenate([shares, np.zeros(len(filler))])
    return WeightedDraws(draws.free[np.concatenate([kept, filler])], share, min(draws.effective, float(count)))


def chosen_draws(weights: Float[np.ndarray, " s"], count: int) -> tuple[Int[np.ndarray, " k"], Float[np.ndarray, " k"]]:
    """At most `count` draws by systematic resampling in the order of their weights, and their shares."""
    order = np.argsort(-weights, kind="stable")
    places = (np.arange(count) + 0.5) / count
    chosen = order[np.minimum(np.searchsorted(np.cumsum(weights[order]), places), len(order) - 1)]
    kept, counts = np.unique(chosen, return_counts=True)
    return kept, counts / count


def _log_posteriors(points: np.ndarray, task: Task) -> np.ndarray:
    """The log posterior at each row, a fixed number of rows at a time."""
    extra = -len(points) % _AT_ONCE
    rows = np.concatenate([points, np.repeat(points[:1], extra, axis=0)]).reshape(-1, _AT_ONCE, points.shape[1])
    return np.concatenate([np.asarray(_evaluated(jnp.asarray(row), task)) for row in rows])[: len(points)]


@eqx.filter_jit
def _evaluated(points: Array, task: Task) -> Array:
    return jax.vmap(lambda free: log_posterior(free, task))(points)


def _loss(free: Array, task: Task, _: Any) -> Array:
    return -log_posterior(free, task)
