"""Distributions, exponential families, conjugate pairs, the uncertainty budget and proper scores. Nothing here fits."""

from credo.beliefs.base import Belief
from credo.beliefs.budget import UncertaintyBudget
from credo.beliefs.exponential import ExponentialFamily
from credo.beliefs.normal import Normal

__all__ = ["Belief", "ExponentialFamily", "Normal", "UncertaintyBudget"]
