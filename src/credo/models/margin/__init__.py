"""Classifiers that put a border between classes, with scores and no probabilities."""

from credo.models.margin.binary import BinaryDeciding
from credo.models.margin.perceptron import Perceptron
from credo.models.margin.rectangle import RectangleLearner
from credo.models.margin.svc import SVC
from credo.models.margin.svr import SVR

__all__ = ["SVC", "SVR", "BinaryDeciding", "Perceptron", "RectangleLearner"]
