"""Models that are made of many."""

from credo.models.ensemble.boosted_classes import GradientBoostingClassifier
from credo.models.ensemble.boosted_numbers import GradientBoostingRegressor
from credo.models.ensemble.boosting import Boosted

__all__ = ["Boosted", "GradientBoostingClassifier", "GradientBoostingRegressor"]
