"""The one list of estimators: whatever is in it is held to every law of the contract by the tests."""

from credo.models.base import Estimator
from credo.models.baseline.mean import MeanRegressor
from credo.models.baseline.prior import PriorClassifier
from credo.models.discriminant.gaussian import GaussianDiscriminant
from credo.models.discriminant.least_squares import LeastSquaresClassifier
from credo.models.discriminant.naive_bayes import NaiveBayes
from credo.models.ensemble.boosted_classes import GradientBoostingClassifier
from credo.models.ensemble.boosted_numbers import GradientBoostingRegressor
from credo.models.gp.classifier import GPClassifier
from credo.models.gp.multi_output import MultiOutputGPRegressor
from credo.models.gp.regressor import GPRegressor
from credo.models.linear.bayesian import BayesianLinearRegression
from credo.models.linear.glm import GLM, GammaRegression, PoissonRegression
from credo.models.linear.kernel_ridge import KernelRidge
from credo.models.linear.lasso import Bridge, ElasticNet, Lasso
from credo.models.linear.least_squares import LinearRegression
from credo.models.linear.lms import LMS
from credo.models.linear.logistic import LogisticRegression
from credo.models.linear.ridge import Ridge
from credo.models.linear.softmax import SoftmaxRegression
from credo.models.margin.perceptron import Perceptron
from credo.models.margin.rectangle import RectangleLearner
from credo.models.margin.svc import SVC
from credo.models.margin.svr import SVR
from credo.models.neighbors.local import LocallyWeightedRegression
from credo.models.neighbors.nearest import NearestNeighborsClassifier, NearestNeighborsRegressor
from credo.models.positive.logarithm import LogRegressor

__all__ = ["ESTIMATORS"]

#: Every estimator that can be fitted, as classes that can be made without arguments.
ESTIMATORS: tuple[type[Estimator], ...] = (
    GLM,
    SVC,
    SVR,
    LMS,
    BayesianLinearRegression,
    Bridge,
    ElasticNet,
    GPClassifier,
    GPRegressor,
    GammaRegression,
    GaussianDiscriminant,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    KernelRidge,
    Lasso,
    LeastSquaresClassifier,
    LinearRegression,
    LocallyWeightedRegression,
    LogisticRegression,
    LogRegressor,
    MeanRegressor,
    MultiOutputGPRegressor,
    NaiveBayes,
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    Perceptron,
    PoissonRegression,
    PriorClassifier,
    RectangleLearner,
    Ridge,
    SoftmaxRegression,
)
