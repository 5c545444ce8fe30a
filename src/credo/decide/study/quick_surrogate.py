"""The default surrogate of a study, found by NumPy: nothing is compiled for an ask.

Numbers have a Matérn-5/2 kernel, or where there is noise a squared exponential one, if the evidence clearly speaks for
it. Where there are choices, too, it is the sum of a function of the numbers alone and of what each choice makes of it,
both with length-scales of their own: choices that only add something, or change the part of few numbers, are learnt
from few trials.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, Int

from credo.decide.acquisitions import GPSurface
from credo.decide.study.columns import codes_and_numbers, units_beside
from credo.infer.gaussian.evidence import Evidence as EvidenceParts
from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.infer.gaussian.quick import solved_at, terms_at
from credo.infer.gaussian.quick_average import FEW_ROWS
from credo.infer.gaussian.quick_mode import Evidence, Mode, Term, mode_near, mode_of, terms_of
from credo.infer.gaussian.quick_prior import LogPrior
from credo.infer.gaussian.quick_profiles import PROFILES
from credo.infer.gaussian.quick_warp import LogWarp, WarpedEvidence
from credo.kernels import RBF, Constant, Hamming, Kernel, Matern52, On
from credo.kernels.algebra import Sum
from credo.kernels.stationary import Stationary
from credo.numerics.assembly import assembler
from credo.numerics.certificate import Info
from credo.numerics.cholesky import Factor
from credo.numerics.concrete import placed
from credo.numerics.constraints import Fixed
from credo.numerics.padding import bucket
from credo.numerics.scalar import LOG_2PI
from credo.numerics.threads import OneBlasThread
from credo.represent.space import Space

__all__ = [
    "LEAST_NOISE",
    "QuicklyLearned",
    "believed_logs",
    "evidence_of",
    "learn_quickly",
    "searched_rows",
    "surface_at",
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
    """

    surface: GPSurface
    parameters: list[float]
    near: Mode


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
    _, numbers = codes_and_numbers(space)
    usual = usual_logs(space)
    q = len(usual)  # behind these is the strength of a warp, and then the mode without one
    earlier = _resumed(start, q)
    if warp is not None:
        usual = np.append(usual, _STRENGTH[0])
    others = _other_starts(usual, earlier is not None, restarts, len(y), seed)
    some = searched_rows(len(y))
    found: list[tuple[Mode, type[Stationary], Evidence]] = []
    for kernel in (Matern52, RBF):
        evidence = evidence_of(space, X[some], y[some], kernel)
        searched = evidence if warp is None else WarpedEvidence(evidence, warp, _STRENGTH)
        if not found:
            ends = [] if earlier is None else [mode_near(searched, earlier.bent[: len(usual)])]
            ends += [mode_of(searched, others)] if others else []
            end = min(ends, key=lambda end: end.loss)
        else:  # from where the first search began or ended, with its curvature
            first = found[0][0]
            starts = [first.logs] if earlier is None else [first.logs, earlier.bent[: len(usual)]]
            end = mode_near(searched, min(starts, key=lambda logs: searched(logs)[0]), first.precision)
        found.append((end, kernel, evidence))
        if not numbers or found[0][0].logs[q - 1] < _NOISY:
            break
    mode, smooth, evidence = min(found, key=lambda each: each[0].loss + _DOUBT * (each[1] is RBF))
    bent = y if warp is None else warp.at(mode.logs[-1]).values
    measured = None if warp is None and len(some) == len(y) else (X, bent)
    surface = surface_at(space, evidence, mode.logs[:q], smooth, measured)
    first, _, plain = found[0]
    near = _of_first(first, q)
    if warp is None or len(y) <= FEW_ROWS:
        return QuicklyLearned(surface, mode.logs.tolist(), near)
    starts = [near.logs] if earlier is None else [earlier.plain, near.logs]
    near = mode_near(plain, min(starts, key=lambda logs: plain(logs)[0]))
    return QuicklyLearned(surface, [*mode.logs.tolist(), *near.logs.tolist()], near)


def _of_first(mode: Mode, q: int) -> Mode:
    """Its first q parameters, with the curvature that these have while the others stay."""
    return Mode(mode.logs[:q], mode.loss, None if mode.precision is None else mode.precision[:q, :q])


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


def surface_at(
    space: Space,
    evidence: Evidence,
    logs: Float[np.ndarray, " q"],
    kernel: type[Stationary] = Matern52,
    measured: tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]] | None = None,
) -> GPSurface:
    """The process at logarithms of the parameters, put together from a factor by NumPy; rows are padded.

    `kernel` is that of the evidence's profile. A constant that the evidence integrates out is a summand of the kernel.
    `measured` are rows and values where they are more than those of the evidence.
    """
    X, y = (evidence.X, evidence.y) if measured is None else measured
    noise = float(np.exp(logs[-1])) + evidence.least
    solved = evidence.solved(logs) if measured is None else solved_at(terms_at(evidence, logs), noise, X, y)
    n, length = len(y), bucket(len(y))
    extra = length - n
    pivots = np.diagonal(solved.lower)
    lower = np.pad(solved.lower, [(0, extra), (0, extra)])
    lower[np.arange(n, length), np.arange(n, length)] = np.max(pivots)
    scales, (codes, numbers) = np.exp(logs), codes_and_numbers(space)
    coded = tuple(term.unlike.stop > term.unlike.start for term in evidence.terms)
    parts = _Parts(
        np.pad(X, [(0, extra), (0, 0)], mode="edge"),
        [np.pad(array, (0, extra)) for array in (y, np.ones(n), solved.weights)],
        lower,
        [-0.5 * y @ solved.weights, -np.sum(np.log(pivots)), np.float64(-0.5 * LOG_2PI * n)],
        [
            (scales[term.variance], scales[term.lengths] if numbers else None, scales[term.unlike] if each else None)
            for term, each in zip(evidence.terms, coded, strict=True)
        ],
        np.float64(noise),
    )
    assembled = _assembler(codes, numbers, kernel, coded, evidence.level, length)
    return assembled(jax.device_put(parts))  # all together: a transfer costs more than what it carries


class _Parts(NamedTuple):
    """The arrays of a surface: rows; their values, which are there, and what solves for them; the factor; the parts of
    the evidence; of each summand the variance, length-scales and those of codes (None for no column); and the noise."""

    rows: Any
    vectors: Sequence[Any]
    lower: Any
    evidence: Sequence[Any]
    summands: Sequence[tuple[Any, Any, Any]]
    noise: Any


@lru_cache(maxsize=64)
def _assembler(
    codes: tuple[int, ...],
    numbers: tuple[int, ...],
    smooth: type[Stationary],
    coded: tuple[bool, ...],
    level: float,
    length: int,
) -> Callable[[_Parts], GPSurface]:
    """Assembles surfaces of `length` padded rows; `coded` is whether choices are a factor of each summand."""
    d, ones = len(codes) + len(numbers), lambda *shape: placed(np.ones(shape))
    none, units = placed(np.zeros(length)), [placed(each) for each in units_beside(codes, d)]
    info = Info(*map(placed, (np.int64(0), np.int64(1), np.float64(0.0), np.float64(0.0), np.float64(np.nan))))

    def build(parts: _Parts) -> GPSurface:
        kernel = _learnt_kernel(codes, numbers, smooth, parts.summands, level)
        process = Process(kernel, ZeroMean(), ConstantNoise(parts.noise))
        values, present, weights = parts.vectors
        data, factor = Observations(parts.rows, values, present, none, none), Factor(parts.lower, info)
        return GPSurface(GPPosterior(process, data, factor, weights, EvidenceParts(*parts.evidence)), *units)

    summands = [(ones(), ones(len(numbers)) if numbers else None, ones(len(codes)) if each else None) for each in coded]
    vectors, evidence = [ones(length) for _ in range(3)], [ones() for _ in range(3)]
    return assembler(build, _Parts(ones(length, d), vectors, ones(length, length), evidence, summands, ones()))


def _learnt_kernel(
    codes: tuple[int, ...],
    numbers: tuple[int, ...],
    smooth: type[Stationary],
    terms: Sequence[tuple[Any, Any, Any]],
    level: float,
) -> Kernel:
    """The sum of kernels with these variances and length-scales, of numbers and of codes, and of a constant."""
    summands: list[Kernel] = []
    for variance, lengths, unlike in terms:
        if not numbers:  # then the choices have the variance
            summands.append(On(Hamming(variance=variance, lengthscale=unlike), codes))
            continue
        of_numbers = smooth(variance=variance, lengthscale=lengths)
        alone = On(of_numbers, numbers) if codes else of_numbers
        summands.append(alone if unlike is None else alone * On(Hamming(lengthscale=unlike), codes))
    summands += [Constant(Fixed(level))] if level else []  # type: ignore[arg-type]
    return summands[0] if len(summands) == 1 else Sum(tuple(summands))
