"""What the user's word means, and what is refused."""

import importlib.util
import pickle
import subprocess
import sys

import pytest

from credo.decide.storage import MemoryStorage, storage_from
from credo.decide.storage.sql import SqlStorage
from credo.errors import DependencyError, InputError, MissingFileError


def test_nothing_is_memory():
    assert isinstance(storage_from(), MemoryStorage)
    storage = MemoryStorage()
    assert storage_from(storage) is storage


def test_a_path_is_a_file_that_is_found_again(tmp_path):
    path = tmp_path / "study.db"
    for way in (path, str(path), f"sqlite:///{path}"):
        storage = storage_from(way)
        assert isinstance(storage, SqlStorage)
        study = storage.create_study("a", {}, exist_ok=True)
        storage.enqueue(study, {})
        storage.close()
    assert storage_from(path).counts(study).total == 3
    assert [file.name for file in tmp_path.iterdir()] == ["study.db"]


def test_who_only_reads_makes_no_file(tmp_path):
    path = tmp_path / "study.db"
    for way in (path, f"sqlite:///{path}"):
        with pytest.raises(MissingFileError, match=r"there is no file .*study\.db"):
            storage_from(way, make=False)
    assert not list(tmp_path.iterdir())
    storage_from(path).create_study("a", {})
    assert [study.name for study in storage_from(path, make=False).list_studies()] == ["a"]


def test_a_relative_path_stays_where_it_was_when_the_folder_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    storage = storage_from("study.db")
    storage.create_study("a", {})
    storage.close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert [study.name for study in pickle.loads(pickle.dumps(storage)).list_studies()] == ["a"]


@pytest.mark.parametrize("where", ["mysql://root:secret@host/db", "", ":memory:", "sqlite://", "sqlite:///:memory:"])
def test_other_places_are_refused_without_showing_a_password(where):
    with pytest.raises(InputError, match=r"study\.db") as caught:
        storage_from(where)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("where", ["sqlite://study.db", "sqlite://runs/study.db"])
def test_a_path_after_two_slashes_is_refused_and_nothing_is_made(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uns").mkdir()
    with pytest.raises(InputError, match=r"'sqlite:///(runs/)?study\.db', or"):
        storage_from(where)
    assert not list(tmp_path.rglob("*.db"))


def test_a_missing_driver_names_the_extra(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "credo.decide.storage.postgres.find_spec", lambda name: None if name == "psycopg" else find(name)
    )
    with pytest.raises(DependencyError, match=r"credo\[postgres\]"):
        storage_from("postgresql://host/name")


def test_importing_the_storage_is_light():
    code = (
        "import sys, credo; before = set(sys.modules); import credo.decide.storage; "
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    heavy = {"sqlalchemy", "psycopg", "sklearn", "scipy", "equinox", "pandas"}
    assert not heavy & set(printed.split())
