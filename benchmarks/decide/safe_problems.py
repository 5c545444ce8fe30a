"""Five problems for safe studies that begin at one or two points: three shapes, a rough function, and one with noise.

Each seed makes another function and another safe start. The start is drawn from where the bound is kept by a stated
margin, and regret is to the best value among what is joined to the start through safe points of a grid.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import ndimage, special

from credo.decide.study.goal import Bound
from credo.kernels import Matern32, Matern52
from credo.kernels.stationary import Stationary
from credo.represent.space import Real, Space

__all__ = ["PROBLEMS", "SafeProblem"]

Outcomes = dict[str, float]


class SafeProblem(NamedTuple):
    """What a study is given, its outcomes without noise, the standard deviation of noise, and the best within reach."""

    space: Space
    safety: str
    direction: str
    seeds: list[dict[str, float]]
    outcomes: Callable[[Mapping[str, float]], Outcomes]
    noise: float
    best: float

    @property
    def settings(self) -> dict[str, Any]:
        """Of a safe study."""
        return {"safety": [self.safety], "direction": self.direction, "seeds": self.seeds}

    def keeps(self, outcomes: Outcomes) -> bool:
        """Whether outcomes keep the bound."""
        bound = Bound.parse(self.safety)
        return bool(bound.margin([outcomes[bound.name]])[0] >= 0.0)

    def regret(self, point: Mapping[str, float]) -> float:
        """By how much the value at a point is worse than the best within reach."""
        sign = 1.0 if self.direction == "maximize" else -1.0
        return sign * (self.best - self.outcomes(point)["value"])


def bump(seed: int) -> SafeProblem:
    """A yield of three parameters, one smooth bump, that has to stay above 30 % of its top; begun on its shoulder."""
    rng = np.random.default_rng([seed, 1])
    center = rng.uniform(0.3, 0.7, size=3)
    rows = _grid(31, 3)

    def height(rows: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * np.sum((rows - center) ** 2, axis=1) / 0.3**2)

    return _one_outcome(rng, rows, height, "value >= 0.3", "maximize", margin=0.1, below=0.3, count=1, noise=0.01)


def valley(seed: int) -> SafeProblem:
    """Rosenbrock's function, to be minimized where it is at most 50, from a point in its curved valley."""
    rng = np.random.default_rng([seed, 2])

    def height(rows: np.ndarray) -> np.ndarray:
        x, y = 4.0 * rows[:, 0] - 2.0, 4.0 * rows[:, 1] - 1.0
        return (1.0 - x) ** 2 + 100.0 * (y - x**2) ** 2

    return _one_outcome(rng, _grid(101, 2), height, "value <= 50", "minimize", margin=25.0, count=1, noise=1.0)


def rough(seed: int) -> SafeProblem:
    """A draw from a Matérn-3/2 process with a length-scale of 15 % of each range, in two parameters."""
    rng = np.random.default_rng([seed, 3])
    height = _draw(rng, Matern32, 0.15)
    return _one_outcome(rng, _grid(101, 2), height, "value >= -0.3", "maximize", margin=0.5, count=1, noise=0.05)


def cliff(seed: int) -> SafeProblem:
    """A gain of two parameters that grows towards a cliff of another outcome, a pressure that rises nearly at once.

    The cliff is a straight line of any direction, 15 to 75 % of a range from the start. It may lie outside the space.
    """
    rng = np.random.default_rng([seed, 4])
    start, angle = rng.uniform(0.1, 0.9, size=2).round(3), rng.uniform(0.0, 2.0 * np.pi)
    uphill, away = np.array([np.cos(angle), np.sin(angle)]), rng.uniform(0.15, 0.75)
    slope = rng.uniform(0.0, 1.0)

    def gain_and_pressure(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ahead = (rows - start) @ uphill
        return ahead, 1.0 + slope * ahead + 10.0 * special.expit((ahead - away) / 0.02)

    def outcomes(point: Mapping[str, float]) -> Outcomes:
        gain, pressure = gain_and_pressure(np.array([[point["a"], point["b"]]]))
        return {"value": float(gain[0]), "pressure": float(pressure[0])}

    gain, pressure = gain_and_pressure(_grid(101, 2))
    space, seeds = Space({"a": Real(0, 1), "b": Real(0, 1)}), [dict(zip("ab", map(float, start), strict=True))]
    return SafeProblem(space, "pressure <= 5", "maximize", seeds, outcomes, 0.02, float(np.max(gain[pressure <= 5.0])))


def noisy(seed: int) -> SafeProblem:
    """A draw from a smooth process under much noise, from two safe points."""
    rng = np.random.default_rng([seed, 5])
    height = _draw(rng, Matern52, 0.3)
    return _one_outcome(rng, _grid(101, 2), height, "value >= -0.3", "maximize", margin=0.8, count=2, noise=0.25)


#: By their names.
PROBLEMS: Mapping[str, Callable[[int], SafeProblem]] = {
    "smooth bump": bump,
    "curved valley": valley,
    "rough draw": rough,
    "cliff": cliff,
    "noisy draw": noisy,
}


def _one_outcome(
    rng: np.random.Generator,
    rows: np.ndarray,
    height: Callable[[np.ndarray], np.ndarray],
    safety: str,
    direction: str,
    *,
    margin: float,
    count: int,
    noise: float,
    below: float = np.inf,
) -> SafeProblem:
    """A problem whose objective is bounded itself, begun at rows that keep the bound by `margin` to `below`."""
    margins = Bound.parse(safety).margin(height(rows))
    starts = np.flatnonzero((margins >= margin) & (margins <= below))
    chosen = rng.choice(starts, size=count, replace=False)
    side = round(len(rows) ** (1.0 / rows.shape[1]))
    parts = ndimage.label((margins >= 0.0).reshape((side,) * rows.shape[1]))[0].reshape(-1)
    reachable = np.isin(parts, parts[chosen])
    better = 1.0 if direction == "maximize" else -1.0
    names = "abc"[: rows.shape[1]]

    def outcomes(point: Mapping[str, float]) -> Outcomes:
        return {"value": float(height(np.array([[point[name] for name in names]]))[0])}

    space = Space({name: Real(0, 1) for name in names})
    seeds = [dict(zip(names, map(float, row), strict=True)) for row in rows[chosen]]
    best = better * float(np.max(better * height(rows[reachable])))
    return SafeProblem(space, safety, direction, seeds, outcomes, noise, best)


def _draw(rng: np.random.Generator, kernel: type[Stationary], lengthscale: float) -> Callable[[np.ndarray], np.ndarray]:
    """A function of two parameters: exact on a grid of 31 × 31, the interpolation of its own process between."""
    nodes, own, lower = _process(kernel, lengthscale)
    weights = np.linalg.solve(lower.T, rng.normal(size=len(nodes)))
    while np.max(lower @ (lower.T @ weights)) < 1.0:  # there is a safe start
        weights = np.linalg.solve(lower.T, rng.normal(size=len(nodes)))
    return lambda rows: np.asarray(own(rows, nodes)) @ weights


@cache
def _process(kernel: type[Stationary], lengthscale: float) -> tuple[np.ndarray, Stationary, np.ndarray]:
    nodes, own = _grid(31, 2), kernel(lengthscale=lengthscale)
    return nodes, own, np.linalg.cholesky(np.asarray(own(nodes)) + 1e-9 * np.eye(len(nodes)))


def _grid(count: int, d: int) -> np.ndarray:
    side = np.linspace(0.0, 1.0, count)
    return np.stack(np.meshgrid(*[side] * d, indexing="ij"), axis=-1).reshape(-1, d)
