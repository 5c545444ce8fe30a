"""What may be seen before acting, and how it is related to y."""

import math
import numbers
from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from credo.errors import InputError

__all__ = ["Likelihood", "NoisyMeasurement", "Observation", "Outcomes", "Perfect"]


class Observation(ABC):  # noqa: B024  (what is computed from it depends on the belief too)
    """Something that can be seen, and tells about y."""


@final
@dataclass(frozen=True)
class Perfect(Observation):
    """y itself: nothing that can be seen is worth more."""


@final
@dataclass(frozen=True)
class NoisyMeasurement(Observation):
    r"""$z = y + \varepsilon$ with $\varepsilon \sim \mathcal{N}(0, \text{variance})$, for beliefs about a number."""

    variance: Any

    def __post_init__(self) -> None:
        if not isinstance(self.variance, numbers.Real) or not 0.0 < float(self.variance) < math.inf:
            what = f"variance={self.variance!r}"
            raise InputError("NoisyMeasurement", what, "It is a positive number", "Use Perfect() for no noise")
        object.__setattr__(self, "variance", float(self.variance))

    def likelihood(self) -> "Likelihood":
        """The same by its draws and its density."""
        scale = math.sqrt(self.variance)
        return Likelihood(
            lambda y, rng: y + scale * rng.standard_normal(np.shape(y)),
            lambda z, y: -0.5 * ((z - y) / scale) ** 2,
        )


@final
@dataclass(frozen=True)
class Outcomes(Observation):
    """A test with finitely many outcomes, for beliefs over classes: ``table[y, z]`` is the probability of z at y."""

    table: Any

    def __post_init__(self) -> None:
        table = np.asarray(self.table, dtype=np.float64)
        if table.ndim != 2 or not np.all(table >= 0.0) or not np.allclose(np.sum(table, axis=1), 1.0, atol=1e-9):
            what = f"the table of shape {table.shape} has rows that are no probabilities"
            raise InputError("Outcomes", what, "Row y has the probabilities of the outcomes at class y", "Transpose it")
        object.__setattr__(self, "table", tuple(map(tuple, table.tolist())))


@final
@dataclass(frozen=True)
class Likelihood(Observation):
    """Anything that can be simulated: ``draw(y, rng)`` gives one z for each y, ``log_density(z, y)`` its log density.

    Both work on arrays. `log_density` is called with one z a row, of shape (m, 1, …), and many y a row, of shape (m, n,
    …); it returns (m, n), and may leave out what does not depend on y.
    """

    draw: Callable[[np.ndarray, np.random.Generator], Any]
    log_density: Callable[[np.ndarray, np.ndarray], Any]
