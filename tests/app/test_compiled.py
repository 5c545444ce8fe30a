"""What was compiled is kept where only the user writes, is used again, and does not grow without end."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import jax
import pytest

from credo.app import compiled
from credo.app.compiled import compiled_folder, keep_compiled


@pytest.fixture
def settings(monkeypatch, tmp_path):
    """What JAX was told, in an environment without a choice of the user's."""
    told = {}
    monkeypatch.setattr(jax.config, "update", told.__setitem__)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    return told


@pytest.mark.parametrize("flags", [None, "--xla_cpu_enable_fast_math=false"])
def test_a_folder_of_the_users_own_is_told_to_jax_and_to_nobody_else(settings, tmp_path, monkeypatch, flags):
    if flags is not None:
        monkeypatch.setenv("XLA_FLAGS", flags)
    environment = dict(os.environ)
    keep_compiled()
    assert dict(os.environ) == environment
    folder = compiled_folder()
    assert folder.is_relative_to(tmp_path)
    assert jax.__version__ in folder.name
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert settings["jax_compilation_cache_dir"] == str(folder)


def test_what_the_user_chose_stays(settings, monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path / "own"))
    keep_compiled()
    assert settings == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_write_to_is_not_used(settings, mode):
    compiled_folder().mkdir(parents=True)
    compiled_folder().chmod(mode)
    keep_compiled()
    assert settings == {}


def test_where_no_folder_can_be_made_it_goes_on_without(settings, monkeypatch, tmp_path):
    (tmp_path / "credo").write_text("a file")
    keep_compiled()
    assert settings == {}


def test_another_processor_has_another_folder(settings, monkeypatch):
    here = compiled_folder()
    monkeypatch.setattr(compiled, "_features", lambda: "flags: none")
    assert compiled_folder() != here


def test_what_was_cut_off_goes_and_the_older_half_of_too_much(settings, monkeypatch):
    folder = compiled_folder()
    folder.mkdir(parents=True, mode=0o700)
    for age, name in enumerate(["newest", "newer", "older", "oldest"]):
        (folder / name).write_bytes(b"x" * 100)
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    (folder / "cut off").touch()
    keep_compiled()
    assert sorted(path.name for path in folder.iterdir()) == ["newer", "newest", "older", "oldest"]
    monkeypatch.setattr(compiled, "_MOST", 399)
    keep_compiled()
    assert sorted(path.name for path in folder.iterdir()) == ["newer", "newest"]


@pytest.mark.slow
def test_the_second_command_compiles_nothing_and_says_the_same(tmp_path):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JAX_") and k != "XLA_FLAGS"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)
    said, kept = [], []
    for _ in range(2):
        asked = [sys.executable, "-m", "credo.app", "demo", "--output", str(tmp_path / "run")]
        outcome = subprocess.run(asked, capture_output=True, text=True, check=True, env=environment)
        assert outcome.stderr == ""
        said.append(outcome.stdout)
        kept.append({path.name for path in Path(tmp_path, "credo").rglob("*-cache")})
    assert said[0] == said[1]
    assert kept[0]
    assert kept[0] == kept[1]
