"""Requests to an application without a network, and what it needs without its children."""

import asyncio
import json
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from credo.app.web.generations import fresh
from credo.errors import CredoError, UndefinedError

HOST, TOKEN = "127.0.0.1:8765", "right"


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        """Of an answer in JSON."""
        return json.loads(self.text)


def request(app, method, path, *, body=b"", token=TOKEN, headers=None) -> Answer:
    """One request, with the token unless it is None."""
    where, _, query = path.partition("?")
    given = {"host": HOST, "content-type": "application/json", **(headers or {})}
    given |= {} if token is None else {"authorization": f"Bearer {token}"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": where,
        "raw_path": where.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(key.encode(), value.encode("latin-1")) for key, value in given.items()],
        "server": ("127.0.0.1", 8765),
        "client": ("127.0.0.1", 1),
    }
    sent = []
    once = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive():
        return once.pop(0) if once else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    found = {key.decode().lower(): value.decode("latin-1") for key, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], found, b"".join(part.get("body", b"") for part in sent[1:]).decode())


def put_table(workspace, name, *parts):
    """A table as if it had been uploaded in these parts."""

    async def sent():
        for part in parts:
            yield part

    with ThreadPoolExecutor(1) as apart:  # beside the loop of a browser, where there is one
        return apart.submit(lambda: asyncio.run(workspace.add(name, sent()))).result()


class AtOnce:
    """A desk that works here, and tells errors as the child does: by their words."""

    def call(self, work, *arguments):
        try:
            return work(lambda phase: None, *arguments)
        except CredoError as error:
            raise UndefinedError(str(error)) from error

    def later(self, work, *arguments):
        answer = Future()
        try:
            answer.set_result(self.call(work, *arguments))
        except CredoError as error:
            answer.set_exception(error)
        return answer

    def close(self):
        pass


def work_at_once(rooms):
    """The same rooms, in which no child is begun for a question."""
    rooms.desk = rooms.slow_desk = AtOnce()
    return rooms


def put_learned(rooms, entry, said, *, save=None, report="<p>report</p>"):
    """Files as if a table had been learnt; `save` writes the model. The folder that they are in."""
    with fresh(rooms.workspace.folder(entry)) as folder:
        (save or (lambda path: path.write_bytes(b"")))(folder / "model.credo")
        (folder / "report.html").write_text(report)
        (folder / "learned.json").write_text(json.dumps(said))
    return next(rooms.workspace.folder(entry).glob("learned-*"))
