"""`credo next`: ask, fill in, append, ask again."""

import json
import os

import polars as pl
import pytest
from typer.testing import CliRunner

import credo
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


@pytest.mark.parametrize(
    ("said", "direction"), [([], "maximize"), (["--maximize"], "maximize"), (["--minimize"], "minimize")]
)
def test_of_the_example_more_is_better_unless_it_is_said(monkeypatch, said, direction):
    given = directions_of(monkeypatch)
    CliRunner().invoke(app, ["next", *said])
    assert given == [direction]


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_of_a_file_the_direction_has_to_be_said(monkeypatch, tmp_path, direction):
    given = directions_of(monkeypatch)
    PAST.write_csv(tmp_path / "runs.csv")
    asked = ["next", str(tmp_path / "runs.csv"), "-t", "yield"]
    CliRunner().invoke(app, [*asked, f"--{direction}"])
    assert given == [direction]
    refused = CliRunner().invoke(app, asked).exception
    assert isinstance(refused, InputError)
    assert str(refused).endswith("Add --maximize or --minimize.")
    assert given == [direction]


def directions_of(monkeypatch):
    """What the library is asked for, which then ends the command."""
    given = []

    def next_runs(table, target, *, direction, **others):
        given.append(direction)
        raise InputError("next_runs", "enough")

    monkeypatch.setattr("credo.next_runs", next_runs)
    return given


@pytest.mark.parametrize("name", ["runs.csv", "sub/../runs.csv", "link.csv", "hard.csv"])
def test_the_past_runs_are_not_replaced(tmp_path, name):
    runs = tmp_path / "runs.csv"
    PAST.write_csv(runs)
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.csv").symlink_to(runs)
    os.link(runs, tmp_path / "hard.csv")
    before = runs.read_bytes()
    result = CliRunner().invoke(app, ["next", str(runs), "-t", "yield", "--maximize", "-o", str(tmp_path / name)])
    assert isinstance(result.exception, InputError)
    assert name in str(result.exception)
    assert runs.read_bytes() == before


def test_a_target_is_needed(tmp_path):
    PAST.write_csv(tmp_path / "runs.csv")
    result = CliRunner().invoke(app, ["next", str(tmp_path / "runs.csv"), "--maximize"])
    assert isinstance(result.exception, InputError)
    assert "no target was named" in str(result.exception)


def test_what_was_understood_is_shown_and_can_be_said_better(tmp_path):
    runs = tmp_path / "runs.csv"
    PAST.with_columns(batch=pl.Series([1.5, 2.5, None, 4.5, 5.5])).write_csv(runs)
    said = run("next", runs, "-t", "yield", "--maximize", "-n", 1)
    assert "batch  Real" in said
    assert "1 row has no value of 'batch', and was left out." in said
    said = run("next", runs, "-t", "yield", "--maximize", "-n", 1, "-p", "t=0..5", "--drop", "batch")
    assert "0 to 5" in said
    assert "batch" not in said


def test_the_loop_of_a_table_with_decimal_commas_and_a_currency(tmp_path):
    """Lines are appended as they are written, and mean the same."""
    runs, out = tmp_path / "runs.csv", tmp_path / "next.csv"
    rows = [
        "Preis;t;Ausbeute",
        "1.200,50 €;20,5;1,5",
        "900,25 €;35,0;4,0",
        "n.a.;50,0;6,0",
        "1.100,75 €;65,5;5,0",
        "950,00 €;80,0;2,0",
    ]
    runs.write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = ["next", runs, "-t", "Ausbeute", "--maximize", "-n", 2, "-o", out]
    first = run(*asked)
    assert "1 row has no value of 'Preis'" in first
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == rows[0]
    with runs.open("a", encoding="utf-8") as file:
        file.write(f"{lines[1]}7,25\n{lines[2]}\n")
    table = credo.Table.read(runs)
    assert {name: column.scale for name, column in table.columns.items()} == dict.fromkeys(rows[0].split(";"), "ratio")
    assert table.numbers("Ausbeute")[5] == 7.25
    assert "Run 2" in run(*asked)
