"""Values written as a table wrote its own."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from credo.represent import Dialect, NumberForm, Table, write_csv
from credo.represent.table.like import written_like

EUROPEAN = """\
Nr.;Temperatur;Preis;Menge;Tag;Lot;Rest
1;20,5;2.329,03 €;1.200;31.05.2024;a;-1,5 kg
2;-30,25;1217,5;12.345.678;01.06.2024;b, c;2,5 kg
3;n.a.;1.847,89 €;700;;a;3 kg
4;40,125;0,5 €;2.500;03.06.2024;;
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(EUROPEAN, encoding="utf-8")
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_rows_can_be_appended_to_the_file_that_they_are_of(path, encoding):
    path.write_bytes(EUROPEAN.encode(encoding))
    table = Table.read(path)
    assert table.dialect == Dialect(";", encoding)
    new = path.with_name("new.csv")
    write_csv(table.frame, new, like=table)
    with path.open("ab") as file:
        file.write(new.read_bytes().partition(b"\n")[2])
    again = Table.read(path)
    assert {name: column.scale for name, column in again.columns.items()} == {
        name: column.scale for name, column in table.columns.items()
    }
    assert {name: column.form for name, column in again.columns.items()} == {
        name: column.form for name, column in table.columns.items()
    }
    assert again.frame.equals(pl.concat([table.frame, table.frame]))


def test_what_is_written_looks_like_the_table(path):
    table = Table.read(path)
    lines = write_csv(table.frame[:2], like=table).splitlines()
    assert lines[0] == EUROPEAN.splitlines()[0]
    assert lines[1] == "1;20,5;2.329,03 €;1200;31.05.2024;a;-1,5 kg"
    assert lines[2] == "2;-30,25;1.217,5 €;12.345.678;01.06.2024;b, c;2,5 kg"


def test_what_is_written_can_be_read_on_its_own(path):
    """Also where three digits stand behind every comma, and where a group of thousands is all there is."""
    table = Table.read(path)
    frame = pl.DataFrame({"Temperatur": [12.125, 13.25, 40.125], "Menge": [1200, 2500, 1847], "mean": [0.5, 1.125, 2]})
    path.write_text(write_csv(frame[:1], like=table))
    assert Table.read(path, scales=dict.fromkeys(frame.columns, "ratio")).frame.rows() == frame[:1].rows()
    path.write_text(write_csv(frame, like=table))
    assert Table.read(path).frame.rows() == frame.rows()


def test_columns_without_decimals_take_those_of_the_table(path):
    table = Table.read(path)
    frame = pl.DataFrame({"Nr.": [5.0, 6.5, None], "mean": [0.25, -1e-12, float("nan")], "n": [1, 2, 3]})
    assert write_csv(frame, like=table).splitlines()[1:] == ["5,0;0,25;1", "6,5;-1e-12;2", ";;3"]
    assert write_csv(frame[:1], like=table).splitlines()[1] == "5;0,25;1"


def test_a_table_with_points_is_written_with_points(tmp_path):
    (tmp_path / "a.tsv").write_text("x\ty\n1,234.5\t$1.5\n2\t-$2\n")
    table = Table.read(tmp_path / "a.tsv")
    frame = pl.DataFrame({"x": [12345.75], "y": [-1000.25], "z": [0.5]})
    assert write_csv(frame, like=table) == "x\ty\tz\n12,345.75\t-$1000.25\t0.5\n"


def test_the_way_of_writing_is_kept_by_what_is_made_of_the_table(path):
    table = Table.read(path)
    for other in (table.rows([0]), table.without("Lot"), table.with_scales({"Nr.": "nominal"}), table.complete()):
        assert other.dialect == table.dialect
    assert Table.from_frame(table.frame).dialect is None


def test_a_table_of_no_text_changes_nothing():
    frame = pl.DataFrame({"x": [1.5, 2.5, 3.5], "t": [dt.date(2024, 5, 31)] * 3})
    assert write_csv(frame, like=Table.from_frame(frame)) == write_csv(frame)


def test_text_stays_as_it_is_and_formulas_are_text(path):
    table = Table.read(path)
    frame = pl.DataFrame({"Temperatur": ["-30,25", "n.a."], "Lot": ["=1+1", "a;=1"], "Rest": ["-1,5 kg", "-1+A1"]})
    lines = write_csv(frame, like=table).splitlines()
    assert lines[1:] == ["-30,25;'=1+1;-1,5 kg", "n.a.;\"a;'=1\";'-1+A1"]


def test_a_unit_that_would_run_is_text(tmp_path):
    (tmp_path / "a.csv").write_text("x;y\n1/cmd|' !A;2\n2/cmd|' !A;3\n3/cmd|' !A;4\n")
    table = Table.read(tmp_path / "a.csv")
    assert table["x"].form == NumberForm(behind="/cmd|' !A")
    assert write_csv(pl.DataFrame({"x": [-2]}), like=table).splitlines()[1] == "'-2 /cmd|' !A"


def test_numbers_in_an_order_are_written_as_they_were(path):
    table = Table.read(path, scales={"Temperatur": "ordinal"})
    assert written_like(table.frame, table)["Temperatur"].to_list() == ["20,5", "-30,25", None, "40,1250"]
    as_written = pl.DataFrame({"Menge": ["1.200", "700"]})
    assert written_like(as_written, table.with_scales({"Menge": "ordinal"})).equals(as_written)


def test_no_digit_is_lost(path):
    numbers = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-25, 25).repeat(10)
    form = NumberForm(".", ",", behind="€")
    np.testing.assert_array_equal(form.read(form.write(pl.Series(numbers))).to_numpy(), numbers)
