"""The races of suggestions with BoTorch: SingleTaskGP with its default priors, LogEI, 10 restarts, 512 raw samples.

Rows are scaled to the unit cube, values standardized; a Sobol design of twice the parameters comes first, as credo's.
With noise the acquisition is qLogNoisyExpectedImprovement. In mixed spaces the model is MixedSingleTaskGP, and the
acquisition is maximized by alternating, with the same restarts and samples.
"""

import time
from typing import Any

import numpy as np

from benchmarks.decide.problems import Choice, Integer, Objective, Point, Problem, Real

__all__ = ["identity", "minimized"]

RESTARTS, RAW = 10, 512


def identity() -> str:
    """What the results depend on besides problem and seed."""
    import botorch

    return f"BoTorch {botorch.__version__}"


def _decoded(row: Any, problem: Problem) -> Point:
    point: dict[str, Any] = {}
    for value, (name, parameter) in zip(np.asarray(row), problem.parameters.items(), strict=True):
        match parameter:
            case Real(low, high):
                point[name] = low + (high - low) * float(value)
            case Integer():
                point[name] = round(float(value))
            case Choice(options):
                point[name] = options[round(float(value))]
    return point


def _bounds(problem: Problem) -> Any:
    """Of the rows: the unit interval, whole numbers, codes."""
    import torch

    ends = {Real: lambda p: (0.0, 1.0), Integer: lambda p: (p.low, p.high), Choice: lambda p: (0, len(p.options) - 1)}
    return torch.tensor([ends[type(p)](p) for p in problem.parameters.values()], dtype=torch.float64).T


def _design(problem: Problem, bounds: Any, seed: int) -> Any:
    import torch

    unit = torch.quasirandom.SobolEngine(len(problem.parameters), scramble=True, seed=seed)
    rows = unit.draw(2 * len(problem.parameters), dtype=torch.float64)
    whole = torch.tensor([not isinstance(p, Real) for p in problem.parameters.values()])
    levels = torch.floor(bounds[0] + rows * (bounds[1] - bounds[0] + 1.0)).clamp(max=bounds[1])
    return torch.where(whole, levels, rows)


def _model(problem: Problem, X: Any, Y: Any, bounds: Any) -> Any:
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import MixedSingleTaskGP, SingleTaskGP
    from botorch.models.transforms import Normalize
    from gpytorch.mlls import ExactMarginalLogLikelihood

    codes = [j for j, p in enumerate(problem.parameters.values()) if isinstance(p, Choice)]
    if codes:
        others = [j for j in range(X.shape[1]) if j not in codes]
        scaled = Normalize(d=X.shape[1], indices=others, bounds=bounds[:, others])
        model: Any = MixedSingleTaskGP(X, Y, cat_dims=codes, input_transform=scaled)
    else:
        model = SingleTaskGP(X, Y)  # which standardizes Y itself
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def _maximized(problem: Problem, model: Any, X: Any, Y: Any, bounds: Any) -> Any:
    from botorch.acquisition import LogExpectedImprovement
    from botorch.acquisition.logei import qLogNoisyExpectedImprovement
    from botorch.optim import optimize_acqf
    from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating

    gain: Any = qLogNoisyExpectedImprovement(model, X) if problem.noise else LogExpectedImprovement(model, Y.max())
    if not problem.mixed:
        return optimize_acqf(gain, bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW)[0]
    parameters = list(problem.parameters.values())
    steps = {j: list(range(p.low, p.high + 1)) for j, p in enumerate(parameters) if isinstance(p, Integer)}
    codes = {j: list(range(len(p.options))) for j, p in enumerate(parameters) if isinstance(p, Choice)}
    return optimize_acqf_mixed_alternating(
        gain,
        bounds,
        discrete_dims=steps,  # type: ignore[arg-type]
        cat_dims=codes,  # type: ignore[arg-type]
        q=1,
        num_restarts=RESTARTS,
        raw_samples=RAW,
    )[0]


def minimized(problem: Problem, seed: int, evaluations: int | None = None) -> tuple[Point, list[float]]:
    """The recommended point after all evaluations, and the seconds of each ask.

    Without noise it is the best that was seen, with noise that of the best posterior mean among those seen.
    """
    import torch

    torch.manual_seed(seed)
    bounds, objective = _bounds(problem), Objective(problem, seed)
    X = _design(problem, bounds, seed)
    seconds = [0.0] * len(X)
    Y = -torch.tensor([[objective(_decoded(row, problem))] for row in X], dtype=torch.float64)
    while len(X) < (evaluations or problem.evaluations):
        start = time.perf_counter()
        new = _maximized(problem, _model(problem, X, Y, bounds), X, Y, bounds)
        seconds.append(time.perf_counter() - start)
        X = torch.cat([X, new])
        Y = torch.cat([Y, -torch.tensor([[objective(_decoded(new[0], problem))]], dtype=torch.float64)])
    believed = Y if not problem.noise else _model(problem, X, Y, bounds).posterior(X).mean.detach()
    return _decoded(X[int(believed.argmax())], problem), seconds
