"""Engines that work on protocols, not on models. No model is imported here."""

from credo.infer.conjugate_linear import LinearPosterior, LinearPrior, linear_posterior, linear_posteriors
from credo.infer.moments import Moments, merge_moments, moments

__all__ = [
    "LinearPosterior",
    "LinearPrior",
    "Moments",
    "linear_posterior",
    "linear_posteriors",
    "merge_moments",
    "moments",
]
