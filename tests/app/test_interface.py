"""The commands as a person meets them."""

from typer.testing import CliRunner

import credo
from credo.app.interface import app


def test_version_and_help():
    runner = CliRunner()
    assert runner.invoke(app, ["--version"]).output.strip() == f"credo {credo.__version__}"
    assert "demo" in runner.invoke(app, ["--help"]).output


def test_demo_tells_what_it_did(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--output", str(tmp_path)])
    assert result.exit_code == 0, result.output
    for part in ("Read 30 past runs", "between", "uncertainty budget", "honest", "Wrote the picture"):
        assert part in result.output
    assert (tmp_path / "runs.png").read_bytes().startswith(b"\x89PNG")
