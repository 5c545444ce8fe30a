"""The one list of estimators: whatever is in it is held to every law of the contract by the tests."""

from credo.models.base import Estimator
from credo.models.gp.classifier import GPClassifier
from credo.models.gp.multi_output import MultiOutputGPRegressor
from credo.models.gp.regressor import GPRegressor
from credo.models.linear.bayesian import BayesianLinearRegression

__all__ = ["ESTIMATORS"]

#: Every estimator that can be fitted, as classes that can be made without arguments.
ESTIMATORS: tuple[type[Estimator], ...] = (
    BayesianLinearRegression,
    GPClassifier,
    GPRegressor,
    MultiOutputGPRegressor,
)
