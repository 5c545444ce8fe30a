"""Which measurements tell most about what one wants to know: one explorer, any targets, any candidates."""

from credo.decide.explore.covariances import Covariances
from credo.decide.explore.explorer import Explorer, Picked
from credo.decide.explore.functionals import Average, LinearFunctional, WeightedSums
from credo.decide.explore.level_sets import level_set_targets

__all__ = ["Average", "Covariances", "Explorer", "LinearFunctional", "Picked", "WeightedSums", "level_set_targets"]
