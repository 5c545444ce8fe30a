"""The application as a whole: every route behind the door, pages, and where it refuses to be served."""

import json

import pytest

from app_requests import HOST, TOKEN, request
from credo.app.web import server
from credo.app.web.api import Rooms, api_router
from credo.app.web.guard import REPORT_POLICY
from credo.app.web.server import make_app, serve
from credo.errors import InputError

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.fixture
def rooms(tmp_path):
    return Rooms(tmp_path)


@pytest.fixture
def app(rooms):
    return make_app(rooms, token=TOKEN, hosts=frozenset({HOST}), limit=2**20)


def routes(rooms):
    """Every path of the application, with something in the place of what varies."""
    found = [route.path for router in (api_router(rooms), server._pages(rooms)) for route in router.routes]
    return [path.replace("{id}", "0" * 16).replace("{name}", "app.js") for path in ["/api/openapi.json", *found]]


@pytest.mark.parametrize("method", METHODS)
def test_no_route_answers_without_the_token(app, rooms, method):
    paths = routes(rooms)
    assert len(paths) >= 12
    for path in paths:
        for token in (None, "wrong", ""):
            answer = request(app, method, path, token=token)
            assert answer.status == 401, path
            assert "Open the address" in answer.text


def test_pages_and_files(app, rooms):
    entry = rooms.workspace.add("<b>runs</b>.csv", [b"a,b\n1,2\n"])
    home = request(app, "GET", "/")
    assert home.status == 200
    assert "<b>" not in home.text
    assert f"/tables/{entry.id}" in home.text
    assert request(app, "GET", f"/tables/{entry.id}").status == 200
    assert request(app, "GET", "/static/app.js").headers["content-type"].startswith("text/javascript")
    for path in ("/static/../server.py", "/static/server.py", "/nothing", f"/tables/{'0' * 16}", "/tables/.."):
        assert request(app, "GET", path).status == 404
    assert request(app, "GET", f"/tables/{entry.id}/report").status == 404
    assert request(app, "GET", f"/tables/{entry.id}/try").status == 404


def test_a_report_is_shown_and_can_do_nothing(app, rooms):
    entry = rooms.workspace.add("runs.csv", [b"a,b\n1,2\n"])
    (rooms.workspace.folder(entry) / "learned.json").write_text('{"target": "b", "kind": "number", "inputs": []}')
    (rooms.workspace.folder(entry) / "report.html").write_text("<p>report</p>")
    answer = request(app, "GET", f"/tables/{entry.id}/report")
    assert answer.text == "<p>report</p>"
    assert answer.headers["content-security-policy"] == REPORT_POLICY


def test_scripts_and_styles_are_files_of_ours(app, rooms):
    """As the content security policy asks for: nothing inline, nothing of others."""
    entry = rooms.workspace.add("runs.csv", [b"a,b\n1,2\n"])
    asked = {"name": "a", "low": 0, "high": 1, "middle": 0.5, "whole": False}
    learned = {"target": "b", "kind": "number", "inputs": [asked]}
    (rooms.workspace.folder(entry) / "learned.json").write_text(json.dumps(learned))
    for path in ("/", f"/tables/{entry.id}", f"/tables/{entry.id}/try"):
        page = request(app, "GET", path).text
        assert "style=" not in page
        assert "onclick" not in page
        assert page.count("<script") == page.count('<script src="/static/')
        assert "http" not in page


def test_the_world_is_not_served_by_accident(tmp_path):
    with pytest.raises(InputError, match="--to-the-world"):
        serve(tmp_path, host="0.0.0.0")


def test_the_api_describes_itself(app):
    found = request(app, "GET", "/api/openapi.json").json
    assert "/api/tables/{id}/predict" in found["paths"]
