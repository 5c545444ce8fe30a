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
from credo.models.linear import (
    GLM,
    BayesianLinearRegression,
    GammaRegression,
    GeneralizedLinear,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    Ridge,
    SoftmaxRegression,
    SpeaksOfCoefficients,
    Summary,
)
from credo.models.registry import ESTIMATORS

__all__ = [
    "ESTIMATORS",
    "GLM",
    "BayesianLinearRegression",
    "Classifier",
    "Estimator",
    "FunctionPaths",
    "FunctionRegressor",
    "GPClassifier",
    "GPRegressor",
    "GammaRegression",
    "GeneralizedLinear",
    "LinearRegression",
    "LogisticRegression",
    "MultiOutputGPRegressor",
    "PoissonRegression",
    "Regressor",
    "Replicated",
    "Ridge",
    "SoftmaxRegression",
    "SpeaksOfCoefficients",
    "Standardization",
    "Summary",
    "TeacherStudent",
    "teacher_student",
]
