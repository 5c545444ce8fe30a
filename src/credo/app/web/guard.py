"""The door of the web page: who may ask, from where, how much; and what a browser may do with the answer."""

import hmac
import html
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, final
from urllib.parse import parse_qsl, quote, urlencode

__all__ = ["POLICY", "Guard"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

#: What pages may do: their own scripts, styles and pictures, and nothing of others.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
    b"x-frame-options": b"DENY",
}
_SAFE = ("GET", "HEAD")
# It goes on by itself: a redirect that began with a link of another site would come without the cookie. Browsers put
# the page that it goes on to in its place, so that the way back does not lead here.
_ENTRANCE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>credo</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url={where}"></head>
<body><p><a href="{where}">Go on to credo</a></p></body></html>
"""


class _TooLarge(Exception):
    """More was sent than is taken."""


@final
class Guard:
    """Asks of every request, whatever its method and path, the right host, the right origin and the token.

    The token comes in the printed address once; from then on a cookie that scripts cannot read and other sites cannot
    send holds another secret. Browsers send cookies to every port of a host: its name has the port, so that two
    servers do not take it from each other, and what it holds opens nothing but pages. Programs send the token as
    ``Authorization: Bearer …``. A request that changes something and names no origin must come with that header. Bodies
    of more than `limit` bytes are refused before they are read to their end.
    """

    def __init__(self, app: Any, *, token: str, hosts: frozenset[str], port: int, limit: int) -> None:
        self._app, self._token, self._hosts, self._limit = app, token, hosts, limit
        self._cookie, self._session = f"credo_{port}", secrets.token_urlsafe(24)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        reason = self._foreign(headers)
        told = partial(_answer, send, scope["path"])
        if reason is not None:
            await told(403, reason)
            return
        given = self._given(scope, headers)
        if given is None:
            await told(401, "Open the address that `credo ui` printed: it has the token.")
            return
        if given == "address" and scope["method"] in _SAFE:
            await self._entered(scope, send)
            return
        if given == "cookie" and scope["method"] not in _SAFE and "origin" not in headers:
            await told(403, "A change comes from a page of this address, or with the token in a header.")
            return
        await self._limited(scope, receive, send, headers)

    def _foreign(self, headers: dict[str, str]) -> str | None:
        """Why a request is not from here, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if host.lower() not in self._hosts:
            return "This address is not served here."
        if origin is not None and origin.lower() not in {f"http://{name}" for name in self._hosts}:
            return "This page is not of this address."
        if headers.get("sec-fetch-site", "same-origin") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "This page is not of this address."
        return None

    def _given(self, scope: Scope, headers: dict[str, str]) -> str | None:
        """What lets a request in, the token in a header or the address, or the cookie; None where nothing does."""
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and _equal(bearer, self._token):
            return "header"
        query = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        if _equal(query.get("token", ""), self._token):
            return "address"
        # Other programs at other ports of this host set cookies, too, and not all as the standard says.
        pairs = [pair.strip().partition("=") for pair in headers.get("cookie", "").split(";")]
        found = [value for name, _, value in pairs if name == self._cookie]
        return "cookie" if any(_equal(value, self._session) for value in found) else None

    async def _entered(self, scope: Scope, send: Send) -> None:
        """A page that goes on to the same page without the token in its address, which would stay in the history."""
        query = [pair for pair in parse_qsl(scope.get("query_string", b"").decode("latin-1")) if pair[0] != "token"]
        path = scope["path"] if scope["path"].startswith("/") and not scope["path"].startswith("//") else "/"
        # Quoted again, as what ends an attribute or begins the way to another host is no part of a path.
        where = quote(path) + (f"?{urlencode(query)}" if query else "")
        cookie = f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/"
        page = _ENTRANCE.format(where=html.escape(where)).encode()
        await _send(send, 200, b"text/html; charset=utf-8", page, [(b"set-cookie", cookie.encode())])

    async def _limited(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, str]) -> None:
        """The request, unless its body is too large; the answer, with what a browser may do with it."""
        told = partial(_answer, send, scope["path"])
        if not _is_at_most(headers.get("content-length", "0"), self._limit):
            await told(413, f"At most {self._limit // 2**20} MiB are taken.")
            return
        taken, begun, over = 0, False, False

        async def counted() -> Message:
            nonlocal taken, over
            message = await receive()
            taken += len(message.get("body", b""))
            over = over or taken > self._limit
            if over:
                raise _TooLarge
            return message

        async def guarded(message: Message) -> None:
            nonlocal begun
            if over and not begun:  # what the application makes of it, mostly an error of its own, is not told
                return
            if message["type"] == "http.response.start":
                begun = True
                own = {key for key, _ in message["headers"]}
                more = {**_HEADERS, b"content-security-policy": POLICY.encode()}
                message["headers"] = [*message["headers"], *((k, v) for k, v in more.items() if k not in own)]
            await send(message)

        with suppress(_TooLarge):
            await self._app(scope, counted, guarded)
        if over and not begun:
            await told(413, f"At most {self._limit // 2**20} MiB are taken.")


def _is_at_most(length: str, limit: int) -> bool:
    """Whether it is a number in figures, not above the limit; one of very many figures is not even read."""
    return length.isascii() and length.isdecimal() and len(length) < 20 and int(length) <= limit


def _equal(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


async def _answer(send: Send, path: str, status: int, text: str) -> None:
    """Words for a person, and for a program what it reads everywhere else."""
    if path.startswith("/api/"):
        await _send(send, status, b"application/json", json.dumps({"error": text}).encode())
    else:
        await _send(send, status, b"text/plain; charset=utf-8", text.encode())


async def _send(send: Send, status: int, kind: bytes, body: bytes, headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
    own = [(b"content-type", kind), (b"content-security-policy", POLICY.encode()), *_HEADERS.items(), *headers]
    await send({"type": "http.response.start", "status": status, "headers": own})
    await send({"type": "http.response.body", "body": body})
