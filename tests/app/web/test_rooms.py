"""What the routes share."""

import asyncio

import pytest
from fastapi import HTTPException

from app_requests import AtOnce, put_learned, put_table
from credo.app.web.child import Job
from credo.app.web.rooms import Rooms, answered, kept, learned_of
from credo.errors import InputError


def refused(say, word):
    raise InputError("Table", f"{word} is wrong")


def test_errors_of_the_child_are_the_fault_of_what_was_asked():
    with pytest.raises(HTTPException, match="this is wrong") as error:
        asyncio.run(answered(AtOnce(), refused, "this"))
    assert error.value.status_code == 422


def test_what_is_not_there_is_missing(tmp_path):
    with pytest.raises(HTTPException) as error:
        kept(Rooms(tmp_path).workspace.entry, "0" * 16)
    assert error.value.status_code == 404


def test_nothing_learnt_yet(tmp_path):
    rooms = Rooms(tmp_path)
    entry = put_table(rooms.workspace, "runs.csv", b"a\n1\n")
    with pytest.raises(HTTPException, match="Nothing was learnt"):
        learned_of(rooms, entry)


@pytest.mark.parametrize("broken", ["", '{"target": "y", "wor', "[]", "\x00"])
def test_what_is_cut_off_is_nothing_learnt(tmp_path, broken):
    rooms = Rooms(tmp_path)
    entry = put_table(rooms.workspace, "runs.csv", b"a\n1\n")
    folder = put_learned(rooms, entry, {"target": "y"})
    assert learned_of(rooms, entry) == (folder, {"target": "y"})
    (folder / "learned.json").write_text(broken)
    with pytest.raises(HTTPException, match="Nothing was learnt"):
        learned_of(rooms, entry)


def test_children_end_with_the_rooms(tmp_path):
    rooms, job = Rooms(tmp_path), Job()
    rooms.jobs["0" * 16] = job
    closed = []
    job.stop = lambda: job._end("failed", error="stopped")
    for desk in (rooms.desk, rooms.slow_desk):
        desk._end = lambda: closed.append("desk")
    rooms.close()
    assert (job.error, closed) == ("stopped", ["desk", "desk"])


def test_the_folder_is_nobody_elses(tmp_path):
    (tmp_path / "there" / "tables").mkdir(parents=True)
    (tmp_path / "there" / "tables").chmod(0o755)
    for name in ("new", "there"):
        rooms = Rooms(tmp_path / name)
        assert (tmp_path / name / "tables").stat().st_mode & 0o077 == 0
        assert rooms.workspace.entries() == []
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0


def test_studies_are_in_the_folder_unless_they_are_elsewhere(tmp_path):
    assert Rooms(tmp_path).storage == str(tmp_path / "studies.db")
    assert Rooms(tmp_path, storage="other.db").storage == "other.db"
