"""Classifiers that put a border between classes, with scores and no probabilities."""

from credo.models.margin.binary import BinaryDeciding

__all__ = ["BinaryDeciding"]
