"""`credo.learn(table, target)`: which model, how good, and can its intervals be trusted? From one plan of refits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from credo.beliefs import Belief, LogNormal
from credo.decide.learning.candidates import BASELINE, OF_LOGARITHMS, Candidates, candidates_for
from credo.decide.learning.count_spread import count_spread_of
from credo.decide.learning.learned import Learned
from credo.decide.learning.log_spread import log_spread_of
from credo.decide.learning.model import TableModel
from credo.decide.learning.on_table import OnTable
from credo.decide.learning.question import Kind, Question, asked_of, targets_of
from credo.decide.learning.sharpness import Sharpness, cross_sharpened, sharpness_of
from credo.decide.learning.spread import Width, cross_places, spread_of
from credo.decide.learning.surroundings import surroundings_of
from credo.decide.learning.words import verdict_in_words
from credo.errors import InputError
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed
from credo.represent import Table, TableEncoder
from credo.validate import (
    Audit,
    Comparison,
    Evaluated,
    Evaluation,
    audit_places,
    audit_probabilities,
    compare,
    evaluate,
    joined,
)

__all__ = ["learn"]

# Rows, and the plan up to them: where a refit is quick, its models are to know nearly as much as the last one.
_PLANS = ((60, "4x5-fold"), (200, "3x5-fold"), (500, "2x5-fold"), (1000, "5-fold"), (5000, "10-fold"))


def learn(
    table: Any,
    target: str,
    *,
    scales: Mapping[str, Any] | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    candidates: Mapping[str, Any] | None = None,
    plan: Any = None,
    random_state: Any = 0,
    progress: bool | None = None,
) -> Learned:
    r"""What a table says about one of its columns, with a model whose intervals hold as often as they say.

    A few models are tried, from the simplest: a linear one (of counts also Poisson's), a Gaussian process where the
    exact one is affordable, and boosted trees; of positive amounts whose largest is five times the smallest, or more,
    also the same models of their logarithm ([](#credo.models.LogRegressor)), and of such two the better one is compared
    with the others. All are refitted by one plan and judged at rows they have not seen, numbers by their CRPS, classes
    by their log loss. The one that beats all others is taken; where the evidence names none, the simplest that none is
    better than ([](#credo.validate.compare)). What is known without any column is judged beside them and never taken.
    Rows that are copies of others are left out, and counted in the verdict: who has learnt from one knows the other.

    Intervals are made as wide as held rows say they have to be ([](#credo.validate.audit) tells how they did, spreads
    learnt without the rows they are judged on): a number is Student t around what the model says, with its standard
    deviation times a factor; one that is modelled by its logarithm is log-normal, with the logarithm's standard
    deviation times a factor; a count of which the model has a belief about counts is negative binomial, with its
    variance times one; probabilities of classes are raised to a power. That covers noise, what the model does not know,
    and that it is wrong, on average over rows like these; not the places that the audit names, and not rows far from
    all others.

    Parameters
    ----------
    table : Table, frame or path
        Columns may be numbers, text, orders, moments, and have missing values.
    target : str
        The column to learn. Names and orders are classes; whole numbers from zero are counts; other numbers numbers.
    scales : mapping, optional
        What columns mean, where the guess is wrong ([](#credo.represent.Table)).
    keep, drop : names
        Columns to learn from although they look like a copy of the target or an identifier; columns to leave out.
    candidates : mapping, optional
        Other estimators by name, from the simplest.
    plan : str or plan, optional
        As for [](#credo.validate.evaluate); by default five folds, repeated where rows are few, and ten of 1000 to 5000
        rows.
    random_state : int, generator or None
        Of the folds, and of whatever else is random.
    progress : bool, optional
        Whether to show a bar that names the phase.

    Examples
    --------
    >>> import polars as pl
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> t, lot = rng.uniform(20.0, 80.0, 60), rng.choice(["a", "b"], 60)
    >>> y = 0.5 * t + np.where(lot == "a", 0.0, 5.0) + rng.normal(size=60)
    >>> learned = learn(pl.DataFrame({"t": t, "lot": lot, "yield": y}), "yield")
    >>> learned.chosen
    'linear'
    >>> learned.model.table(pl.DataFrame({"t": [50.0], "lot": ["b"]})).columns[:3]
    ['yield', 'low', 'high']
    """
    read, seed = _as_table(table, scales), as_seed(random_state)
    question = asked_of(read, target, keep=keep, drop=drop)
    # By brackets, which take names as they are: to select, "*" is every column, and "^a.*$" those that begin with a.
    frame, y = read.frame[list(question.columns)][question.rows], targets_of(read, question)
    known = {name: _said(read, name) for name in question.columns}
    tried = _tried(question, frame, y, known, candidates)
    seconds: dict[str, float] = {}
    with tracker("learn", len(tried.estimators) + 2, progress) as track:
        chosen_plan = _plan(len(y)) if plan is None else plan

        def timed(phase: str, work: Callable[[], Any]) -> Any:
            track.phase(phase)
            started = perf_counter()
            answer = work()
            seconds[phase] = perf_counter() - started
            track.advance()
            return answer

        evaluation = _evaluated(tried, frame, y, chosen_plan, seed, question, timed)
        comparison = _compared(evaluation, "log" if question.kind == "class" else "crps")
        chosen = comparison.preferred
        # Of the table as it was read: new rows are then read the way it was written, "1,250" too.
        written = read.without(*(set(read) - set(question.columns))).rows(question.rows)
        model = timed("fitting", lambda: tried.estimators[chosen].fit(written, y))
        learnt = _width_of(model.predict_dist(frame[:1]), question.kind)
        spread, audit, own = timed("auditing", lambda: _audited(evaluation[chosen], evaluation, frame, seed, learnt))
    summary = verdict_in_words(question, chosen, evaluation, comparison, audit, spread)
    rows = model.encoder_.transform(frame)
    said = TableModel(
        target,
        question.kind,
        model,
        spread,
        own,
        surroundings_of(rows, np.random.default_rng(seed)),
        summary,
    )
    return Learned(read, question, chosen, said, evaluation, comparison, audit, tried.left_out, seconds)


def _as_table(table: Any, scales: Mapping[str, Any] | None) -> Table:
    if isinstance(table, Table):
        return table.with_scales(scales) if scales else table
    return Table.read(table, scales=scales) if isinstance(table, str | Path) else Table.from_frame(table, scales=scales)


def _said(table: Table, name: str) -> Any:
    """The scale of a column, as it can be said: for an order, its levels."""
    column = table[name]
    return list(column.levels) if column.scale == "ordinal" else column.scale


def _tried(
    question: Question, frame: Any, y: np.ndarray, scales: dict[str, Any], given: Mapping[str, Any] | None
) -> Candidates:
    columns = len(TableEncoder(scales=scales).fit(frame).get_feature_names_out())
    classes = len(np.unique(y)) if question.kind == "class" else 0
    made = candidates_for(question.kind, len(y), columns, classes, by_factors=question.by_factors)
    estimators = made.estimators if given is None else {BASELINE: made.estimators[BASELINE], **given}
    for name, each in estimators.items():
        if not hasattr(each, "predict_dist"):
            what = f"candidate {name!r}, a {type(each).__name__}, has no predict_dist"
            cause = "It states no uncertainty, and candidates are judged by theirs"
            raise InputError("learn", what, cause, "Pass estimators of credo.models, or others with predict_dist")
    wrapped = {name: OnTable(estimator=each, scales=scales) for name, each in estimators.items()}
    return Candidates(wrapped, made.left_out if given is None else {})


def _plan(rows: int) -> str:
    return next((plan for most, plan in _PLANS if rows <= most), "5-fold")


def _evaluated(
    tried: Candidates, frame: Any, y: np.ndarray, plan: Any, seed: int, question: Question, timed: Callable[..., Any]
) -> Evaluation:
    """All candidates by the same splits, one after the other, so that a bar can name them."""
    scores = ("log", "zero-one", "brier") if question.kind == "class" else ("crps", "absolute", "squared", "interval")
    parts = []
    for name, estimator in tried.estimators.items():
        one = {name: estimator}
        ask = partial(evaluate, one, frame, y, plan=plan, scores=scores, random_state=seed)
        parts.append(timed(name, ask))
    return joined(parts)


def _compared(evaluation: Evaluation, score: str) -> Comparison:
    """The candidates among themselves, of each model the one of the number or of its logarithm, whichever did better; a
    single one against knowing no column, and it is taken all the same."""
    both = [name for name in evaluation.results if name + OF_LOGARITHMS in evaluation.results]
    out = {BASELINE, *(_worse(evaluation, score, name) for name in both)}
    among = {name: result for name, result in evaluation.results.items() if name not in out}
    if len(among) > 1:
        return compare(replace(evaluation, results=among), score=score)
    found = compare(evaluation, score=score)
    return Comparison(score, found.winner, next(iter(among)), found.pairs, found.note)


def _worse(evaluation: Evaluation, score: str, name: str) -> str:
    """Of a model and the same one of the logarithm: tests of each against all others would find little."""
    return max(name, name + OF_LOGARITHMS, key=lambda each: evaluation.claim(score, each).value)


def _width_of(belief: Belief, kind: Kind) -> Callable[..., Width]:
    """What finds the width of beliefs of this family in held rows."""
    if kind == "count" and belief.is_discrete:
        return count_spread_of
    return log_spread_of if isinstance(belief, LogNormal) else spread_of


def _audited(
    chosen: Evaluated, evaluation: Evaluation, frame: Any, seed: int, learnt: Callable[..., Width]
) -> tuple[Width | Sharpness, Audit, np.ndarray | None]:
    """What rows that were held out ask for, and what was said of them with what the others ask for, against what they
    are; of classes also the probability that their own had, the least first."""
    held, targets, generator = chosen.held, evaluation.targets, np.random.default_rng(seed)
    there = np.flatnonzero(held.there)
    rows, y = frame[there], targets.values[there]
    if targets.classes is not None:
        assert held.probabilities is not None
        said = held.probabilities[there]
        decided = cross_sharpened(said, y, 5, generator)
        own = np.sort(decided[np.arange(len(y)), y])
        return sharpness_of(said, y), audit_probabilities(rows, decided, y, random_state=seed), own
    moments = (held.point[there], held.std[there])
    pit = cross_places(learnt, *moments, y, 5, generator)
    return learnt(*moments, y), audit_places(rows, pit, random_state=seed), None
