"""Where a study stands, as a page to print."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from credo.decide.storage.records import Counts
from credo.decide.study.audit import IntervalAudit
from credo.decide.study.goal import Goal
from credo.decide.study.recommend import Recommendation
from credo.decide.study.remaining import DRAWS, Remaining
from credo.decide.study.trial import Trial, point_in_words
from credo.errors import InputError

if TYPE_CHECKING:
    from credo.decide.study.study import Study

__all__ = ["Report", "report_of"]

_SHOWN = 5
_HIGHEST = 0.999  # level, for which there are so many


@final
@dataclass(frozen=True)
class Report:
    """The state of a study: how many trials stand where, the best measured of them (`best`; of several objectives the
    front), what is recommended, what is left to gain, whether intervals hold, and the latest trials. Parts that cannot
    be said yet are None. Of a robust study `best` is the best predicted trial, by the believed average around it, and
    `average` that average and its standard deviation.
    """

    name: str
    goal: Goal
    counts: Counts
    best: tuple[Trial, ...]
    recommended: Recommendation | None
    remaining: Remaining | None
    audit: IntervalAudit | None
    level: float
    latest: tuple[Trial, ...]
    average: tuple[float, float] | None = None

    def __str__(self) -> str:
        counts = (
            f"{self.counts.done} done, {self.counts.failed} failed, "
            f"{self.counts.running} running, {self.counts.waiting} waiting"
        )
        latest = ["  latest:"] + [f"    {self._line(trial)}; {trial.why}" for trial in self.latest]
        return "\n".join(
            [f"{self.name}: {self.goal}", f"  {counts}", *(f"  {line}" for line in self.standing), *latest]
        )

    @property
    def standing(self) -> tuple[str, ...]:
        """The best measured trial (the front, of several objectives; of a robust study the best predicted), what is
        recommended, what is left to gain and whether intervals hold: a line each."""
        several = len(self.goal.objectives) > 1
        title, nothing = ("front", "nothing measured") if several else ("best measured", "nothing")
        if self.average is not None:
            mean, std = self.average
            title = f"best predicted by the average around it ({mean:.4g} ± {std:.2g})"
        lines = [f"{title}: {self._line(trial)}" for trial in self.best] or [f"{title}: {nothing} that counts"]
        recommended = "recommended" if self.average is None else "recommended by the average around it"
        lines += [] if self.recommended is None else [f"{recommended}: {self.recommended}"]
        lines += [] if self.remaining is None else [self._left(self.remaining)]
        lines += [] if self.audit is None else [f"audit of the intervals: {self.audit}"]
        return tuple(lines)

    def _left(self, remaining: Remaining) -> str:
        bound, expected = remaining.bound(self.level), remaining.expected
        text = f"left to gain: at most {bound:.3g} with probability {self.level:.0%}, {expected:.2g} expected"
        if not remaining.gap:
            return text
        text += ", assuming that the objective is equally smooth over the whole space"
        width = 2.0 * remaining.gap
        return text if width >= 1.0 else f"{text}; a dip narrower than {width:.0%} of the ranges may have been missed"

    def _line(self, trial: Trial) -> str:
        point = f"#{trial.number} {point_in_words(trial.params)}"
        if trial.values is None:
            return f"{point}: {trial.state}" + (f" ({trial.note})" if trial.note else "")
        several = len(trial.values) > 1
        told = ", ".join(f"{name} {value:.4g}" if several else f"{value:.4g}" for name, value in trial.values.items())
        broken = ", ".join(map(str, self.goal.broken(trial.values)))
        return f"{point}: {told}" + (f" (breaks {broken})" if broken else "")

    def to_polars(self) -> Any:
        """The best measured and the latest trials as a frame: number, parameters, outcomes, state, reason."""
        import polars as pl

        several = {trial.number: trial for trial in (*self.best, *self.latest)}
        rows = [
            {
                "number": trial.number,
                **trial.params,
                **(trial.values or {}),
                "state": trial.state,
                "why": str(trial.why),
            }
            for _, trial in sorted(several.items())
        ]
        return pl.DataFrame(rows)


def report_of(study: "Study", level: float) -> Report:
    """The report of a study; what cannot be said yet is left out."""
    if not 0.0 < level <= _HIGHEST:
        raise InputError("report", f"level is {level}", f"It is above 0 and at most {_HIGHEST}", "Try 0.95")
    trials = study.trials
    several = len(study.names) > 1
    try:
        best = tuple(study.pareto) if several else (study.best,)
    except InputError:
        best = ()
    learnt = sum(trial.state == "done" for trial in trials) >= 2 and not study.setup.context and not several
    return Report(
        study.name,
        study.goal,
        study.storage.counts(study.record),
        best,
        study.recommend() if learnt else None,
        _remaining(study, level) if learnt else None,
        study.audit() if learnt and study.setup.surrogate is None else None,
        level,
        tuple(trials[-_SHOWN:]),
        _average(study, best) if study.setup.robust and not several else None,
    )


def _average(study: "Study", best: tuple[Trial, ...]) -> tuple[float, float] | None:
    try:
        believed = study.average([trial.params for trial in best])
    except InputError:  # too few results
        return None
    return (float(believed.mean[0]), float(believed.std[0])) if best else None


def _remaining(study: "Study", level: float) -> Remaining | None:
    """With as many functions as a bound at that level needs."""
    try:
        return study.remaining(draws=max(DRAWS, math.ceil(2.0 / (1.0 - level))))
    except InputError:  # it has no answer for this study
        return None
