"""Tables and scale types, encoders, basis functions, search spaces and graphs. Nothing here predicts."""

from credo.represent.features import Basis, GaussianBasis, PolynomialBasis, SigmoidalBasis
from credo.represent.formula import FormulaDesign, FormulaRows, formula_rows
from credo.represent.space import Choice, ColumnKind, Constraint, Integer, Linear, Parameter, Real, Space
from credo.represent.strings import StringEncoder
from credo.represent.table import (
    Block,
    Column,
    Dialect,
    Flag,
    LevelsBlock,
    Limits,
    MomentForm,
    MomentsBlock,
    NumberForm,
    NumbersBlock,
    OrderBlock,
    Table,
    TableEncoder,
    write_csv,
)

__all__ = [
    "Basis",
    "Block",
    "Choice",
    "Column",
    "ColumnKind",
    "Constraint",
    "Dialect",
    "Flag",
    "FormulaDesign",
    "FormulaRows",
    "GaussianBasis",
    "Integer",
    "LevelsBlock",
    "Limits",
    "Linear",
    "MomentForm",
    "MomentsBlock",
    "NumberForm",
    "NumbersBlock",
    "OrderBlock",
    "Parameter",
    "PolynomialBasis",
    "Real",
    "SigmoidalBasis",
    "Space",
    "StringEncoder",
    "Table",
    "TableEncoder",
    "formula_rows",
    "write_csv",
]
