"""What a user fits: scikit-learn style estimators that wire a prior to an engine."""

from credo.models.base import Classifier, Estimator, Regressor, Replicated
from credo.models.gp import (
    FunctionPaths,
    FunctionRegressor,
    GPClassifier,
    GPRegressor,
    MultiOutputGPRegressor,
    Standardization,
    TeacherStudent,
    teacher_student,
)
from credo.models.linear import BayesianLinearRegression
from credo.models.registry import ESTIMATORS

__all__ = [
    "ESTIMATORS",
    "BayesianLinearRegression",
    "Classifier",
    "Estimator",
    "FunctionPaths",
    "FunctionRegressor",
    "GPClassifier",
    "GPRegressor",
    "MultiOutputGPRegressor",
    "Regressor",
    "Replicated",
    "Standardization",
    "TeacherStudent",
    "teacher_student",
]
