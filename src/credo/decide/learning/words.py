"""The verdict in words: what was asked, what was taken and why, how good it is, and whether it can be trusted."""

import numpy as np

from credo.decide.learning.candidates import BASELINE
from credo.decide.learning.question import Question
from credo.decide.learning.sharpness import Sharpness
from credo.decide.learning.spread import Width
from credo.validate import Audit, Comparison, Evaluation
from credo.validate.honesty import share

__all__ = ["judged", "verdict_in_words"]

_TELLING = 20  # rows, from which a verdict without a finding says something
_LEFT_OUT = "The ± is mostly too small, as refits share rows."
_SCORES = {"crps": "mean distance (CRPS)", "log": "log loss"}


def verdict_in_words(
    question: Question,
    chosen: str,
    evaluation: Evaluation,
    comparison: Comparison,
    audit: Audit,
    spread: Width | Sharpness | None,
) -> tuple[str, ...]:
    """A sentence a line."""
    return (
        f"{question.target}, a {question.kind}, learnt from {question.counted}.",
        _choice(chosen, evaluation, comparison),
        _worth(question, chosen, evaluation, comparison.score),
        _trust(audit, spread),
        *_copies(question),
        *(f"Left out: {name}, for {reason}." for name, reason in question.left_out.items()),
    )


def _choice(chosen: str, evaluation: Evaluation, comparison: Comparison) -> str:
    if len(evaluation.results) == 2:
        return f"Model: {chosen}, the only one that was tried."
    compared = {name for pair in comparison.pairs for name in (pair.first, pair.second)}
    others = ", ".join(name for name in evaluation.results if name in compared - {chosen})
    if comparison.winner == chosen:
        return f"Model: {chosen}, which is better than {others} at rows that were held out, by more than chance."
    better = f"None of the others ({others}) is better by more than chance"
    return f"Model: {chosen}. {better}, and of such models it is the simplest."


def _worth(question: Question, chosen: str, evaluation: Evaluation, score: str) -> str:
    own, none = evaluation.claim(score, chosen), evaluation.claim(score, BASELINE)
    difference = evaluation[chosen].compared_by_refit(score) - evaluation[BASELINE].compared_by_refit(score)
    gone = 1.0 - own.value / none.value if none.value > 0.0 else 0.0
    text = (
        f"At rows it has not seen its {_SCORES[score]} is {own.value:.3g} ± {own.standard_error:.2g}, "
        f"that of knowing no column {none.value:.3g}"
    )
    if gone <= 0.0 or np.mean(difference < 0.0) < 0.7:
        return f"{text}: the columns tell little or nothing about {question.target}. {_LEFT_OUT}"
    return f"{text}: {gone:.0%} less. {_LEFT_OUT}"


def _trust(audit: Audit, spread: Width | Sharpness | None) -> str:
    at = int(np.argmin(np.abs(audit.levels - audit.level)))
    held = f"{audit.coverage[at]:.1%} of {audit.sizes[at]} rows that were held out"
    band = f"95 % band {audit.low[at]:.1%} to {audit.high[at]:.1%}"
    width = "" if spread is None else f", {spread},"
    if audit.promise.startswith("intervals"):
        text = f"Its {share(audit.level)} intervals{width} held {held} ({band}): {judged(audit)}."
    else:
        text = f"Where it was {share(audit.level)} sure{width} it was right in {held} ({band}): {judged(audit)}."
    places = "; ".join(f"{region.verdict} {_where(region.where)}" for region in audit.failures[:3])
    tails = "" if audit.tails is None else f" {audit.tails}."
    return text + tails + (f" But {places}." if places else "")


def judged(audit: Audit) -> str:
    """The verdict of an audit in a word; of few rows a good one says little."""
    at = int(np.argmin(np.abs(audit.levels - audit.level)))
    return audit.verdict if audit.verdict != "honest" or audit.sizes[at] >= _TELLING else "too few to tell more"


def _where(place: str) -> str:
    return place if place == "anywhere" else f"where {place}"


def _copies(question: Question) -> tuple[str, ...]:
    if not question.copies:
        return ()
    said = "1 row is a copy of another" if question.copies == 1 else f"{question.copies} rows are copies of others"
    return (f"{said}, and left out.",)
