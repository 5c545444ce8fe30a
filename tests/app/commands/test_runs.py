"""`credo next`: ask, fill in, append, ask again."""

import json

import polars as pl
from typer.testing import CliRunner

from credo.app.interface import app
from credo.errors import InputError

PAST = pl.DataFrame({"t": [20.0, 35.0, 50.0, 65.0, 80.0], "yield": [1.0, 4.0, 6.0, 5.0, 2.0]})


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def test_the_loop_of_a_table(tmp_path):
    runs, out = tmp_path / "runs.csv", tmp_path / "next.csv"
    PAST.write_csv(runs)
    said = run("next", runs, "-t", "yield", "--maximize", "-n", 2, "-o", out)
    assert said.count("Run ") == 2
    asked = pl.read_csv(out)
    assert asked.columns == ["t", "yield"]
    assert asked["yield"].null_count() == 2
    filled = asked.with_columns(pl.Series("yield", [6.5, None], dtype=pl.Float64))
    pl.concat([PAST, filled], how="vertical_relaxed").write_csv(runs)
    again = json.loads(run("next", runs, "-t", "yield", "--maximize", "-n", 1, "--json"))
    assert again["runs"][0]["params"]["t"] not in asked["t"].to_list()
    assert again["runs"][0]["why"]["reason"] in ("explore", "exploit")


def test_without_a_file_it_is_the_example():
    assert "temperature" in run("next", "-n", 1)


def test_a_target_is_needed(tmp_path):
    PAST.write_csv(tmp_path / "runs.csv")
    result = CliRunner().invoke(app, ["next", str(tmp_path / "runs.csv")])
    assert isinstance(result.exception, InputError)
