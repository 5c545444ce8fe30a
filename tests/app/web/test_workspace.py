"""Tables that are kept: names of strangers are never paths."""

import asyncio
import tracemalloc

import pytest

from app_requests import put_table
from credo.app.web.workspace import Workspace
from credo.errors import InputError


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd.csv",
        "..\\..\\boot.csv",
        "/etc/cron.d/x.csv",
        "a\x00b.csv",
        "C:\\x.csv",
        "x" * 5000 + ".csv",
        ".csv",
    ],
)
def test_a_name_is_never_a_path(name, tmp_path):
    kept = Workspace(tmp_path / "inside")
    entry = put_table(kept, name, b"a,b\n", b"1,2\n")
    assert kept.table(entry).read_bytes() == b"a,b\n1,2\n"
    assert kept.table(entry).resolve().is_relative_to(tmp_path / "inside")
    assert "/" not in entry.name
    assert "\\" not in entry.name
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_entries_come_back_newest_first(tmp_path):
    kept = Workspace(tmp_path)
    first, second = put_table(kept, "a.csv", b"x"), put_table(kept, "b.parquet", b"y")
    assert [entry.id for entry in Workspace(tmp_path).entries()] == [second.id, first.id]
    assert kept.entry(first.id) == first
    assert second.format == "parquet"
    assert put_table(kept, "c.csv.gz", b"").format == "csv.gz"
    assert put_table(kept, "noending", b"").format == "csv"


def test_the_ending_of_a_long_name_counts(tmp_path):
    entry = put_table(Workspace(tmp_path), "x" * 500 + ".parquet", b"")
    assert entry.format == "parquet"
    assert len(entry.name) == 200


@pytest.mark.parametrize("id", ["", "..", "../x", "0" * 16, "x" * 16, "0" * 15 + "/"])
def test_other_numbers_are_no_tables(id, tmp_path):
    with pytest.raises(InputError, match="no such table"):
        Workspace(tmp_path).entry(id)


@pytest.mark.parametrize("name", ["run.exe", "a.svg", "table.html", "x.py.gz"])
def test_other_files_are_refused(name, tmp_path):
    with pytest.raises(InputError, match="not read"):
        put_table(Workspace(tmp_path), name, b"")
    assert not list(tmp_path.iterdir())


def test_a_broken_entry_is_passed_over(tmp_path):
    kept = Workspace(tmp_path)
    entry = put_table(kept, "a.csv", b"x")
    (kept.folder(entry) / "entry.json").write_text("{")
    assert kept.entries() == []


async def parts_of(size, *, part=2**16, stop=None):
    """Fresh bytes, as a server hands them over; the sender goes away after `stop` of them."""
    for begin in range(0, size, part):
        if stop is not None and begin >= stop:
            raise ConnectionError
        await asyncio.sleep(0)
        yield bytes(part)


def test_files_that_come_at_once_are_never_whole_in_memory(tmp_path):
    kept, size, times = Workspace(tmp_path), 2**24, 8

    async def all_of_them():
        return await asyncio.gather(*(kept.add("big.csv", parts_of(size)) for _ in range(times)))

    tracemalloc.start()
    entries = asyncio.run(all_of_them())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [kept.table(entry).stat().st_size for entry in entries] == [size] * times
    assert most < 2**22  # of 2**27 bytes in all, a part of each


def test_a_file_that_does_not_come_to_its_end_leaves_nothing(tmp_path):
    kept = Workspace(tmp_path)
    with pytest.raises(ConnectionError):
        asyncio.run(kept.add("big.csv", parts_of(2**20, stop=2**18)))
    assert not list(tmp_path.iterdir())
