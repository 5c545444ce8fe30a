"""Studies: ask what to measure next, tell what came out."""

from credo.decide.study.base import StoredStudy
from credo.decide.study.goal import Bound, Goal
from credo.decide.study.next_runs import NextRuns, next_runs, study_from_table
from credo.decide.study.opening import open_study
from credo.decide.study.program import Program
from credo.decide.study.recommend import Recommendation
from credo.decide.study.remaining import Remaining
from credo.decide.study.report import Report
from credo.decide.study.study import Study
from credo.decide.study.trial import Trial
from credo.decide.study.why import Why

__all__ = [
    "Bound",
    "Goal",
    "NextRuns",
    "Program",
    "Recommendation",
    "Remaining",
    "Report",
    "StoredStudy",
    "Study",
    "Trial",
    "Why",
    "next_runs",
    "open_study",
    "study_from_table",
]
