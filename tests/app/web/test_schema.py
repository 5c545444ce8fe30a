"""The description of the API against what it answers: schemathesis asks what nobody would."""

from functools import partial

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import credo
from app_requests import TOKEN, put_learned, put_table, work_at_once
from credo.app.web import api
from credo.app.web.child import Job
from credo.app.web.rooms import Rooms
from credo.app.web.server import make_app
from credo.decide import Study
from credo.represent import Real, Space
from hostile_files import learnable
from quick_learning import learn_quickly

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """An application with a table, its rooms and the number of the table; learning itself is told and not done."""
    rooms = work_at_once(Rooms(tmp_path_factory.mktemp("web")))
    entry = put_table(rooms.workspace, "runs.csv", learnable(["t"], rows=40))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "start", lambda *given, **bounds: Job(state="done", result={"target": "y"}))
        patch.setattr(api.tasks, "next_runs", lambda say, *given: {"target": "y", "runs": [], "csv": ""})
        yield make_app(rooms, token=TOKEN, hosts=frozenset({"testserver"}), limit=2**20), rooms, entry


@pytest.fixture(scope="module")
def learnt(known):
    """The number of that table once there is a model of it."""
    _, rooms, entry = known
    with pytest.MonkeyPatch.context() as patch:
        learn_quickly(patch)
        learned = credo.learn(rooms.workspace.table(entry), "y")
    put_learned(rooms, entry, {"target": "y"}, save=partial(credo.save, learned.model))
    return entry.id


@pytest.fixture(scope="module")
def described(known):
    """Through the door: without the token there is no description either."""
    return schemathesis.openapi.from_asgi("/api/openapi.json", known[0], headers=HEADERS)


OPERATIONS = [
    ("GET", "/api/tables"),
    ("POST", "/api/tables"),
    ("POST", "/api/tables/{id}/columns"),
    ("POST", "/api/tables/{id}/learn"),
    ("GET", "/api/tables/{id}/job"),
    ("GET", "/api/tables/{id}/learned"),
    ("POST", "/api/tables/{id}/predict"),
    ("POST", "/api/tables/{id}/next"),
]
DELETE = ("DELETE", "/api/tables/{id}")
STUDIES = [
    ("GET", "/api/studies"),
    ("POST", "/api/studies"),
    ("GET", "/api/studies/{id}"),
    ("POST", "/api/studies/{id}/ask"),
    ("POST", "/api/studies/{id}/trials/{number}"),
    ("GET", "/api/studies/{id}/standing"),
    ("POST", "/api/studies/{id}/chart"),
    ("GET", "/api/studies/{id}/trials.csv"),
]


def ask_much(operation, times, known_id=None):
    """Requests that the description allows and such that it does not, each answer held against it."""
    modes = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]

    @settings(
        max_examples=times, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes]))
    def ask(case):
        if known_id is not None:
            case.path_parameters["id"] = known_id
        case.call_and_validate(headers=HEADERS, checks=CHECKS)

    ask()


@pytest.mark.parametrize(("method", "path"), [*OPERATIONS, DELETE, *STUDIES])
def test_answers_are_as_described(described, method, path):
    ask_much(described[path][method], 5)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), [*OPERATIONS, DELETE, *STUDIES])
def test_many_more_answers_are_as_described(described, method, path):
    ask_much(described[path][method], 80)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), OPERATIONS[2:])
def test_answers_about_a_table_that_is_there_are_as_described(described, learnt, method, path):
    ask_much(described[path][method], 80, learnt)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), STUDIES[2:])
def test_answers_about_a_study_that_is_there_are_as_described(known, described, method, path):
    _, rooms, _ = known
    study = Study(Space({"t": Real(0, 1)}), acquisition="random", storage=rooms.storage, name=f"{method} {path}")
    study.add([{"t": 0.1 * i} for i in range(10)], [float(i) for i in range(10)])
    ask_much(described[path][method], 40, study.record.id)


def test_answers_about_a_table_that_is_deleted_are_as_described(known, described):
    _, rooms, _ = known
    entry = put_table(rooms.workspace, "runs.csv", learnable(["t"]))
    method, path = DELETE
    ask_much(described[path][method], 5, entry.id)
    assert entry not in rooms.workspace.entries()


def test_every_route_is_asked(described):
    found = {(method.upper(), path) for path, methods in described.raw_schema["paths"].items() for method in methods}
    assert found == {*OPERATIONS, DELETE, *STUDIES}


def test_every_answer_that_says_what_is_wrong_is_described(described):
    for path, method in described.raw_schema["paths"].items():
        for operation in method.values():
            assert {"401", "404", "413", "422"} <= set(operation["responses"]), path
