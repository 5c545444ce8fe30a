"""Pages and their files: nothing inline, nothing of others, names as text."""

import html
import json
import re

import pytest

from app_requests import put_learned, put_table, request
from credo.app.web.generations import FILES
from credo.app.web.pages import REPORT_POLICY


def test_pages_and_files(app, rooms):
    entry = put_table(rooms.workspace, "<b>runs</b>.csv", b"a,b\n1,2\n")
    home = request(app, "GET", "/")
    assert home.status == 200
    assert "<b>" not in home.text
    assert f"/tables/{entry.id}" in home.text
    assert request(app, "GET", f"/tables/{entry.id}").status == 200
    assert request(app, "GET", "/static/table.js").headers["content-type"].startswith("text/javascript")
    for path in ("/static/../server.py", "/static/server.py", "/nothing", f"/tables/{'0' * 16}", "/tables/.."):
        assert request(app, "GET", path).status == 404
    assert request(app, "GET", f"/tables/{entry.id}/report").status == 404
    assert request(app, "GET", f"/tables/{entry.id}/try").status == 404


def test_a_report_is_shown_and_can_do_nothing(app, rooms):
    entry = put_table(rooms.workspace, "runs.csv", b"a,b\n1,2\n")
    put_learned(rooms, entry, {"target": "b", "kind": "number", "inputs": []}, report="<p>report</p>")
    answer = request(app, "GET", f"/tables/{entry.id}/report")
    assert answer.text == "<p>report</p>"
    assert answer.headers["content-security-policy"] == REPORT_POLICY


def test_scripts_and_styles_are_files_of_ours(app, rooms):
    """As the content security policy asks for: nothing inline, nothing of others."""
    entry = put_table(rooms.workspace, "runs.csv", b"a,b\n1,2\n")
    asked = {"name": "a", "low": 0, "high": 1, "middle": 0.5, "whole": False}
    learned = {"target": "b", "kind": "number", "inputs": [asked], "range": [0, 2]}
    put_learned(rooms, entry, learned)
    for path in ("/", f"/tables/{entry.id}", f"/tables/{entry.id}/try", "/studies/new", "/studies/1", "/nothing"):
        page = request(app, "GET", path).text
        assert "style=" not in page
        assert "onclick" not in page
        assert page.count("<script") == page.count('<script type="module" src="/static/')
        assert "http" not in page


def test_what_was_learnt_is_shown_when_a_table_is_opened_again(app, rooms):
    entry = put_table(rooms.workspace, "runs.csv", b"a,b\n1,2\n")
    assert 'id="learned" hidden' in request(app, "GET", f"/tables/{entry.id}").text
    learned = {"target": "b", "kind": "number", "inputs": [], "words": ["<i>b</i> is known."]}
    put_learned(rooms, entry, learned)
    page = request(app, "GET", f"/tables/{entry.id}").text
    assert 'id="learned" hidden' not in page
    assert "&lt;i&gt;b&lt;/i&gt; is known." in page


def test_a_table_is_shown_with_the_scales_that_it_was_learnt_with(app, rooms):
    entry = put_table(rooms.workspace, "runs.csv", b"a,b\n1,2\n")
    assert 'data-scales="{}"' in request(app, "GET", f"/tables/{entry.id}").text
    said = {'a"><b>': "nominal"}
    put_learned(rooms, entry, {"target": "b", "kind": "number", "inputs": [], "words": [], "scales": said})
    page = request(app, "GET", f"/tables/{entry.id}").text
    assert json.loads(html.unescape(re.search(r'data-scales="([^"]*)"', page)[1])) == said


@pytest.mark.parametrize("name", FILES)
def test_where_a_file_is_missing_nothing_was_learnt(app, rooms, name):
    entry = put_table(rooms.workspace, "runs.csv", b"a,b\n1,2\n")
    folder = put_learned(rooms, entry, {"target": "b", "kind": "number", "inputs": []})
    (folder / name).unlink()
    for path in ("report", "try"):
        answer = request(app, "GET", f"/tables/{entry.id}/{path}")
        assert answer.status == 404
        assert "Nothing was learnt from this table yet." in answer.text
    assert 'id="learned" hidden' in request(app, "GET", f"/tables/{entry.id}").text


def test_vega_comes_from_this_machine(app):
    answer = request(app, "GET", "/static/vega.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "window.vegaEmbed" in answer.text
    assert len(answer.text) > 500_000


def test_scripts_name_no_other_machine():
    from credo.app.web.pages import _files

    for content, *_, kind in _files().values():
        assert b"innerHTML" not in content
        if kind != "image/svg+xml":  # which names its language
            assert b"http" not in content
