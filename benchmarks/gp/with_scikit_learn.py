"""The peer scikit-learn: Matérn-5/2 with a length-scale a column and noise, by its own L-BFGS-B."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from benchmarks.gp.problem import NOISE_FLOOR, STOPPING, Fitted, Moments, Units, settled


def fit(x: np.ndarray, y: np.ndarray, starts: np.ndarray, iterations: int = STOPPING["maxiter"]) -> Fitted:
    """The best of one search from each of the `starts`; its bounds are scikit-learn's, but for the noise."""
    units = Units.of(x, y)
    model = GaussianProcessRegressor(
        _kernel(np.exp(starts[0])),
        optimizer=_from(starts, iterations),
        n_restarts_optimizer=len(starts) - 1,
        normalize_y=True,
        random_state=0,
    )
    return _fitted(model.fit(units.inputs(x), y), units)


def fit_as_it_comes(x: np.ndarray, y: np.ndarray, restarts: int, start: np.ndarray, seed: int) -> Fitted:
    """With its own random restarts (uniform between its bounds, ten decades wide) and its own stopping rule."""
    units = Units.of(x, y)
    model = GaussianProcessRegressor(
        _kernel(np.exp(start)), n_restarts_optimizer=restarts, normalize_y=True, random_state=seed
    )
    return _fitted(model.fit(units.inputs(x), y), units)


def _kernel(values: np.ndarray) -> Any:
    noise = WhiteKernel(values[-1], noise_level_bounds=(NOISE_FLOOR, 1e5))
    return ConstantKernel(values[0]) * Matern(values[1:-1], nu=2.5) + noise


def _from(starts: np.ndarray, iterations: int) -> Callable:
    """scikit-learn's own search, but from these starts: it calls this once a start."""
    waiting = iter(starts)

    def search(objective: Callable, _: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, float]:
        start = np.clip(next(waiting), *bounds.T)
        settings = {"method": "L-BFGS-B", "jac": True, "bounds": bounds, "options": {**STOPPING, "maxiter": iterations}}
        found = minimize(objective, start, callback=settled(), **settings)
        return found.x, found.fun

    return search


def _fitted(model: Any, units: Units) -> Fitted:
    values = np.exp(model.kernel_.theta)

    def predict(new: np.ndarray) -> Moments:
        return model.predict(units.inputs(new), return_std=True)

    return Fitted(float(values[0]), values[1:-1], float(values[-1]), predict)
