"""What it is worth to see something before acting: the expected drop of the least expected loss."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from credo.beliefs import Belief, Bernoulli, Categorical, Normal
from credo.decide.actions.decision import (
    Decision,
    bayes_action,
    blocks_of,
    checked_draws,
    losses_at,
    plain,
    standard_error,
)
from credo.decide.actions.expectations import class_probabilities, support_of
from credo.decide.actions.lines import gain_of_lines, lines_of
from credo.decide.actions.loss import Loss
from credo.decide.actions.names import LossLike, as_loss
from credo.decide.actions.nested import simulated_gain
from credo.decide.actions.observations import Likelihood, NoisyMeasurement, Observation, Outcomes, Perfect
from credo.errors import InputError
from credo.numerics import Certificate, as_key, as_seed, ndtri
from credo.numerics.concrete import placed

__all__ = ["Information", "value_of_information"]

_QUANTILES = 128  # of y after a measurement, where a loss has no formula


@dataclass(frozen=True)
class Information:
    """The value of an observation in units of the loss, its Monte Carlo standard error, and the expected loss before.

    One number, or one a row. What is left after seeing is ``before - value``.
    """

    value: Any
    error: Any
    before: Any
    certificate: Certificate

    def __str__(self) -> str:
        if np.ndim(self.value):
            return f"{np.size(self.value)} values of information ({self.certificate})"
        error = f" ± {self.error:.2g}" if self.error else ""
        return f"worth {self.value:.4g}{error} of an expected loss of {self.before:.4g} ({self.certificate})"


def value_of_information(
    belief: Any,
    loss: LossLike,
    actions: Any,
    observation: Any,
    *,
    draws: Any = 8192,
    random_state: Any = 0,
) -> Information:
    r"""$\min_a \mathbb{E}\,L(a, y) - \mathbb{E}_z \min_a \mathbb{E}[L(a, y) \mid z]$, what seeing z first saves.

    It is never negative, and at most that of seeing y itself.

    `loss` and `actions` are those of [](#credo.decide.bayes_action); `observation` is `Perfect()`,
    `NoisyMeasurement(variance)`, `Outcomes(table)` or `Likelihood(draw, log_density)`. Exact are: beliefs of finitely
    many values with `Perfect` or `Outcomes`; normal beliefs with `Perfect` or `NoisyMeasurement` for squared and linear
    losses, and for squared, absolute and pinball loss among all numbers (a normal belief of variance $s^2$ falls to
    $s^2 v/(s^2 + v)$, whatever z). Else the gain over the action that is best now is averaged over draws of what is
    seen; the error is that of this mean, and also of the finitely many values of y that stand for the belief after
    (128 quantiles where it is normal), measured by halving them (Raiffa and Schlaifer 1961, chapter 4; Howard 1966).

    `draws` (8192) sets the accuracy: the error falls as one over its root. A `Likelihood`, and a `NoisyMeasurement` of
    a belief that is not normal, simulate `draws` / 16 observations (256 at least) with 22.6 √`draws` values of y each,
    at a cost of O(draws^1.5 · actions) per row; the certificate states both numbers and the error.

    >>> from credo.beliefs import Normal
    >>> value_of_information(Normal(0.0, 2.0), "squared", None, Perfect()).value
    4.0
    >>> round(value_of_information(Normal(0.0, 2.0), "squared", None, NoisyMeasurement(4.0)).value, 6)
    2.0
    """
    if not isinstance(observation, Observation):
        what = f"observation={observation!r}"
        raise InputError("value_of_information", what, "It says how what is seen is related to y", "Try Perfect()")
    loss, draws = as_loss(loss), checked_draws(draws)
    now = bayes_action(belief, loss, actions, draws=draws, random_state=random_state)
    if isinstance(observation, Outcomes):
        return _of_outcomes(belief, loss, actions, observation, now)
    if isinstance(observation, Perfect):
        return _of_perfect(belief, loss, now, draws, random_state)
    if isinstance(observation, NoisyMeasurement):
        if belief.event_shape:
            what = f"one draw of {belief} is no number"
            raise InputError("value_of_information", what, "A NoisyMeasurement is of a number", "Pass a Likelihood")
        if isinstance(belief, Normal):
            return _of_measurement(belief, loss, observation.variance, now, draws, random_state)
        observation = observation.likelihood()
    assert isinstance(observation, Likelihood)
    gain, error, notes = simulated_gain(belief, loss, actions, now, observation, int(draws), random_state)
    return _estimated(gain, error, now, *notes)


def _of_outcomes(belief: Belief, loss: Loss, actions: Any, observation: Outcomes, now: Decision) -> Information:
    """Bayes' rule for each outcome."""
    prior, table = class_probabilities(belief), np.asarray(observation.table)
    if table.shape[0] != prior.shape[-1]:
        what = f"the table has {table.shape[0]} rows, but the belief {prior.shape[-1]} classes"
        raise InputError("value_of_information", what, "Row y is for class y", "Pass one row a class")
    after = np.zeros(prior.shape[:-1])
    for likelihood in table.T:
        joint = prior * likelihood
        chance = np.sum(joint, axis=-1, keepdims=True)
        posterior = np.where(chance > 0.0, joint / np.where(chance > 0.0, chance, 1.0), prior)
        seen = Bernoulli(placed(posterior[..., 1])) if isinstance(belief, Bernoulli) else Categorical(placed(posterior))
        after += chance[..., 0] * np.asarray(bayes_action(seen, loss, actions).expected_loss)
    return _exact(np.asarray(now.expected_loss) - after, now)


def _of_perfect(belief: Belief, loss: Loss, now: Decision, draws: Any, random_state: Any) -> Information:
    if now.actions is None:  # whoever knows y can say it, and loses nothing
        return Information(now.expected_loss, now.error, now.expected_loss, now.certificate)
    support = support_of(belief)
    if support is not None:
        losses = _losses(loss, now.actions, support.y, support.weights.shape)
        return _exact(np.asarray(now.expected_loss) - np.sum(support.weights * np.min(losses, axis=0), axis=0), now)
    lines = lines_of(loss, now.actions)
    if lines is not None and isinstance(belief, Normal):
        return _exact(gain_of_lines(*lines, np.asarray(belief.loc), np.asarray(belief.scale)), now)

    def gains(block: Belief, index: np.ndarray, key: Any) -> tuple[np.ndarray, np.ndarray]:
        y = np.asarray(block.sample(int(draws), key))
        found = _gain(_losses(loss, now.actions, y, (int(draws), *block.batch_shape)), index)
        return found, found

    return _averaged(belief, now, int(draws), random_state, gains)


def _of_measurement(
    belief: Normal, loss: Loss, variance: float, now: Decision, draws: Any, random_state: Any
) -> Information:
    """Normal belief, normal noise: the variance after is known, the mean after is normal."""
    if now.actions is None:
        left = loss.risk_of_best(Normal(belief.loc, placed(_after(belief, variance))))
        assert left is not None
        return _exact(np.asarray(now.expected_loss) - left, now)
    lines = lines_of(loss, now.actions)
    if lines is not None:
        return _exact(gain_of_lines(*lines, np.asarray(belief.loc), _moving(belief, variance)), now)

    def gains(block: Belief, index: np.ndarray, key: Any) -> tuple[np.ndarray, np.ndarray]:
        assert isinstance(block, Normal)
        moved = Normal(block.loc, placed(_moving(block, variance)))
        means = np.asarray(moved.sample(int(draws), key))
        seen = Normal(placed(means), placed(np.broadcast_to(_after(block, variance), means.shape)))
        risks = loss.risks(seen, now.actions or ())
        if risks is not None:
            found = _gain(np.moveaxis(risks, -1, 0), index)
            return found, found
        fine, coarse = (_gain(_risks_after(loss, now.actions, seen, k), index) for k in (_QUANTILES, _QUANTILES // 2))
        return fine, coarse

    return _averaged(belief, now, int(draws), random_state, gains, held=_QUANTILES)


def _after(belief: Normal, variance: float) -> Float[np.ndarray, "*batch"]:
    """The standard deviation after the measurement."""
    scale = np.asarray(belief.scale)
    return np.asarray(scale * np.sqrt(variance / (scale**2 + variance)))


def _moving(belief: Normal, variance: float) -> Float[np.ndarray, "*batch"]:
    """The standard deviation of the mean after it."""
    scale = np.asarray(belief.scale)
    return np.asarray(scale**2 / np.sqrt(scale**2 + variance))


def _risks_after(loss: Loss, actions: Any, seen: Normal, quantiles: int) -> Float[np.ndarray, "m n *batch"]:
    """The expected loss of each action after each simulated measurement, over quantiles of y of the right variance."""
    levels = (np.arange(quantiles) + 0.5) / quantiles
    steps = np.asarray(ndtri(levels)).reshape((-1,) + (1,) * len(seen.batch_shape))
    y = np.asarray(seen.loc) + np.asarray(seen.scale) * steps / np.std(steps)
    return np.stack([np.mean(losses_at(loss, j, a, y, y.shape), axis=0) for j, a in enumerate(actions)])


def _averaged(
    belief: Belief,
    now: Decision,
    draws: int,
    random_state: Any,
    gains: Callable[..., tuple[np.ndarray, np.ndarray]],
    held: int = 1,
) -> Information:
    """The mean over draws, block by block of rows; `held` numbers are in memory for each. The second gains are those of
    half the quantiles: what they differ by is part of the error."""
    key = jax.random.fold_in(as_key(as_seed(random_state)), 1)  # other draws than those that chose the action
    index = np.asarray(now.index)
    values, errors, done = [], [], 0
    for block, block_key in blocks_of(belief, draws * held * len(now.actions or ()), key):
        size = int(np.prod(block.batch_shape))
        fine, coarse = gains(block, index.reshape(-1)[done : done + size].reshape(block.batch_shape), block_key)
        values.append(np.mean(fine, axis=0).reshape(-1))
        errors.append(np.hypot(standard_error(fine), np.mean(fine - coarse, axis=0)).reshape(-1))
        done += size
    value, error = (np.concatenate(part).reshape(index.shape) for part in (values, errors))
    return _estimated(value, error, now)


def _losses(loss: Loss, actions: Any, y: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.stack([losses_at(loss, j, action, y, shape) for j, action in enumerate(actions)])


def _gain(losses: Float[np.ndarray, "m n *batch"], index: np.ndarray) -> Float[np.ndarray, "n *batch"]:
    """By how much the best action is better than the one that was best before; zero or more."""
    numbers = np.arange(len(losses)).reshape((-1,) + (1,) * (losses.ndim - 1))
    return np.sum(np.where(numbers == index, losses, 0.0), axis=0) - np.min(losses, axis=0)


def _exact(value: Any, now: Decision) -> Information:
    value = np.maximum(np.asarray(value), 0.0)  # below zero there is round-off only
    return Information(plain(value), plain(np.zeros(np.shape(value))), now.expected_loss, now.certificate)


def _estimated(value: np.ndarray, error: np.ndarray, now: Decision, *notes: str) -> Information:
    certificate = Certificate("estimated", error=float(np.max(error)), notes=("a mean over draws", *notes))
    return Information(plain(value), plain(error), now.expected_loss, certificate)
