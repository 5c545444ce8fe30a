"""Texts of options."""

import shlex
from pathlib import Path

import pytest
import typer

from credo.app.interface import app
from credo.app.options import read_table, refuse_to_replace, scales_of, typed_again
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


@pytest.mark.parametrize("name", ["runs.csv", "my runs;rm $(x).csv", "-runs.csv", "--", "ünï'.csv"])
def test_what_is_typed_again_is_read_as_the_same(name):
    options = {"--target": "--target", "--scale": ["zip=nominal", "size=S<M<L"], "--drop": ["a b"], "--keep": []}
    line = typed_again("learn", Path(name), {**options, "--maximize/--minimize": None, "--seed": -1})
    read = typer.main.get_command(app).commands["learn"].make_context("learn", shlex.split(line)[2:]).params
    assert Path(read["file"]) == Path(name)
    assert (read["target"], read["scale"]) == ("--target", ["zip=nominal", "size=S<M<L"])
    assert (read["drop"], read["keep"], read["maximize"], read["seed"]) == (["a b"], [], None, -1)


def test_what_is_read_is_not_written(tmp_path):
    given = tmp_path / "runs.csv"
    given.touch()
    (tmp_path / "link.csv").symlink_to(given)
    for out in (given, tmp_path / "link.csv", tmp_path / "." / "runs.csv"):
        with pytest.raises(InputError, match="that is read"):
            refuse_to_replace("credo", out, None, given)
    refuse_to_replace("credo", tmp_path / "other.csv", given)
    refuse_to_replace("credo", None, given)
    refuse_to_replace("credo", given, tmp_path / "other.csv", Path("\0"))
