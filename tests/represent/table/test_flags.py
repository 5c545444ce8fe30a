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
        "rare": "empty",
    }


def test_classes_that_are_renamed_are_copies():
    classes = np.array(["good", "bad", "good"] * 10)
    columns = {"y": classes, "code": np.where(classes == "good", "1", "0"), "lot": ["a", "b", "c", "d", "e"] * 6}
    assert kinds(columns) == {"code": "copy"}


def test_mostly_empty_and_few_rows():
    assert kinds({"y": Y, "x": [*RNG.normal(size=10), *([None] * 20)]}) == {"x": "empty"}
    assert kinds({"y": Y[:5], "z": 2.0 * Y[:5]}) == {}


def test_a_tick_box_is_no_constant():
    ticked = ["x" if i % 3 else None for i in range(30)]
    assert kinds({"y": Y, "tick": ticked, "always": ["x"] * 30, "never": [None] * 30}) == {
        "always": "constant",
        "never": "constant",
    }
    reasons = {flag.name: flag.reason for flag in Table.from_frame(pl.DataFrame({"a": ["x"], "n": [None]})).flags()}
    assert reasons == {"a": "it has one value in every row", "n": "it is empty"}


def test_numbers_that_are_codes_of_classes_are_copies():
    classes = np.array(["low sugar", "some sugar", "much sugar"] * 10)
    code = np.array([1, 7, 3] * 10)
    columns = {"y": classes, "code": code, "half": code / 2.0, "nearly": [*code[:-1], 5]}
    assert kinds(columns) == {"code": "copy", "half": "copy"}
    assert kinds({"y": code / 2.0, "name": classes}) == {"name": "copy"}
    assert kinds({"y": [f"class {i}" for i in range(30)], "x": Y}) == {}  # all different says nothing


def test_amounts_in_text_are_no_identifiers():
    amounts = [f"{0.37 * i + 1:.2f}" for i in range(29)]
    found = kinds(
        {
            "y": Y,
            "with a word": [*amounts, "unknown"],
            "below": [*amounts[:20], *(f"<{x}" for x in amounts[20:]), "<0.1"],
            "units": [f"{x} {'kg' if i % 2 else 'g'}" for i, x in enumerate([*amounts, "99.5"])],
            "whole": [*(str(1000 + 17 * i) for i in range(29)), "unknown"],
            "lab id": [*(str(1000 + 17 * i) for i in range(29)), "unknown"],
            "zeros": [*(f"0{1000 + 17 * i}" for i in range(29)), "unknown"],
            "number": [f"2024-{i:04d}" for i in range(30)],
            "part": [f"{i}A" for i in range(15)] + [f"{i}B" for i in range(15)],
        }
    )
    assert found == dict.fromkeys(["lab id", "zeros", "number", "part"], "identifier")
