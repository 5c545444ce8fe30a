"""The sections of a report, in the order in which a reader asks for them, and the page they make."""

import hashlib
import platform
from dataclasses import dataclass
from importlib import resources
from typing import Any, final

import numpy as np

import credo
from credo.app.report.figures import (
    Figure,
    Grid,
    audit_figure,
    explained,
    grid,
    held_figure,
    places_figure,
    score_figure,
)
from credo.decide import Explanation, Learned, NextRuns
from credo.decide.learning.words import judged
from credo.validate.honesty import share

__all__ = ["Section", "report_html", "sections_of"]

_WORTH = {"crps": "error (CRPS)", "log": "log loss"}


@final
@dataclass(frozen=True)
class Section:
    """A heading, sentences, pictures and a table; parts that are not there are empty."""

    title: str
    words: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    table: Grid | None = None
    code: str = ""

    @property
    def name(self) -> str:
        """For links."""
        return self.title.lower().replace(" ", "-").replace(",", "")


def report_html(
    learned: Learned, explanation: Explanation | None = None, runs: NextRuns | str | None = None, *, command: str = ""
) -> str:
    """The whole page: the question, the verdict, the honest score, calibration and where it fails, comparison, effects,
    what is uncertain and why, what to measure next (or in words why nothing is suggested), notes on the data, and how
    to make it again."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    text = (resources.files("credo.app") / "report" / "report.html").read_text(encoding="utf-8")
    style = (resources.files("credo.app") / "report" / "report.css").read_text(encoding="utf-8")
    sections = sections_of(learned, explanation, runs, command)
    facts = _facts(learned)
    return environment.from_string(text).render(
        title=f"What {len(learned.y)} rows say about {learned.question.target}",
        verdict=learned.model.summary,
        facts=facts,
        sections=sections,
        style=style,
        version=credo.__version__,
    )


def sections_of(
    learned: Learned, explanation: Explanation | None, runs: NextRuns | str | None, command: str
) -> list[Section]:
    """All sections that there is something to say in."""
    found = [_said_before(learned), _honest(learned), _compared(learned)]
    if explanation is not None:
        words = ("This describes the model: columns that go together share what they say, and none of it is a promise "
                 "about what happens if somebody changes a column.",)  # fmt: skip
        found.append(Section("What it goes by", words, explained(explanation)))
    found.append(_uncertain(learned))
    if runs is not None:
        found.append(_next(runs))
    return [*found, _data(learned), _again(learned, command)]


def _facts(learned: Learned) -> list[tuple[str, str]]:
    """The few numbers that stand on top."""
    audit = learned.audit
    at = int(np.argmin(np.abs(audit.levels - 0.9)))
    promised = "probabilities" if learned.question.kind == "class" else "intervals"
    return [
        (f"{max(learned.skill, 0.0):.0%}", f"less {_WORTH[learned.score]} than without any column"),
        (share(audit.coverage[at]), f"held, of {share(audit.levels[at])} promised"),
        (learned.chosen, "is the model"),
        (judged(audit), f"is the verdict on its {promised}"),
    ]


def _said_before(learned: Learned) -> Section:
    words = [
        "Each row was left out in turn; this is what models that had not seen it said of it.",
        learned.model.summary[2],
    ]
    return Section("How good it is", tuple(words), (held_figure(learned),))


def _honest(learned: Learned) -> Section:
    words = [learned.model.summary[3]]
    failures = [str(region) for region in learned.audit.failures]
    words += failures or ["No place was found where the promise fails by more than chance."]
    figures = [audit_figure(learned.audit)]
    if learned.audit.regions:
        figures.append(places_figure(learned.audit))
    return Section("Can it be trusted", tuple(words), tuple(figures))


def _compared(learned: Learned) -> Section:
    words = [learned.model.summary[1]]
    words += [f"{name} was not tried: {reason}." for name, reason in learned.left_out.items()]
    words.append(f"Each of the others against {learned.chosen}: {learned.comparison.note}.")
    figures = (score_figure(learned.evaluation, learned.score),)
    return Section("What else was tried", tuple(words), figures, _against_chosen(learned))


def _against_chosen(learned: Learned) -> Grid:
    """How much worse each of the others is, and whether that may be chance."""
    rows = []
    for pair in learned.comparison.pairs:
        if learned.chosen in (pair.first, pair.second):
            other, sign = (pair.first, 1.0) if pair.second == learned.chosen else (pair.second, -1.0)
            low, high = sorted(sign * end for end in pair.difference.interval())
            more = str(pair.more_rows) if pair.more_rows else ""
            worse = f"{sign * pair.difference.mean:.3g} ± {pair.difference.standard_error:.2g}"
            rows.append((other, worse, f"{low:.3g} to {high:.3g}", f"{pair.p_value:.2g}", more))
    worth = f"its {_WORTH[learned.score]} is more by"
    return grid(("model", worth, "95 % interval", "corrected p", "more rows to tell them apart"), rows)


def _uncertain(learned: Learned) -> Section:
    """The budget, on average over the rows."""
    budget = learned.model.predict_dist(learned.frame).budget
    if not budget.is_split:
        return Section("What is uncertain, and why", (f"It cannot be split: {budget.reason}.",))
    parts = {name: float(part) for name, part in budget.shares().items()}
    meaning = {
        "noise": "more rows do not remove it: repeat the measurement, or measure more precisely",
        "parameter": "more rows remove it",
        "computation": "more computing removes it",
    }
    rows = [(name, f"{value:.1%}", meaning[name]) for name, value in parts.items()]
    largest = max(parts, key=lambda name: parts[name])
    words = (f"On average over the rows, {parts[largest]:.0%} of the variance of a prediction is {largest}: "
             f"{meaning[largest]}.",)  # fmt: skip
    return Section(
        "What is uncertain, and why", words, table=grid(("part", "share of the variance", "what helps"), rows)
    )


def _next(runs: NextRuns | str) -> Section:
    if isinstance(runs, str):
        return Section("What to measure next", ("Nothing can be suggested:", runs))
    names = [name for name in runs.columns if name != runs.target]
    rows = [[_cell(trial.params.get(name)) for name in names] + [str(trial.why)] for trial in runs.trials]
    words = (f"To {runs.study.direction} {runs.target}. Rows without a result count as under way.",
             *(f"{note}." for note in runs.notes))  # fmt: skip
    return Section("What to measure next", words, table=grid((*names, "why"), rows))


def _data(learned: Learned) -> Section:
    table = learned.table
    rows = [(c.name, c.scale, c.values_in_words, c.missing, c.reason) for c in table.columns.values()]
    words = [f"{learned.question.counted}; {learned.question.without_target} rows without a result were not used."]
    if learned.question.copies:
        words.append(f"{learned.question.copies} rows that are copies of others were not used.")
    words += [f"{name} was left out: {reason}." for name, reason in learned.question.left_out.items()]
    words += [f"{note}." for note in table.notes]
    return Section(
        "The data", tuple(words), table=grid(("column", "scale", "values", "missing", "why this scale"), rows)
    )


def _again(learned: Learned, command: str) -> Section:
    digest = hashlib.sha256(learned.table.frame.write_csv().encode()).hexdigest()[:16]
    words = (
        f"credo {credo.__version__}, Python {platform.python_version()}; the table has the checksum {digest}.",
        f"Plan of refits: {learned.evaluation.plan}. {learned.evaluation.certificate}.",
        f"The model: {learned.model.model.certificate_}.",
    )
    return Section("How to make this again", words, code=command or _in_python(learned))


def _in_python(learned: Learned) -> str:
    """The call, with the scales that were said."""
    said = {
        name: list(column.levels) if column.scale == "ordinal" else column.scale
        for name, column in learned.table.columns.items()
        if column.reason.startswith("as said")
    }
    options = f", scales={said!r}" if said else ""
    return f'credo.learn("table.csv", {learned.question.target!r}{options})'


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
