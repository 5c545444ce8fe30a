"""The default surrogate of a study, found by NumPy: nothing is compiled for an ask.

Numbers have a Matérn-5/2 kernel, or where there is noise a squared exponential one, if the evidence clearly speaks for
it. Where there are choices, too, it is the sum of a function of the numbers alone and of what each choice makes of it,
both with length-scales of their own: choices that only add something, or change the part of few numbers, are learnt
from few trials.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy import linalg

from credo.decide.acquisitions import GPSurface
from credo.decide.study.columns import codes_and_numbers
from credo.decide.study.quick_surface import surface_at
from credo.infer.gaussian.quick_average import FEW_ROWS
from credo.infer.gaussian.quick_mode import Evidence, Mode, Searched, Term, mode_near, mode_of, terms_of
from credo.infer.gaussian.quick_prior import LogPrior
from credo.infer.gaussian.quick_profiles import PROFILES
from credo.infer.gaussian.quick_warp import LogWarp, WarpedEvidence
from credo.kernels import RBF, Matern52
from credo.kernels.stationary import Stationary
from credo.numerics.threads import OneBlasThread
from credo.represent.space import Space

__all__ = [
    "LEAST_NOISE",
    "QuicklyLearned",
    "believed_logs",
    "evidence_of",
    "learn_quickly",
    "searched_rows",
    "usual_logs",
]

LEAST_NOISE = 1e-8  # of the variance of the objective
_SEARCHED = 512  # rows that are enough to know the parameters
_AGAIN = 5  # trials, after each so many of which the search begins at the beginning, too

# What is believed of logarithms of parameters, as middle and spread: of a length-scale √d standard deviations of a
# column and a factor e; of the variance that of the objective and a factor 4.5; of noise a four-hundredth of the
# variance, but a factor 55 either way: what is computed has none, and what is measured has more.
_LENGTHSCALE, _CHOICE, _VARIANCE, _NOISES = (0.0, 1.0), (0.0, 1.5), (0.0, 1.5), (-6.0, 4.0)
# An objective may also be mostly noise, which has half of the weight: of what was measured, so much signal and noise.
_NOISY_SHARE, _NOISY_SIGNAL, _NOISY_NOISE = 0.5, (-1.0, 1.5), (-0.5, 1.0)
_LEVEL = 1.0  # prior variance of a constant
_STRENGTH = (-4.0, 1.5)  # of a warp, the same of its logarithm: none that shows, unless the values ask for one
_SUMMANDS = (False, True)  # of numbers and choices: a function of numbers alone, and what each choice makes of it
_NOISY = -9.0  # in logarithms, a hundredth of the spread of the objective: with more noise a smoother kernel is tried
_DOUBT = 2.0  # of a smoother kernel, in nats of its evidence: if it is wrong, intervals are too short
_FIRST_LENGTHSCALE, _FIRST_NOISE = float(np.log(0.5)), float(np.log(1e-3))  # where a search begins


class QuicklyLearned(NamedTuple):
    """The belief, the logarithms of all parameters, at which a later search may begin, and the mode of the values
    without a warp and with Matérn's kernel, which the belief may not have; of few values with a warp it is only near.
    `strength` is log κ of the warp, minus infinity without one.
    """

    surface: GPSurface
    parameters: list[float]
    near: Mode
    strength: float = -np.inf


def learn_quickly(
    space: Space,
    X: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    start: Sequence[float] | None,
    restarts: int,
    seed: int,
    *,
    warp: LogWarp | None = None,
) -> QuicklyLearned:
    """The process at the mode of its parameters, of rows in the units of a surrogate and a standardized objective.

    With a `warp` of the few values it is a process of what the warp makes of them, its strength one more parameter.

    The search begins at `start` where that is of such a kernel, and every fifth time at the beginning, too, if there
    are `restarts`; without a start also at so many random places. Of many rows it is a search on some of them, and the
    process has all. O(n³), once.
    """
    with OneBlasThread():
        return _learnt(space, X, y, start, restarts, seed, warp)


def _learnt(
    space: Space,
    X: np.ndarray,
    y: np.ndarray,
    start: Sequence[float] | None,
    restarts: int,
    seed: int,
    warp: LogWarp | None,
) -> QuicklyLearned:
    some, few = searched_rows(len(y)), len(y) <= FEW_ROWS
    plain = evidence_of(space, X[some], y[some])
    q = plain.prior.middle.shape[1]  # behind so many is the strength of a warp, and then the mode without one
    earlier = _resumed(start, q)
    near = None if warp is None or few or earlier is None else mode_near(plain, earlier.plain)
    others = _other_starts(usual_logs(space), earlier is not None, restarts, len(y), seed)
    found = _modes(space, plain, warp, earlier, others, None if near is None else near.precision)
    best = min(found, key=lambda each: each.mode.loss + _DOUBT * (each.kernel is RBF))
    logs = best.mode.logs
    bent = y if warp is None else warp.at(logs[-1]).values
    measured = None if warp is None and len(some) == len(y) else (X, bent)
    surface = surface_at(space, best.evidence, logs[:q], best.kernel, measured)
    bare = _of_first(found[0].mode, q)
    if warp is None:
        return QuicklyLearned(surface, logs.tolist(), bare)
    if few:
        return QuicklyLearned(surface, logs.tolist(), bare, float(logs[q]))
    if near is None or plain(bare.logs)[0] < near.loss:
        near = mode_near(plain, bare.logs)
    return QuicklyLearned(surface, [*logs.tolist(), *near.logs.tolist()], near, float(logs[q]))


class _Found(NamedTuple):
    """The mode with a kernel, and the evidence of the values without a warp."""

    mode: Mode
    kernel: type[Stationary]
    evidence: Evidence


def _modes(
    space: Space,
    plain: Evidence,
    warp: LogWarp | None,
    earlier: "_Earlier | None",
    others: Sequence[Float[np.ndarray, " q"]],
    precision: Float[np.ndarray, "q q"] | None,
) -> list[_Found]:
    """The mode with Matérn's kernel, and where there is noise that with the smoother one, which begins at the former.

    `precision` is the curvature without a warp, where it is known.
    """

    def bent(evidence: Evidence) -> Searched:
        return evidence if warp is None else WarpedEvidence(evidence, warp, _STRENGTH)

    q = plain.prior.middle.shape[1]
    searched = bent(plain)
    ends: list[Mode] = []
    if earlier is not None:
        ends.append(mode_near(searched, earlier.bent[: q + (warp is not None)], _with_strength(precision)))
    if others:
        ends.append(mode_of(searched, [other if warp is None else np.append(other, _STRENGTH[0]) for other in others]))
    first = min(ends, key=lambda end: end.loss)
    found = [_Found(first, Matern52, plain)]
    if codes_and_numbers(space)[1] and first.logs[q - 1] >= _NOISY:
        smoother = evidence_of(space, plain.X, plain.y, RBF)
        searched = bent(smoother)
        starts = [first.logs] if earlier is None else [first.logs, earlier.bent[: len(first.logs)]]
        begin = min(starts, key=lambda logs: searched(logs)[0])
        found.append(_Found(mode_near(searched, begin, first.precision), RBF, smoother))
    return found


def _of_first(mode: Mode, q: int) -> Mode:
    """Its first q parameters, with the curvature that these have while the others stay."""
    return Mode(mode.logs[:q], mode.loss, None if mode.precision is None else mode.precision[:q, :q])


def _with_strength(precision: Float[np.ndarray, "q q"] | None) -> Float[np.ndarray, "p p"] | None:
    """A guess of the curvature with a warp from that without one."""
    return None if precision is None else linalg.block_diag(precision, _STRENGTH[1] ** -2.0)


def searched_rows(n: int) -> Int[np.ndarray, " k"]:
    """Of n rows those that parameters are searched on: all while they are few, and then as many at random.

    The draw is the same in every study, and one row more changes at most one of them.

    >>> len(searched_rows(100)), len(searched_rows(2000))
    (100, 512)
    """
    order = np.argsort(np.random.default_rng(0).random(n), kind="stable")
    return np.sort(order[:_SEARCHED])


def evidence_of(
    space: Space, X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"], kernel: type[Stationary] = Matern52
) -> Evidence:
    """Evidence and prior of the parameters, of rows in the units of a surrogate and a standardized objective."""
    codes, numbers = codes_and_numbers(space)
    summands = _summands(len(numbers), len(codes))
    believed, _ = believed_logs(len(numbers), len(codes))
    return Evidence(
        X,
        y,
        np.isin(np.arange(len(space)), codes),
        prior=_prior(believed, terms_of(len(numbers), len(codes), summands)),
        least=LEAST_NOISE,
        profile=PROFILES[kernel],
        summands=summands,
        level=_LEVEL,
    )


def _prior(believed: Float[np.ndarray, "q 2"], terms: Sequence[Term]) -> LogPrior:
    """A function with a little noise, or an objective that is mostly noise."""
    noisy = believed.copy()
    noisy[[term.variance for term in terms]] = _NOISY_SIGNAL
    noisy[-1] = _NOISY_NOISE
    both = np.stack([believed, noisy])
    return LogPrior(both[..., 0], both[..., 1], np.array([1.0 - _NOISY_SHARE, _NOISY_SHARE]))


def _summands(numbers: int, codes: int) -> tuple[bool, ...]:
    """For each summand of the kernel, whether choices are a factor of it."""
    return _SUMMANDS if codes and numbers else (True,)


def believed_logs(numbers: int, codes: int) -> tuple[Float[np.ndarray, "q 2"], Float[np.ndarray, " q"]]:
    """Middle and spread of what is believed of logarithms of the parameters, and where a search begins."""
    summands = _summands(numbers, codes)
    wide = 0.5 * np.log(max(numbers, 1))  # typical distances grow with the root of the dimension
    lengths = [((wide + _LENGTHSCALE[0], _LENGTHSCALE[1]), wide + _FIRST_LENGTHSCALE)] * numbers
    found = []
    for coded in summands:
        found += [*lengths, *([(_CHOICE, 0.0)] * (codes if coded else 0)), (_VARIANCE, -np.log(len(summands)))]
    found.append((_NOISES, _FIRST_NOISE))
    return np.array([each for each, _ in found]), np.array([start for _, start in found])


def usual_logs(space: Space) -> Float[np.ndarray, " q"]:
    """Where a search begins."""
    codes, numbers = codes_and_numbers(space)
    return believed_logs(len(numbers), len(codes))[1]


def _other_starts(
    usual: Float[np.ndarray, " q"], resumed: bool, restarts: int, n: int, seed: int
) -> list[Float[np.ndarray, " q"]]:
    """Where a search begins, beside the parameters of an earlier one that is resumed."""
    if resumed:
        return [usual] if restarts and n % _AGAIN == 0 else []
    steps = np.random.default_rng(seed).normal(size=(restarts, len(usual)))
    return [usual, *(usual + steps)]


class _Earlier(NamedTuple):
    """Where an earlier search ended, with the strength of a warp as the last parameter and without one."""

    bent: Float[np.ndarray, " q+1"]
    plain: Float[np.ndarray, " q"]


def _resumed(start: Sequence[float] | None, q: int) -> _Earlier | None:
    """The ends of an earlier search, which may have been with a warp or without one; None of another kernel."""
    if start is None or len(start) not in (q, q + 1, 2 * q + 1):
        return None
    logs = np.asarray(start, dtype=np.float64)
    bent = np.append(logs, _STRENGTH[0])[: q + 1]
    return _Earlier(bent, logs[q + 1 :] if len(logs) > q + 1 else logs[:q])
