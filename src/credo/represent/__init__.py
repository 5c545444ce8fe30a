"""Tables and scale types, encoders, basis functions, search spaces and graphs. Nothing here predicts."""

from credo.represent.features import Basis, GaussianBasis, PolynomialBasis, SigmoidalBasis
from credo.represent.formula import FormulaDesign, FormulaRows, formula_rows
from credo.represent.space import Choice, ColumnKind, Constraint, Integer, Linear, Parameter, Real, Space

__all__ = [
    "Basis",
    "Choice",
    "ColumnKind",
    "Constraint",
    "FormulaDesign",
    "FormulaRows",
    "GaussianBasis",
    "Integer",
    "Linear",
    "Parameter",
    "PolynomialBasis",
    "Real",
    "SigmoidalBasis",
    "Space",
    "formula_rows",
]
