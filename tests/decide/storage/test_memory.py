"""What only memory does: it stays in its process, and time is this machine's."""

import pickle
import time

import pytest

from credo.decide.storage import MemoryStorage
from credo.errors import UndefinedError


def test_it_does_not_go_to_another_process():
    with pytest.raises(UndefinedError, match=r"study\.db"):
        pickle.dumps(MemoryStorage())


def test_two_storages_share_nothing():
    one, two = MemoryStorage(), MemoryStorage()
    one.create_study("a", {})
    assert two.list_studies() == ()


def test_times_are_those_of_the_machine():
    storage = MemoryStorage()
    before = time.time()
    study = storage.create_study("a", {})
    trial = storage.add_running(study, {}, lease=100.0)
    assert before <= study.created <= trial.created <= time.time()
    assert trial.lease_until == trial.created + 100.0


def test_studies_stay_after_close():
    storage = MemoryStorage()
    study = storage.create_study("a", {})
    storage.close()
    assert storage.load_study("a") == study
