"""Races of evaluation and estimation."""
