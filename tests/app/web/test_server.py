"""The application as a whole: every route behind the door, pages, and where it refuses to be served."""

import socket

import pytest

from app_requests import request
from credo.app.web.api import api_router
from credo.app.web.pages import page_router
from credo.app.web.server import serve
from credo.app.web.study_api import study_router
from credo.errors import InputError

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def routes(rooms):
    """Every path of the application, with something in the place of what varies."""
    routers = (api_router(rooms), study_router(rooms), page_router(rooms))
    found = [route.path for router in routers for route in router.routes]
    filled = [path.replace("{id}", "1" * 9).replace("{name}", "app.css").replace("{number}", "0") for path in found]
    return ["/api/openapi.json", *filled]


@pytest.mark.parametrize("method", METHODS)
def test_no_route_answers_without_the_token(app, rooms, method):
    paths = routes(rooms)
    assert len(paths) >= 24
    for path in paths:
        for token in (None, "wrong", ""):
            answer = request(app, method, path, token=token)
            assert answer.status == 401, path
            assert "Open the address" in answer.text


def test_the_world_is_not_served_by_accident(tmp_path):
    with pytest.raises(InputError, match="--to-the-world"):
        serve(tmp_path, host="0.0.0.0")


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputError, match="Try --port"):
        serve(tmp_path, port=taken.getsockname()[1], show=False)


def test_errors_are_pages_for_people_and_json_for_programs(app):
    for path in ("/nothing", "/tables/x", "/studies/x", "/static/x"):
        answer = request(app, "GET", path)
        assert answer.status in (404, 422)
        assert answer.headers["content-type"].startswith("text/html")
        assert "<h1>" in answer.text
    assert request(app, "GET", "/api/nothing").json == {"error": "Not Found"}


def test_the_api_describes_itself(app):
    found = request(app, "GET", "/api/openapi.json").json
    assert "/api/tables/{id}/predict" in found["paths"]
