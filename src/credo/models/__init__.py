"""What a user fits: scikit-learn style estimators that wire a prior to an engine."""

from credo.models.base import Classifier, Estimator, Regressor, Replicated
from credo.models.discriminant import GaussianDiscriminant, GenerativeClassifier, NaiveBayes
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
    Bridge,
    ElasticNet,
    GammaRegression,
    GeneralizedLinear,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Penalized,
    PoissonRegression,
    Ridge,
    SoftmaxRegression,
    SpeaksOfCoefficients,
    Summary,
)
from credo.models.neighbors import (
    LocallyWeightedRegression,
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
)
from credo.models.registry import ESTIMATORS

__all__ = [
    "ESTIMATORS",
    "GLM",
    "BayesianLinearRegression",
    "Bridge",
    "Classifier",
    "ElasticNet",
    "Estimator",
    "FunctionPaths",
    "FunctionRegressor",
    "GPClassifier",
    "GPRegressor",
    "GammaRegression",
    "GaussianDiscriminant",
    "GeneralizedLinear",
    "GenerativeClassifier",
    "Lasso",
    "LinearRegression",
    "LocallyWeightedRegression",
    "LogisticRegression",
    "MultiOutputGPRegressor",
    "NaiveBayes",
    "NearestNeighborsClassifier",
    "NearestNeighborsRegressor",
    "Penalized",
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
