"""What the races of Gaussian processes share: data, starts, units, and one referee for the evidence."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist

RESTARTS = 4
#: L-BFGS-B on the log evidence (not its mean over rows) stops as credo's does: by the gradient, by the relative gain,
#: or when two iterations together gain less than GAIN nats.
STOPPING = {"gtol": 1e-4, "ftol": 1e-8, "maxiter": 500}
GAIN = 5e-5
#: Of the noise variance, in units of the variance of y: the smallest that the peers may choose.
NOISE_FLOOR = 1e-6

Moments = tuple[np.ndarray, np.ndarray]


def settled() -> Callable[[Any], None]:
    """A callback for one search of SciPy's, which ends it by GAIN."""
    values: list[float] = []

    def look(intermediate_result: Any) -> None:
        values.append(float(intermediate_result.fun))
        if len(values) > 2 and values[-3] - values[-1] < GAIN:
            raise StopIteration

    return look


@dataclass(frozen=True)
class Fitted:
    """Parameters in standard units, and predictions: mean and standard deviation of a new y in the user's."""

    variance: float
    lengthscale: np.ndarray
    noise: float
    predict: Callable[[np.ndarray], Moments]


@dataclass(frozen=True)
class Units:
    """Columns and targets to mean zero and standard deviation one."""

    shift: np.ndarray
    scale: np.ndarray
    target_shift: float
    target_scale: float

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray) -> "Units":
        scale = x.std(axis=0)
        return cls(x.mean(axis=0), np.where(scale > 0.0, scale, 1.0), float(y.mean()), float(y.std()))

    def inputs(self, x: np.ndarray) -> np.ndarray:
        return (x - self.shift) / self.scale

    def targets(self, y: np.ndarray) -> np.ndarray:
        return (y - self.target_shift) / self.target_scale


def data(n: int, d: int = 8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of d standard normal columns that matter less and less; a smooth response with noise of deviation 0.2."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    signal = np.sin(1.5 * x) @ 0.7 ** np.arange(d) + 0.5 * x[:, 0] * np.cos(x[:, 1])
    return x, signal + 0.2 * rng.normal(size=n)


def starts(d: int, seed: int, restarts: int = RESTARTS) -> np.ndarray:
    """Logarithms of variance, d length-scales and noise: credo's own start, and normal steps of one away from it.

    These are the very numbers that `GPRegressor(random_state=seed)` starts from.
    """
    first = np.concatenate([[0.0], np.full(d, np.log(0.5 * d**0.5)), [np.log(0.1)]])
    steps = np.random.default_rng(seed).normal(size=(restarts, d + 2))
    return first + np.concatenate([np.zeros((1, d + 2)), steps])


def log_evidence(x: np.ndarray, y: np.ndarray, fitted: Fitted) -> float:
    """log p(y | X) of a Matérn-5/2 process at these parameters, in the user's units: Rasmussen and Williams, 2.30.

    The referee: no jitter, no shared code, the same for all.
    """
    units, n = Units.of(x, y), len(y)
    z, target = units.inputs(x) / fitted.lengthscale, units.targets(y)
    a = np.sqrt(5.0) * cdist(z, z)
    covariance = fitted.variance * (1.0 + a + a**2 / 3.0) * np.exp(-a) + fitted.noise * np.eye(n)
    factor = cho_factor(covariance, lower=True)
    fit, half_log_det = target @ cho_solve(factor, target), np.sum(np.log(np.diag(factor[0])))
    return float(-0.5 * fit - half_log_det - 0.5 * n * np.log(2.0 * np.pi) - n * np.log(units.target_scale))


def log_density(y: np.ndarray, mean: np.ndarray, std: np.ndarray) -> np.ndarray:
    """Of each y under a normal distribution."""
    return -0.5 * ((y - mean) / std) ** 2 - np.log(std) - 0.5 * np.log(2.0 * np.pi)
