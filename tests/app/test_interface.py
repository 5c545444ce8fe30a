"""The commands as a person meets them."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import credo
from credo.app.interface import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def written():
    """Every command of ours that README and guides tell a reader to type."""
    found = set()
    for page in PAGES:
        found |= set(
            re.findall(r"^\$ (credo .+)$|`(credo [a-z][^`\n]*)`", page.read_text(encoding="utf-8"), re.MULTILINE)
        )
    return sorted({line or inline for line, inline in found})


def every(command, name="credo"):
    """All commands, those of groups among them, by what is typed."""
    if not hasattr(command, "commands"):
        return {name: command}
    return {key: one for part, each in command.commands.items() for key, one in every(each, f"{name} {part}").items()}


@pytest.mark.parametrize("line", written())
def test_what_the_pages_say_can_be_typed(line):
    """Its options and arguments are those that the command takes."""
    words = shlex.split(line, comments=True)[1:]
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words:
        assert words[0] in command.commands, line
        command = command.commands[words.pop(0)]
    if not hasattr(command, "commands"):
        read = command.make_context(line, words).params  # raises where it cannot be read
        assert command.name != "next" or read["file"] is None or read["maximize"] is not None, "which is better?"


def test_every_command_is_in_the_guide_and_says_what_it_does():
    guide, found = " ".join(written()), every(typer.main.get_command(app))
    assert len(found) >= 16
    for name, command in found.items():
        assert (command.help or "").strip().endswith("."), name
        assert name in guide, f"docs/command-line.md does not show `{name}`"
        assert all(getattr(option, "help", None) for option in command.params if option.name != "help"), name


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
