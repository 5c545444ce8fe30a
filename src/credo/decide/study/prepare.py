"""From what a study knows to the acquisition that its next suggestion maximizes, and where it is largest."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float

from credo.decide.acquisitions import Acquisition, GPSurface, Surface
from credo.decide.acquisitions.composed import Feasible, Likely, PerCost, Priced
from credo.decide.acquisitions.free import APART
from credo.decide.acquisitions.hypervolume import LogExpectedHypervolumeImprovement
from credo.decide.acquisitions.knowledge import KnowledgeGradient
from credo.decide.acquisitions.maximize import evaluated, maximize_acquisition, moments_at
from credo.decide.acquisitions.pareto import reference_point
from credo.decide.acquisitions.robust import PerturbedSurface, normal_perturbations
from credo.decide.acquisitions.tabulated import HostSurface
from credo.decide.study.believing import Beliefs, Rescaled, learn_beliefs
from credo.decide.study.gains import FANTASIZED, POINTS, Situation, gain_of, with_fantasies
from credo.decide.study.known import Known
from credo.decide.study.setup import NO_LOGARITHM, Setup
from credo.decide.study.surrogates import is_single_process
from credo.errors import InputError
from credo.numerics.concrete import placed
from credo.represent.space import Space

__all__ = ["Front", "Prepared", "as_it_counts", "maximized", "prepare"]

_WARPED = ("log_ei", "qlog_ei")  # whose gain may be one of a logarithm of the objective
_NEAR = 4  # of the best points, around which there are candidates
_LIKELY = float(np.log(0.5))  # to meet the bounds, from which on what is under way counts
_POOL = 512  # beside measured rows, from which the points come whose averages may become the least


class Front(NamedTuple):
    """What several objectives are believed to be where bounds were met, and the point volumes are measured from."""

    values: Float[np.ndarray, "n m"]
    reference: Float[np.ndarray, " m"]


class Prepared(NamedTuple):
    """The acquisition, the space in which it is maximized, rows near which it may be large, and what it is made of.

    `gain` is the acquisition without feasibility and cost, None where no feasible point is known; `surfaces` are what
    counts as the objectives, in standard units; `situation` is that of a single objective, `front` that of several.
    `incumbents` are the best measured rows that met their bounds; None where there is none, or several objectives.
    `priced` is the acquisition before it is divided by a cost, where trials failed and a crash has a price.
    """

    acquisition: Acquisition
    space: Space
    near: Float[np.ndarray, "k d"]
    beliefs: Beliefs
    gain: Acquisition | None
    surfaces: tuple[Surface, ...]
    situation: Situation | None = None
    front: Front | None = None
    incumbents: Float[np.ndarray, "k d"] | None = None
    priced: Priced | None = None


def prepare(
    setup: Setup,
    known: Known,
    generator: np.random.Generator,
    *,
    context: Mapping[str, Any] | None = None,
    starts: Sequence[Sequence[float]] = (),
    seed: int = 0,
    warped: bool = False,
) -> Prepared:
    """Learn from what is known, and put together what the next measurement is worth. O(n³) for each outcome.

    With `warped`, the default surrogate of a single objective may learn a logarithm of it, as asks do.
    """
    space = setup.within(context)
    fantasized = known.values.shape[1] == 1 and setup.acquisition in FANTASIZED and not setup.fidelity
    fantasized = fantasized and is_single_process(setup) and not setup.learns_average
    warped = warped and fantasized and setup.acquisition in _WARPED and not setup.robust
    beliefs = learn_beliefs(setup, known, starts=starts, imagine=not fantasized, seed=seed, warped=warped)
    counted = tuple(as_it_counts(setup, learned.surface) for learned in beliefs.objectives)
    measured = np.concatenate([known.rows, known.pending])
    rows = setup.where_it_counts(space, measured)
    met = _counts(known, beliefs)
    if len(counted) > 1:
        prepared = _several(setup, space, beliefs, counted, rows, met)
    else:
        plain = beliefs.objectives[0].surface
        with_rest = with_fantasies(plain, known.pending, generator) if fantasized else plain
        imagined = as_it_counts(setup, with_rest) if with_rest is not plain else counted[0]
        now = Situation.of(imagined, rows, met)
        gain = _fidelity_gain(setup, space, plain, rows, generator)
        gain = gain or _average_gain(setup, space, counted[0], rows, generator)
        gain = gain or gain_of(setup.acquisition, now, counted[0], space, generator)
        means = np.mean(now.means, axis=1) if imagined is counted[0] else _mean_at(counted[0], rows)
        means = np.where(met, means, np.inf)
        near = rows[np.argsort(means, kind="stable")[:_NEAR]]
        best = _incumbents(rows[: len(known.rows)], means[: len(known.rows)])
        prepared = Prepared(gain, space, near, beliefs, gain, counted, now, incumbents=best)
    return _whole(setup, prepared, known)


def maximized(
    prepared: Prepared,
    known: Known,
    generator: np.random.Generator,
    *,
    away: Float[np.ndarray, "k d"] | None = None,
    least: float = APART,
) -> Float[np.ndarray, " d"]:
    """Where the acquisition is largest; in a finite space, of the rows that are not taken yet. It differs from pending
    ones, and from the rows `away`, by at least the share `least` of a range.

    An estimator may believe the same whatever is under way, such as a straight line: it is not asked there again.
    """
    space = prepared.space
    taken = known.pending if isinstance(prepared.surfaces[0], HostSurface) else None
    taken = known.taken if space.count else taken
    away = known.pending if away is None else np.concatenate([known.pending, away])
    return maximize_acquisition(
        prepared.acquisition, space, generator, near=prepared.near, taken=taken, away=away, least=least, who="ask"
    ).row


def _counts(known: Known, beliefs: Beliefs) -> Bool[np.ndarray, " n"]:
    """Which trials a gain is measured from: those that met their bounds, and of those under way the likely ones."""
    if not known.excess.shape[1]:
        return np.ones(len(known.rows) + len(known.pending), dtype=bool)
    feasible = beliefs.feasible
    assert feasible is not None
    likely = evaluated(feasible, known.pending) >= _LIKELY if len(known.pending) else np.zeros(0, dtype=bool)
    return np.concatenate([known.met, likely])


def _whole(setup: Setup, prepared: Prepared, known: Known) -> Prepared:
    """The gain with the probability of being feasible, or that alone where nothing is; at the price of a crash, and per
    cost. What is no logarithm of a gain is taken where a trial is likely to be feasible."""
    nothing_met = bool(known.excess.shape[1]) and not np.any(known.met)
    feasible, log_cost = prepared.beliefs.feasible, prepared.beliefs.log_cost
    gain = None if nothing_met else prepared.gain
    whole = prepared.acquisition
    of_logarithm = gain is None or setup.acquisition not in NO_LOGARITHM or setup.learns_average
    if feasible is not None:
        whole = Feasible(gain, feasible.outcomes, feasible.bounds)
        if gain is not None and not of_logarithm:
            whole = Likely(gain, feasible)
    priced = None
    if prepared.beliefs.crashes is not None and setup.crash_cost > 0.0:
        success = Feasible(None, (prepared.beliefs.crashes,), jnp.zeros(1))
        whole = priced = Priced(whole, success, jnp.asarray(float(setup.crash_cost)), of_logarithm)
    if log_cost is not None:
        whole = PerCost(whole, Rescaled.of(log_cost))
    return prepared._replace(acquisition=whole, gain=gain, priced=priced)


def as_it_counts(setup: Setup, surface: Surface) -> Surface:
    """The average over how parameters will be missed, where that is asked for."""
    if not setup.robust:
        return surface
    if isinstance(surface, HostSurface):
        what = "robust with a surrogate that is no Gaussian process"
        raise InputError("ask", what, "Averages need covariances", "Leave surrogate out")
    shifts, weights = normal_perturbations(setup.spreads(), random_state=0)
    return PerturbedSurface(surface, placed(shifts), placed(weights), clipped=True)


def _mean_at(surface: Surface, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
    return np.mean(moments_at(surface, rows)[0], axis=1)


def _incumbents(rows: Float[np.ndarray, "n d"], means: Float[np.ndarray, " n"]) -> Float[np.ndarray, "k d"] | None:
    """The rows of the least means; those that did not meet their bounds have infinite ones."""
    best = [i for i in np.argsort(means, kind="stable")[:_NEAR] if np.isfinite(means[i])]
    return rows[best] if best else None


def _fidelity_gain(
    setup: Setup, space: Space, surface: Surface, rows: np.ndarray, generator: np.random.Generator
) -> Acquisition | None:
    """How much lower the least mean at the fidelity that counts is expected to be after a measurement at any."""
    if not setup.fidelity:
        return None
    if not isinstance(surface, GPSurface):
        what = "fidelity with a surrogate that is no single Gaussian process"
        raise InputError("ask", what, "The knowledge gradient needs its covariance", "Leave surrogate out")
    target = setup.counting(space)
    points = np.concatenate([rows, target.sample_rows(POINTS, generator)])
    at = np.array([np.nan if kind.fixed is None else kind.fixed for kind in target.column_kinds])
    return KnowledgeGradient.of(surface, points, target=np.nan_to_num(at), columns=~np.isnan(at))


def _average_gain(
    setup: Setup, space: Space, average: Surface, rows: np.ndarray, generator: np.random.Generator
) -> Acquisition | None:
    """How much lower the least average is expected to be after a measurement, among points where it may be least.

    The improvement of the average itself is largest where a measurement tells little about it: at the best point,
    once that was measured, however uncertain its surroundings are.
    """
    if not setup.learns_average:
        return None
    assert isinstance(average, PerturbedSurface)
    pool = np.concatenate([rows, space.sample_rows(_POOL, generator)])
    mean, variance = (np.mean(part, axis=1) for part in moments_at(average, pool))
    hopeful = np.argsort(mean - np.sqrt(variance), kind="stable")
    return KnowledgeGradient.of_average(average, pool[hopeful[:POINTS]])


def _several(
    setup: Setup, space: Space, beliefs: Beliefs, surfaces: tuple[Surface, ...], rows: np.ndarray, met: np.ndarray
) -> Prepared:
    """Several objectives: the gain in the volume that the front dominates, in standard units of each."""
    means = np.stack([_mean_at(surface, rows) for surface in surfaces], axis=1)
    among = means[met] if np.any(met) else means
    reference = reference_point(among) if setup.reference is None else _given_reference(setup, beliefs)
    gain = LogExpectedHypervolumeImprovement.of(surfaces, [means[met]], reference)
    order = np.argsort(np.sum(means, axis=1), kind="stable")
    ends = np.argmin(means, axis=0)
    near = rows[np.unique(np.concatenate([order[:_NEAR], ends]))]
    return Prepared(gain, space, near, beliefs, gain, surfaces, front=Front(means[met], reference))


def _given_reference(setup: Setup, beliefs: Beliefs) -> Float[np.ndarray, " m"]:
    assert setup.reference is not None
    values = np.array([[setup.reference[name] for name in setup.goal.objectives]]) * np.array(setup.goal.signs)
    return np.array([float(learned.standard(v)[0]) for learned, v in zip(beliefs.objectives, values.T, strict=True)])
