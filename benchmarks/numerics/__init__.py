"""Races of `credo.numerics`."""
