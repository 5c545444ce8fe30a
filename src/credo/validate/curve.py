"""How the risk falls with the number of rows, and how many more would bring it to a target."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.utils.validation import _num_samples

from credo.errors import InputError
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed
from credo.represent.validation import in_credos_words
from credo.validate.plans import Plan
from credo.validate.predictions import is_for_classes, targets_of
from credo.validate.refit import refit
from credo.validate.risk import ratios
from credo.validate.scores import as_scores

__all__ = ["LearningCurve", "learning_curve"]

_SIZES = 6


class LearningCurve(NamedTuple):
    """The risk of fits to so many rows, with its standard error over repeated splits that share rows (corrected)."""

    score: str
    rows: Int[np.ndarray, " k"]
    risk: Float[np.ndarray, " k"]
    standard_error: Float[np.ndarray, " k"]

    def __str__(self) -> str:
        lines = [
            f"{n:6d}  {r:.4g} ± {e:.2g}" for n, r, e in zip(self.rows, self.risk, self.standard_error, strict=True)
        ]
        return "\n".join([f"rows to learn from, and {self.score} score", *lines])


class _Growing:
    """A splitter: some rows are held out, and more and more of the others are learned from, again and again."""

    def __init__(self, sizes: Sequence[int], held: int, repeats: int, seed: int) -> None:
        self.sizes, self.held, self.repeats, self.seed = sizes, held, repeats, seed

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return self.repeats * len(self.sizes)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        generator = np.random.default_rng(self.seed)
        for _ in range(self.repeats):
            order = generator.permutation(len(X))
            held, others = order[: self.held], order[self.held :]
            for size in self.sizes:
                yield others[:size], held


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[int] | None = None,
    score: str | None = None,
    repeats: int = 20,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: bool | None = None,
) -> LearningCurve:
    r"""The risk of fits to more and more of the rows, judged on a quarter of them that is held out, `repeats` times.

    By default at six sizes from a tenth to three quarters of the rows, evenly on a logarithmic scale. Within a repeat
    larger fits contain the smaller ones and all are judged on the same rows, so that the curve is smoother than its
    standard errors, which are those of Nadeau & Bengio (2003). Costs `repeats` fits of each size, as weights where the
    estimator takes them.

    >>> import numpy as np
    >>> from credo.models import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> curve = learning_curve(LinearRegression(), X, X.sum(axis=1) + rng.normal(size=200))
    >>> bool(curve.risk[0] > 1.2 * curve.risk[-1])
    True
    """
    who = "learning_curve"
    with in_credos_words(who):
        n = _num_samples(X)
    targets = targets_of(y, classes=is_for_classes(estimator), rows=n, who=who)
    held = max(n // 4, 1)
    chosen = _sizes(sizes, n - held)
    if repeats < 2:
        raise InputError(who, f"repeats={repeats}", "A standard error needs two", "Try repeats=20")
    plan = Plan("learning curve", "splits", _Growing(chosen, held, repeats, as_seed(random_state)))
    (asked,) = as_scores(score, estimator, targets.classes)[:1]
    with tracker(who, repeats * len(chosen), progress) as track:
        refits = refit(estimator, X, targets, plan, (asked,), n_jobs=n_jobs, track=track)
    values = ratios(refits.tallies[asked.name].refits).reshape(repeats, len(chosen))
    share = held / (n - held)  # of the pool that fits of all sizes are drawn from: it is what repeats share
    error = np.sqrt((1.0 / repeats + share) * np.var(values, axis=0, ddof=1))
    return LearningCurve(asked.name, np.array(chosen), np.mean(values, axis=0), error)


def _sizes(sizes: Sequence[int] | None, most: int) -> list[int]:
    if sizes is None:
        return sorted({round(float(size)) for size in np.geomspace(max(most * 2 / 15, min(5, most)), most, _SIZES)})
    chosen = sorted({int(size) for size in sizes})
    if not chosen or chosen[0] < 1 or chosen[-1] > most:
        raise InputError(
            "learning_curve",
            f"sizes={list(sizes)}",
            f"A quarter of the rows is held out, which leaves {most}",
            f"Pass sizes from 1 to {most}",
        )
    return chosen
