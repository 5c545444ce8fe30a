"""Text: letters, separators, lines and names as they come."""

import pytest

from credo.errors import FileError, TooLargeError
from credo.represent.table.delimited import delimited_frame
from credo.represent.table.limits import Limits


def read(content, **limits):
    return delimited_frame(content, "a.csv", Limits(**limits))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_end_as_on_any_machine(end):
    frame, *_ = read(end.join([b"a,b", b"1,x", b"2,y", b""]))
    assert frame.columns == ["a", "b"]
    assert frame.rows() == [("1", "x"), ("2", "y")]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (b'"a\nb",c', ["a\nb", "c"]),
        (b"a\rb,c", ["a\rb", "c"]),
        (b"NA,?", ["NA", "?"]),
        (b"a,a_duplicated_0,a", ["a", "a_duplicated_0", "a (again)"]),
        (b"\n\na,b", ["a", "b"]),
        (b"x" * 200_000 + b",b", ["x" * 199 + "…", "b"]),
    ],
)
def test_the_header_is_read_as_the_rows_are(header, names):
    frame, *_ = read(header + b"\n1,2\n")
    assert frame.columns == names
    assert frame.row(0)[:2] == ("1", "2")


def test_letters_that_lie_across_two_parts_are_read(monkeypatch):
    monkeypatch.setattr("credo.represent.table.delimited._PART", 5)
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        frame, *_ = read("a,b\nGrün,😀 und mehr\n".encode(encoding))
        assert frame.row(0) == ("Grün", "😀 und mehr")
    frame, notes, *_ = read(b"a,b\n1234567890,Gr\xfcn\n")
    assert frame.row(0) == ("1234567890", "Grün")
    assert notes == ("not UTF-8 (byte 17): read as Windows-1252",)


def test_cells_are_counted_before_they_are_made():
    wide = b"," * 99 + b"\n"
    assert read(wide + b"1\n" * 10, cells=1000)[0].shape == (10, 100)
    with pytest.raises(TooLargeError, match="11 rows of 100 cells"):
        read(wide + b"1\n" * 11, cells=1000)
    with pytest.raises(TooLargeError, match="101 columns"):
        read(wide.replace(b"\n", b",\n") + b"1\n", columns=100)
    quoted = b'"' + b"," * 200 + b'",b\n1,2\n'
    assert read(quoted, columns=2)[0].width == 2


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", "\u2003\n".encode(), "\ufeff ".encode("utf-16-le")])
def test_signs_that_say_nothing_are_empty(content):
    with pytest.raises(FileError, match="is empty"):
        read(content)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'"a,b\n1,2\n3,4\n', "line 1"),
        (b'a,"b\n1,2\n', "line 1"),
        (b'a,"b', "line 1"),
        (b'\n\na,"b\n1,2\n', "line 3"),
        (b'sep=;\na;"b\n1;2\n', "line 2"),
        (b'a,b\n1,2\n3,"4\n5,6\n', "line 3"),
        (b'"a,b\n1,"x\ny"\n', "line 1, or one of 2 lines below it,"),
    ],
)
def test_a_quote_that_is_not_closed_is_named_by_its_line(content, line):
    with pytest.raises(FileError) as error:
        read(content)
    assert str(error.value).startswith(f"Table.read: a quote in {line} of 'a.csv' is not closed. ")


@pytest.mark.parametrize(
    ("first", "separator", "called"),
    [
        (b"sep=;\n", ";", "semicolons"),
        (b"SEP=;\r\n", ";", "semicolons"),
        (b'"sep=;"\n', ";", "semicolons"),
        (b"sep=\t\n", "\t", "tabs"),
        (b"\xef\xbb\xbfsep=,\n", ",", "commas"),
        (b"sep=^\n", "^", "'^'"),
    ],
)
def test_the_separator_that_the_first_line_states_is_used(first, separator, called):
    # Commas would cut every line into more cells: the statement goes before what the lines look like.
    lines = ["x,1{0}y,2,3", "1,5{0}2,5,5", "3,5{0}4,5,5", ""] if separator != "," else ["x,1;y", "1,5;2", "3,5;4", ""]
    frame, notes, dialect = read(first + "\n".join(lines).format(separator).encode())
    expected = [line.format(separator).split(separator) for line in lines[:-1]]
    assert frame.columns == expected[0]
    assert [list(row) for row in frame.rows()] == expected[1:]
    assert notes == (f"line 1 states that {called} separate the cells",)
    assert dialect.separator == separator


def test_a_column_called_sep_is_a_column():
    frame, *_ = read(b"sep=x,b\n1,2\n")
    assert frame.columns == ["sep=x", "b"]
    with pytest.raises(FileError, match="is empty"):
        read(b"sep=;\n")
