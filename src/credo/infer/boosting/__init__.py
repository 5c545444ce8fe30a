"""Boosted trees: LightGBM underneath, plain arrays outside."""

from credo.infer.boosting.cross_fit import CrossFit, cross_fit
from credo.infer.boosting.lightgbm import Growth
from credo.infer.boosting.predictive import Tails, ambiguity, dilution, jackknife_variance, student_tails
from credo.infer.boosting.trees import Trees, trees_at

__all__ = [
    "CrossFit",
    "Growth",
    "Tails",
    "Trees",
    "ambiguity",
    "cross_fit",
    "dilution",
    "jackknife_variance",
    "student_tails",
    "trees_at",
]
