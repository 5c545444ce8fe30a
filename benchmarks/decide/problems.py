"""What is minimized in the races of suggestions: known functions, their least values, and how often each is evaluated.

Every library gets the same parameters, and of a noisy function the same noise: that of the i-th evaluation of a seed.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["PROBLEMS", "Choice", "Integer", "Objective", "Problem", "Real"]

Point = Mapping[str, Any]


@dataclass(frozen=True)
class Real:
    """Any number between two."""

    low: float
    high: float


@dataclass(frozen=True)
class Integer:
    """A whole number between two, both included."""

    low: int
    high: int


@dataclass(frozen=True)
class Choice:
    """One of some names, without an order."""

    options: tuple[str, ...]


Parameter = Real | Integer | Choice


@dataclass(frozen=True)
class Problem:
    """A function of named parameters, its least value, and how many evaluations it is given."""

    name: str
    parameters: dict[str, Parameter]
    function: Callable[[Point], float]
    least: float
    evaluations: int
    noise: float = 0.0

    @property
    def mixed(self) -> bool:
        """Whether some parameters are not continuous."""
        return not all(isinstance(parameter, Real) for parameter in self.parameters.values())

    def regret(self, point: Point) -> float:
        """How much worse than the least a point is, without noise."""
        return max(self.function(point) - self.least, 0.0)


class Objective:
    """A problem as it is measured: with noise, which depends on the seed and on how many were measured before."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self._errors = problem.noise * np.random.default_rng([seed, 99]).normal(size=10_000)
        self._measured = 0

    def __call__(self, point: Point) -> float:
        value = self.problem.function(point) + float(self._errors[self._measured])
        self._measured += 1
        return value


def branin(x: float, y: float) -> float:
    """Three equal minima in a valley (Branin 1972)."""
    bent = y - 5.1 / (4.0 * math.pi**2) * x**2 + 5.0 / math.pi * x - 6.0
    return bent**2 + 10.0 * (1.0 - 1.0 / (8.0 * math.pi)) * math.cos(x) + 10.0


_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_WIDTHS_3 = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
_CENTERS_3 = 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]])
_WIDTHS_6 = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
_CENTERS_6 = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def _hartmann(x: np.ndarray, widths: np.ndarray, centers: np.ndarray) -> float:
    return -float(_WEIGHTS @ np.exp(-np.sum(widths * (x - centers) ** 2, axis=1)))


def _vector(point: Point) -> np.ndarray:
    return np.array(list(point.values()), dtype=np.float64)


def _branin(point: Point) -> float:
    return branin(point["x"], point["y"])


def _hartmann_3(point: Point) -> float:
    return _hartmann(_vector(point), _WIDTHS_3, _CENTERS_3)


def _hartmann_6(point: Point) -> float:
    return _hartmann(_vector(point), _WIDTHS_6, _CENTERS_6)


def _ackley(point: Point) -> float:
    x = _vector(point)
    far, waves = math.sqrt(float(np.mean(x**2))), float(np.mean(np.cos(2.0 * math.pi * x)))
    return -20.0 * math.exp(-0.2 * far) - math.exp(waves) + 20.0 + math.e


def _rosenbrock(point: Point) -> float:
    x = _vector(point)
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def _styblinski_tang(point: Point) -> float:
    """Two basins in every parameter, of which one is a little deeper."""
    x = _vector(point)
    return 0.5 * float(np.sum(x**4 - 16.0 * x**2 + 5.0 * x))


def _levy(point: Point) -> float:
    """Waves on a bowl."""
    w = 1.0 + 0.25 * (_vector(point) - 1.0)
    waves = (w[:-1] - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * w[:-1] + 1.0) ** 2)
    last = (w[-1] - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * w[-1]) ** 2)
    return float(np.sin(np.pi * w[0]) ** 2 + np.sum(waves) + last)


def _bowl(point: Point) -> float:
    """Every parameter matters as much as any other, and none has its optimum in the middle."""
    x = _vector(point)
    return float(np.sum((x - np.where(np.arange(len(x)) % 2, 0.3, 0.7)) ** 2))


#: Of each solvent in the mixed problem: what it costs, and which number of steps suits it.
_SOLVENTS = {"water": (2.0, 3), "ethanol": (0.0, 7), "acetone": (4.0, 5), "hexane": (8.0, 1)}


def _mixed(point: Point) -> float:
    """Branin's function, the more above it the worse the solvent and the further the steps from what suits it."""
    cost, suited = _SOLVENTS[point["solvent"]]
    return branin(point["x"], point["y"]) + cost + 0.5 * (point["steps"] - suited) ** 2


_BRANIN_BOX: dict[str, Parameter] = {"x": Real(-5.0, 10.0), "y": Real(0.0, 15.0)}
_BRANIN_LEAST = 0.39788735772973816


def _box(d: int, low: float, high: float) -> dict[str, Parameter]:
    return {f"x{i}": Real(low, high) for i in range(1, d + 1)}


_ALL = (
    Problem("Branin", _BRANIN_BOX, _branin, _BRANIN_LEAST, 40),
    Problem("Hartmann-3", _box(3, 0.0, 1.0), _hartmann_3, -3.862779787332663, 50),
    Problem("Hartmann-6", _box(6, 0.0, 1.0), _hartmann_6, -3.3223680114155147, 80),
    Problem("Ackley-5", _box(5, -32.768, 32.768), _ackley, 0.0, 100),
    Problem("Rosenbrock-4", _box(4, -5.0, 10.0), _rosenbrock, 0.0, 100),
    Problem("noisy Branin", _BRANIN_BOX, _branin, _BRANIN_LEAST, 50, noise=1.0),
    Problem(
        "mixed",
        {**_BRANIN_BOX, "steps": Integer(1, 10), "solvent": Choice(tuple(_SOLVENTS))},
        _mixed,
        _BRANIN_LEAST,
        60,
    ),
    Problem("Styblinski–Tang-4", _box(4, -5.0, 5.0), _styblinski_tang, -4 * 39.16616570377142, 60),
    Problem("Levy-4", _box(4, -10.0, 10.0), _levy, 0.0, 60),
    Problem("bowl of 50", _box(50, 0.0, 1.0), _bowl, 0.0, 100),
)

PROBLEMS = {problem.name: problem for problem in _ALL}
