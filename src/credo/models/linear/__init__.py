"""Linear models."""

from credo.models.linear.bayesian import BayesianLinearRegression
from credo.models.linear.from_formula import FromFormula
from credo.models.linear.generalized import GeneralizedLinear
from credo.models.linear.glm import GLM, GammaRegression, PoissonRegression
from credo.models.linear.inference import SpeaksOfCoefficients
from credo.models.linear.kernel_ridge import KernelRidge
from credo.models.linear.lasso import Bridge, ElasticNet, Lasso
from credo.models.linear.least_squares import LinearRegression
from credo.models.linear.lms import LMS
from credo.models.linear.logistic import LogisticRegression
from credo.models.linear.penalized import Penalized
from credo.models.linear.ridge import Ridge, SpectralRidge
from credo.models.linear.softmax import SoftmaxRegression
from credo.models.linear.summary import Summary

__all__ = [
    "GLM",
    "LMS",
    "BayesianLinearRegression",
    "Bridge",
    "ElasticNet",
    "FromFormula",
    "GammaRegression",
    "GeneralizedLinear",
    "KernelRidge",
    "Lasso",
    "LinearRegression",
    "LogisticRegression",
    "Penalized",
    "PoissonRegression",
    "Ridge",
    "SoftmaxRegression",
    "SpeaksOfCoefficients",
    "SpectralRidge",
    "Summary",
]
