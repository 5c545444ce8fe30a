"""Races against named peers. `python -m benchmarks [name ...]` runs them and writes their tables."""
