"""What an exact Gaussian process would take of memory and time, asked before anything is allocated."""

from typing import NamedTuple

from credo.errors import TooLargeError
from credo.infer.gaussian.learning import DRAWN, FEWEST_KEPT, Inference
from credo.numerics.memory import physical_memory

__all__ = ["Cost", "cost_of", "require_affordable"]

_MATRICES = 5  # n × n, at the peak of an evaluation with its gradient
_SECONDS_PER_CUBE = 2.2e-11  # value and gradient, per n³, measured on two cores
_EVALUATIONS = 45  # that a fit takes on all rows, starts being screened on a subset
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
