"""`compare`: does one estimator really beat another? From the refits of one evaluation: first compare, then average."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from credo.errors import InputError
from credo.validate.comparison import (
    Difference,
    PracticalDifference,
    bayesian_correlated_t,
    corrected_resampled_t,
    paired_difference,
    rows_times,
)
from credo.validate.comparison.checks import checked_power
from credo.validate.evaluation import Evaluated, Evaluation
from credo.validate.honesty import holm
from credo.validate.plans import NestedFolds, Plan

__all__ = ["Comparison", "Pair", "compare"]


@dataclass(frozen=True)
class Pair:
    """Two estimators: the difference of their risks, what is believed of it, and how many more rows would tell.

    `difference` is the risk of `first` less that of `second`, of a score of which more is better its negative, so that
    less is better of all; `p_value` is corrected for the number of pairs. `more_rows` is how many would separate them
    by this test if they differ by what was seen: zero where they already are, None where no difference was seen.
    """

    first: str
    second: str
    difference: Difference
    belief: PracticalDifference | None
    p_value: float
    more_rows: int | None
    lower: bool = True

    def __str__(self) -> str:
        sign = 1.0 if self.lower else -1.0  # printed in the units of the score
        low, high = sorted(sign * end for end in self.difference.interval())
        text = (
            f"{self.first} − {self.second}: {sign * self.difference.mean:.4g} ± {self.difference.standard_error:.2g}, "
            f"95 % interval {low:.4g} to {high:.4g}, corrected p = {self.p_value:.2g}"
        )
        if self.belief is not None:
            a, equal, b = self.belief.probabilities
            text += f"; {self.first} better {a:.0%}, as good as equal {equal:.0%}, {self.second} better {b:.0%}"
        if self.more_rows:
            text += f"; {self.more_rows} more rows would likely tell them apart, if they differ by so much"
        return text


@dataclass(frozen=True)
class Comparison:
    """All pairs, the one that beats all others (if the evidence names one), and the one to take."""

    score: str
    winner: str | None
    preferred: str
    pairs: tuple[Pair, ...]
    note: str

    def __str__(self) -> str:
        head = (
            f"{self.winner} wins"
            if self.winner
            else f"no winner: take {self.preferred}, which is the simplest in doubt"
        )
        return "\n".join([f"{head} ({self.score})", *map(str, self.pairs), self.note])


def compare(
    evaluation: Evaluation,
    *,
    score: str | None = None,
    simplest_first: Sequence[str] | None = None,
    rope: float = 0.0,
    power: float = 0.8,
    significance: float = 0.05,
) -> Comparison:
    """Whether the estimators of an evaluation differ, in a score of its rows that each has not seen.

    A hold-out compares row by row (group by group where there are groups), with Student's t of the differences. Refits
    that share rows (folds, bootstrap) are compared refit by refit, with the corrected resampled t of Nadeau & Bengio
    (2003), a heuristic, and the Bayesian correlated t (Corani & Benavoli 2015) for the probability that a difference is
    larger than `rope`. An estimator wins
    if it is better than every other at `significance`, corrected for the number of pairs by Holm. Otherwise the
    simplest of those that no other beats is preferred.

    Parameters
    ----------
    evaluation : Evaluation
        Of two estimators or more.
    score : str, optional
        By default the first one.
    simplest_first : names, optional
        By default the order in which they were passed to evaluate.
    rope : float
        How large a difference is that does not matter, in units of the score.
    power, significance : float
        With which probability the rows that would tell two apart do so, and the level of the tests.

    Examples
    --------
    >>> import numpy as np
    >>> from credo.models import LinearRegression, Ridge
    >>> from credo.validate import evaluate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 3))
    >>> y = X[:, 0] + rng.normal(size=100)
    >>> result = compare(evaluate([LinearRegression(), Ridge()], X, y, plan="10x5-fold", random_state=0))
    >>> result.winner is None, result.preferred
    (True, 'LinearRegression')
    """
    power, significance = checked_power("compare", power, significance)
    order = _order(evaluation, simplest_first)
    chosen = next(iter(evaluation[order[0]].claims)) if score is None else score
    for name in order:
        evaluation.claim(chosen, name)
    couples = [(evaluation[a], evaluation[b]) for a, b in combinations(order, 2)]
    plan = evaluation.refit_plan
    found = [_compared(a, b, chosen, plan, evaluation.units, rope) for a, b in couples]
    lower = evaluation[order[0]].lower[chosen]
    p_values = holm(np.array([difference.p_value for difference, _ in found]))
    pairs = tuple(
        Pair(
            a.name, b.name, *both, float(p), _more_rows(a, both[0], float(p), power, significance, len(couples)), lower
        )
        for (a, b), both, p in zip(couples, found, p_values, strict=True)
    )
    winner = _winner(order, pairs, significance)
    preferred = winner or _preferred(order, pairs, significance)
    return Comparison(chosen, winner, preferred, pairs, _note(plan))


def _order(evaluation: Evaluation, simplest_first: Sequence[str] | None) -> list[str]:
    names = list(evaluation.results)
    order = names if simplest_first is None else list(simplest_first)
    if len(names) < 2 or sorted(order) != sorted(names):
        raise InputError(
            "compare",
            f"{len(names)} estimators, in the order {order}",
            "It compares two or more, and the order has each of them once",
            f"Pass several to evaluate; names are: {', '.join(names)}",
        )
    return order


def _compared(
    a: Evaluated, b: Evaluated, score: str, plan: Plan, units: np.ndarray | None, rope: float
) -> tuple[Difference, PracticalDifference | None]:
    """The difference of the risks, and what is believed of it where refits share rows."""
    if plan.kind == "hold-out":
        return paired_difference(*_by_row(a, b, score, units)), None
    refits = _chosen_refits(a, plan)
    sign = 1.0 if a.lower[score] else -1.0
    differences = sign * (a.compared_by_refit(score) - b.compared_by_refit(score))[refits]
    if not np.any(differences):
        return Difference(0.0, 0.0, len(differences) - 1, len(differences), "splits"), None
    sizes = float(np.mean(a.refits.train_sizes[refits])), float(np.mean(a.refits.held_sizes[refits]))
    difference = corrected_resampled_t(differences, *sizes)  # which refuses a single one
    return difference, bayesian_correlated_t(differences, *sizes, rope)


def _chosen_refits(result: Evaluated, plan: Plan) -> np.ndarray:
    """All of them; of nested folds those without one fold."""
    count = len(result.refits.held_sizes)
    if not isinstance(plan.splitter, NestedFolds):
        return np.arange(count)
    folds = plan.splitter.folds
    return np.flatnonzero(np.arange(count) % (folds + folds * (folds - 1) // 2) < folds)


def _by_row(a: Evaluated, b: Evaluated, score: str, units: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The losses of rows that were held out, or of groups of them, which then are the independent ones."""
    there = a.refits.times > 0
    sign = 1.0 if a.lower[score] else -1.0
    losses = sign * a.losses(score)[there], sign * b.losses(score)[there]
    if units is None:
        return losses
    groups = np.unique(units[there], return_inverse=True)[1]
    share = (np.max(groups) + 1.0) / len(groups)  # so that the mean over groups is that over rows
    return np.bincount(groups, losses[0]) * share, np.bincount(groups, losses[1]) * share


def _more_rows(
    a: Evaluated, difference: Difference, p: float, power: float, significance: float, pairs: int
) -> int | None:
    """How many would tell them apart by the test that was made, at the level that the first of the pairs must reach."""
    if p < significance:
        return 0
    if not difference.mean or not np.isfinite(difference.standard_error):
        return None
    times = rows_times(difference, power, significance / pairs)
    return max(int(np.ceil((times - 1.0) * len(a.refits.times))), 1)


def _beats(pairs: Sequence[Pair], better: str, worse: str, significance: float) -> bool:
    for pair in pairs:
        if {pair.first, pair.second} == {better, worse}:
            ahead = pair.difference.mean < 0 if pair.first == better else pair.difference.mean > 0
            return ahead and pair.p_value < significance
    return False


def _winner(order: list[str], pairs: Sequence[Pair], significance: float) -> str | None:
    for name in order:
        if all(_beats(pairs, name, other, significance) for other in order if other != name):
            return name
    return None


def _preferred(order: list[str], pairs: Sequence[Pair], significance: float) -> str:
    """The simplest that no other beats; there is one, for what beats has the smaller mean."""
    return next(n for n in order if not any(_beats(pairs, other, n, significance) for other in order if other != n))


def _note(plan: Plan) -> str:
    if plan.kind == "hold-out":
        return "Student's t of the differences by row: of these fits, not of others to new data"
    return "corrected resampled t of refits that share rows (Nadeau & Bengio 2003), a heuristic"
