"""How much worse predictions become when a column says nothing: permutation importance, with its error."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from sklearn.utils.validation import _num_samples

from credo.errors import InputError
from credo.numerics.random import as_seed
from credo.represent.validation import in_credos_words
from credo.validate.columns import Table, as_table
from credo.validate.conformal.refits import refitted
from credo.validate.plans import Split, as_plan
from credo.validate.predictions import Targets, is_for_classes, prediction_of, targets_of
from credo.validate.scores import Score, as_scores

__all__ = ["Importance", "permutation_importance"]


class Importance(NamedTuple):
    """By column: how much the score rises when it is shuffled, with standard errors over rows."""

    names: tuple[str, ...]
    increase: Float[np.ndarray, " d"]
    standard_error: Float[np.ndarray, " d"]
    score: str

    def __str__(self) -> str:
        width = max(map(len, self.names))
        order = np.argsort(-self.increase)
        lines = [f"{self.names[j].ljust(width)}  {self.increase[j]:.4g} ± {self.standard_error[j]:.2g}" for j in order]
        return "\n".join([f"rise of the {self.score} score when a column is shuffled", *lines])


def permutation_importance(
    estimator: Any, X: Any, y: Any, *, score: str | None = None, folds: int = 5, repeats: int = 5, random_state: Any = 0
) -> Importance:
    r"""The rise of the score at rows that a refit has not seen, when one column of these rows is shuffled.

    $I_j = \frac1n\sum_i [\bar\ell(f(x_i \text{ with } x_{ij} \text{ of another row}), y_i) - \ell(f(x_i), y_i)]$, the
    bar the mean of `repeats` shuffles (Breiman 2001, §10). It is of the fitted models: columns that go together share
    what they say, and each can look unimportant. The standard error is over rows, as if independent: that of a mean of
    differences, so that zero is a natural bar to clear. `score` is by default the first loss of the kind. X may be a
    frame with columns of text, or sparse, if the estimator takes it. Costs `folds` fits, and `repeats` predictions a
    column.

    >>> import numpy as np
    >>> from credo.models import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> found = permutation_importance(LinearRegression(), X, 2.0 * X[:, 0] + rng.normal(size=100))
    >>> bool(found.increase[0] > 5.0 * found.standard_error[0]), bool(abs(found.increase[1]) < 0.2)
    (True, True)
    """
    who = "permutation_importance"
    if repeats < 1:
        raise InputError(who, f"repeats={repeats}", "", "Try repeats=5")
    table = as_table(X, who)
    with in_credos_words(who):
        rows = _num_samples(table.native)
    classes, seed = is_for_classes(estimator), as_seed(random_state)
    targets = targets_of(y, classes=classes, rows=rows, who=who)
    chosen = as_scores(score, estimator, targets.classes)[0]
    plan = as_plan(f"{folds}-fold", rows, classes=classes, seed=seed)
    generator = np.random.default_rng(seed)
    rises = np.zeros((len(table.names), rows))
    for split in plan.splits(targets.values):
        rises[:, split.held] = _rises(estimator, table, targets, split, chosen, repeats, generator)
    sign = 1.0 if chosen.lower else -1.0
    error = np.std(rises, axis=1, ddof=1) / np.sqrt(rows)
    return Importance(table.names, sign * np.mean(rises, axis=1), error, chosen.name)


def _rises(
    estimator: Any,
    table: Table,
    targets: Targets,
    split: Split,
    score: Score,
    repeats: int,
    generator: np.random.Generator,
) -> Float[np.ndarray, "d h"]:
    """At the rows that one refit held out, of each column."""
    (learned,) = refitted(estimator, table.native, targets.labels, [split.train])
    held, y = table.some(split.held), targets.values[split.held]
    before = _losses(learned, held.native, y, targets, score)
    # All shuffles of a column are one prediction: the rows one time after the other, each time in another order.
    again = table.some(np.tile(split.held, repeats))
    order = np.concatenate([generator.permutation(len(y)) for _ in range(repeats)])

    def shuffled(column: int) -> np.ndarray:
        losses = _losses(learned, again.shuffled(column, order), np.tile(y, repeats), targets, score)
        return np.mean(losses.reshape(repeats, -1), axis=0)

    return np.stack([shuffled(j) - before for j in range(len(table.names))])


def _losses(learned: Any, rows: Any, y: np.ndarray, targets: Targets, score: Score) -> np.ndarray:
    above, below = score.parts(prediction_of(learned, rows, targets.classes), y)
    if below is not None:
        what = f"score {score.name!r} is no mean over rows"
        raise InputError("permutation_importance", what, "", "Try 'zero-one', 'log' or 'brier'")
    return above
