"""The application without a network, where what a child would do is done at once; and served, for browsers."""

import pytest

from app_requests import HOST, TOKEN, work_at_once
from credo.app.web.rooms import Rooms
from credo.app.web.server import make_app
from ui_browser import served


@pytest.fixture
def rooms(tmp_path):
    return work_at_once(Rooms(tmp_path))


@pytest.fixture
def app(rooms):
    return make_app(rooms, token=TOKEN, hosts=frozenset({HOST}), limit=2**20)


@pytest.fixture(scope="module")
def address(folder):
    """Where the `folder` of a module is served."""
    with served(folder) as address:
        yield address
