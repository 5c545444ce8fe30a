"""NIST's Statistical Reference Datasets for linear regression, read from the shared data; skipped where absent."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(os.environ.get("CREDO_DATA", Path(__file__).parents[2] / "shared" / "data")) / "nist"
SETS = ("Filip", "Longley", "NoInt1", "NoInt2", "Norris", "Pontius", *(f"Wampler{i}" for i in range(1, 6)))


def read(name):
    """Columns, target, certified estimates with their standard deviations, and whether there is an intercept."""
    path = FOLDER / f"{name}.dat"
    if not path.exists():
        pytest.skip("../shared/data/nist is absent")
    lines = path.read_text().splitlines()
    certified = [re.match(r"\s+B\d+\s+(\S+)\s+(\S+)\s*$", line) for line in lines[:60]]
    certified = np.array([[float(found[1]), float(found[2])] for found in certified if found])
    first, last = (int(n) for n in re.search(r"Data\s+\(lines (\d+) to (\d+)\)", "\n".join(lines[:12])).groups())
    rows = np.array([[float(entry) for entry in line.split()] for line in lines[first - 1 : last]])
    intercept = not name.startswith("NoInt")
    columns = rows[:, 1:]
    if intercept and columns.shape[1] == 1:
        columns = columns ** np.arange(1, len(certified))
    return columns, rows[:, 0], certified, intercept


def correct_digits(found, certified):
    """The least number of them; of a certified zero, the digits in front of which there is nothing."""
    error = np.abs(found - certified) / np.where(certified == 0.0, 1.0, np.abs(certified))
    return float(np.min(-np.log10(np.maximum(error, 1e-16))))
