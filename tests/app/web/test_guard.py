"""The door: nothing answers without the token, from another host or another page, and nothing too large gets in."""

import asyncio
import json
import re
from html import unescape
from urllib.parse import unquote

import pytest

from credo.app.web.guard import POLICY, Guard

HOST, TOKEN = "127.0.0.1:8765", "right"


async def inner(scope, receive, send):
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]})
    await send({"type": "http.response.body", "body": b"inside " + str(len(body)).encode()})


def ask(method="GET", path="/", *, query="", body=(b"",), kind="http", **headers):
    """The status, the headers and the text of an answer."""
    given = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.encode(), v.encode("latin-1")) for k, v in given.items() if v is not None],
    }
    parts, sent = list(body), []

    async def receive():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message):
        sent.append(message)

    asyncio.run(GUARD(scope, receive, send))
    if kind != "http":
        return sent
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(m.get("body", b"") for m in sent[1:]).decode()


GUARD = Guard(inner, token=TOKEN, hosts=frozenset({HOST}), port=8765, limit=100)
BEARER = {"authorization": f"Bearer {TOKEN}"}


def session():
    """What is in the cookie."""
    return re.match(r"credo_8765=([\w-]+);", ask(query=f"token={TOKEN}")[1][b"set-cookie"].decode())[1]


def way_on(text):
    """Where the entrance leads."""
    found = re.search(r'<meta http-equiv="refresh" content="0; url=([^"]*)">', text)[1]
    assert f'<a href="{found}">' in text
    return unescape(found)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "NONSENSE"])
@pytest.mark.parametrize("path", ["/", "/api/tables", "/static/app.js", "/docs", "/openapi.json", "//evil", "/../etc"])
def test_nothing_answers_without_the_token(method, path):
    for headers in ({}, {"authorization": "Bearer wrong"}, {"cookie": "credo_8765=wrong"}, {"cookie": 'a="\x00'}):
        status, _, text = ask(method, path, **headers)
        assert status == 401
        assert "inside" not in text
    assert ask(method, path, query="token=wrong")[0] == 401
    assert ask(method, path, query="token=")[0] == 401


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address():
    status, headers, text = ask(path="/tables", query=f"token={TOKEN}&page=2&q=%22%3E")
    assert status == 200
    assert way_on(text) == "/tables?page=2&q=%22%3E"
    assert TOKEN not in text
    assert "script" not in text
    assert headers[b"content-type"] == b"text/html; charset=utf-8"
    assert headers[b"referrer-policy"] == b"no-referrer"
    assert headers[b"cache-control"] == b"no-store"
    assert all(part in headers[b"set-cookie"].decode() for part in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert way_on(ask(path="//evil.example", query=f"token={TOKEN}")[2]) == "/"


def test_a_link_on_another_site_leads_in():
    headers = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    status, answered, _ = ask(query=f"token={TOKEN}", **headers)
    assert status == 200
    assert b"set-cookie" in answered


def test_the_cookie_is_another_secret_than_the_token():
    secret = session()
    assert secret != TOKEN
    assert ask(authorization=f"Bearer {secret}")[0] == 401
    assert ask(query=f"token={secret}")[0] == 401
    assert ask(cookie=f"credo_8765={TOKEN}")[0] == 401
    assert ask(cookie=f"credo_9999={secret}")[0] == 401
    assert len(secret) >= 32


@pytest.mark.parametrize("path", ["/a\r\nset-cookie: x=1", "/\\evil.example", "/ü", "/a?b", '/"><b>', "/';url=x"])
def test_the_way_on_is_one_line_to_this_host(path):
    where = way_on(ask(path=path, query=f"token={TOKEN}")[2])
    assert unquote(where) == path
    assert where.isprintable()
    assert "\\" not in where


def test_programs_are_told_in_json():
    for status, settings in ((401, {}), (403, {"host": "evil"}), (413, {**BEARER, "content_length": "101"})):
        found, headers, text = ask("POST", "/api/tables", **settings)
        assert found == status
        assert headers[b"content-type"] == b"application/json"
        assert set(json.loads(text)) == {"error"}
    assert ask(path="/")[1][b"content-type"].startswith(b"text/plain")


def test_the_cookie_and_the_header_let_in():
    assert ask(cookie=f"other=1; credo_8765={session()}")[2] == "inside 0"
    assert ask("POST", body=(b"12", b"3"), **BEARER)[2] == "inside 3"
    assert ask("POST", cookie=f"credo_8765={session()}", origin=f"http://{HOST}")[0] == 200


@pytest.mark.parametrize("other", ['prefs={"theme":"dark"}', "[]=1", "a b=c d", "=", "é=1", "credo_8765=", "x=;"])
def test_cookies_of_others_do_no_harm(other):
    """Those of another program at another port of this host come with every request."""
    assert ask(cookie=f"{other}; credo_8765={session()}")[0] == 200
    assert ask(cookie=f"credo_8765={session()}; {other}")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": None},
        {"host": "127.0.0.1:9999"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://{HOST}"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_other_hosts_and_pages_are_refused_also_with_the_token(headers, method):
    assert ask(method, **BEARER, **headers)[0] == 403


def test_a_change_with_a_cookie_alone_names_its_origin():
    for method in ("POST", "PUT", "DELETE"):
        assert ask(method, cookie=f"credo_8765={session()}")[0] == 403


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ((b"x" * 60, b"x" * 60), {}),
        *(((b"",), {"content_length": length}) for length in ("101", "-1", "²", "1" * 5000, "0x1", "", " 1")),
    ],
)
def test_what_is_too_large_is_refused(body, headers):
    assert ask("POST", body=body, **BEARER, **headers)[0] == 413


def test_answers_say_what_a_browser_may_do():
    for _, headers, _ in (ask(**BEARER), ask(), ask(host="evil")):
        assert headers[b"content-security-policy"] == POLICY.encode()
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"referrer-policy"] == b"no-referrer"
    assert "unsafe" not in POLICY


def test_sockets_are_closed():
    assert ask(kind="websocket")[0]["type"] == "websocket.close"
