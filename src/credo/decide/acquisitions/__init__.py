"""What the next measurement is worth: acquisitions as functions of a belief, and where they are largest."""

from credo.decide.acquisitions.free import Suggested
from credo.decide.acquisitions.improvement import (
    Acquisition,
    ConfidenceBound,
    LogExpectedImprovement,
    LogProbabilityOfImprovement,
    growing_width,
    log_expected_improvement,
    log_probability_of_improvement,
)
from credo.decide.acquisitions.maximize import maximize_acquisition
from credo.decide.acquisitions.pareto import pareto_front
from credo.decide.acquisitions.surface import AveragedSurface, FantasySurface, GPSurface, Surface, imagined, surface_of

__all__ = [
    "Acquisition",
    "AveragedSurface",
    "ConfidenceBound",
    "FantasySurface",
    "GPSurface",
    "LogExpectedImprovement",
    "LogProbabilityOfImprovement",
    "Suggested",
    "Surface",
    "growing_width",
    "imagined",
    "log_expected_improvement",
    "log_probability_of_improvement",
    "maximize_acquisition",
    "pareto_front",
    "surface_of",
]
