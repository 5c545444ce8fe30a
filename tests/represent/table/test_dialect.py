"""How the text of a table was written."""

import polars as pl
import pytest

from credo.represent import Dialect, Table


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_table_remembers_how_its_file_was_written(separator, encoding, tmp_path):
    rows = [("größe", "lot"), ("1.5", "a"), ("2.5", "b")]
    (tmp_path / "a.csv").write_bytes("".join(f"{separator.join(row)}\n" for row in rows).encode(encoding))
    assert Table.read(tmp_path / "a.csv").dialect == Dialect(separator, encoding)


def test_a_file_that_is_no_text_has_none(tmp_path):
    pl.DataFrame({"a": [1.5, 2.5]}).write_parquet(tmp_path / "a.parquet")
    assert Table.read(tmp_path / "a.parquet").dialect is None
