"""`Explorer`: which measurements tell most about what one wants to know."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
from jaxtyping import Float, Int

from credo.decide.explore.conditioning import Information, Learning, RemainingVariance
from credo.decide.explore.covariances import Covariances, covariances_of, rows_of
from credo.decide.explore.functionals import LinearFunctional, Values
from credo.errors import InputError

__all__ = ["Explorer", "Picked"]

Criterion = Literal["itl", "vtl"]
_MOST_PICKS = 10_000


@final
@dataclass(frozen=True)
class Picked:
    """Candidates in the order in which they were picked, and what each brings given those before it.

    `indices` number the candidates, `rows` are their numbers. `gains` are nats of information about the targets
    ("itl"), or what the variance on them falls by ("vtl"). `before` is the variance on all targets together, `left`
    what is left of it after each pick: both follow from where one measures, not from what comes out.
    """

    indices: Int[np.ndarray, " n"]
    rows: Float[np.ndarray, "n d"]
    gains: Float[np.ndarray, " n"]
    left: Float[np.ndarray, " n"]
    before: float
    criterion: Criterion
    targets: int = field(repr=False, default=0)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why each was picked, in a sentence."""
        earlier = np.concatenate([[self.before], self.left[:-1]])
        return tuple(
            self._reason(gain, before, left) for gain, before, left in zip(self.gains, earlier, self.left, strict=True)
        )

    def _reason(self, gain: float, before: float, left: float) -> str:
        share = left / before if before > 0.0 else 1.0
        what = "the target" if self.targets == 1 else f"{self.targets} targets"
        brings = f"{gain:.3g} nats about {what}" if self.criterion == "itl" else f"most for {what}"
        return f"it tells {brings}, and leaves {share:.1%} of the variance there"

    def __len__(self) -> int:
        return len(self.indices)

    def __str__(self) -> str:
        return "\n".join(f"candidate {i}: {why}" for i, why in zip(self.indices, self.reasons, strict=True))


@final
class Explorer:
    r"""Picks from candidates S the measurements that tell most about a function on targets A.

    ``"itl"`` maximizes the mutual information $I(y_x; f_A \mid D)$ of the next measurement with the function on A,
    ``"vtl"`` minimizes the variance that remains there, $\mathrm{tr}\,\mathrm{Var}[f_A \mid D, y_x]$ (transductive
    active learning, Hübotter et al. 2024). What A and S are makes the task: active learning (no targets: A is S, and
    ITL is uncertainty sampling), learning about a region that cannot be measured itself, a level set
    ([](#credo.decide.level_set_targets)), the safe step of a [](#credo.decide.SafeStudy), Bayesian quadrature (A an
    [](#credo.decide.Average)).

    It assumes a Gaussian belief at fixed parameters: what is learnt about them does not count, and gains do not depend
    on what is measured. Batches are greedy, each pick counting on those before it, without refits. Held for each model
    are |A| × |S| numbers, for "itl" also |A|² (without targets it holds neither), and up to 2 |S| + |A| a pick; while
    it works, about twice that. An array above 1 GiB is refused. The start costs O(|A|² |S| + |A|³ + n² (|A| + |S|)), a
    pick O((|A| + n) |S|). A measurement without noise counts as one of variance 1e-8 of the largest at a candidate, so
    that gains are finite.

    Parameters
    ----------
    model : GPRegressor, or what has `covariance`, `variance` and `noise` of rows; or a list of these
        Fitted. Several are independent functions that one measurement shows all of: their gains are added.
    targets : rows, frame or LinearFunctional, optional
        A: rows as the model was fitted on, [](#credo.decide.WeightedSums) or an [](#credo.decide.Average).
    candidates : rows or frame
        S: where one can measure.
    criterion : "itl" or "vtl"
    repeats : bool
        Whether a candidate may be picked more than once in a batch, which noise can make worth its while.

    Examples
    --------
    >>> import numpy as np
    >>> from credo.models import GPRegressor
    >>> X = np.array([[0.0], [1.0]])
    >>> model = GPRegressor(noise_variance=0.01, inference=None, standardize=False).fit(X, [0.0, 1.0])
    >>> S = np.linspace(2.0, 6.0, 9)[:, None]
    >>> picked = Explorer(model, targets=[[3.6]], candidates=S).ask(2)
    >>> picked.rows[:, 0].tolist()
    [3.5, 4.0]
    >>> print(picked.reasons[0])
    it tells 1.31 nats about the target, and leaves 7.2% of the variance there
    """

    def __init__(
        self,
        model: Any,
        *,
        targets: Any = None,
        candidates: Any,
        criterion: str = "itl",
        repeats: bool = True,
    ) -> None:
        if criterion not in ("itl", "vtl"):
            raise InputError("Explorer", f"criterion is {criterion!r}", "", 'Try "itl" or "vtl"')
        models = list(model) if isinstance(model, (list, tuple)) else [model]
        if not models:
            raise InputError("Explorer", "there is no model", "The list is empty", "Pass a fitted GPRegressor")
        self.models: tuple[Covariances, ...] = tuple(covariances_of(each) for each in models)
        self.candidates = rows_of(self.models[0], candidates, "candidates")
        self.targets = self._functional(targets)
        self.criterion: Criterion = "itl" if criterion == "itl" else "vtl"
        self.repeats = repeats

    def _functional(self, targets: Any) -> LinearFunctional | None:
        if targets is None or isinstance(targets, LinearFunctional):
            return targets
        return Values(rows_of(self.models[0], targets, "targets"))

    def ask(self, n: Any = 1, *, pending: Any = None) -> Picked:
        """The n candidates that tell most, one after the other; `pending` are rows whose measurement is under way."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 1 <= n <= _MOST_PICKS:
            raise InputError("Explorer.ask", f"n={n!r}", f"It is a number from 1 to {_MOST_PICKS}", "Try n=1")
        count = len(self.candidates)
        if not self.repeats and n > count:
            raise InputError(
                "Explorer.ask", f"n={n} of {count} candidates", "Each is picked once", "Pass repeats=True, or fewer"
            )
        rows = self.candidates
        if pending is not None and len(pending):
            rows = np.concatenate([rows, rows_of(self.models[0], pending, "pending")])
        learning = [self._learning(model, rows) for model in self.models]
        for each in learning:
            for j in range(count, len(rows)):
                each.pick(j)
        return self._greedy(learning, int(n), count)

    def _learning(self, model: Covariances, rows: Float[np.ndarray, "s d"]) -> Learning:
        # Without targets the candidates are: what is under way is conditioned on, and no target itself.
        aims = len(self.candidates) if self.targets is None else None
        return (Information if self.criterion == "itl" else RemainingVariance)(model, rows, self.targets, aims)

    def _greedy(self, learning: Sequence[Learning], n: int, count: int) -> Picked:
        indices, gains, left = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n)
        free = np.ones(count, dtype=bool)
        before = sum(each.left for each in learning)
        for i in range(n):
            each_gains = np.where(free, sum(each.gains()[:count] for each in learning), -np.inf)
            j = int(np.argmax(each_gains))
            for each in learning:
                each.pick(j)
            indices[i], gains[i] = j, max(float(each_gains[j]), 0.0)
            left[i] = sum(each.left for each in learning)
            free[j] = self.repeats
        of = count if self.targets is None else len(self.targets)
        return Picked(indices, self.candidates[indices], gains, left, before, self.criterion, of)
