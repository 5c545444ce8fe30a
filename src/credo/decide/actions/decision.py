"""The action of least expected loss."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, Int

from credo.beliefs import Belief
from credo.decide.actions.expectations import support_of
from credo.decide.actions.loss import Loss
from credo.decide.actions.names import LossLike, as_loss
from credo.errors import InputError
from credo.numerics import Certificate, as_key

__all__ = ["Decision", "bayes_action", "blocks_of", "checked_draws", "losses_at", "plain", "standard_error"]

_NUMBERS = 2**22  # draws times rows that are held at once
_CLOSE = 2.0  # standard errors within which a runner-up is said to be close


@dataclass(frozen=True)
class Decision:
    """What to do, what it is expected to cost, and by how much the next best would cost more.

    For beliefs of batch shape (n,) every part has one entry a row. Where all numbers were actions, there is no
    runner-up, and `index`, `losses`, `margin` are None. `error`, `losses_error` and `margin_error` are Monte Carlo
    standard errors, zero where the expectation is exact; that of the margin is of the difference on common draws.
    """

    action: Any
    expected_loss: Any
    error: Any
    index: Any
    losses: Any
    losses_error: Any
    runner_up: Any
    margin: Any
    margin_error: Any
    actions: tuple[Any, ...] | None
    certificate: Certificate

    @property
    def rejected(self) -> Any:
        """Where the decision is not to decide."""
        # An action may be an array, which compares with a text entry by entry.
        if self.actions is None or not (isinstance(self.actions[-1], str) and self.actions[-1] == "reject"):
            return np.zeros(np.shape(self.expected_loss), dtype=bool)[()]
        return (np.asarray(self.index) == len(self.actions) - 1)[()]

    def __str__(self) -> str:
        if np.ndim(self.expected_loss):
            return f"{np.size(self.expected_loss)} decisions ({self.certificate})"
        cost = f"{self.action!r}: expected loss {_number(self.expected_loss, self.error)}"
        if self.margin is None:
            return f"{cost} ({self.certificate})"
        return f"{cost}; {self.runner_up!r} costs {_number(self.margin, self.margin_error)} more ({self.certificate})"


class _Judged(NamedTuple):
    """Expected losses of all actions, the order of the best two, and what they differ by."""

    losses: Float[np.ndarray, "*batch m"]
    losses_error: Float[np.ndarray, "*batch m"]
    first: Int[np.ndarray, "*batch"]
    second: Int[np.ndarray, "*batch"]
    margin: Float[np.ndarray, "*batch"]
    margin_error: Float[np.ndarray, "*batch"]


def bayes_action(
    belief: Any, loss: LossLike, actions: Any = None, *, draws: Any = 8192, random_state: Any = 0
) -> Decision:
    r"""The action of least expected loss, $\arg\min_a \mathbb{E}_{y}\,L(a, y)$, one for each row of the belief.

    `loss` is ``"squared"``, ``"absolute"``, ``"zero_one"``, a typed loss (`Pinball(tau)`, `Costs(matrix, reject=…)`,
    `LinearLoss(…)`), or a function ``(action, y) -> loss`` of many y at once, which come with the shape of draws. With
    ``actions=None`` squared, absolute and pinball loss choose among all numbers (mean, median, quantile), and costs of
    classes among their rows.

    It is exact for squared, linear and class losses, for absolute and pinball loss under normal beliefs and mixtures
    of them, and for any loss under beliefs of finitely many values. Otherwise one half of the `draws` ranks the
    actions, and the other half, which took no part in the choice, measures the losses and the margin: so their errors
    are those of plain means. The errors are about sampling only, not about the belief being right (Berger 1985, section
    4.4). Cost: O(draws · actions) a row.

    >>> from credo.beliefs import Normal
    >>> from credo.decide.actions import Pinball
    >>> f"{bayes_action(Normal(10.0, 2.0), Pinball(0.9)).action:.3f}"
    '12.563'
    >>> print(bayes_action(Normal(10.0, 2.0), "squared", [9.0, 12.0]))
    9.0: expected loss 5; 12.0 costs 3 more (exact, converged)
    """
    _check_belief(belief)
    loss = as_loss(loss)
    listed = loss.listed(belief, actions)
    if listed is None:
        return _among_all_numbers(belief, loss, checked_draws(draws), random_state)
    if len(listed) < 2:
        what = f"there are {len(listed)} actions"
        raise InputError("bayes_action", what, "There is nothing to choose", "Pass two actions or more")
    risks = loss.risks(belief, listed)
    exact = risks if risks is not None else _summed(belief, loss, listed)
    if exact is not None:
        return _decision(listed, _of_exact(exact), Certificate("exact"))
    judged = _sampled(belief, loss, listed, checked_draws(draws), random_state)
    return _decision(listed, judged, _certificate(judged, draws))


def losses_at(loss: Loss, number: int, action: Any, y: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The loss of one action at y as an array of `shape`, checked."""
    try:
        values = np.broadcast_to(loss.of(action, y, number), shape)
    except ValueError as error:
        what = f"the loss of the action {action!r} does not have the shape {shape} of the draws: {error}"
        raise InputError("bayes_action", what, "It is called with many y at once", "Return one loss a y") from error
    if not np.all(np.isfinite(values)):
        what = f"the loss of the action {action!r} is not finite at some y"
        raise InputError("bayes_action", what, "A logarithm or quotient leaves its domain", "Bound the loss")
    return values


def _summed(belief: Belief, loss: Loss, actions: tuple[Any, ...]) -> Float[np.ndarray, "*batch m"] | None:
    """Expected losses over a belief of finitely many values."""
    support = support_of(belief)
    if support is None:
        return None
    shape = support.weights.shape
    columns = [np.sum(support.weights * losses_at(loss, j, a, support.y, shape), axis=0) for j, a in enumerate(actions)]
    return np.stack(columns, axis=-1)


def _of_exact(losses: Float[np.ndarray, "*batch m"]) -> _Judged:
    order = np.argsort(losses, axis=-1, kind="stable")
    best = np.take_along_axis(losses, order[..., :2], axis=-1)
    zero = np.zeros(losses.shape[:-1])
    return _Judged(losses, np.zeros(losses.shape), order[..., 0], order[..., 1], best[..., 1] - best[..., 0], zero)


def blocks_of(belief: Belief, draws: int, random_state: Any) -> Iterator[tuple[Belief, Any]]:
    """The rows of a belief, counted through its batch axes, in blocks whose draws fit into memory; with their keys.

    What fits as a whole keeps its batch shape.
    """
    key = as_key(random_state)
    rows = int(np.prod(belief.batch_shape))
    size = max(1, _NUMBERS // (draws * max(1, int(np.prod(belief.event_shape)))))
    if rows <= size:
        yield belief, key
        return
    for number, start in enumerate(range(0, rows, size)):
        chosen = np.unravel_index(np.arange(start, min(start + size, rows)), belief.batch_shape)
        yield belief[chosen], jax.random.fold_in(key, number)


def _sampled(belief: Belief, loss: Loss, actions: tuple[Any, ...], draws: int, random_state: Any) -> _Judged:
    parts = [_sampled_block(block, loss, actions, draws, key) for block, key in blocks_of(belief, draws, random_state)]
    if len(parts) == 1:
        return parts[0]
    whole = [np.concatenate(part) for part in zip(*parts, strict=True)]
    return _Judged(*(part.reshape(belief.batch_shape + part.shape[1:]) for part in whole))


def _sampled_block(belief: Belief, loss: Loss, actions: tuple[Any, ...], draws: int, key: Any) -> _Judged:
    """One half of the draws ranks, the other measures."""
    half = draws // 2
    y = np.asarray(belief.sample(2 * half, key))
    shape = (half, *belief.batch_shape)
    ranks = [np.mean(losses_at(loss, j, a, y[:half], shape), axis=0) for j, a in enumerate(actions)]
    order = np.argsort(np.stack(ranks, axis=-1), axis=-1, kind="stable")
    first, second = order[..., 0], order[..., 1]
    means, errors = [], []
    gap = np.zeros(shape)
    for j, action in enumerate(actions):
        values = losses_at(loss, j, action, y[half:], shape)
        means.append(np.mean(values, axis=0))
        errors.append(standard_error(values))
        gap += np.where(second == j, values, 0.0) - np.where(first == j, values, 0.0)
    losses, losses_error = np.stack(means, axis=-1), np.stack(errors, axis=-1)
    return _Judged(losses, losses_error, first, second, np.mean(gap, axis=0), standard_error(gap))


def standard_error(values: Float[np.ndarray, "n *batch"]) -> Float[np.ndarray, "*batch"]:
    """Of the mean over the first axis."""
    return np.asarray(np.std(values, axis=0, ddof=1) / np.sqrt(len(values)))


def _among_all_numbers(belief: Belief, loss: Loss, draws: int, random_state: Any) -> Decision:
    best = loss.best(belief)
    risk, error = loss.risk_of_best(belief), np.zeros(belief.batch_shape)
    certificate = Certificate("exact")
    if risk is None:
        risk, error = _measured(belief, loss, best, draws, random_state)
        note = f"the action is exact; its expected loss is a mean over {draws} draws"
        certificate = Certificate("estimated", error=float(np.max(error)), notes=(note,))
    nothing = dict.fromkeys(("index", "losses", "losses_error", "runner_up", "margin", "margin_error", "actions"))
    return Decision(plain(best), plain(risk), plain(error), certificate=certificate, **nothing)


def _measured(
    belief: Belief, loss: Loss, best: Float[np.ndarray, "*batch"], draws: int, random_state: Any
) -> tuple[Float[np.ndarray, "*batch"], Float[np.ndarray, "*batch"]]:
    """The expected loss of one number a row, and its error."""
    means, errors, done = [], [], 0
    for block, key in blocks_of(belief, draws, random_state):
        size = int(np.prod(block.batch_shape))
        at = best.reshape(-1)[done : done + size].reshape(block.batch_shape)
        values = loss.of(at, np.asarray(block.sample(draws, key)))
        means.append(np.mean(values, axis=0).reshape(-1))
        errors.append(standard_error(values).reshape(-1))
        done += size
    return np.concatenate(means).reshape(best.shape), np.concatenate(errors).reshape(best.shape)


def _decision(actions: tuple[Any, ...], judged: _Judged, certificate: Certificate) -> Decision:
    chosen = np.take_along_axis(judged.losses, judged.first[..., None], axis=-1)[..., 0]
    error = np.take_along_axis(judged.losses_error, judged.first[..., None], axis=-1)[..., 0]
    return Decision(
        _picked(actions, judged.first),
        plain(chosen),
        plain(error),
        plain(judged.first),
        judged.losses,
        judged.losses_error,
        _picked(actions, judged.second),
        plain(judged.margin),
        plain(judged.margin_error),
        actions,
        certificate,
    )


def _certificate(judged: _Judged, draws: int) -> Certificate:
    close = int(np.sum(judged.margin < _CLOSE * judged.margin_error))
    notes = [f"expected losses are means over {draws // 2} draws; as many others ranked the actions"]
    if close:
        where = "" if judged.margin.ndim == 0 else f" in {close} of {judged.margin.size} rows"
        notes.append(f"the runner-up is within {_CLOSE:g} standard errors{where}: more draws may change the decision")
    return Certificate("estimated", error=float(np.max(judged.margin_error)), notes=tuple(notes))


def _picked(actions: tuple[Any, ...], index: Int[np.ndarray, "*batch"]) -> Any:
    if index.ndim == 0:
        return actions[int(index)]
    if all(type(action) in (int, float) for action in actions):
        return np.asarray(actions)[index]
    table = np.empty(len(actions), dtype=object)
    for j, action in enumerate(actions):  # all at once would look into actions that are arrays
        table[j] = action
    return table[index]


def plain(value: Any) -> Any:
    """A Python number for a single belief, an array for several."""
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def _number(value: float, error: float) -> str:
    return f"{value:.4g}" + (f" ± {error:.2g}" if error else "")


def _check_belief(belief: Any) -> None:
    if not isinstance(belief, Belief):
        what = f"a {type(belief).__name__} is no belief"
        raise InputError("bayes_action", what, "An action is chosen under a distribution", "Pass predict_dist(X)")


def checked_draws(draws: Any) -> int:
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 4:
        raise InputError("bayes_action", f"draws={draws!r}", "An error is measured on four draws or more", "Try 8192")
    return int(draws)
