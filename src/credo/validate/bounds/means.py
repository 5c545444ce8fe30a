r"""How far the mean of n independent, bounded numbers is from its expectation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from credo.validate.bounds.base import Bound, Number, checked_number

__all__ = ["Bernstein", "Chernoff", "EmpiricalBernstein", "Hoeffding", "kl_bernoulli", "kl_lower", "kl_upper"]

_HALVINGS = 60


@dataclass(frozen=True)
class Hoeffding(Bound):
    r"""$|\bar x - \mu| \le R\sqrt{\log(2/\delta)/2n}$ for numbers within a range R (Hoeffding 1963, theorem 2).

    >>> int(Hoeffding().rows(0.1, delta=0.05))
    185
    """

    width: Number = 1.0

    def __post_init__(self) -> None:
        checked_number("Hoeffding", "width", self.width, 0.0)

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """R√(log(2/δ)/2n)."""
        return self.width * np.sqrt(np.log(2.0 / delta) / (2.0 * n))


@dataclass(frozen=True)
class Chernoff(Bound):
    r"""The relative-entropy form for numbers in [0, 1] whose mean was seen: $\mathrm{kl}(\bar x, \mu) \le
    \log(2/\delta)/n$, the farther of the two ends (Chernoff 1952; Hoeffding 1963, theorem 1).

    >>> bool(Chernoff(0.01).error(1000) < Hoeffding().error(1000))
    True
    """

    mean: Number = 0.5

    def __post_init__(self) -> None:
        checked_number("Chernoff", "mean", self.mean, 0.0, 1.0)

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """The distance of the farther μ with kl(x̄, μ) = log(2/δ)/n."""
        budget = np.log(2.0 / delta) / n
        return np.maximum(kl_upper(self.mean, budget) - self.mean, self.mean - kl_lower(self.mean, budget))


@dataclass(frozen=True)
class _OfVariance(Bound):
    """Numbers of a variance, within a range."""

    variance: Number = 0.25
    width: Number = 1.0

    def __post_init__(self) -> None:
        checked_number(type(self).__name__, "variance", self.variance, 0.0)
        checked_number(type(self).__name__, "width", self.width, 0.0)


@dataclass(frozen=True)
class Bernstein(_OfVariance):
    r"""$|\bar x - \mu| \le \sqrt{2\sigma^2\log(2/\delta)/n} + R\log(2/\delta)/3n$ for a known variance and $|x - \mu|
    \le R$ (Bernstein 1924; Boucheron, Lugosi & Massart 2013, theorem 2.10).
    """

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """√(2σ² log(2/δ)/n) + R log(2/δ)/3n."""
        level = np.log(2.0 / delta) / n
        return np.sqrt(2.0 * self.variance * level) + self.width * level / 3.0


@dataclass(frozen=True)
class EmpiricalBernstein(_OfVariance):
    r"""The same with the variance of the sample (divisor n − 1): $\sqrt{2V\log(4/\delta)/n} + 7R\log(4/\delta)/3(n -
    1)$ (Maurer & Pontil 2009, theorem 4, both sides). One row allows any error within the range.
    """

    def _error(self, n: np.ndarray, delta: np.ndarray) -> Any:
        """√(2V log(4/δ)/n) + 7R log(4/δ)/3(n − 1), infinite for one row."""
        level = np.log(4.0 / delta)
        with np.errstate(divide="ignore"):
            return np.sqrt(2.0 * self.variance * level / n) + 7.0 * self.width * level / (3.0 * (n - 1.0))


def kl_bernoulli(q: Any, p: Any) -> np.ndarray:
    """The relative entropy of a coin of bias q from one of bias p, in nats."""
    q, p = np.asarray(q, dtype=np.float64), np.asarray(p, dtype=np.float64)
    return np.asarray(special.rel_entr(q, p) + special.rel_entr(1.0 - q, 1.0 - p))


def kl_upper(q: Any, budget: Any) -> np.ndarray:
    """The largest p with kl(q, p) at most `budget`. By bisection, to rounding."""
    q, budget = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(budget, dtype=np.float64))
    low, high = q.copy(), np.ones(q.shape)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        inside = kl_bernoulli(q, middle) <= budget
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.asarray(high)  # on the safe side


def kl_lower(q: Any, budget: Any) -> np.ndarray:
    """The smallest p with kl(q, p) at most `budget`."""
    return np.asarray(1.0 - kl_upper(1.0 - np.asarray(q, dtype=np.float64), budget))
