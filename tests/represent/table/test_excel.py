"""Excel files: what they unpack to, how far their cells lie apart, and how often they say the same."""

import io
import zipfile

import pytest

from credo.errors import TooLargeError
from credo.represent.table.excel import excel_frame
from credo.represent.table.limits import Limits
from excel_files import STRINGS, excel, shared, sheet, workbook


def corner(place):
    return workbook(sheet(f'<row><c r="A1"><v>1</v></c></row><row><c r="{place}"><v>2</v></c></row>'))


def test_a_sheet_is_read():
    assert excel_frame(excel([["t", "lot"], [1.5, "a"], [2.5, "b"]]), Limits()).rows() == [(1.5, "a"), (2.5, "b")]


def test_texts_are_shared_and_counted_as_often_as_they_are_used():
    rows = '<row><c t="s"><v>0</v></c></row>' + '<row><c t="s"><v>1</v></c></row>' * 9
    content = workbook(sheet(rows), {STRINGS: shared("name", "x" * 200)})
    with pytest.raises(TooLargeError, match="unpacks to more"):
        excel_frame(content, Limits(unpacked=1803))
    assert excel_frame(content, Limits(unpacked=4000)).columns == ["name"]


@pytest.mark.parametrize(("place", "why"), [("XFD2", "columns"), ("J1000", "cells"), ("A1048576", "rows")])
def test_cells_lie_no_further_apart_than_a_table_is_large(place, why):
    with pytest.raises(TooLargeError, match=why):
        excel_frame(corner(place), Limits(rows=1000, columns=100, cells=5000))
    assert (
        excel_frame(corner("J100"), Limits(rows=1000, columns=100, cells=5000)).height == 1
    )  # empty rows are left out


def test_cells_without_content_do_not_count():
    rows = '<row><c r="A1"><v>1</v></c></row><row><c r="A2"><v>2</v></c><c r="XFD2" s="1"/></row>'
    assert excel_frame(workbook(sheet(rows)), Limits()).shape == (1, 1)


@pytest.mark.parametrize("place", ["A0", "XFE1", "A1048577", "ZZZZ1", "1A", "", "A-1"])
def test_places_that_no_sheet_has_are_refused(place):
    with pytest.raises(ValueError, match="a cell is"):
        excel_frame(corner(place), Limits())


def test_only_what_was_looked_at_is_read():
    """A sheet under another ending would be read unseen."""
    hidden = workbook(
        "<worksheet/>",
        {"xl/hidden.bin": sheet("<row><c><v>1</v></c></row>"), "xl/_rels/workbook.xml.rels": _pointing("hidden.bin")},
    )
    with pytest.raises(Exception, match=r"hidden|find|sheet"):
        excel_frame(hidden, Limits())
    with pytest.raises(ValueError, match="names of texts"):
        excel_frame(workbook(sheet("", "<!DOCTYPE x>")), Limits())


def _pointing(target):
    package, office = "http://schemas.openxmlformats.org/package", "http://schemas.openxmlformats.org/officeDocument"
    relation = f'Type="{office}/2006/relationships/worksheet" Target="{target}"'
    return f'<Relationships xmlns="{package}/2006/relationships"><Relationship Id="r1" {relation}/></Relationships>'


def test_all_parts_together_are_counted():
    content = workbook(sheet("<row><c><v>1</v></c></row>"), {f"media/{i}.png": bytes(1000) for i in range(10)})
    with pytest.raises(TooLargeError, match="unpacks to more"):
        excel_frame(content, Limits(unpacked=10_000))
    broken = bytearray(content)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        broken[packed.infolist()[4].header_offset + 60] ^= 255
    with pytest.raises(ValueError, match=r".+"):
        excel_frame(bytes(broken), Limits())
