"""Packed and binary files that strangers send, made by code: small ones that hold very much, and such that lie."""

import gzip
import io
import struct
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from excel_files import SHEET, STRINGS, excel, shared, sheet, workbook
from hostile_files import FORMULAS, MARKUP, Case

_LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)
_LINK = '<externalLink xmlns="x"><externalBook r:id="r1" xmlns:r="r"/></externalLink>'
_NUMBERS = "".join(f"<row><c><v>{i % 7}</v></c><c><v>{i}</v></c></row>" for i in range(14))
_NAMES = '<row><c t="inlineStr"><is><t>t</t></is></c><c t="inlineStr"><is><t>y</t></is></c></row>'


def parquet(frame: pl.DataFrame, **settings: object) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out, **settings)
    return out.getvalue()


def runs(**more: object) -> pl.DataFrame:
    t = np.random.default_rng(0).normal(size=24)
    return pl.DataFrame({"t": t, "y": 2 * t, **more})


def _with_footer(change: Callable[[bytes], bytes]) -> bytes:
    """A Parquet file whose footer was changed, its length told rightly."""
    content = parquet(runs())
    (length,) = struct.unpack("<I", content[-8:-4])
    footer = change(content[-8 - length : -8])
    return content[: -8 - length] + footer + struct.pack("<I", len(footer)) + b"PAR1"


def altered(content: bytes, times: int, seed: int = 0) -> Iterator[bytes]:
    """The same with some bytes changed, again and again, mostly near the end, where a Parquet file says what it is."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        changed = bytearray(content)
        for _ in range(int(rng.integers(1, 6))):
            back = int(rng.integers(1, len(content) if rng.random() < 0.3 else 400))
            changed[-back] = int(rng.integers(256))
        yield bytes(changed)


def _days(*days: int) -> pl.Series:
    return pl.Series([days[i % len(days)] for i in range(24)], dtype=pl.Int32).cast(pl.Date)


#: Such as are read all the same.
READABLE = [
    Case("plain.xlsx", lambda: excel([["t", "y"], *[[i % 7 + 0.5, i] for i in range(14)]])),
    Case("formulas.xlsx", lambda: excel([["t", "=1+1"], *[[i, f.strip()] for i, f in enumerate(FORMULAS[:5] * 3)]])),
    Case("outer_links.xlsx", lambda: workbook(sheet(_NAMES + _NUMBERS), {"xl/externalLinks/externalLink1.xml": _LINK})),
    Case("pictures.xlsx", lambda: workbook(sheet(_NAMES + _NUMBERS), {"xl/media/a.png": b"\x89PNG\x00" * 100})),
    Case("names.parquet", lambda: parquet(runs(**{name: np.arange(24.0) for name in MARKUP}))),
    Case("strange_types.parquet", lambda: parquet(runs(u=pl.Series(range(24), dtype=pl.UInt8), n=[None] * 24))),
    Case("long_whole_numbers.parquet", lambda: parquet(runs(n=pl.Series([2**64 - 1, 5] * 12, dtype=pl.UInt64)))),
    Case("not_numbers.parquet", lambda: parquet(runs(x=[float("nan"), 1.5] * 12))),
]

#: Such as are not.
REFUSED = [
    Case("junk.xlsx", lambda: b"PK\x03\x04" + b"junk" * 100, "no excel file"),
    Case("cut.xlsx", lambda: excel([["a"], [1]])[:-30], "no excel file"),
    Case("no_sheet.xlsx", lambda: workbook("", {"xl/workbook.xml": "<workbook/>"}), "no excel file"),
    Case("laughs.xlsx", lambda: workbook(sheet("<row><c><v>&j;</v></c></row>", _LAUGHS)), "no excel file"),
    Case("laughs_shared.xlsx", lambda: workbook(sheet(_NUMBERS), {STRINGS: _LAUGHS + shared("&j;")}), "no excel file"),
    Case(
        "outer_file.xlsx",
        lambda: workbook(
            sheet("<row><c><v>&j;</v></c></row>", '<!DOCTYPE x [<!ENTITY j SYSTEM "file:///etc/passwd">]>')
        ),
        "no excel file",
    ),
    Case("header.xlsx", lambda: excel([["a", "b"]]), "no rows"),
    Case("nothing.xlsx", lambda: workbook(sheet("")), ""),
    Case("junk.parquet", lambda: b"PAR1" + b"junk" * 100 + b"PAR1", "no parquet file"),
    Case("cut.parquet", lambda: parquet(runs())[:-20], "no parquet file"),
    Case("footer_alone.parquet", lambda: b"PAR1\xff\xff\xff\x7fPAR1", "no parquet file"),
    Case("negative_footer.parquet", lambda: b"PAR1" + b"\x00" * 20 + b"\xff\xff\xff\xffPAR1", "no parquet file"),
    Case("empty_footer.parquet", lambda: _with_footer(lambda footer: b""), "no parquet file"),
    Case("zero_footer.parquet", lambda: _with_footer(lambda footer: bytes(len(footer))), "no parquet file"),
    Case("half_footer.parquet", lambda: _with_footer(lambda footer: footer[: len(footer) // 2]), "no parquet file"),
    Case("deep_footer.parquet", lambda: _with_footer(lambda footer: b"\x1c" * 200_000), "no parquet file"),
    Case("endless_number.parquet", lambda: _with_footer(lambda footer: b"\x15" + b"\xff" * 100_000), "no parquet file"),
    Case("rows_that_are_not_there.parquet", lambda: _with_footer(_many_rows), "rows"),
    Case("lists.parquet", lambda: parquet(runs(x=[[1, 2]] * 24)), "lists or structures"),
    Case("structures.parquet", lambda: parquet(runs(x=[{"a": 1}] * 24)), "lists or structures"),
    Case("bytes.parquet", lambda: parquet(runs(x=[b"\x00\xff"] * 24)), "has the type Binary"),
    Case("far_days.parquet", lambda: parquet(runs(d=_days(2**31 - 1, -(2**31), 0))), "years 1 to 9999"),
    Case("far_moments.parquet", lambda: parquet(runs(d=_days(4_000_000).cast(pl.Datetime("ms")))), "years 1 to 9999"),
    Case("infinite.parquet", lambda: parquet(runs(x=[float("inf"), 1.0] * 12)), "infinite"),
    Case("no_rows.parquet", lambda: parquet(runs().head(0)), "no rows"),
    Case("no_columns.parquet", lambda: parquet(pl.DataFrame()), "no rows"),
    Case("wide.parquet", lambda: parquet(pl.DataFrame({f"c{i}": [1] for i in range(4200)})), "columns"),
]


def _many_rows(footer: bytes) -> bytes:
    """The number of rows of the file (24, zigzag 48, in field 3 after the schema) said to be very many."""
    at = footer.index(b"\x16\x30\x19")
    return footer[:at] + b"\x16\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\x19" + footer[at + 3 :]


def _zeros_gz() -> bytes:
    """4 GiB of zeros: members of gzip may follow one another."""
    return gzip.compress(bytes(2**26), 9) * 64


def _deflated(part: str) -> bytes:
    """A workbook with one part of 1 GiB of spaces."""
    return workbook(sheet(_NAMES + _NUMBERS), {part: b" " * 2**30})


def _long_text_often() -> bytes:
    """A text of a million letters to which 100 000 cells refer: 100 GB."""
    cells = '<row><c t="s"><v>0</v></c></row>' * 100_000
    return workbook(sheet(cells), {STRINGS: shared("x" * 1_000_000)})


def _packed_text() -> bytes:
    """Eighty texts of 8 MB, a group of rows each, that are packed to nearly nothing."""
    out, text = io.BytesIO(), pa.table({"x": ["a" * 8_000_000]})
    with pq.ParquetWriter(out, text.schema, compression="zstd", use_dictionary=False, write_statistics=False) as writer:
        for _ in range(80):
            writer.write_table(text)
    return out.getvalue()


def _one_text_often(*, known_as_dictionary: bool) -> bytes:
    """A text of a million letters in 20 000 rows, kept once: 20 GB where it is copied to each."""
    rows = pa.array(np.zeros(20_000, dtype=np.int32))
    table = pa.table({"x": pa.DictionaryArray.from_arrays(rows, ["x" * 1_000_000])})
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", store_schema=known_as_dictionary)
    return out.getvalue()


#: Files of at most some MB that would take many GB; reading one has to end soon and in little memory.
BOMBS = [
    Case("zeros.csv.gz", _zeros_gz, "unpacks to more"),
    Case("zeros.parquet.gz", _zeros_gz, "unpacks to more"),
    Case("spaces_in_strings.xlsx", lambda: _deflated(STRINGS), "unpacks to more"),
    Case("spaces_in_sheet.xlsx", lambda: _deflated(SHEET), "unpacks to more"),
    Case("spaces_elsewhere.xlsx", lambda: _deflated("docProps/thumbnail.jpeg"), "unpacks to more"),
    Case("far_corner.xlsx", lambda: workbook(sheet(f'{_NAMES}<row><c r="XFD1048576"><v>1</v></c></row>')), "columns"),
    Case("far_row.xlsx", lambda: workbook(sheet(f'{_NAMES}<row><c r="EXZ1048576"><v>1</v></c></row>')), "cells"),
    Case("farther_corner.xlsx", lambda: workbook(sheet('<row><c r="ZZZZZZ99999999"><v>1</v></c></row>')), "no excel"),
    Case("long_text_often.xlsx", _long_text_often, "unpacks to more"),
    Case("packed_text.parquet", _packed_text, "unpacks to more"),
    Case("one_text_often.parquet", lambda: _one_text_often(known_as_dictionary=False), "more text"),
    Case("one_category_often.parquet", lambda: _one_text_often(known_as_dictionary=True), "more text"),
    Case("constants.parquet", lambda: parquet(_constants(2_000_000, 200), compression="zstd"), "cells"),
    Case("long_line.csv", lambda: b"t,y\n" + b"x" * 10**8, None),
    Case("long_number.csv", lambda: b"t,y\n1," + b"9" * 10**7 + b"\n2,3\n", "infinite"),
    Case("quotes.csv", lambda: b'"' * 10**7, "longer"),
    Case("one_long_name.csv", lambda: b"x" * 10**8, "longer"),
]


def _constants(rows: int, columns: int) -> pl.DataFrame:
    one = pl.Series([1]).new_from_index(0, rows)
    return pl.DataFrame([one.alias(f"c{i}") for i in range(columns)])
