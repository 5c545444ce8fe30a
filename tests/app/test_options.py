"""Texts of options."""

import pytest

from credo.app.options import read_table, scales_of
from credo.errors import InputError


def test_scales():
    assert scales_of(["zip=nominal", "a=b=ratio", "size = S<M"]) == {
        "zip": "nominal",
        "a=b": "ratio",
        "size ": ["S", "M"],
    }


@pytest.mark.parametrize("text", ["zip", "=nominal", "zip="])
def test_what_is_no_scale_is_named(text):
    with pytest.raises(InputError, match="COLUMN=SCALE"):
        scales_of([text])


def test_tables_are_read_with_them(tmp_path):
    (tmp_path / "t.csv").write_text("zip,y\n8001,1.5\n8002,2.5\n")
    assert read_table(tmp_path / "t.csv", ["zip=nominal"])["zip"].scale == "nominal"
