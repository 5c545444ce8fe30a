"""Machines by their dual: support vectors for classes and numbers."""

from credo.infer.dual.problem import MarginProblem, class_problem, number_problem
from credo.infer.dual.solve import SupportVectors, solve_margin

__all__ = ["MarginProblem", "SupportVectors", "class_problem", "number_problem", "solve_margin"]
