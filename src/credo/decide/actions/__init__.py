"""Deciding under a belief: the action of least expected loss, and what it is worth to see more before."""

from credo.decide.actions.classes import Costs, ZeroOne
from credo.decide.actions.decision import Decision, bayes_action
from credo.decide.actions.information import Information, value_of_information
from credo.decide.actions.loss import Loss
from credo.decide.actions.names import LossLike
from credo.decide.actions.numeric import Absolute, LinearLoss, Pinball, Squared
from credo.decide.actions.observations import Likelihood, NoisyMeasurement, Observation, Outcomes, Perfect

__all__ = [
    "Absolute",
    "Costs",
    "Decision",
    "Information",
    "Likelihood",
    "LinearLoss",
    "Loss",
    "LossLike",
    "NoisyMeasurement",
    "Observation",
    "Outcomes",
    "Perfect",
    "Pinball",
    "Squared",
    "ZeroOne",
    "bayes_action",
    "value_of_information",
]
