"""What is known of the target without any column: the bar that every other model has to clear."""

from credo.models.baseline.mean import MeanRegressor
from credo.models.baseline.prior import PriorClassifier

__all__ = ["MeanRegressor", "PriorClassifier"]
