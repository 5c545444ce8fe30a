"""Estimation theory in numbers: information, its bound on errors, likelihood tests, the delta method, the bootstrap."""

from credo.validate.estimation.bootstrap import BootstrapInterval, bootstrap_interval
from credo.validate.estimation.cramer_rao import CramerRao, cramer_rao
from credo.validate.estimation.delta import delta_method
from credo.validate.estimation.efficiency import Efficiency, efficiency
from credo.validate.estimation.information import Information, expected_information, family_information
from credo.validate.estimation.likelihood import covariance_of, observed_information, score, scores
from credo.validate.estimation.likelihood_tests import LikelihoodTests, likelihood_tests, score_test
from credo.validate.estimation.maximum import maximum_likelihood
from credo.validate.estimation.of_means import OfMeans

__all__ = [
    "BootstrapInterval",
    "CramerRao",
    "Efficiency",
    "Information",
    "LikelihoodTests",
    "OfMeans",
    "bootstrap_interval",
    "covariance_of",
    "cramer_rao",
    "delta_method",
    "efficiency",
    "expected_information",
    "family_information",
    "likelihood_tests",
    "maximum_likelihood",
    "observed_information",
    "score",
    "score_test",
    "scores",
]
