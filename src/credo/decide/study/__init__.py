"""Studies: ask what to measure next, tell what came out."""

from credo.decide.study.study import Study
from credo.decide.study.trial import Trial
from credo.decide.study.why import Why

__all__ = ["Study", "Trial", "Why"]
