r"""Least mean squares: linear regression by one row at a time.

$\theta \leftarrow \theta + \eta_t\,(y - \theta^\top x)\,x$ with $\eta_t = \eta_0\,(1 + t/t_0)^{-\kappa}$ (Widrow & Hoff
1960). Steps with $\sum\eta_t = \infty$ and $\sum\eta_t^2 < \infty$, which is ½ < κ ≤ 1, lead to the least squares
solution (Robbins & Monro 1951); the mean of all θ on the way has its asymptotic variance too (Polyak & Juditsky 1992).
A step turns the error of its own row into $(1 - \eta\lVert x\rVert^2)$ of it, so errors grow where η is above
$2/\lVert x\rVert^2$. Without an $\eta_0$ it is one over the largest $\lVert x\rVert^2$ so far: known from the rows that
were seen, so that rows in pieces are the same as in one, and never above that bound.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jaxtyping import Float
from scipy import sparse

from credo.errors import NumericalError
from credo.numerics.certificate import Certificate, Solution

__all__ = ["LMSState", "StepSchedule", "least_mean_squares"]

_BLOCK = 256  # rows that one compiled loop takes, whatever the number of rows


class StepSchedule(NamedTuple):
    """η₀ (None: from the rows), t₀ and κ; κ = 0 is a constant step, which follows a change and does not converge."""

    step: float | None = None
    delay: float = 100.0
    decay: float = 0.75


class LMSState(NamedTuple):
    """All that further rows need: θ, the mean of every θ so far, the largest ‖x‖² so far, and the number of steps."""

    theta: Float[np.ndarray, " p"] | Float[Array, " p"]
    average: Float[np.ndarray, " p"] | Float[Array, " p"]
    largest: Any
    steps: Any

    @classmethod
    def zero(cls, columns: int) -> "LMSState":
        """Before any row."""
        return cls(np.zeros(columns), np.zeros(columns), 0.0, 0)


def least_mean_squares(
    state: LMSState,
    X: np.ndarray | sparse.sparray,
    y: Float[np.ndarray, " n"],
    schedule: StepSchedule,
    *,
    intercept: bool = True,
    averaged: bool = False,
    passes: int = 1,
    who: str = "least_mean_squares",
) -> Solution[LMSState]:
    """Go on from a state through the rows in their order, `passes` times. O(n p), and rows in pieces are the same.

    With an `intercept` it is the last entry of θ. The certificate has, for a residual, the gradient of the mean squared
    error on these rows relative to that at zero, at θ or where `averaged` at its mean.

    >>> X = np.tile([[-1.0], [0.0], [1.0]], (400, 1))
    >>> found = least_mean_squares(LMSState.zero(2), X, 3.0 + 2.0 * X[:, 0], StepSchedule())
    >>> found.value.theta.round(3).tolist()
    [2.0, 3.0]
    """
    start = state
    for _ in range(passes):
        state = _through(state, X, y, schedule, intercept)
    with np.errstate(over="ignore", invalid="ignore"):
        before, after = (_errors(X, y, each.theta, intercept) for each in (start, state))
        at = _errors(X, y, state.average, intercept) if averaged else after
        zero = _gradient(X, y, intercept)
        left = _gradient(X, at, intercept)
        _refuse_divergence(X, before, after, state, schedule, intercept, who)
    relative = left / zero if zero > 0.0 else left
    return Solution(state, _certificate(int(state.steps), relative, schedule))


@jax.jit
def _steps(
    state: LMSState, rows: Array, targets: Array, count: Array, step: Array, delay: Array, decay: Array
) -> LMSState:
    """The first `count` rows of a block: a loop of its own length, so that every number of rows is the same code."""

    times = state.steps + jnp.arange(_BLOCK)
    largest = lax.cummax(jnp.maximum(jnp.sum(rows * rows, axis=1), state.largest))
    first = jnp.where(step > 0.0, step, 1.0 / jnp.where(largest > 0.0, largest, 1.0))
    eta = first * (1.0 + times / delay) ** -decay

    def learn(i: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        theta, average = now
        theta = theta + eta[i] * (targets[i] - jnp.sum(theta * rows[i])) * rows[i]
        return theta, average + (theta - average) / (times[i] + 1)

    theta, average = lax.fori_loop(0, count, learn, (state.theta, state.average))
    return LMSState(theta, average, largest[count - 1], state.steps + count)


def _through(state: LMSState, X: Any, y: np.ndarray, schedule: StepSchedule, intercept: bool) -> LMSState:
    numbers = [np.float64(value) for value in (schedule.step or 0.0, schedule.delay, schedule.decay)]
    now = LMSState(*(np.asarray(part, dtype=kind) for part, kind in zip(state, "ddd" + "l", strict=True)))
    for start in range(0, X.shape[0], _BLOCK):
        part = X[start : start + _BLOCK]
        rows = np.zeros((_BLOCK, X.shape[1] + intercept))
        rows[:, X.shape[1] :] = 1.0
        rows[: part.shape[0], : X.shape[1]] = part.toarray() if sparse.issparse(part) else part
        targets = np.zeros(_BLOCK)
        targets[: part.shape[0]] = y[start : start + _BLOCK]
        now = _steps(now, rows, targets, np.int64(part.shape[0]), *numbers)
    return LMSState(np.asarray(now.theta), np.asarray(now.average), float(now.largest), int(now.steps))


def _errors(X: Any, y: np.ndarray, theta: Any, intercept: bool) -> np.ndarray:
    return y - X @ theta[: X.shape[1]] - (theta[-1] if intercept else 0.0)


def _gradient(X: Any, errors: np.ndarray, intercept: bool) -> float:
    """The length of the gradient of half the mean squared error, where the errors are these."""
    slopes = X.T @ errors / len(errors)
    return float(np.hypot(np.linalg.norm(slopes), intercept * np.mean(errors)))


def _refuse_divergence(
    X: Any, before: np.ndarray, after: np.ndarray, state: LMSState, schedule: StepSchedule, intercept: bool, who: str
) -> None:
    """Errors that have grown, with a step above the bound, or are no numbers."""
    finite = bool(np.all(np.isfinite(after)) and np.all(np.isfinite(state.average)) and np.isfinite(state.largest))
    bound = 2.0 / (float((X * X).sum()) / X.shape[0] + intercept)
    above = schedule.step is not None and schedule.step >= bound
    if finite and not (above and np.mean(after**2) > np.mean(before**2)):
        return
    used = "1/max‖x‖²" if schedule.step is None else f"{schedule.step:g}"
    raise NumericalError(
        who,
        f"the steps diverge: they begin at {used}, and are stable below 2/mean‖x‖² = {bound:.3g} of these rows",
        "The step is too large for the units of the columns" if above else "Values are too large",
        f"Try step=None, a step below {bound / 2.0:.2g}, or standardized columns",
    )


def _certificate(steps: int, relative: float, schedule: StepSchedule) -> Certificate:
    notes = [
        "the residual is the gradient of the mean squared error on the rows of this call, relative to that at zero"
    ]
    if schedule.decay == 0.0:
        notes.append("a constant step follows a change and does not converge: the coefficients go on moving")
    return Certificate("heuristic", iterations=steps, residual=relative, notes=tuple(notes))
