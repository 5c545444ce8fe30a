"""What an exact Gaussian process would take of memory and time, asked before anything is allocated."""

import os

from credo.errors import TooLargeError

__all__ = ["require_affordable"]

_MATRICES = 5  # n × n, at the peak of an evaluation with its gradient
_SECONDS_PER_CUBE = 2.2e-11  # value and gradient, per n³, measured on two cores
_EVALUATIONS = 45  # that a fit takes on all rows, starts being screened on a subset
_LONGEST = 3600.0


def require_affordable(who: str, n: int, *, evaluations: int | None = None, memory: float | None = None) -> None:
    """Refuse n distinct rows whose covariance does not fit into memory, or whose fit would take over an hour."""
    available = memory if memory is not None else _physical_memory()
    needed = _MATRICES * 8.0 * n**2
    seconds = _SECONDS_PER_CUBE * n**3 * (_EVALUATIONS if evaluations is None else evaluations)
    if needed <= 0.9 * available and seconds <= _LONGEST:
        return
    largest = int(min((0.9 * available / (8.0 * _MATRICES)) ** 0.5, (_LONGEST / (seconds / n**3)) ** (1 / 3)))
    raise TooLargeError(
        who,
        f"{n} distinct rows would take about {needed / 2**30:.0f} GiB of {available / 2**30:.0f} GiB of memory "
        f"and {seconds / 60.0:.0f} minutes",
        "An exact Gaussian process costs n² memory and n³ time",
        f"Try a random {largest} of the rows, inference=None with known parameters, or BayesianLinearRegression",
    )


def _physical_memory() -> float:
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):  # not told here: assume a small machine
        return 8.0 * 2**30
