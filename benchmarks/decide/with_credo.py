"""The races of suggestions with `credo.Study` and its defaults."""

import ast
import hashlib
import time
from pathlib import Path

import numpy as np

from benchmarks.decide.problems import Choice, Integer, Objective, Parameter, Point, Problem, Real
from benchmarks.race import ROOT

__all__ = ["identity", "identity_of", "minimized"]


_PARTS = ("numerics", "beliefs", "kernels", "represent/space", "infer", "models/gp", "decide")


def identity() -> str:
    """What the results depend on besides problem and seed: the sources of what a study is made of."""
    return identity_of(_PARTS)


def identity_of(parts: tuple[str, ...]) -> str:
    """A hash of some parts of credo's sources; comments and docstrings do not change it."""
    digest = hashlib.sha256()
    for part in parts:
        for file in sorted((ROOT / "src" / "credo" / part).rglob("*.py")):
            digest.update(code_of(file).encode())
    return f"credo {digest.hexdigest()[:12]}"


def code_of(file: Path) -> str:
    """The syntax tree of a file without its docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


def minimized(problem: Problem, seed: int, evaluations: int | None = None) -> tuple[Point, list[float]]:
    """The recommended point after all evaluations, and the seconds of each ask, tell included.

    Without noise it is the best that was seen, with noise that of the best posterior mean among those seen.
    """
    from credo import Study
    from credo.represent.space import Space

    space = Space({name: _parameter(parameter) for name, parameter in problem.parameters.items()})
    study = Study(space, acquisition="kg" if problem.noise else "log_ei", random_state=seed)
    objective, seconds = Objective(problem, seed), []
    for _ in range(evaluations or problem.evaluations):
        start = time.perf_counter()
        trial = study.ask()
        asked = time.perf_counter() - start
        value = objective(trial.params)
        start = time.perf_counter()
        study.tell(trial, value)
        seconds.append(asked + time.perf_counter() - start)
    if not problem.noise:
        return study.best.params, seconds
    points = [trial.params for trial in study.trials]
    return points[int(np.argmin(np.asarray(study.posterior(points).mean)))], seconds


def _parameter(parameter: Parameter) -> object:
    from credo.represent import space

    match parameter:
        case Real(low, high):
            return space.Real(low, high)
        case Integer(low, high):
            return space.Integer(low, high)
        case Choice(options):
            return space.Choice(*options)
