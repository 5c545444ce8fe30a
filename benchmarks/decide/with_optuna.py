"""The races of suggestions with Optuna's GPSampler and its defaults: ten random trials, then LogEI."""

import time
from typing import Any

from benchmarks.decide.problems import Choice, Integer, Objective, Point, Problem, Real

__all__ = ["identity", "minimized"]


def identity() -> str:
    """What the results depend on besides problem and seed."""
    import optuna

    return f"Optuna {optuna.__version__}"


def _suggested(trial: Any, problem: Problem) -> Point:
    point = {}
    for name, parameter in problem.parameters.items():
        match parameter:
            case Real(low, high):
                point[name] = trial.suggest_float(name, low, high)
            case Integer(low, high):
                point[name] = trial.suggest_int(name, low, high)
            case Choice(options):
                point[name] = trial.suggest_categorical(name, options)
    return point


def minimized(problem: Problem, seed: int, evaluations: int | None = None) -> tuple[Point, list[float]]:
    """The best trial after all evaluations, and the seconds of each ask, tell included."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=seed))
    objective, seconds = Objective(problem, seed), []
    for _ in range(evaluations or problem.evaluations):
        start = time.perf_counter()
        trial = study.ask()
        point = _suggested(trial, problem)
        asked = time.perf_counter() - start
        value = objective(point)
        start = time.perf_counter()
        study.tell(trial, value)
        seconds.append(asked + time.perf_counter() - start)
    return study.best_params, seconds
