"""Studies: ask what to measure next, tell what came out."""

from credo.decide.study.base import StoredStudy
from credo.decide.study.goal import Bound, Goal
from credo.decide.study.recommend import Recommendation
from credo.decide.study.remaining import Remaining
from credo.decide.study.report import Report
from credo.decide.study.study import Study
from credo.decide.study.trial import Trial
from credo.decide.study.why import Why

__all__ = ["Bound", "Goal", "Recommendation", "Remaining", "Report", "StoredStudy", "Study", "Trial", "Why"]
