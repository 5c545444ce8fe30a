"""Copies of the target, identifiers, constants and empty columns are flagged, others not."""

import numpy as np
import polars as pl

from credo.represent.table import Table

RNG = np.random.default_rng(0)
Y = RNG.normal(size=30)


def kinds(columns, target="y"):
    return {flag.name: flag.kind for flag in Table.from_frame(pl.DataFrame(columns)).flags(target)}


def test_what_tells_the_target_or_only_the_row():
    found = kinds(
        {
            "y": Y,
            "in other units": 32.0 + 1.8 * Y,
            "nearly": Y + 0.01 * RNG.normal(size=30),
            "run": np.arange(1, 31),
            "label": [f"sample {i}" for i in range(30)],
            "same": np.full(30, 2.5),
            "rare": [1.5, *([None] * 29)],
            "lot": ["a", "b", "c"] * 10,
            "x": RNG.normal(size=30),
        }
    )
    assert found == {
        "in other units": "copy",
        "run": "identifier",
        "label": "identifier",
        "same": "constant",
        "rare": "constant",
    }


def test_classes_that_are_renamed_are_copies():
    classes = np.array(["good", "bad", "good"] * 10)
    columns = {"y": classes, "code": np.where(classes == "good", "1", "0"), "lot": ["a", "b", "c", "d", "e"] * 6}
    assert kinds(columns) == {"code": "copy"}


def test_mostly_empty_and_few_rows():
    assert kinds({"y": Y, "x": [*RNG.normal(size=10), *([None] * 20)]}) == {"x": "empty"}
    assert kinds({"y": Y[:5], "z": 2.0 * Y[:5]}) == {}
