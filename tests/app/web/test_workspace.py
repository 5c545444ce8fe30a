"""Tables that are kept: names of strangers are never paths."""

import pytest

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
    entry = kept.add(name, [b"a,b\n", b"1,2\n"])
    assert kept.table(entry).read_bytes() == b"a,b\n1,2\n"
    assert kept.table(entry).resolve().is_relative_to(tmp_path / "inside")
    assert "/" not in entry.name
    assert "\\" not in entry.name
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def test_entries_come_back_newest_first(tmp_path):
    kept = Workspace(tmp_path)
    first, second = kept.add("a.csv", [b"x"]), kept.add("b.parquet", [b"y"])
    assert [entry.id for entry in Workspace(tmp_path).entries()] == [second.id, first.id]
    assert kept.entry(first.id) == first
    assert second.format == "parquet"
    assert kept.add("c.csv.gz", [b""]).format == "csv.gz"
    assert kept.add("noending", [b""]).format == "csv"


def test_the_ending_of_a_long_name_counts(tmp_path):
    entry = Workspace(tmp_path).add("x" * 500 + ".parquet", [b""])
    assert entry.format == "parquet"
    assert len(entry.name) == 200


@pytest.mark.parametrize("id", ["", "..", "../x", "0" * 16, "x" * 16, "0" * 15 + "/"])
def test_other_numbers_are_no_tables(id, tmp_path):
    with pytest.raises(InputError, match="no such table"):
        Workspace(tmp_path).entry(id)


@pytest.mark.parametrize("name", ["run.exe", "a.svg", "table.html", "x.py.gz"])
def test_other_files_are_refused(name, tmp_path):
    with pytest.raises(InputError, match="not read"):
        Workspace(tmp_path).add(name, [b""])
    assert not list(tmp_path.iterdir())


def test_a_broken_entry_is_passed_over(tmp_path):
    kept = Workspace(tmp_path)
    entry = kept.add("a.csv", [b"x"])
    (kept.folder(entry) / "entry.json").write_text("{")
    assert kept.entries() == []
