"""Races of decisions: suggestions, regret, the storage of studies."""
