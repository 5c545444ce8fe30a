"""Which model a study learns with: the default Gaussian process, one of the user's, or any estimator."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.base import clone

from credo.decide.acquisitions.tabulated import HostSurface
from credo.decide.study.setup import Setup
from credo.decide.study.sparse import sparse_kernel
from credo.decide.study.surrogate import Learned, learn_objective, learned_by, standardized, starting_kernel
from credo.errors import InputError
from credo.models import GPRegressor
from credo.represent.space import Space

__all__ = ["is_single_process", "learn", "require_surrogate"]

_CENTRAL = 0.6827  # of a normal, within one standard deviation
_VARIANCES = (1e-12, 1e12)  # between which those of an estimator are taken, of a standardized objective


def require_surrogate(surrogate: Any) -> None:
    """Refuse what cannot be learnt with."""
    if surrogate is None or (hasattr(surrogate, "predict_dist") and hasattr(surrogate, "fit")):
        return
    raise InputError(
        "Study",
        f"surrogate is {surrogate!r}",
        "It is an estimator with fit and predict_dist",
        'Try GPRegressor(inference="mcmc"), or leave it out',
    )


def is_single_process(setup: Setup) -> bool:
    """Whether what is learnt is one Gaussian process: of which functions are drawn, and trials imagined."""
    own = setup.surrogate
    return own is None or (isinstance(own, GPRegressor) and own.inference != "mcmc")


def learn(
    setup: Setup,
    rows: Float[np.ndarray, "n d"],
    values: Float[np.ndarray, " n"],
    *,
    start: Sequence[float] | None = None,
    seed: int = 0,
    warped: bool = False,
) -> Learned:
    """The belief about one outcome after measurements at encoded rows, `warped` where it is the default one."""
    if setup.surrogate is None:
        kernel = sparse_kernel(setup.space) if setup.has_many_parameters else None
        return learn_objective(
            setup.space, rows, values, start=start, restarts=1, seed=seed, kernel=kernel, warped=warped
        )
    if isinstance(setup.surrogate, GPRegressor):
        return _given_process(setup.surrogate, setup.space, rows, values, seed)
    return _given_estimator(setup.surrogate, setup.space, rows, values, seed)


def _given_process(model: GPRegressor, space: Space, rows: np.ndarray, values: np.ndarray, seed: int) -> Learned:
    """The user's process, in the units of a study."""
    own = _repeatable(clone(model), seed).set_params(standardize=False)
    if own.inference == "auto":
        own.set_params(inference="map")  # of which functions are drawn, and trials imagined
    if own.kernel is None:
        own.set_params(kernel=starting_kernel(space))  # which knows that codes have no order
    return learned_by(own, space, rows, values)


def _repeatable(estimator: Any, seed: int) -> Any:
    """With a seed where it would draw one itself: a suggestion repeats."""
    if estimator.get_params(deep=False).get("random_state", seed) is None:
        estimator.set_params(random_state=seed)
    return estimator


def _given_estimator(estimator: Any, space: Space, rows: np.ndarray, values: np.ndarray, seed: int) -> Learned:
    """Any estimator, on columns of which unordered choices are taken apart into zeros and ones."""
    standard, center, scale = standardized(values)
    fitted = _repeatable(clone(estimator), seed).fit(taken_apart(space, rows), standard)
    about = fitted.posterior if hasattr(fitted, "posterior") else fitted.predict_dist

    def moments(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        belief = about(taken_apart(space, at))
        return np.asarray(belief.mean)[:, None], _variance(belief)[:, None]

    return Learned(HostSurface(moments), center, scale, [])


def _variance(belief: Any) -> Float[np.ndarray, " m"]:
    """That of the belief; where it has none, that of a normal with the same central two thirds."""
    variance = np.asarray(belief.variance)
    if not np.all(np.isfinite(variance)):
        low, high = (np.asarray(end) for end in belief.interval(_CENTRAL))
        variance = np.where(np.isfinite(variance), variance, (0.5 * (high - low)) ** 2)
    return np.clip(variance, *_VARIANCES)


def taken_apart(space: Space, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
    """The encoding with a column of zeros and ones for each option of an unordered choice."""
    parts = []
    for j, kind in enumerate(space.column_kinds):
        column = rows[:, j : j + 1]
        parts.append(column == np.arange(kind.levels or 0) if kind.kind == "code" else column)
    return np.concatenate(parts, axis=1).astype(np.float64)
