"""What the model of a table goes by: how much each column matters, and what the ones that matter most do."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float
from scipy import stats

from credo.decide.learning.learned import Learned
from credo.decide.learning.on_table import OnTable
from credo.infer.boosting import jackknife_variance
from credo.infer.resample import dealt
from credo.numerics.random import as_seed
from credo.validate import Effect, Importance, partial_dependence, permutation_importance
from credo.validate.conformal.refits import refitted

__all__ = ["Explanation", "explain"]

_FOLDS = 5
_COLUMNS = 4  # whose effect is shown
_LEVEL = 0.9
_SOURCE = f"the jackknife of {_FOLDS} refits, each without a fold"


@final
@dataclass(frozen=True)
class Explanation:
    """The importance of all columns, and the effects of the numbers among those that matter most."""

    importance: Importance
    effects: tuple[Effect, ...]

    def __str__(self) -> str:
        return "\n".join([str(self.importance), *map(_in_words, self.effects)])


def explain(learned: Learned, *, random_state: Any = 0) -> Explanation:
    r"""What the model that was learnt goes by.

    Importance is how much the score at held rows rises when a column is shuffled
    ([](#credo.validate.permutation_importance)); effects are the mean prediction with a column set to a value
    ([](#credo.validate.partial_dependence)), of a class of two the probability of the second, with 90 % bands from
    the jackknife that deletes a fold: $\pm t_{K-1}\sqrt{\tfrac{K-1}{K}\sum_k (g_k - \bar g)^2}$. They describe
    the model, not what would happen if somebody changed the column. Costs ten refits.
    """
    model, frame, y, seed = learned.model.model, learned.frame, learned.y, as_seed(random_state)
    importance = permutation_importance(model, frame, y, score=learned.score, folds=_FOLDS, random_state=seed)
    order = np.argsort(-importance.increase)
    shown = [
        importance.names[j]
        for j in order
        if importance.increase[j] > 2.0 * importance.standard_error[j] and _is_number(learned, importance.names[j])
    ][:_COLUMNS]
    if not shown or len(learned.model.classes_ if learned.model.kind == "class" else ()) > 2:
        return Explanation(importance, ())
    refits = _without_folds(model, frame, y, seed)
    return Explanation(importance, tuple(_effect(model, refits, frame, name) for name in shown))


def _is_number(learned: Learned, name: str) -> bool:
    return learned.table[name].scale in ("interval", "ratio", "absolute") and not learned.table[name].missing


def _without_folds(model: OnTable, frame: Any, y: np.ndarray, seed: int) -> tuple[OnTable, ...]:
    codes = np.searchsorted(model.classes_, y) if hasattr(model, "classes_") else np.zeros(len(y), dtype=int)
    fold_of = dealt(codes, _FOLDS, np.random.default_rng(seed))
    return refitted(model, frame, y, [np.flatnonzero(fold_of != k) for k in range(_FOLDS)])


def _effect(model: OnTable, refits: tuple[OnTable, ...], frame: Any, name: str) -> Effect:
    whole = partial_dependence(model, frame, name)
    each: Float[np.ndarray, "k p"] = np.stack([partial_dependence(refit, frame, name).effect for refit in refits])
    reach = stats.t.ppf(0.5 + 0.5 * _LEVEL, len(refits) - 1) * np.sqrt(jackknife_variance(each))
    return whole._replace(low=whole.effect - reach, high=whole.effect + reach, level=_LEVEL, source=_SOURCE)


def _in_words(effect: Effect) -> str:
    at, steps = effect.points, np.diff(effect.effect)
    slack = 0.01 * np.ptp(effect.effect)
    low, high = int(np.argmin(effect.effect)), int(np.argmax(effect.effect))
    if np.all(steps >= -slack):
        shape = "rises"
    elif np.all(steps <= slack):
        shape = "falls"
    else:
        shape = f"is lowest at {at[low]:.3g} with {effect.effect[low]:.3g}, highest at {at[high]:.3g} with "
        shape += f"{effect.effect[high]:.3g}"
    return (
        f"{effect.column}: from {at[0]:.3g} to {at[-1]:.3g} the mean prediction goes from "
        f"{effect.effect[0]:.3g} to {effect.effect[-1]:.3g} and {shape}"
    )
