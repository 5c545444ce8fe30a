"""Classifiers that model the rows of each class."""

from credo.models.discriminant.gaussian import GaussianDiscriminant
from credo.models.discriminant.generative import GenerativeClassifier
from credo.models.discriminant.least_squares import LeastSquaresClassifier
from credo.models.discriminant.naive_bayes import NaiveBayes

__all__ = ["GaussianDiscriminant", "GenerativeClassifier", "LeastSquaresClassifier", "NaiveBayes"]
