"""Guarantees that hold for any distribution, each as error for n rows and as rows for an error."""

from credo.validate.bounds.base import Bound
from credo.validate.bounds.classes import VC, FiniteClass, TightestRectangle, hyperplanes, rectangles
from credo.validate.bounds.means import Bernstein, Chernoff, EmpiricalBernstein, Hoeffding
from credo.validate.bounds.pac_bayes import Maurer, McAllester
from credo.validate.bounds.shattering import adaboost_training_bound, vc_dimension

__all__ = [
    "VC",
    "Bernstein",
    "Bound",
    "Chernoff",
    "EmpiricalBernstein",
    "FiniteClass",
    "Hoeffding",
    "Maurer",
    "McAllester",
    "TightestRectangle",
    "adaboost_training_bound",
    "hyperplanes",
    "rectangles",
    "vc_dimension",
]
