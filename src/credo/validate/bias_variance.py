r"""Noise, squared bias and variance of a prediction, measured by repeating the experiment.

$\mathrm{E}\,(y - \hat f(x))^2 = \sigma^2(x) + (\mathrm{E}\hat f(x) - f(x))^2 + \operatorname{Var}\hat f(x)$, over new y
and new training sets (Geman, Bienenstock & Doursat 1992).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float
from sklearn.base import clone

from credo.errors import InputError
from credo.numerics import as_seed

__all__ = ["BiasVariance", "NoisyFunction", "Part", "Parts", "Simulator", "bias_variance"]


@runtime_checkable
class Simulator(Protocol):
    """A source of training sets whose truth is known."""

    def sample(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """A new training set, (X, y)."""
        ...

    def mean(self, x: Any) -> Any:
        """The expected y at each row of x."""
        ...

    def noise_variance(self, x: Any) -> Any:
        """The variance of y at each row of x."""
        ...


@dataclass(frozen=True)
class NoisyFunction:
    """A [](#credo.validate.bias_variance.Simulator): a function of the rows plus normal noise.

    `rows` are the same X every time, or a function that draws X from a generator. `function` takes rows and returns a
    number each; `noise` is the standard deviation of y.
    """

    function: Callable[[Any], Any]
    rows: Any
    noise: float = 1.0

    def sample(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Rows, and the function of them plus noise."""
        X = self.rows(rng) if callable(self.rows) else self.rows
        mean = np.asarray(self.function(X), dtype=np.float64)
        return X, mean + self.noise * rng.normal(size=mean.shape)

    def mean(self, x: Any) -> Any:
        """The function."""
        return self.function(x)

    def noise_variance(self, x: Any) -> Any:
        """The squared noise, everywhere."""
        return np.full(len(x), self.noise**2)


class Part(NamedTuple):
    """An estimate and the standard error that the finite number of data sets leaves."""

    value: np.ndarray
    standard_error: np.ndarray


class Parts(NamedTuple):
    """Risk = noise + squared bias + variance. Noise is known; the others are estimates."""

    noise: np.ndarray
    squared_bias: Part
    variance: Part
    risk: Part


@dataclass(frozen=True)
class BiasVariance:
    """The parts of the risk at each x, and their average over the x, from so many simulated data sets."""

    at: Parts
    average: Parts
    datasets: int

    def __str__(self) -> str:
        said = lambda part: f"{float(part.value):.4g} ± {float(part.standard_error):.2g}"  # noqa: E731
        parts = self.average
        return (
            f"risk {said(parts.risk)} = noise {float(parts.noise):.4g} + bias² {said(parts.squared_bias)} + "
            f"variance {said(parts.variance)}\n"
            f"mean over {len(self.at.noise)} points, {self.datasets} simulated data sets"
        )


def bias_variance(
    estimator: Any, simulator: Simulator, x: Any, *, datasets: int = 200, random_state: Any = None
) -> BiasVariance:
    r"""Fit an estimator to many simulated training sets and split its squared error at the rows x.

    With $e_b = \hat f_b(x) - f(x)$ of B fits: variance $s^2 = \frac1{B-1}\sum(e_b - \bar e)^2$ and squared bias $\bar
    e^2 - s^2/B$, whose expectation is right but which may come out below zero. With the noise they add up to the risk,
    $\sigma^2 + \frac1B\sum e_b^2$, to rounding. Standard errors are by the jackknife over data sets; for the average
    over x it is of the average, with what the points have in common. The spread of a randomized estimator is in the
    variance. Cost: `datasets` fits, and O(Bm) numbers.

    Parameters
    ----------
    estimator : estimator
        It is cloned for each fit, and needs `fit` and `predict`.
    simulator : Simulator
        `sample(rng)` gives (X, y), `mean(x)` and `noise_variance(x)` the truth, as
        [](#credo.validate.bias_variance.NoisyFunction) does.
    x : rows
        Where to predict.
    datasets : int
        How many training sets, three or more.
    random_state : int, generator, key or None
        Of the simulated data.

    >>> from sklearn.linear_model import LinearRegression
    >>> source = NoisyFunction(lambda X: X[:, 0] ** 2, np.linspace(-1.0, 1.0, 20)[:, None], noise=0.1)
    >>> split = bias_variance(LinearRegression(), source, np.array([[0.0], [1.0]]), random_state=0)
    >>> print(split)  # a line through a parabola
    risk 0.2776 ± 0.0016 = noise 0.01 + bias² 0.2665 ± 0.0016 + variance 0.001103 ± 0.0001
    mean over 2 points, 200 simulated data sets
    """
    errors, noise = _errors(estimator, simulator, x, datasets, random_state)
    both = list(zip(_estimates(errors), _leaving_one_out(errors), strict=True))
    at = [Part(value, _jackknife(left)) for value, left in both]
    average = [Part(np.asarray(np.mean(value)), _jackknife(np.mean(left, axis=1))) for value, left in both]
    return BiasVariance(_with_noise(noise, at), _with_noise(np.asarray(np.mean(noise)), average), datasets)


def _errors(
    estimator: Any, simulator: Simulator, x: Any, datasets: int, random_state: Any
) -> tuple[Float[np.ndarray, "b m"], Float[np.ndarray, " m"]]:
    """What each fit is off by at each x, and the noise there."""
    if not (isinstance(datasets, (int, np.integer)) and datasets >= 3):
        raise InputError(
            "bias_variance", f"datasets is {datasets}", "An error bar needs three or more", "Try datasets=200"
        )
    if not isinstance(simulator, Simulator):
        raise InputError(
            "bias_variance",
            f"{type(simulator).__name__} is no simulator",
            "It needs sample(rng), mean(x) and noise_variance(x)",
            "Try NoisyFunction",
        )
    rng = np.random.default_rng(as_seed(random_state))
    truth = _checked("the mean of the simulator", simulator.mean(x), len(x))
    noise = _checked("the noise variance of the simulator", simulator.noise_variance(x), len(x))
    if np.any(noise < 0.0):
        raise InputError(
            "bias_variance", f"a noise variance is {noise.min()}", "A variance is not negative", "Square it"
        )
    errors = np.empty((datasets, len(x)))
    for row in errors:
        row[:] = _checked("a prediction", clone(estimator).fit(*simulator.sample(rng)).predict(x), len(x)) - truth
    return errors, noise


def _estimates(errors: Float[np.ndarray, "b m"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Squared bias, variance and their sum at each x."""
    return _of_moments(errors.mean(axis=0), np.sum((errors - errors.mean(axis=0)) ** 2, axis=0), len(errors))


def _leaving_one_out(errors: Float[np.ndarray, "b m"]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same without each data set in turn, from how far it is from the mean of all."""
    count, mean = len(errors), errors.mean(axis=0)
    off = errors - mean
    scatter = np.sum(off**2, axis=0) - off**2 * count / (count - 1.0)
    return _of_moments(mean - off / (count - 1.0), scatter, count - 1)


def _of_moments(mean: np.ndarray, scatter: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    variance = scatter / (count - 1.0)
    squared_bias = mean**2 - variance / count
    return squared_bias, variance, squared_bias + variance


def _jackknife(left_out: np.ndarray) -> np.ndarray:
    """The standard error from the values that leave out a data set each (Efron & Tibshirani 1993, eq. 11.5)."""
    count = len(left_out)
    return np.asarray(np.sqrt((count - 1.0) / count * np.sum((left_out - left_out.mean(axis=0)) ** 2, axis=0)))


def _with_noise(noise: np.ndarray, parts: list[Part]) -> Parts:
    squared_bias, variance, mean_square = parts
    return Parts(noise, squared_bias, variance, Part(noise + mean_square.value, mean_square.standard_error))


def _checked(what: str, values: Any, rows: int) -> Float[np.ndarray, " m"]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (rows,) or not np.all(np.isfinite(array)):
        raise InputError(
            "bias_variance",
            f"{what} has shape {array.shape} for {rows} rows" if array.shape != (rows,) else f"{what} is not finite",
            "It is one finite number for each row of x",
            "Pass x as rows that the estimator and the simulator take",
        )
    return array
