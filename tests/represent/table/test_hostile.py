"""Files of strangers: each is read as a table, or refused in words of credo, soon and in little memory."""

import json
import os

import pytest

import hostile_files
import hostile_packed
from bounded_process import HELD, run_bounded
from credo.errors import CredoError, FileError, MissingFileError
from credo.represent import Table
from credo.represent.table.read import Limits, read_bytes

READABLE = [*hostile_files.READABLE, *hostile_packed.READABLE]
REFUSED = [*hostile_files.REFUSED, *hostile_packed.REFUSED]
pytestmark = pytest.mark.timeout(30)


def _name(case):
    return case.name


@pytest.mark.parametrize("case", READABLE, ids=_name)
def test_strange_tables_are_read(case, tmp_path):
    table = Table.read(case.write(tmp_path))
    assert len(table) == table.frame.height >= 1
    assert len(set(table)) == len(table.columns)
    assert all(0 < len(name) < 300 for name in table)
    assert len(str(table)) < 1000 * len(table.columns) + sum(map(len, table.notes)) + 1000
    assert table.frame.head(10).rows()  # as a page shows them
    table.flags("y" if "y" in table.columns else None)


@pytest.mark.parametrize("case", REFUSED, ids=_name)
def test_what_is_no_table_is_refused_in_words(case, tmp_path):
    with pytest.raises(CredoError) as caught:
        Table.read(case.write(tmp_path))
    said = str(caught.value)
    assert case.refusal in said
    assert said.startswith(("Table.read: ", "Table: "))
    assert said.endswith(".")
    assert len(said) < 1000
    assert str(tmp_path) not in said  # a page shows it to whoever uploaded the file


_READ = """
import json, sys, time
from credo.errors import CredoError
from credo.represent import Table

for path in sys.argv[1:]:
    open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
    began = time.monotonic()
    try:
        table = Table.read(path)
        said = str(table) and None
    except CredoError as error:
        said = str(error)
    peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) * 1024
    print(json.dumps({"path": path, "said": said, "seconds": time.monotonic() - began, "peak": peak}), flush=True)
"""


@pytest.fixture(scope="module")
def readings(tmp_path_factory):
    """What came of each bomb, by its name, in one process after the other's end; one that ended it is missing."""
    folder = tmp_path_factory.mktemp("bombs")
    ended = run_bounded(_READ, *(case.write(folder) for case in hostile_packed.BOMBS), seconds=200.0)
    lines = [json.loads(line) for line in ended.out.splitlines()]
    return {os.path.basename(line["path"]): line for line in lines}, ended


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", hostile_packed.BOMBS, ids=_name)
def test_small_files_that_hold_very_much_take_little(case, readings):
    found, ended = readings
    assert case.name in found, f"the process ended before with code {ended.code}: {ended.err[-500:]}"
    reading = found[case.name]
    assert reading["said"] is None if case.refusal is None else case.refusal in reading["said"]
    assert reading["peak"] < HELD
    assert reading["seconds"] < 30.0


@pytest.mark.slow
def test_altered_files_are_read_or_refused():
    frame = hostile_packed.parquet(hostile_packed.runs(lot=["a", "b"] * 12, n=[1, None] * 12))
    outcomes = set()
    for content in hostile_packed.altered(frame, 300):
        try:
            read_bytes(content, "a.parquet", Limits())
            outcomes.add("read")
        except CredoError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_paths_that_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "round.csv").symlink_to(tmp_path / "round.csv")
    for path in (tmp_path / "pipe.csv", tmp_path / "folder.csv", tmp_path / "round.csv", "/dev/zero", "a\0b.csv"):
        with pytest.raises(FileError):
            Table.read(path)
    with pytest.raises(FileError):
        Table.read(tmp_path / ("x" * 5000 + ".csv"))
    for missing in ("../../nothing.csv", tmp_path / "none.csv", ""):
        with pytest.raises((MissingFileError, FileError)):
            Table.read(missing)


def test_links_and_strange_names_are_read(tmp_path):
    content = hostile_files.learnable(["t"])
    (tmp_path / "true.csv").write_bytes(content)
    (tmp_path / "link.csv").symlink_to(tmp_path / "true.csv")
    names = ["link.csv", "con.csv", "NUL.csv", "<script>.csv", "two\nlines.csv", "a;rm -rf ~.csv", "$(id).csv"]
    for name in names:
        if name != "link.csv":
            (tmp_path / name).write_bytes(content)
        assert len(Table.read(tmp_path / name)) == 24
    outside = os.fsencode(tmp_path) + b"/\xff\xfe.csv"  # no letters of any name
    with open(outside, "wb") as file:
        file.write(content)
    assert len(Table.read(os.fsdecode(outside))) == 24
