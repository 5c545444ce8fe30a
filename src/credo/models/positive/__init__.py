"""Models of positive numbers that rest on a model of their logarithm."""

from credo.models.positive.logarithm import LogRegressor

__all__ = ["LogRegressor"]
