"""Models that look at the rows near a query."""

from credo.models.neighbors.local import LocallyWeightedRegression
from credo.models.neighbors.nearest import NearestNeighborsClassifier, NearestNeighborsRegressor

__all__ = ["LocallyWeightedRegression", "NearestNeighborsClassifier", "NearestNeighborsRegressor"]
