"""Machines by their dual: support vectors for classes and numbers."""

from credo.infer.dual.hard import solve_hard_margin
from credo.infer.dual.machine import KernelMachine, kernel_machine
from credo.infer.dual.problem import MarginProblem, class_problem, number_problem
from credo.infer.dual.solve import Limits, SupportVectors, solve_margin

__all__ = [
    "KernelMachine",
    "Limits",
    "MarginProblem",
    "SupportVectors",
    "class_problem",
    "kernel_machine",
    "number_problem",
    "solve_hard_margin",
    "solve_margin",
]
