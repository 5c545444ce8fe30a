"""A small process averaged over its parameters by NumPy alone: nothing is compiled, and no chain is run."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from credo.infer.gaussian.importance import ModeShape, WeightedDraws, adaptive_draws, chosen_draws
from credo.infer.gaussian.quick import QuickProcess, terms_at
from credo.infer.gaussian.quick_mode import AtMany, Evidence, Mode, curvature_at, mode_of

__all__ = [
    "FEW_ROWS",
    "MOST_DRAWS",
    "Averaged",
    "QuickAverage",
    "average_at",
    "average_quickly",
    "drawn_parameters",
    "mode_shape",
    "modes_from",
]

#: Draws of the parameters that are kept, with few rows; with more half as many.
MOST_DRAWS = 256
#: Rows, up to which there are several modes to look for.
FEW_ROWS = 20
_SIZE, _SMALLER = 512, 32  # draws of a round, with few rows and with more
_SAME = 0.1  # distance of two ends of a search, relative to the root of the number of parameters, that are one mode


class QuickAverage(NamedTuple):
    """Posteriors at draws of the parameters, their shares, the variance of the noise in each, and how many independent
    draws would average as well."""

    members: tuple[QuickProcess, ...]
    weights: Float[np.ndarray, " s"]
    noises: Float[np.ndarray, " s"]
    effective: float

    def at(self, rows: Float[np.ndarray, "m d"]) -> "Averaged":
        """Mean and variance of the function at each row, for each draw. O(s n²) per row."""
        return self._averaged(member.moments(rows) for member in self.members)

    def over(self, nodes: Float[np.ndarray, "m k d"], weights: Float[np.ndarray, " k"]) -> "Averaged":
        """The same of the weighted average of the function over k nodes, m times. O(s (n² + k n + k²)) each."""
        return self._averaged(member.averages(nodes, weights) for member in self.members)

    def _averaged(self, moments: Iterable[tuple[np.ndarray, np.ndarray]]) -> "Averaged":
        means, variances = zip(*moments, strict=True)
        return Averaged(self.weights, np.stack(means, axis=1), np.stack(variances, axis=1), self.noises)


class Averaged(NamedTuple):
    """At m rows, mean and variance of the function for each of s draws of the parameters; their shares, and the
    variance of the noise in each."""

    shares: Float[np.ndarray, " s"]
    means: Float[np.ndarray, "m s"]
    variances: Float[np.ndarray, "m s"]
    noises: Float[np.ndarray, " s"]


def average_quickly(evidence: Evidence, modes: Sequence[ModeShape], *, most: int | None = None) -> QuickAverage:
    """The average over the posterior of the parameters, drawn around its modes. O(n³), some 40 to 600 times.

    At most `most` draws are kept, by default what is usual. Rows at which the average is evaluated have the units of
    the evidence's own rows. With more than few rows the highest mode is enough.
    """
    draws = _draws(evidence, modes, lambda points: evidence.at_many(points).log_densities)
    kept, shares = chosen_draws(draws.weights, _usual(evidence) if most is None else most)
    members = tuple(_member(evidence, logs) for logs in draws.free[kept])
    return QuickAverage(members, shares, _noises(evidence, draws.free[kept]), draws.effective)


def drawn_parameters(evidence: Evidence, modes: Sequence[ModeShape], count: int) -> Float[np.ndarray, "s q"]:
    """`count` draws of the parameters of the same average that count equally; one of a large share more than once."""
    draws = _draws(evidence, modes, lambda points: evidence.at_many(points).log_densities)
    kept, shares = chosen_draws(draws.weights, count)
    return np.repeat(draws.free[kept], np.rint(count * shares).astype(np.int64), axis=0)


def average_at(evidence: Evidence, modes: Sequence[ModeShape], rows: Float[np.ndarray, "m d"]) -> Averaged:
    """The same average at few rows: each draw is factorized once. O((n + m)³)."""
    seen: list[AtMany] = []

    def log_density(points: Float[np.ndarray, "s q"]) -> Float[np.ndarray, " s"]:
        seen.append(evidence.at_many(points, rows))
        return seen[-1].log_densities

    draws = _draws(evidence, modes, log_density)
    kept, shares = chosen_draws(draws.weights, _usual(evidence))
    _, means, variances = (np.concatenate(parts)[kept] for parts in zip(*seen, strict=True))
    return Averaged(shares, means.T, variances.T, _noises(evidence, draws.free[kept]))


def _usual(evidence: Evidence) -> int:
    return MOST_DRAWS if len(evidence.y) <= FEW_ROWS else MOST_DRAWS // 2


def _noises(evidence: Evidence, points: Float[np.ndarray, "s q"]) -> Float[np.ndarray, " s"]:
    return np.exp(points[:, -1]) + evidence.least


def _draws(
    evidence: Evidence,
    modes: Sequence[ModeShape],
    log_density: Callable[[Float[np.ndarray, "s q"]], Float[np.ndarray, " s"]],
) -> WeightedDraws:
    prior = evidence.prior
    parts = [
        ModeShape(middle, np.diag(spread**-2.0), 0.0) for middle, spread in zip(prior.middle, prior.spread, strict=True)
    ]
    size = _SIZE if len(evidence.y) <= FEW_ROWS else _SMALLER
    return adaptive_draws(log_density, modes, priors=parts, size=size)


def modes_from(evidence: Evidence, starts: Sequence[Float[np.ndarray, " q"]]) -> list[ModeShape]:
    """The different ends of searches."""
    modes: list[ModeShape] = []
    for start in starts:
        end = mode_of(evidence, [start])
        if all(np.linalg.norm(end.logs - mode.center) > _SAME * len(end.logs) ** 0.5 for mode in modes):
            modes.append(mode_shape(evidence, end))
    return modes


def mode_shape(evidence: Evidence, mode: Mode) -> ModeShape:
    """A mode with its curvature, which is that of the search where it has one."""
    precision = curvature_at(evidence, mode.logs) if mode.precision is None else mode.precision
    return ModeShape(mode.logs, precision, -mode.loss)


def _member(evidence: Evidence, logs: Float[np.ndarray, " q"]) -> QuickProcess:
    """The posterior at one draw, with the constant as a term that no column changes."""
    solved = evidence.solved(logs)
    return QuickProcess(terms_at(evidence, logs), evidence.X, np.ascontiguousarray(solved.lower), solved.weights)
