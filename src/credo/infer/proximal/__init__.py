"""Penalties that make slopes zero: quadratics with absolute values, their paths, and powers of slopes."""

from credo.infer.proximal.bridge import bridge_grid, bridge_path
from credo.infer.proximal.debias import debiased
from credo.infer.proximal.judged import JudgedPath, PathSolver, judged_path
from credo.infer.proximal.path import PenaltyPath, elastic_net_path, largest_penalty, penalty_grid
from credo.infer.proximal.quadratic import Quadratic, centered_quadratic

__all__ = [
    "JudgedPath",
    "PathSolver",
    "PenaltyPath",
    "Quadratic",
    "bridge_grid",
    "bridge_path",
    "centered_quadratic",
    "debiased",
    "elastic_net_path",
    "judged_path",
    "largest_penalty",
    "penalty_grid",
]
