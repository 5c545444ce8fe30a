"""Every line of the README is run: Python and its output here, commands that install in the slow suite."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def commands():
    return [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]


def test_commands_are_the_two_and_the_same_without_make():
    assert commands() == ["make run", "make test", "pip install -e '.[app]'", "credo learn"]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"make ([a-z-]+)\b", README)) - {"its"}))
def test_make_targets_exist(target):
    subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


@pytest.mark.parametrize("example", [0, 2])
def test_python_prints_what_the_readme_says(monkeypatch, capsys, example):
    monkeypatch.chdir(ROOT)
    source, printed = blocks("python")[example], blocks("text")[1 if example == 0 else 2]
    exec(compile(source, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_ten_lines_are_ten():
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) <= 10


def test_a_table_of_ones_own(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    exec(compile(blocks("python")[1], "README.md", "exec"), {})
    assert "yield" in capsys.readouterr().out


def test_learn_prints_what_the_readme_says(tmp_path):
    """`credo learn` is what `make run` calls, and what is typed without make."""
    recipe = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "run"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    assert recipe.strip().endswith("credo learn")
    printed = subprocess.run(
        [sys.executable, "-m", "credo.app", "learn"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert printed.stdout == blocks("text")[0]


def test_linked_files_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.slow
def test_installs_without_make_in_a_new_environment(tmp_path):
    """The README's own pip line in an empty environment, then what `make run` runs."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    binaries = tmp_path / "env" / "bin"
    install = next(c for c in commands() if c.startswith("pip "))
    subprocess.run(f"{binaries}/{install} --quiet", shell=True, cwd=ROOT, check=True)
    printed = subprocess.run([binaries / "credo", "learn"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "honest" in printed.stdout
