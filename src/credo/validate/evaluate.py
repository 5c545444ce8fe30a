"""`evaluate`: how good an estimator is, from one plan of refits, every number with its error."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Int
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from credo.errors import InputError
from credo.numerics.certificate import Certificate
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed
from credo.represent.validation import in_credos_words
from credo.validate.evaluation import Evaluated, Evaluation
from credo.validate.nested import nested_claim
from credo.validate.plans import Plan, as_plan
from credo.validate.predictions import Targets, is_for_classes, prediction_of, targets_of
from credo.validate.refit import Refits, refit
from credo.validate.risk import Apparent, Claim, bootstrap_claims, held_out_claim, ratio, split_claim
from credo.validate.scores import Score, as_scores, no_information
from credo.validate.splits import group_codes
from credo.validate.tally import Tally

__all__ = ["evaluate"]

_KINDS = {
    "folds": "cross-validation",
    "leave-one-out": "leave-one-out",
    "hold-out": "held out",
    "rolling": "rolling origin",
}
_OF_ORIGINS = (
    "standard error of the rows that were held out, as if independent, of these fits to growing pasts: "
    "too small where losses that follow each other are alike"
)
_OF_GROUPS = {
    "folds": "standard error of the groups as if independent: it leaves out that refits share groups, and is mostly "
    "too small",
    "hold-out": "standard error of the groups that were held out; of this fit, not of others to new data",
}


def evaluate(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    plan: Any = "5-fold",
    scores: Sequence[str | Score] | str | Score | None = None,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: bool | None = None,
) -> Evaluation:
    """How good estimators are on rows they have not seen, from one plan of refits that all of them share.

    Every refit is fitted once, and all claims come from them: risks with standard errors, calibration, comparisons. An
    estimator with `fit_many` is refitted as weights in a few calls; any other, of scikit-learn too, on row indices
    through joblib; leave-one-out of a Gaussian process is its closed form, at the parameters of all rows. Rows that a
    refit is judged on never touch it, scaling and encoding included: put these into a pipeline. Costs the refits, and
    O(rows) of memory for each score.

    Parameters
    ----------
    estimators : estimator, list or dict
        One, several, or several by name. They are cloned.
    X, y
        Rows and what was observed.
    plan : str, splitter, Plan or pairs
        "5-fold" (repeated "10x5-fold", with honest errors "10x nested 5-fold"), "leave-one-out", "200 bootstrap",
        "hold-out 0.25", "rolling 5", any splitter of scikit-learn, or pairs (train, test) of row numbers. Folds share
        out the classes. All estimators get the same splits.
    scores : names, optional
        "squared", "absolute", "log", "crps", "interval" of numbers; "zero-one", "log", "brier", "hinge", "precision",
        "recall", "F1" of classes (the last three of the second of two). By default those that are losses.
    groups : array, optional
        Rows of a group stay together, in folds, hold-out, bootstrap (of whole groups) and leave-one-out (of one group);
        standard errors are then of groups as the independent units. Other plans are refused if they part a group.
    n_jobs : int, optional
        Refits at once, for estimators without `fit_many`; ``joblib.parallel_config`` chooses where they run.
    random_state : int, generator or None
        Of the plan, and of estimators inside and out: where it is given, each whose own `random_state` is None gets a
        seed from it, the same in every refit and whatever else is evaluated.
    progress : bool, optional
        Whether to show a bar.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from credo.models import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> claim = evaluate(Ridge(), X, y, scores="absolute", random_state=0).claim("absolute")
    >>> f"{claim.value:.0f} ± {claim.standard_error:.0f}"
    '44 ± 2'
    """
    named, rows = _named(estimators), _rows(X)
    kinds = {is_for_classes(estimator) for estimator in named.values()}
    if len(kinds) > 1:
        raise InputError("evaluate", "classifiers and regressors together", "", "Evaluate them one after the other")
    classes = kinds.pop()
    targets = targets_of(y, classes=classes, rows=rows)
    seed = as_seed(random_state)
    units = None if groups is None else group_codes(groups, rows)
    chosen = as_plan(plan, rows, classes=classes, groups=groups, seed=seed, X=X, y=targets.labels)
    if random_state is not None:
        named = {name: _seeded(estimator, seed) for name, estimator in named.items()}
    results = {}
    with tracker("evaluate", len(named) * chosen.count(targets.values, groups), progress) as track:
        for name, estimator in named.items():
            track.phase(name)
            asked = as_scores(scores, estimator, targets.classes)
            refits = refit(estimator, X, targets, chosen, asked, groups=groups, n_jobs=n_jobs, track=track)
            claims = _claims(estimator, X, targets, chosen, asked, refits, units, seed)
            results[name] = Evaluated(name, claims, {score.name: score.lower for score in asked}, refits)
    return Evaluation(chosen, results, targets, _certificate(chosen, results), units)


def joined(parts: Sequence[Evaluation]) -> Evaluation:
    """Evaluations of different estimators on the same rows by the same plan and seed, as one."""
    first, results = parts[0], {name: result for part in parts for name, result in part.results.items()}
    return replace(first, results=results, certificate=_certificate(first.refit_plan, results))


def _rows(X: Any) -> int:
    """How many; text may be one a row, numbers are in columns."""
    with in_credos_words("evaluate"):
        rows = _num_samples(X)
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) == 1 and np.asarray(X).dtype.kind in "fiubc":
        cause = "It is one column, or one row"
        raise InputError("evaluate", f"X has shape {shape}", cause, "Try X.reshape(-1, 1), or frame[['column']]")
    return rows


def _named(estimators: Any) -> dict[str, Any]:
    if isinstance(estimators, Mapping):
        named = {str(name): estimator for name, estimator in estimators.items()}
    else:
        several = list(estimators) if isinstance(estimators, list | tuple) else [estimators]
        names = [type(each).__name__ for each in several]
        named = {
            name if names.count(name) == 1 else f"{name} {names[: i + 1].count(name)}": each
            for i, (name, each) in enumerate(zip(names, several, strict=True))
        }
    for name, estimator in named.items():
        if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise InputError(
                "evaluate",
                f"{name} is {estimator!r}",
                "It has no fit and predict, or is a class and not an object of it",
                "Pass an estimator of credo.models or of scikit-learn, such as Ridge()",
            )
        if not hasattr(estimator, "get_params"):
            what = f"{name} cannot be cloned"
            raise InputError("evaluate", what, "It has no get_params", "Derive it from sklearn.base.BaseEstimator")
    if not named:
        raise InputError("evaluate", "no estimator was given", "", "Pass one, a list, or a dict by name")
    return named


def _seeded(estimator: Any, seed: int) -> Any:
    """A clone in which whatever has a `random_state` of None, at any depth, has a seed."""
    copy, generator = clone(estimator), np.random.default_rng(seed)
    for name, value in sorted(copy.get_params(deep=True).items(), key=lambda parameter: parameter[0]):
        if name.rpartition("__")[2] == "random_state" and value is None:
            copy.set_params(**{name: int(generator.integers(2**31))})  # of 31 bit, which all libraries take
    return copy


def _claims(
    estimator: Any,
    X: Any,
    targets: Targets,
    plan: Plan,
    scores: Sequence[Score],
    refits: Refits,
    units: Int[np.ndarray, " n"] | None,
    seed: int,
) -> dict[str, tuple[Claim, ...]]:
    counted = refits if units is None else _by_group(refits, units)
    apparent = _apparent(estimator, X, targets, scores, seed) if plan.kind == "bootstrap" else {}
    found = {}
    for score in scores:
        tally = counted.tallies[score.name]
        if plan.kind == "bootstrap":
            signed = score.span[0] < 0.0
            claims = bootstrap_claims(tally, counted, apparent[score.name], lower=score.lower, signed=signed)
        else:
            claims = (_claim(score, plan, counted),)
        if units is not None:
            claims = tuple(claim._replace(note=_of_groups(claim, plan)) for claim in claims)
        trials = _trials(tally, counted)
        found[score.name] = tuple(claim.within(score.span, trials) for claim in claims)
    return found


def _claim(score: Score, plan: Plan, refits: Refits) -> Claim:
    tally = refits.tallies[score.name]
    # The variance of nested folds is that of a mean of losses.
    if plan.kind == "nested" and score.lower and np.all(np.isfinite(tally.rows)):
        return nested_claim(tally, plan.splitter, len(refits.times))
    if plan.kind == "splits":
        return split_claim(tally, refits)
    kind = _KINDS.get(plan.kind, "cross-validation")
    claim = held_out_claim(tally, refits, folds=plan.kind in ("folds", "leave-one-out", "nested"), kind=kind)
    return claim._replace(note=_OF_ORIGINS) if plan.kind == "rolling" else claim


def _by_group(refits: Refits, units: Int[np.ndarray, " n"]) -> Refits:
    """The sums of groups in place of those of rows: what takes rows for independent then does so for groups.

    Rows of a group are drawn together, so that how often, and what its draws move, is that of any of its rows.
    """
    times, first = np.maximum(refits.times, 1.0), np.unique(units, return_index=True)[1]

    def summed(tally: Tally) -> Tally:
        rows = np.stack([np.bincount(units, part / times) for part in tally.rows])
        return replace(tally, rows=rows, moved=tally.moved[:, first])

    tallies = {name: summed(tally) for name, tally in refits.tallies.items()}
    there = (np.bincount(units, refits.times) > 0.0).astype(np.float64)
    return replace(refits, tallies=tallies, times=there, drawn=refits.drawn[first])


def _of_groups(claim: Claim, plan: Plan) -> str:
    return _OF_GROUPS.get(plan.kind, f"{claim.note}, of whole groups")


def _trials(tally: Tally, refits: Refits) -> float:
    """Of a share: how many rows it is of, or groups, where there are fewer."""
    there = refits.times > 0.0
    return min(float(np.sum(tally.rows[1, there] / refits.times[there])), float(np.sum(there)))


def _apparent(estimator: Any, X: Any, targets: Targets, scores: Sequence[Score], seed: int) -> dict[str, Apparent]:
    """Of the fit to all rows, on these."""
    learned = clone(estimator).fit(X, targets.labels)
    belief = any(score.needs == "belief" for score in scores)
    prediction = prediction_of(learned, X, targets.classes, with_belief=belief)
    generator = np.random.default_rng(seed)
    found = {}
    for score in scores:
        above, below = score.parts(prediction, targets.values)
        value = ratio(float(np.sum(above)), float(len(above) if below is None else np.sum(below)))
        found[score.name] = Apparent(value, no_information(score, prediction, targets.values, generator))
    return found


def _certificate(plan: Plan, results: dict[str, Evaluated]) -> Certificate:
    """The largest relative standard error of what is reported first."""
    first = [claims[0] for result in results.values() for claims in result.claims.values()]
    relative = [c.standard_error / abs(c.value) for c in first if c.value and np.isfinite(c.standard_error)]
    batched = [name for name, result in results.items() if result.refits.batched]
    how = f"as weights in few calls: {', '.join(batched)}" if batched else "one after the other on row indices"
    closed = [name for name, result in results.items() if result.refits.closed]
    known = (f"in closed form, at parameters fitted to all rows: {', '.join(closed)}",) if closed else ()
    return Certificate(
        "estimated",
        error=max(relative, default=np.inf) if first else 0.0,
        notes=(f"refits of {plan.name}, {how}", *known, "error is the largest standard error relative to its risk"),
    )
