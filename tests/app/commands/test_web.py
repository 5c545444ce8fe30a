"""`credo ui`, up to where it would serve."""

from typer.testing import CliRunner

from credo.app.interface import app
from credo.app.web import server


def test_options_reach_the_server(monkeypatch, tmp_path):
    given = {}
    monkeypatch.setattr(server, "serve", lambda folder, **settings: given.update(folder=folder, **settings))
    result = CliRunner().invoke(app, ["ui", "--folder", str(tmp_path), "--port", "9000", "--no-browser"])
    assert result.exit_code == 0, result.output
    expected = {"host": "127.0.0.1", "port": 9000, "storage": None, "to_the_world": False, "show": False}
    assert given == {"folder": tmp_path, **expected}
