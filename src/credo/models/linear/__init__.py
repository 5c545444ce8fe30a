"""Linear models."""

from credo.models.linear.bayesian import BayesianLinearRegression

__all__ = ["BayesianLinearRegression"]
