"""What an exact Gaussian process would take of memory and time, asked before anything is allocated."""

import time
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from credo.errors import TooLargeError
from credo.infer.gaussian.learning import DRAWN, FEWEST_KEPT, Inference
from credo.infer.gaussian.selection import SCREENED_FROM
from credo.numerics.lapack import factor_in_place, inverse_diagonal
from credo.numerics.memory import physical_memory

__all__ = ["Cost", "cost_of", "expected_seconds", "require_affordable"]

_MATRICES = 5  # n × n, at the peak of an evaluation with its gradient
_SECONDS_PER_CUBE = 2.2e-11  # value and gradient, per n³, measured on two cores
_EVALUATIONS = 45  # that a fit takes on all rows, starts being screened on a subset
_EACH_START = 4.0  # evaluations per parameter, where every start has all rows: 21 of 5, 90 of 22 parameters
_LAST_SEARCH = 10.0, 2.5  # evaluations, and evaluations per parameter, where starts are screened
_PROBE = 768  # rows of the factorization that is timed
_SLICE, _NUTS = 5.0 / 3.0, 25.0  # that a draw takes: a slice for each parameter and without gradient, or a trajectory
_LONGEST = 3600.0
_SMALL = 8 * 2**30  # bytes, of a machine that does not tell


class Cost(NamedTuple):
    """Evaluations with their gradient, and n × n matrices at the peak."""

    evaluations: float
    matrices: int


def cost_of(inference: Inference, parameters: int) -> Cost:
    """What a fit of so many free parameters takes, about."""
    if inference is None:
        return Cost(1, _MATRICES)
    if inference in ("auto", "map", "ml"):
        return Cost(_EVALUATIONS, _MATRICES)
    each = _SLICE * parameters if inference == "mcmc" else _NUTS
    return Cost(_EVALUATIONS + DRAWN * each, _MATRICES + FEWEST_KEPT)


def expected_seconds(inference: Inference, rows: int, parameters: int, n_restarts: int) -> float:
    """How long a fit takes on this machine, about: evaluations by experience, at the speed that LAPACK has now."""
    if inference is None or not parameters:
        evaluations = 1.0
    elif rows <= SCREENED_FROM:
        evaluations = (1.0 + n_restarts) * _EACH_START * parameters
    else:
        evaluations = _LAST_SEARCH[0] + _LAST_SEARCH[1] * parameters
    if inference in ("mcmc", "nuts"):
        evaluations += DRAWN * (_SLICE * parameters if inference == "mcmc" else _NUTS)
    if _SECONDS_PER_CUBE * rows**3 * evaluations < 1.0:
        return _SECONDS_PER_CUBE * rows**3 * evaluations  # the probe would take longer than it is worth
    return _seconds_per_cube() * rows**3 * evaluations


@lru_cache(maxsize=1)
def _seconds_per_cube() -> float:
    """Of a factor and an inverse, n³ operations together, measured: the better of two trials."""
    trials = []
    for _ in range(2):
        matrix = np.eye(_PROBE) + 1e-3
        start = time.perf_counter()
        factor_in_place(matrix)
        inverse_diagonal(matrix)  # a third of n³, as the factor; another third is the product of an inverse
        trials.append(1.5 * (time.perf_counter() - start))
    return min(trials) / _PROBE**3


def require_affordable(who: str, n: int, cost: Cost, *, memory: float | None = None) -> None:
    """Refuse n distinct rows whose covariance does not fit into memory, or whose fit would take over an hour."""
    available = memory if memory is not None else physical_memory() or _SMALL
    needed = cost.matrices * 8.0 * n**2
    seconds = _SECONDS_PER_CUBE * n**3 * cost.evaluations
    if needed <= 0.9 * available and seconds <= _LONGEST:
        return
    largest = int(min((0.9 * available / (8.0 * cost.matrices)) ** 0.5, (_LONGEST / (seconds / n**3)) ** (1 / 3)))
    raise TooLargeError(
        who,
        f"{n} distinct rows would take about {needed / 2**30:.0f} GiB of {available / 2**30:.0f} GiB of memory "
        f"and {seconds / 60.0:.0f} minutes",
        "An exact Gaussian process costs n² memory and n³ time, and sampling its parameters many times that",
        f"Try a random {largest} of the rows, inference=None with known parameters, or BayesianLinearRegression",
    )
