"""The value of an observation that is known by its likelihood only: simulate it, and weigh values of y by it."""

from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from credo.beliefs import Belief, Bernoulli, Categorical, Empirical
from credo.beliefs.codes import Codes
from credo.decide.actions.decision import Decision, bayes_action, standard_error
from credo.decide.actions.expectations import support_of
from credo.decide.actions.loss import Loss
from credo.decide.actions.observations import Likelihood
from credo.errors import InputError
from credo.numerics import as_key, as_seed
from credo.numerics.concrete import placed

__all__ = ["simulated_gain"]

_SEEN = 512  # simulated observations
_GROUPS = 64  # of them, each with its own values of y
_FEW = 20.0  # values of y that count after seeing, below which it is said


def simulated_gain(
    belief: Belief,
    loss: Loss,
    actions: Any,
    now: Decision,
    observation: Likelihood,
    draws: int,
    random_state: Any,
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    r"""The mean gain over simulated observations, its error, and notes; one a row.

    Observations z are simulated from draws of y. For each, `draws` / 4 other draws of y (all values, where they are
    finitely many) are weighted by $p(z \mid y)$, which is the belief after. With N values the gain is too large by a
    term of order 1/N; it is measured by halving N and taken off, and its size is part of the error (Rainforth et al.
    2018; the correction is Richardson's). Cost: O(512 · draws · actions) a row, row by row.
    """
    key = jax.random.fold_in(as_key(as_seed(random_state)), 2)
    rng = np.random.default_rng(as_seed(key))
    rows = [belief] if not belief.batch_shape else [belief[i] for i in np.ndindex(belief.batch_shape)]
    found = [
        _one_row(row, loss, actions, start, observation, draws, rng)
        for row, start in zip(rows, _starts(now), strict=True)
    ]
    gains, errors = (np.array([f[k] for f in found]).reshape(belief.batch_shape) for k in (0, 1))
    fewest = min(f[2] for f in found)
    notes: tuple[str, ...] = (f"{_SEEN} simulated observations",)
    if fewest < _FEW:
        notes += (f"only about {fewest:.0f} values of y agree with a typical observation: more draws are needed",)
    return gains, errors, notes


def _starts(now: Decision) -> list[Any]:
    """The action that is best now, of each row: its number, or itself among all numbers."""
    return np.asarray(now.action if now.actions is None else now.index).reshape(-1).tolist()


def _one_row(
    belief: Belief, loss: Loss, actions: Any, start: Any, observation: Likelihood, draws: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Gain, error, and how many values of y count after a typical observation."""
    support = support_of(belief)
    seen = _observed(observation, np.asarray(belief.sample(_SEEN, rng)), rng)
    if support is not None:
        y = np.broadcast_to(support.y, (_SEEN, *support.y.shape))
        gains, _ = _gains(belief, loss, actions, start, observation, seen, y, support.weights)
        return float(np.mean(gains)), float(standard_error(gains)), np.inf
    n = 2 * max(draws // 8, 4)
    # Observations that share values of y have gains that depend on each other: the error is that of group means.
    y = np.repeat(np.asarray(belief.sample((_GROUPS, n), rng)), _SEEN // _GROUPS, axis=0)
    even = np.full(n, 1.0 / n)
    whole, count = _gains(belief, loss, actions, start, observation, seen, y, even)
    halves = [_gains(belief, loss, actions, start, observation, seen, y[:, k::2], 2.0 * even[k::2])[0] for k in (0, 1)]
    half = 0.5 * (halves[0] + halves[1])
    bias = float(np.mean(half - whole))
    corrected = 2.0 * whole - half
    error = float(np.hypot(standard_error(np.mean(corrected.reshape(_GROUPS, -1), axis=1)), bias))
    return max(float(np.mean(corrected)), 0.0), error, count


def _observed(observation: Likelihood, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    seen = np.asarray(observation.draw(y, rng))
    if seen.shape[:1] != y.shape[:1]:
        what = f"draw returned the shape {seen.shape} for y of shape {y.shape}"
        raise InputError("Likelihood", what, "There is one observation a y", "Return as many")
    return seen


def _gains(
    belief: Belief, loss: Loss, actions: Any, start: Any, observation: Likelihood, seen: Any, y: Any, prior: Any
) -> tuple[Float[np.ndarray, " M"], float]:
    """For each observation, how much better the best action after it is than the one before; and the typical number
    of values of y that count."""
    log_weights = np.asarray(observation.log_density(seen[:, None], y), dtype=np.float64)
    if log_weights.shape != y.shape[:2] or not np.all(log_weights < np.inf):
        what = f"log_density returned the shape {log_weights.shape}, or is not a number"
        cause = f"It was asked for {len(seen)} observations, {y.shape[1]} values of y each"
        raise InputError("Likelihood", what, cause, "Make it broadcast z against y")
    with np.errstate(divide="ignore"):
        log_weights = log_weights + np.log(prior)
    largest = np.max(log_weights, axis=1, keepdims=True)
    _refuse_impossible(int(np.sum(largest == -np.inf)), *y.shape[:2])
    weights = np.exp(log_weights - largest)
    weights /= np.sum(weights, axis=1, keepdims=True)
    after = bayes_action(_posterior(belief, y, weights), loss, actions)
    before = after.losses[:, start] if after.actions is not None else np.sum(weights * loss.of(start, y), axis=1)
    count = float(np.median(1.0 / np.sum(weights**2, axis=1)))
    return before - np.asarray(after.expected_loss), count


def _refuse_impossible(alone: int, observations: int, values: int) -> None:
    """Refuse observations that no value of y explains: there is no belief after them."""
    if alone:
        raise InputError(
            "value_of_information",
            f"{alone} of {observations} simulated observations have likelihood zero at all {values} draws of y",
            "The likelihood is zero outside a range that is narrow for so few draws, or draw and log_density disagree",
            "Pass more draws, or a likelihood with tails",
        )


def _posterior(belief: Belief, y: np.ndarray, weights: Float[np.ndarray, "M N"]) -> Belief:
    if isinstance(belief, Codes):
        return Categorical(placed(weights))
    if isinstance(belief, Bernoulli):
        return Bernoulli(placed(weights[:, 1]))
    return Empirical(placed(y), placed(weights), event_ndim=len(belief.event_shape))
