"""The application as a whole: every route behind the door, pages, and where it refuses to be served."""

import asyncio
import socket

import pytest

from app_requests import request
from credo.app.web import running
from credo.app.web.api import api_router
from credo.app.web.pages import page_router
from credo.app.web.rooms import Rooms
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
    assert len(paths) >= 25
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


def test_children_end_with_the_application(app, rooms, monkeypatch):
    closed = []
    monkeypatch.setattr(rooms, "close", lambda: closed.append(True))

    async def live():
        events = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
        sent = []

        async def receive():
            assert closed == []
            return events.pop(0)

        async def send(message):
            sent.append(message["type"])

        await app({"type": "lifespan", "asgi": {"version": "3.0"}}, receive, send)
        return sent

    assert asyncio.run(live()) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert closed == [True]


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "http://127.0.0.1:{port}"), ("::1", "http://[::1]:{port}"), ("[::1]", "http://[::1]:{port}")],
)
def test_the_address_that_is_printed_is_served(tmp_path, monkeypatch, capsys, host, address):
    if ":" in host and not _has_loopback6():
        pytest.skip("this machine has no ::1")
    asked = []

    def run(app, listening, ending, *, show):
        name, where = listening.getsockname()[0], printed(capsys)
        asked.append(name)
        assert show is None
        assert where.startswith(f"{address.format(port=port)}/?token=")
        given = {"host": where.removeprefix("http://").partition("/")[0]}
        token = where.rpartition("=")[2]
        assert request(app, "GET", "/", token=token, headers=given).status == 200
        assert request(app, "GET", "/", token=token, headers={"host": f"evil.example:{port}"}).status == 403

    monkeypatch.setattr(running, "run", run)
    monkeypatch.setattr(Rooms, "open", lambda self: None)
    port = free_port()
    serve(tmp_path, host=host, port=port, show=False)
    assert asked == [host.strip("[]")]


def printed(capsys):
    return capsys.readouterr().out.removeprefix("credo: ").strip()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def _has_loopback6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


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
