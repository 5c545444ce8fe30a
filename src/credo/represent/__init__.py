"""Tables and scale types, encoders, basis functions, search spaces and graphs. Nothing here predicts."""

from credo.represent.features import Basis, GaussianBasis, PolynomialBasis, SigmoidalBasis

__all__ = ["Basis", "GaussianBasis", "PolynomialBasis", "SigmoidalBasis"]
