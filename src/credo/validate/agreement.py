r"""Posterior agreement: how much of what an algorithm finds in one sample it finds in a second one of the same source.

An algorithm that minimizes a cost R over hypotheses c is softened to the Gibbs distribution $p(c) \propto
e^{-\beta R(c)}$. Two samples give two of them, and $k(\beta) = \sum_c p_1(c)\,p_2(c)$ is large where they put their
mass on the same hypotheses. $\log(|C|\,k(\beta))$ is zero when nothing is resolved (β = 0), at most log |C|, and
negative when what is resolved is noise: its maximum over β is the information, in nats, that generalizes, and the
maximizer is the resolution at which to stop (Buhmann 2010).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import optimize

from credo.errors import InputError

__all__ = ["Agreement", "AgreementPeak", "agreement_peak", "posterior_agreement"]

# In units of one over the spread of the costs. At zero the agreement is zero, below which no maximum is.
_GRID = np.concatenate([[0.0], np.geomspace(1e-3, 1e4, 57)])


@dataclass(frozen=True)
class Agreement:
    """The largest posterior agreement, in nats, and the inverse temperature where it is.

    `inverse_temperature` is infinite where the minimizers themselves agree best. `curve` is the agreement at each of
    `inverse_temperatures`, the mean over runs; `standard_error` is that of `value` over runs, or None for a single one.
    `most` is the log number of hypotheses, which no agreement exceeds.
    """

    value: float
    inverse_temperature: float
    inverse_temperatures: Float[np.ndarray, " m"]
    curve: Float[np.ndarray, " m"]
    most: float
    standard_error: float | None = None

    def __str__(self) -> str:
        error = "" if self.standard_error is None else f" ± {self.standard_error:.2g}"
        return (
            f"posterior agreement {self.value:.4g}{error} of at most {self.most:.4g} nats, "
            f"at inverse temperature {self.inverse_temperature:.4g}"
        )


class AgreementPeak(NamedTuple):
    """The iteration (from 0) with the largest agreement, what it is there, and the agreement of every iteration."""

    iteration: int
    best: Agreement
    agreements: Float[np.ndarray, " t"]


def posterior_agreement(
    costs_1: Any, costs_2: Any, inverse_temperatures: Any = None, *, factorized: bool = False
) -> Agreement:
    r"""$\max_\beta \log\big(|C| \sum_c p_1(c)\,p_2(c)\big)$ with $p_i(c) \propto e^{-\beta R_i(c)}$.

    `costs_1` and `costs_2` are the costs of the same hypotheses on two samples: a vector, or a row for each of several
    runs, whose agreements are averaged before the maximum. With ``factorized=True`` they have a row an object and a
    column a cluster: a hypothesis assigns each object to a cluster and costs the sum, of which there are
    clusters^objects, and $\log k = \sum_i \log\sum_c p_1(c \mid i)\,p_2(c \mid i)$.

    The maximum is over `inverse_temperatures`, refined between the neighbors of the best. By default they are zero and
    57 others, from a thousandth to ten thousand over the spread of the costs, and the limit β → ∞ of the minimizers is
    included. The default value is therefore never negative: it is 0 at β = 0 if the samples share nothing. A
    curve with several maxima closer than the grid may hide one. Chosen on the two samples that it is reported for, the
    maximum is optimistic by what one fitted number buys. O(58 n) for n costs. (Buhmann 2010; Busse, Chehreghani &
    Buhmann 2012.)

    >>> clear = posterior_agreement([0.0, 1.0, 2.0], [0.1, 1.2, 1.9])
    >>> print(clear)
    posterior agreement 1.099 of at most 1.099 nats, at inverse temperature inf
    >>> print(posterior_agreement([0.0, 0.2, 2.0, 3.0], [0.2, 0.0, 3.0, 2.0]))
    posterior agreement 0.6292 of at most 1.386 nats, at inverse temperature 2.092
    """
    first, second, runs = _checked_costs(costs_1, costs_2, factorized=factorized)
    grid = _checked_grid(inverse_temperatures, first, second)
    excess = _excess(first, second, runs)
    curves = np.stack([_agreements(excess, float(beta)) for beta in grid])
    beta, values = _refined(excess, grid, curves)
    limit = _limit(excess)
    if inverse_temperatures is None and grid[-1] > 0.0 and np.mean(limit) >= np.mean(values) - 1e-12:
        beta, values = np.inf, limit
    return Agreement(
        value=float(np.mean(values)),
        inverse_temperature=float(beta),
        inverse_temperatures=grid,
        curve=np.mean(curves, axis=1),
        most=float(np.log(first.shape[1]) * len(first) / runs),
        standard_error=float(np.std(values, ddof=1) / np.sqrt(runs)) if runs > 1 else None,
    )


def agreement_peak(
    cost_pairs: Iterable[tuple[Any, Any]], inverse_temperatures: Any = None, *, factorized: bool = False
) -> AgreementPeak:
    r"""At which iteration of an algorithm the posteriors of two samples agree most: where to stop it.

    `cost_pairs` gives, for each iteration, the costs of the same hypotheses on the two samples, as
    [](#credo.validate.posterior_agreement) takes them; it is read once and nothing of it is kept. Before the
    peak the algorithm resolves structure that both samples have, after it what only one has. The first of equal
    iterations wins (Gronskiy & Buhmann 2014).

    >>> signal, noise = np.arange(4.0), np.array([1.0, -1.0, 1.0, -1.0])
    >>> steps = [(t * signal + t**3 * noise, t * signal - t**3 * noise) for t in (0.1, 0.5, 1.0, 2.0, 3.0)]
    >>> agreement_peak(steps, inverse_temperatures=[1.0]).iteration
    1
    """
    best, at, values = None, 0, []
    for t, (first, second) in enumerate(cost_pairs):
        found = posterior_agreement(first, second, inverse_temperatures, factorized=factorized)
        values.append(found.value)
        if best is None or found.value > best.value:
            best, at = found, t
    if best is None:
        raise InputError("agreement_peak", "there are no iterations", "The sequence is empty", "Pass a pair a step")
    return AgreementPeak(at, best, np.asarray(values))


class _Excess(NamedTuple):
    """Costs above the cheapest of their row, on each sample and on both together, and how many runs they are of.

    With the cheapest at zero no partition sum underflows. `least` is the cheapest of the two excesses together: what
    the samples disagree by.
    """

    first: Float[np.ndarray, "n c"]
    second: Float[np.ndarray, "n c"]
    both: Float[np.ndarray, "n c"]
    least: Float[np.ndarray, " n"]
    runs: int


def _excess(first: np.ndarray, second: np.ndarray, runs: int) -> _Excess:
    first, second = (costs - np.min(costs, axis=1, keepdims=True) for costs in (first, second))
    both = first + second
    least = np.min(both, axis=1)
    return _Excess(first, second, both - least[:, None], least, runs)


def _agreements(excess: _Excess, beta: float) -> np.ndarray:
    """log(|C| Z₁₂ / Z₁Z₂) of each run; rows that are factors of the same run add up."""
    first, second, both = (np.log(np.sum(np.exp(-beta * costs), axis=1)) for costs in excess[:3])
    each = np.log(excess.first.shape[1]) + both - beta * excess.least - first - second
    return np.sum(each.reshape(excess.runs, -1), axis=1)


def _limit(excess: _Excess) -> np.ndarray:
    """At β → ∞ the posteriors are uniform on their cheapest hypotheses; minus infinity where they share none."""
    first, second, both = (np.log(np.sum(costs == 0.0, axis=1)) for costs in excess[:3])
    shared = np.where(excess.least == 0.0, both, -np.inf)
    each = np.log(excess.first.shape[1]) + shared - first - second
    return np.sum(each.reshape(excess.runs, -1), axis=1)


def _refined(excess: _Excess, grid: np.ndarray, curves: np.ndarray) -> tuple[float, np.ndarray]:
    """The best of the grid, moved to the maximum between its neighbors where that is better."""
    at = int(np.argmax(np.mean(curves, axis=1)))
    low, high = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    if low == high:
        return float(grid[at]), curves[at]
    lost = lambda beta: -float(np.mean(_agreements(excess, beta)))  # noqa: E731
    found = optimize.minimize_scalar(lost, bounds=(low, high), method="bounded", options={"xatol": 1e-6 * high})
    if -found.fun <= np.mean(curves[at]):
        return float(grid[at]), curves[at]
    return float(found.x), _agreements(excess, float(found.x))


def _checked_costs(costs_1: Any, costs_2: Any, *, factorized: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """Both costs as rows of alternatives, and how many runs the rows are of."""
    who = "posterior_agreement"
    first, second = np.asarray(costs_1, dtype=np.float64), np.asarray(costs_2, dtype=np.float64)
    if first.shape != second.shape or first.ndim not in (1, 2) or first.size == 0 or (factorized and first.ndim == 1):
        wanted = "(objects, clusters)" if factorized else "(hypotheses,) or (runs, hypotheses)"
        raise InputError(
            who,
            f"costs have shapes {first.shape} and {second.shape}",
            f"Both are of shape {wanted}, for the same hypotheses",
            "Evaluate the same hypotheses on both samples",
        )
    if not (np.all(np.isfinite(first)) and np.all(np.isfinite(second))):
        raise InputError(who, "a cost is NaN or infinite", "A hypothesis is impossible on a sample", "Leave it out")
    rows = (np.atleast_2d(first), np.atleast_2d(second))
    return *rows, 1 if factorized else len(rows[0])


def _checked_grid(inverse_temperatures: Any, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    if inverse_temperatures is None:
        spread = float(np.mean([np.std(costs, axis=1).mean() for costs in (first, second)]))
        return _GRID / spread if spread > 0.0 else np.zeros(1)  # equal costs have nothing to resolve
    grid = np.unique(np.asarray(inverse_temperatures, dtype=np.float64))
    if grid.size == 0 or not np.all((grid >= 0.0) & np.isfinite(grid)):
        raise InputError(
            "posterior_agreement",
            f"inverse_temperatures are {inverse_temperatures}",
            "They are numbers of zero or more",
            "Try np.geomspace(0.01, 100, 50), or leave them out",
        )
    return grid
