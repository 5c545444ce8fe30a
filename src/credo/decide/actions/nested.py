"""The value of an observation that is known by its likelihood only: simulate it, and weigh values of y by it."""

import math
from typing import Any, NamedTuple

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

_FEWEST = 256  # simulated observations
_DRAWS_EACH = 16  # draws that buy one observation
_SHARED = 8  # observations with the same values of y
_VALUES = 22.6  # values of y per root of the draws: 2048 of them at 8192 draws
_NUMBERS = 2**20  # weights in memory at once
_FEW = 20.0  # values of y that count after seeing, below which it is said


class _Plan(NamedTuple):
    """How many observations are simulated, and how many values of y each is weighed against."""

    observations: int
    values: int


def _plan(draws: int) -> _Plan:
    """The noise of m observations is of order 1/√m and the bias of n values of order 1/n, so that n grows as √m does:
    then both fall as 1/√draws, and no other split is cheaper for the same error (Rainforth et al. 2018)."""
    observations = max(_SHARED * (draws // (_SHARED * _DRAWS_EACH)), _FEWEST)
    return _Plan(observations, 2 * max(round(0.5 * _VALUES * math.sqrt(draws)), 4))


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

    M = `draws` / 16 observations z (256 at least) are simulated from draws of y. For each, N = 22.6 √`draws` other
    draws of y (all values, where they are finitely many) are weighted by $p(z \mid y)$, which is the belief after. With
    N values the gain is too large by a term of order 1/N; it is measured by halving N and subtracted, and its size is
    part of the error (Rainforth et al. 2018; the correction is Richardson's). Four times the draws halve the error at
    eight times the cost, which is O(draws^1.5 · actions) per row, row by row.
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
    plan = _plan(draws)
    each = "" if math.isinf(fewest) else f", {plan.values} values of y for each"
    notes: tuple[str, ...] = (f"{plan.observations} simulated observations{each}",)
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
    support, plan = support_of(belief), _plan(draws)
    seen = _observed(observation, np.asarray(belief.sample(plan.observations, rng)), rng)
    values = plan.values if support is None else len(support.y)
    groups = max(1, _NUMBERS // (_SHARED * values))  # whose weights fit into memory
    blocks = [seen[begin : begin + _SHARED * groups] for begin in range(0, len(seen), _SHARED * groups)]
    if support is not None:
        y, weights = support.y, support.weights
        found = [
            _gains(belief, loss, actions, start, observation, z, np.broadcast_to(y, (len(z), *y.shape)), weights)[0]
            for z in blocks
        ]
        gains = np.concatenate(found)
        return float(np.mean(gains)), float(standard_error(gains)), np.inf
    parts = [_corrected(belief, loss, actions, start, observation, z, values, rng) for z in blocks]
    corrected, bias = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    # Observations that share values of y have gains that depend on each other: the error is that of group means.
    noise = standard_error(np.mean(corrected.reshape(-1, _SHARED), axis=1))
    count = float(np.median([part[2] for part in parts]))
    return max(float(np.mean(corrected)), 0.0), float(np.hypot(noise, np.mean(bias))), count


def _corrected(
    belief: Belief,
    loss: Loss,
    actions: Any,
    start: Any,
    observation: Likelihood,
    seen: np.ndarray,
    values: int,
    rng: np.random.Generator,
) -> tuple[Float[np.ndarray, " M"], Float[np.ndarray, " M"], float]:
    """Gains without the bias of finitely many values, that bias, and the typical number of values that count."""
    y = np.repeat(np.asarray(belief.sample((len(seen) // _SHARED, values), rng)), _SHARED, axis=0)
    even = np.full(values, 1.0 / values)
    whole, count = _gains(belief, loss, actions, start, observation, seen, y, even)
    halves = [_gains(belief, loss, actions, start, observation, seen, y[:, k::2], 2.0 * even[k::2])[0] for k in (0, 1)]
    half = 0.5 * (halves[0] + halves[1])
    return 2.0 * whole - half, half - whole, count


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
