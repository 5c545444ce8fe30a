"""Intervals and sets with guaranteed coverage around any estimator, right or wrong."""

from credo.validate.conformal.base import Conformal
from credo.validate.conformal.classifier import ConformalClassifier
from credo.validate.conformal.regressor import ConformalRegressor

__all__ = ["Conformal", "ConformalClassifier", "ConformalRegressor"]
