"""What strangers send, on the web page: an answer or words, no page that runs their names, no file but ours."""

import json
from urllib.parse import quote

import pytest

import hostile_files
import hostile_packed
from app_requests import HOST, TOKEN, put_learned, put_table, request, work_at_once
from bounded_process import HELD
from child_work import process
from credo.app.web import api
from credo.app.web.child import Bounds, Job
from credo.app.web.desk import Desk
from credo.app.web.rooms import Rooms
from credo.app.web.server import make_app
from credo.errors import CredoError
from harmless_pages import words_of
from hostile_files import MARKUP, learnable
from quick_learning import learn_quickly

READABLE = [*hostile_files.READABLE, *hostile_packed.READABLE]
REFUSED = [*hostile_files.REFUSED, *hostile_packed.REFUSED]
LEARNT = [case for case in READABLE if case.name.startswith(("names_", "levels_"))]
NAMES = (
    *(f"{markup.replace('/', '')}.csv" for markup in MARKUP),
    *("../../../etc/passwd.csv", "/etc/cron.d/x.csv", "C:\\boot.csv", "con.csv", "a\0b.csv", "x" * 490 + ".csv"),
    *("{{7*7}}.csv", "\u202evsc.exe.csv", "\ud83d.csv", " .csv", "=cmd|' C'!A0.csv"),
)
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def rooms(tmp_path):
    return work_at_once(Rooms(tmp_path / "inside"))


@pytest.fixture
def app(rooms):
    return make_app(rooms, token=TOKEN, hosts=frozenset({HOST}), limit=2**25)


@pytest.fixture
def at_once(monkeypatch):
    """Jobs are done where they are begun, and soon."""

    def start(work, *arguments, bounds):
        job = Job()
        try:
            job._end("done", result=work(lambda phase: None, *arguments))
        except CredoError as error:
            job._end("failed", error=str(error))
        return job

    monkeypatch.setattr(api, "start", start)
    learn_quickly(monkeypatch)


def ask(app, tmp_path, path, body=None, *, method="POST"):
    """An answer that is none of ours where it may not be: no error of the server, nothing of its inside."""
    answer = request(app, method, path, body=b"" if body is None else body)
    assert answer.status in (200, 201, 202, 404, 409, 413, 422)
    assert "Traceback" not in answer.text
    assert str(tmp_path) not in answer.text
    if answer.status >= 400:
        assert set(answer.json) == {"error"}
        assert answer.json["error"].endswith((".", "!"))
    return answer


def upload(app, tmp_path, name, content):
    return ask(app, tmp_path, f"/api/tables?name={quote(name, errors='surrogatepass')}", content)


def files_outside(tmp_path):
    return [path.name for path in tmp_path.iterdir() if path.name != "inside"]


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_the_columns_of_strange_tables(case, app, tmp_path):
    id = upload(app, tmp_path, case.name, case.content()).json["id"]
    said = ask(app, tmp_path, f"/api/tables/{id}/columns", {}).json
    assert said["rows"] > 0
    assert all(len(row) == len(said["columns"]) for row in said["first"])
    words_of(request(app, "GET", f"/tables/{id}").text)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_is_no_table_is_told(case, app, tmp_path, at_once):
    uploaded = upload(app, tmp_path, case.name, case.content())
    if uploaded.status != 201:
        assert "not read" in uploaded.json["error"]
        return
    path = f"/api/tables/{uploaded.json['id']}"
    answer = ask(app, tmp_path, f"{path}/columns", {})
    assert answer.status == 422
    assert case.refusal in answer.json["error"]
    assert ask(app, tmp_path, f"{path}/learn", {"target": "y"}).status == 202
    job = ask(app, tmp_path, f"{path}/job", method="GET").json
    assert (job["state"], case.refusal in job["error"]) == ("failed", True)
    assert ask(app, tmp_path, f"{path}/next", {"target": "y", "direction": "maximize"}).status == 422
    words_of(request(app, "GET", f"/tables/{uploaded.json['id']}").text)


@pytest.mark.slow
@pytest.mark.parametrize("case", LEARNT, ids=lambda case: case.name)
def test_strange_tables_are_learnt_and_tried(case, app, tmp_path, at_once):
    id = upload(app, tmp_path, case.name, case.content()).json["id"]
    assert ask(app, tmp_path, f"/api/tables/{id}/learn", {"target": "y"}).status == 202
    job = ask(app, tmp_path, f"/api/tables/{id}/job", method="GET").json
    assert job["state"] == "done", job["error"]
    inputs = ask(app, tmp_path, f"/api/tables/{id}/learned", method="GET").json["inputs"]
    row = {each["name"]: each.get("middle", each.get("choices", [""])[0]) for each in inputs}
    said = ask(app, tmp_path, f"/api/tables/{id}/predict", {"rows": [row, {}]})
    assert said.status == 200
    assert len(said.json["rows"]) == 2
    said = ask(app, tmp_path, f"/api/tables/{id}/predict", {"rows": [dict.fromkeys(row, "=1")]})
    assert said.status == (422 if any("middle" in each for each in inputs) else 200)  # a number is none of these
    assert ask(app, tmp_path, f"/api/tables/{id}/predict", {"rows": [row]}).json["rows"][0]["low"] is not None
    pages = [request(app, "GET", f"/tables/{id}{end}").text for end in ("", "/try", "/report")]
    words = [words_of(page) for page in pages]
    for evil in MARKUP if "names_markup" in case.name else ():
        assert evil in words[1]
        assert evil in words[2]
    assert files_outside(tmp_path) == []


@pytest.mark.parametrize("name", NAMES)
def test_names_of_files_are_shown_and_are_no_paths(name, app, rooms, tmp_path):
    answer = upload(app, tmp_path, name, learnable(["t"]))
    assert answer.status == 201
    entry = answer.json
    assert not set(entry["name"]) & set("/\\\0\u202e")
    for page in ("/", f"/tables/{entry['id']}"):
        assert entry["name"] in words_of(request(app, "GET", page).text)
    assert rooms.workspace.table(rooms.workspace.entry(entry["id"])).name == "table.csv"
    assert files_outside(tmp_path) == []


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"\xff", b"null", b"[]", b"1e999", b'{"rows": [{"t": NaN}]}', b'{"rows": [{"t": 1e999}]}'),
        b'{"rows": [{"t": ' + b"9" * 5000 + b"}]}",
        b'{"scales": {"\\ud800": "nominal"}, "target": "\\ud800", "direction": "maximize", "rows": [{"\\ud800": 1}]}',
        b'{"rows": ' + b"[" * 100_000,
        json.dumps({"target": "y" * 501, "direction": "up", "rows": [{}] * 10_001, "scales": {"y": "log"}}).encode(),
    ],
    ids=lambda body: body[:30].decode("ascii", "replace"),
)
def test_broken_questions_are_told(body, app, tmp_path, at_once):
    id = upload(app, tmp_path, "runs.csv", learnable(["t"])).json["id"]
    for end in ("columns", "learn", "predict", "next"):
        answer = request(app, "POST", f"/api/tables/{id}/{end}", body=body)
        assert answer.status < 500, (end, answer.text)
        assert set(answer.json) == {"error"} or (answer.status < 300 and end != "predict")


@pytest.mark.slow
def test_bombs_end_in_the_child_and_the_child_stays(tmp_path):
    """As on the page: the process that reads is another one, and has its limits."""
    desk = Desk(Bounds(memory=int(HELD), seconds=100.0))
    rooms = Rooms(tmp_path / "inside")
    rooms.desk = desk
    app = make_app(rooms, token=TOKEN, hosts=frozenset({HOST}), limit=2**26)
    try:
        first = desk.call(process)
        for case in (case for case in hostile_packed.BOMBS if case.refusal):
            answer = upload(app, tmp_path, case.name, case.content())
            if answer.status == 413:
                continue
            told = ask(app, tmp_path, f"/api/tables/{answer.json['id']}/columns", {})
            assert told.status == 422
            assert case.refusal in told.json["error"], case.name
        assert desk.call(process) == first
    finally:
        desk.close()


def test_pages_do_not_run_what_a_stranger_could_have_written(app, rooms, tmp_path):
    """Even where a report had been altered: it is shown in a box that can do nothing."""
    entry = put_table(rooms.workspace, "runs.csv", learnable(["t"]))
    learned = {"target": MARKUP[0], "kind": "number", "inputs": [{"name": MARKUP[1], "choices": list(MARKUP)}]}
    put_learned(rooms, entry, learned)
    words = words_of(request(app, "GET", f"/tables/{entry.id}/try").text)
    assert all(evil in words for evil in MARKUP)
