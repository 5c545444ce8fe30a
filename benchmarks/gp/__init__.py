"""Races of Gaussian-process regression."""
