"""Tables and scale types, encoders, basis functions, search spaces and graphs. Nothing here predicts."""

from credo.represent.features import Basis, GaussianBasis, PolynomialBasis, SigmoidalBasis
from credo.represent.formula import FormulaDesign, FormulaRows, formula_rows
from credo.represent.space import Choice, ColumnKind, Constraint, Integer, Linear, Parameter, Real, Space
from credo.represent.table import Column, Flag, Limits, Table, TableEncoder

__all__ = [
    "Basis",
    "Choice",
    "Column",
    "ColumnKind",
    "Constraint",
    "Flag",
    "FormulaDesign",
    "FormulaRows",
    "GaussianBasis",
    "Integer",
    "Limits",
    "Linear",
    "Parameter",
    "PolynomialBasis",
    "Real",
    "SigmoidalBasis",
    "Space",
    "Table",
    "TableEncoder",
    "formula_rows",
]
