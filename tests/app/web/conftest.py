"""The application without a network: what a child would do is done at once."""

import pytest

from app_requests import HOST, TOKEN, AtOnce
from credo.app.web.rooms import Rooms
from credo.app.web.server import make_app


@pytest.fixture
def rooms(tmp_path):
    rooms = Rooms(tmp_path)
    rooms.desk = AtOnce()
    return rooms


@pytest.fixture
def app(rooms):
    return make_app(rooms, token=TOKEN, hosts=frozenset({HOST}), limit=2**20)
