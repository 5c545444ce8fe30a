"""Distributions, exponential families, conjugate pairs, the uncertainty budget and proper scores. Nothing here fits."""

from credo.beliefs.base import Belief
from credo.beliefs.bernoulli import Bernoulli, Binomial
from credo.beliefs.beta import Beta
from credo.beliefs.beta_binomial import BetaBinomial
from credo.beliefs.budget import UncertaintyBudget
from credo.beliefs.categorical import Categorical, Multinomial
from credo.beliefs.conjugate import ConjugatePair, Statistics
from credo.beliefs.conjugate_counts import BetaBernoulli, CountStatistics, DirichletCategorical, GammaPoisson
from credo.beliefs.conjugate_normal import (
    NormalKnownVariance,
    NormalUnknownCovariance,
    NormalUnknownVariance,
)
from credo.beliefs.crps import crps
from credo.beliefs.dirichlet import Dirichlet
from credo.beliefs.empirical import Empirical
from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.gamma import Exponential, Gamma
from credo.beliefs.gibbs import Gibbs
from credo.beliefs.inverse_gamma import InverseGamma
from credo.beliefs.inverse_gaussian import InverseGaussian
from credo.beliefs.laplace import Laplace
from credo.beliefs.log_normal import LogNormal
from credo.beliefs.mixture import Mixture
from credo.beliefs.multivariate_normal import Conditioned, MultivariateNormal
from credo.beliefs.multivariate_student import MultivariateStudentT
from credo.beliefs.negative_binomial import NegativeBinomial
from credo.beliefs.normal import Normal
from credo.beliefs.normal_inverse import NormalInverseGamma, NormalInverseWishart
from credo.beliefs.poisson import Poisson
from credo.beliefs.scores import brier, energy, interval_score, log_score, pinball
from credo.beliefs.student_t import StudentT
from credo.beliefs.truncated_normal import TruncatedNormal
from credo.beliefs.uniform import Uniform
from credo.beliefs.wishart import InverseWishart, Wishart

__all__ = [
    "Belief",
    "Bernoulli",
    "Beta",
    "BetaBernoulli",
    "BetaBinomial",
    "Binomial",
    "Categorical",
    "Conditioned",
    "ConjugatePair",
    "CountStatistics",
    "Dirichlet",
    "DirichletCategorical",
    "Empirical",
    "Exponential",
    "ExponentialFamily",
    "Gamma",
    "GammaPoisson",
    "Gibbs",
    "InverseGamma",
    "InverseGaussian",
    "InverseWishart",
    "Laplace",
    "LogNormal",
    "Mixture",
    "Multinomial",
    "MultivariateNormal",
    "MultivariateStudentT",
    "NegativeBinomial",
    "Normal",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "NormalKnownVariance",
    "NormalUnknownCovariance",
    "NormalUnknownVariance",
    "Poisson",
    "Statistics",
    "StudentT",
    "TruncatedNormal",
    "UncertaintyBudget",
    "Uniform",
    "Wishart",
    "brier",
    "crps",
    "energy",
    "interval_score",
    "log_score",
    "pinball",
]
