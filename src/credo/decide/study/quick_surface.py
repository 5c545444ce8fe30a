"""The default surrogate at given parameters, as the surface that acquisitions see; put together by NumPy."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float

from credo.decide.acquisitions import GPSurface
from credo.decide.study.columns import codes_and_numbers, units_beside
from credo.infer.gaussian.evidence import Evidence as EvidenceParts
from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.infer.gaussian.quick import solved_at, terms_at
from credo.infer.gaussian.quick_mode import Evidence
from credo.kernels import Constant, Hamming, Kernel, Matern52, On
from credo.kernels.algebra import Sum
from credo.kernels.stationary import Stationary
from credo.numerics.assembly import assembler
from credo.numerics.certificate import Info
from credo.numerics.cholesky import Factor
from credo.numerics.concrete import placed
from credo.numerics.constraints import Fixed
from credo.numerics.padding import bucket
from credo.numerics.scalar import LOG_2PI
from credo.represent.space import Space

__all__ = ["surface_at"]


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
