"""The weight of a Parquet file, against what its writer and another library say of it."""

import contextlib
import io

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.represent.table.parquet import weight_of
from hostile_packed import altered, parquet

FRAME = pl.DataFrame({"t": np.arange(1000.0), "lot": ["a", "b"] * 500, "flag": [True, None] * 500})


@pytest.mark.parametrize("packing", ["zstd", "snappy", "gzip", "lz4", "uncompressed"])
def test_rows_columns_and_bytes_are_those_that_another_reader_finds(packing):
    content = parquet(FRAME, compression=packing, row_group_size=300)
    said = pq.ParquetFile(io.BytesIO(content)).metadata
    groups = [said.row_group(i) for i in range(said.num_row_groups)]
    stated = sum(group.column(j).total_uncompressed_size for group in groups for j in range(said.num_columns))
    weight = weight_of(content)
    assert (weight.rows, weight.columns) == (1000, 3)
    assert 0 < stated - weight.unpacked < 0.2 * stated + 2000  # which counts the heads of pages, too


def test_what_is_packed_well_weighs_what_it_unpacks_to():
    out = io.BytesIO()
    pq.write_table(pa.table({"x": ["a" * 1_000_000]}), out, compression="zstd", use_dictionary=False)
    assert len(out.getvalue()) < 20_000
    assert 1_000_000 <= weight_of(out.getvalue()).unpacked < 1_001_000


def test_altered_files_are_weighed_or_refused():
    for content in altered(parquet(FRAME.head(20)), 300, seed=1):
        with contextlib.suppress(ValueError):
            assert min(weight_of(content)) >= 0


@given(st.binary(max_size=60))
def test_anything_is_weighed_or_refused(footer):
    content = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    with contextlib.suppress(ValueError):
        assert min(weight_of(content)) >= 0


def test_what_lies_deep_or_ends_never_is_refused():
    for footer in (b"\x1c" * 100_000, b"\x19\x19" * 100_000, b"\x15" + b"\xff" * 1000, b"\x19\xfc\xff\xff\xff\xff\x0f"):
        with pytest.raises(ValueError, match=r"deep|end|longer"):
            weight_of(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
