"""Files of all kinds, and what strangers send."""

import gzip
import io
import json

import polars as pl
import pytest

from credo.errors import FileError, MissingFileError, TooLargeError
from credo.represent.table import Table
from credo.represent.table.read import Limits, frame_of, read_bytes, read_frame
from excel_files import excel

ROWS = pl.DataFrame({"t": [20.5, 80.0], "lot": ["a", "b"]})


def test_the_same_table_from_every_kind_of_file(tmp_path):
    ROWS.write_csv(tmp_path / "a.csv")
    ROWS.write_csv(tmp_path / "a.tsv", separator="\t")
    ROWS.write_parquet(tmp_path / "a.parquet")
    ROWS.write_ndjson(tmp_path / "a.jsonl")
    (tmp_path / "a.xlsx").write_bytes(excel([["t", "lot"], [20.5, "a"], [80.0, "b"]]))
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    for name in ("a.csv", "a.tsv", "a.parquet", "a.jsonl", "a.xlsx", "b.csv.gz"):
        frame, notes, *_ = read_frame(tmp_path / name, Limits())
        assert frame["t"].cast(float).to_list() == [20.5, 80.0]
        assert frame["lot"].to_list() == ["a", "b"]
        assert notes == ()


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_separator_is_found(mark):
    text = f"a{mark}b{mark}c\n1{mark}x y{mark}\n2{mark}z{mark}3\n"
    frame, *_ = read_bytes(text.encode(), "a.csv", Limits())
    assert frame.columns == ["a", "b", "c"]
    assert frame["c"].to_list() == [None, "3"]


def test_cells_that_say_nothing_are_missing_and_quotes_hold_separators():
    frame, *_ = read_bytes(b'a,b\n"1,5",NA\n,n/a\n"x ""y""",?\n', "a.csv", Limits())
    assert frame["a"].to_list() == ["1,5", None, 'x "y"']
    assert Table.from_frame(frame)["b"].missing == 3


def test_marks_of_what_is_missing_are_the_same_in_every_kind_of_file(tmp_path):
    """Also behind a blank, so that numbers stay numbers."""
    (tmp_path / "a.csv").write_bytes(b"x,z\n1, 2.5\n ,NA\n4, #N/A\n7,-\n")
    rows = [("1", "2.5"), (" ", "NA"), ("4", " #N/A"), ("7", "-")]
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"x": x, "z": z}) for x, z in rows))
    (tmp_path / "a.xlsx").write_bytes(excel([["x", "z"], [1, 2.5], [" ", "NA"], [4, "#N/A"], [7, "-"]]))
    for name in ("a.csv", "a.jsonl", "a.xlsx"):
        table = Table.read(tmp_path / name)
        assert table["x"].series.cast(float).to_list() == [1.0, None, 4.0, 7.0]
        assert table["z"].series.cast(float).to_list() == [2.5, None, None, None]


def test_names_are_made_where_they_are_missing_or_taken():
    frame, notes, *_ = read_bytes(b"a,,a\n1,2,3\n", "a.csv", Limits())
    assert frame.columns == ["a", "column 2", "a (again)"]
    assert len(notes) == 2


def test_text_of_windows_and_marks_of_byte_order():
    frame, notes, *_ = read_bytes("a,b\nGrün,1\n".encode("cp1252"), "a.csv", Limits())
    assert frame["a"].to_list() == ["Grün"]
    assert "Windows-1252" in notes[0]
    for content in ("a,b\nGrün,1\n".encode("utf-8-sig"), "a,b\nGrün,1\n".encode("utf-16")):
        assert read_bytes(content, "a.csv", Limits())[0]["a"].to_list() == ["Grün"]


@pytest.mark.parametrize(
    ("content", "name", "why"),
    [
        (b"", "a.csv", "is empty"),
        (b"  \n ", "a.csv", "is empty"),
        (b"a,b\n", "a.csv", "no rows"),
        (b"a,b\n1,2,3,4\n", "a.csv", "no table"),
        (b"\x00\x01\x02a", "a.csv", "zero bytes"),
        (b"PK\x03\x04junk", "a.parquet", "no parquet file"),
        (b"PK\x03\x04junk", "a.xlsx", "no excel file"),
        (b"{not json", "a.jsonl", "no json file"),
        (b"not gzip", "a.csv.gz", "no whole gzip"),
        (b"a,b\n1,2\n", "a.exe", "ends in none of"),
        (b"a,b\n1,2\n", "../../etc/passwd", "ends in none of"),
    ],
)
def test_what_is_no_table_is_refused(content, name, why):
    with pytest.raises(FileError, match=why):
        read_bytes(content, name, Limits())


def test_what_is_too_large_is_refused_before_it_is_unpacked(tmp_path):
    bomb = gzip.compress(b"0," * 5_000_000)
    with pytest.raises(TooLargeError, match="unpacks to more"):
        read_bytes(bomb, "a.csv.gz", Limits(unpacked=1_000_000))
    with pytest.raises(TooLargeError, match="unpacks to more"):
        read_bytes(excel([["a"], ["0" * 3_000_000]]), "a.xlsx", Limits(unpacked=1_000_000))
    wide = io.BytesIO()
    pl.DataFrame({f"c{i}": [1] for i in range(30)}).write_parquet(wide)
    with pytest.raises(TooLargeError, match="columns"):
        read_bytes(wide.getvalue(), "a.parquet", Limits(columns=20))
    with pytest.raises(TooLargeError, match="columns"):
        read_bytes(b",".join([b"x"] * 5000) + b"\n1\n", "a.csv", Limits())
    with pytest.raises(TooLargeError, match="rows"):
        read_bytes(b"a\n" + b"1\n" * 11, "a.csv", Limits(rows=10))
    (tmp_path / "a.csv").write_bytes(b"a\n1\n")
    with pytest.raises(TooLargeError, match="bytes"):
        read_frame(tmp_path / "a.csv", Limits(bytes=2))
    with pytest.raises(MissingFileError):
        read_frame(tmp_path / "none.csv", Limits())


def test_a_text_that_stands_in_every_row_counts_as_often():
    frame = pl.DataFrame({"x": pl.Series(["abc"]).new_from_index(0, 1000)})
    for kind in (pl.String, pl.Categorical, pl.Enum(["abc"])):
        assert frame_of(frame.cast(kind), Limits(unpacked=3000)).height == 1000
        with pytest.raises(TooLargeError, match="more text, 3,000 bytes"):
            frame_of(frame.cast(kind), Limits(unpacked=2999))


def test_what_breaks_inside_a_reader_is_refused_and_an_interrupt_is_not(monkeypatch):
    class PanicException(BaseException):
        """As Rust raises it."""

    for error, seen in ((PanicException("out of range"), FileError), (KeyboardInterrupt(), KeyboardInterrupt)):

        def fail(content, limits, error=error):
            raise error

        monkeypatch.setattr("credo.represent.table.read.json_frame", fail)
        with pytest.raises(seen):
            read_bytes(b"{}", "a.jsonl", Limits())
