"""Tables and scale types, encoders, basis functions, search spaces and graphs. Nothing here predicts."""

from credo.represent.features import Basis, GaussianBasis, PolynomialBasis, SigmoidalBasis
from credo.represent.formula import FormulaDesign, FormulaRows, formula_rows

__all__ = [
    "Basis",
    "FormulaDesign",
    "FormulaRows",
    "GaussianBasis",
    "PolynomialBasis",
    "SigmoidalBasis",
    "formula_rows",
]
