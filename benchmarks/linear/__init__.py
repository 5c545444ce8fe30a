"""Races of linear models."""
