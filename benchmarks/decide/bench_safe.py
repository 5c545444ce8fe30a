"""Safe optimization on functions drawn from a Gaussian process: unsafe queries and regret, SafeStudy against SafeOpt.

Both start at one safe point, promise the same probability and have the same surrogate: the right process, one whose
length-scale is twice too long, or one that they have to learn. SafeOpt is credo's own (`strategy="safeopt"`, without
audit); of the package of that name no set of dependencies could be installed beside Python 3.11.

A second table has five problems that are no draws of the surrogate, each begun at one point or two, where a promise is
hardest to keep: the share of unsafe queries of the first one, of the four after it, and of all.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import ndimage

from benchmarks.decide.safe_problems import PROBLEMS
from benchmarks.race import Race, Row, table
from credo.decide.safe import SafeStudy
from credo.kernels import Matern52
from credo.models import GPRegressor
from credo.represent.space import Real, Space

SEEDS, QUERIES, PROBABILITY = 50, 30, 0.95
STARTS, STEPS = 100, 15  # seeds of each of the five problems, and queries after the measurements of its safe points
FIRST = 1000  # of the seeds: those below were looked at while the defaults were chosen
LENGTHSCALE, NOISE, LIMIT = 0.2, 0.05, -0.3
SPACE = Space({"a": Real(0, 1), "b": Real(0, 1)})
CONTESTANTS: dict[str, dict[str, Any]] = {
    "SafeStudy (ITL, audited)": {"strategy": "itl"},
    "SafeOpt": {"strategy": "safeopt", "audit": False},
}


class Problem(NamedTuple):
    """A function, a safe point of it, and the best value of what can be reached from there through safe points."""

    function: Callable[[dict[str, float]], float]
    start: dict[str, float]
    best: float


def square(count: int) -> np.ndarray:
    """A grid over the unit square."""
    side = np.linspace(0.0, 1.0, count)
    return np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)


class Draws:
    """Functions drawn from the process: exact on a grid of 26 × 26, its own interpolation between."""

    def __init__(self) -> None:
        self.kernel = Matern52(lengthscale=LENGTHSCALE)
        self.nodes, self.fine = square(26), square(101)
        covariance = np.asarray(self.kernel(self.nodes)) + 1e-9 * np.eye(len(self.nodes))
        self.lower = np.linalg.cholesky(covariance)
        self.inverse = np.linalg.inv(covariance)
        self.cross = np.asarray(self.kernel(self.fine, self.nodes))

    def problem(self, seed: int) -> Problem:
        """One whose safe part around the start is a fifth to nine tenths of the square."""
        rng = np.random.default_rng(seed)
        while True:
            weights = self.inverse @ (self.lower @ rng.normal(size=len(self.nodes)))
            values = (self.cross @ weights).reshape(101, 101)
            starts = np.argwhere(values > LIMIT + 0.5)
            if not len(starts):
                continue
            i, j = starts[rng.integers(len(starts))]
            parts = ndimage.label(values >= LIMIT)[0]
            reachable = parts == parts[i, j]
            if 0.2 < np.mean(reachable) < 0.9:
                break

        def function(point: dict[str, float]) -> float:
            return float((np.asarray(self.kernel([[point["a"], point["b"]]], self.nodes)) @ weights)[0])

        return Problem(function, {"a": i / 100.0, "b": j / 100.0}, float(np.max(values[reachable])))


def known(lengthscale: float) -> GPRegressor:
    """The process with this length-scale, as it is."""
    kernel = Matern52(lengthscale=np.full(2, lengthscale))
    return GPRegressor(kernel=kernel, noise_variance=NOISE**2, inference=None, standardize=False)


SURROGATES = {
    "the right process": known(LENGTHSCALE),
    "length-scale twice too long": known(2.0 * LENGTHSCALE),
    "learnt": None,
}


def run(problem: Problem, seed: int, queries: int, **settings: Any) -> tuple[int, float, list[float]]:
    """Unsafe queries, regret of what is said to be best, and the seconds of each ask."""
    rng = np.random.default_rng([seed, 1])
    study = SafeStudy(
        SPACE,
        safety=[f"value >= {LIMIT}"],
        seeds=[problem.start],
        direction="maximize",
        probability=PROBABILITY,
        random_state=seed,
        **settings,
    )
    unsafe, seconds = 0, []
    for _ in range(queries):
        began = time.perf_counter()
        trial = study.ask()
        seconds.append(time.perf_counter() - began)
        value = problem.function(trial.params)
        unsafe += value < LIMIT
        study.tell(trial, value + NOISE * rng.normal())
    return unsafe, problem.best - problem.function(study.best.params), seconds


def row_of(case: str, name: str, problems: list[Problem], queries: int) -> Row:
    """One contestant on all problems."""
    settings = {"surrogate": SURROGATES[case], **CONTESTANTS[name]}
    results = [run(p, seed, queries, **settings) for seed, p in enumerate(problems, FIRST)]
    unsafe = np.array([result[0] for result in results])
    regret = np.array([result[1] for result in results])
    return {
        "surrogate": case,
        "implementation": name,
        "unsafe queries": f"{np.sum(unsafe) / (queries * len(problems)):.2%}",
        "promised at most": f"{1.0 - PROBABILITY:.2%}",
        "median regret": float(np.median(regret)),
        "upper quartile": float(np.quantile(regret, 0.75)),
        "median ask (ms)": 1e3 * float(np.median([s for result in results for s in result[2]])),
    }


def from_the_start(name: str, seed: int, steps: int) -> tuple[np.ndarray, float]:
    """Of one study of a problem, which queries after those of its safe points were unsafe, and the regret."""
    problem, rng = PROBLEMS[name](seed), np.random.default_rng([seed, 9])
    study = SafeStudy(problem.space, probability=PROBABILITY, random_state=seed, **problem.settings)
    unsafe = []
    for _ in range(len(problem.seeds) + steps):
        trial = study.ask()
        outcomes = problem.outcomes(trial.params)
        unsafe.append(not problem.keeps(outcomes))
        study.tell(trial, {key: value + problem.noise * rng.normal() for key, value in outcomes.items()})
    return np.array(unsafe[-steps:]), problem.regret(study.best.params)


def start_row(name: str, seeds: int, steps: int) -> Row:
    """One problem from as many starts."""
    results = Parallel(n_jobs=-1)(delayed(from_the_start)(name, FIRST + i, steps) for i in range(seeds))
    unsafe = np.array([result[0] for result in results])
    before = [PROBLEMS[name](FIRST + i) for i in range(seeds)]
    return {
        "problem": name,
        "seeds": seeds,
        "unsafe first queries": f"{np.mean(unsafe[:, 0]):.1%}",
        "unsafe in queries 2 to 5": f"{np.mean(unsafe[:, 1:5]):.1%}",
        f"unsafe in all {steps}": f"{np.mean(unsafe):.1%}",
        "promised at most": f"{1.0 - PROBABILITY:.1%}",
        "median regret": float(np.median([result[1] for result in results])),
        "regret of the start": float(np.median([problem.regret(problem.seeds[0]) for problem in before])),
    }


def race(seeds: int = SEEDS, queries: int = QUERIES, starts: int = STARTS, steps: int = STEPS) -> Race:
    """One row a surrogate and contestant; then, as a note, one row a problem."""
    draws = Draws()
    problems = [draws.problem(FIRST + i) for i in range(seeds)]
    rows = [row_of(case, name, problems, queries) for case in SURROGATES for name in CONTESTANTS]
    text = (
        f"{seeds} functions drawn from a Matérn-5/2 process over the unit square (length-scale {LENGTHSCALE}, standard "
        f"deviation 1), to be maximized where they are at least {LIMIT}, from one safe point, with noise of standard "
        f"deviation {NOISE}, in {queries} queries, each promised to be safe with probability {PROBABILITY:.0%}. Regret "
        "is to the best value that can be reached through safe points, of the measured point that each says is best, "
        "by the same rule. SafeOpt is credo's own, with the same surrogate and the same probability; the package of "
        "that name was not raced, since no set of its dependencies could be installed beside Python 3.11."
    )
    about = (
        f"The learned surrogate on five other problems, each from {starts} starts at one safe point (the noisy draw: "
        f"two), in {steps} queries after the measurements of these. Only queries that were suggested are counted."
    )
    return Race("Safe optimization", text, rows, (about, table([start_row(name, starts, steps) for name in PROBLEMS])))


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("safe", race())
