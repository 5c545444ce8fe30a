"""Lines that are no rows like the others."""

import pytest

from credo.errors import FileError
from credo.represent import Table
from credo.represent.table.limits import Limits
from credo.represent.table.read import read_bytes

ROWS = "temp;time;lot;yield\n20,5;3;a;1,5\n30,5;4;b;2,5\n"


def notes(text):
    return read_bytes(text.encode(), "runs.csv", Limits())[1]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (ROWS + "40.5,5,c,3.5\n", 4, "commas between its cells, the header has semicolons"),
        (ROWS + "40.5,5,c\n", 4, "commas"),
        (ROWS + "40.5,5,c,3.5;;;\n", 4, "commas"),
        (ROWS + '"two\nlines";1;a;2\n\n40.5\t5\tc\t3.5\n', 7, "tabs"),
        ("\n\n" + ROWS.replace("\n", "\r\n") + "40.5|5|c|3.5\r\n", 6, "bars"),
        ("\r\r" + ROWS.replace("\n", "\r") + "40.5|5|c|3.5\r", 6, "bars"),
        (ROWS.replace(",", ".").replace(";", ",") + "1.5;2;c;3\n", 4, "semicolons between its cells"),
    ],
)
def test_lines_of_another_dialect_are_refused_by_their_number(text, line, words):
    with pytest.raises(FileError, match=rf"^Table.read: line {line} of 'runs.csv' has .*{words}.* Write that line"):
        notes(text)


@pytest.mark.parametrize(
    "text",
    [
        "temp;time;yield\n20,5;3;1,5\n30,5;;\n",
        'remark;time;yield\na;3;1,5\n"well, then";;\n',
        "temp;yield\n20,5;1,5\n30,5;\n",
        ROWS + ";;;\n\n",
        ROWS + '"40,5";"5";"c;d";\n',
    ],
)
def test_rows_that_are_to_be_filled_in_are_rows(text):
    assert notes(text) == ()


def test_rows_that_are_short_are_counted():
    assert notes(ROWS + "40,5;5\n") == ("line 4 has fewer cells than the header: its last ones are missing",)
    more = ROWS + '"a\nb";5\n\n50,5;6;;1\n60,5\n'
    assert notes(more)[0].startswith("2 lines have fewer cells than the header, line 4 the first")
    assert notes("a,b\n1\n2,3\n")[0].startswith("line 2 has fewer")


def test_what_is_said_of_lines_stands_below_the_table(tmp_path):
    (tmp_path / "runs.csv").write_text(ROWS + "40,5;5\n")
    table = Table.read(tmp_path / "runs.csv")
    assert str(table).endswith("line 4 has fewer cells than the header: its last ones are missing")
    assert table["yield"].missing == 1
