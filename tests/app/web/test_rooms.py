"""What the routes share."""

import asyncio

import pytest
from fastapi import HTTPException

from app_requests import AtOnce
from credo.app.web.rooms import Rooms, answered, kept, learned_of
from credo.errors import InputError


def refused(say, word):
    raise InputError("Table", f"{word} is wrong")


def test_errors_of_the_child_are_the_fault_of_what_was_asked(tmp_path):
    rooms = Rooms(tmp_path)
    rooms.desk = AtOnce()
    with pytest.raises(HTTPException, match="this is wrong") as error:
        asyncio.run(answered(rooms, refused, "this"))
    assert error.value.status_code == 422


def test_what_is_not_there_is_missing_and_what_cannot_be_kept_is_refused(tmp_path):
    rooms = Rooms(tmp_path)
    for work, arguments, status in (
        (rooms.workspace.entry, ("0" * 16,), 404),
        (rooms.workspace.add, ("x.exe", [b""]), 422),
    ):
        with pytest.raises(HTTPException) as error:
            kept(work, *arguments)
        assert error.value.status_code == status


def test_nothing_learnt_yet(tmp_path):
    rooms = Rooms(tmp_path)
    entry = rooms.workspace.add("runs.csv", [b"a\n1\n"])
    with pytest.raises(HTTPException, match="Nothing was learnt"):
        learned_of(rooms, entry)


def test_studies_are_in_the_folder_unless_they_are_elsewhere(tmp_path):
    assert Rooms(tmp_path).storage == str(tmp_path / "studies.db")
    assert Rooms(tmp_path, storage="other.db").storage == "other.db"
