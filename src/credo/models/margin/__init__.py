"""Classifiers that put a border between classes, with scores and no probabilities."""

from credo.models.margin.binary import BinaryDeciding
from credo.models.margin.perceptron import Perceptron

__all__ = [
    "BinaryDeciding",
    "Perceptron",
]
