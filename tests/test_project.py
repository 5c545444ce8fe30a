"""The habits of the project, checked: where files lie, how long they are, what importing costs."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import credo

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "credo"
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if not path.name.startswith("__"))
WRITTEN = [path for folder in ("src", "tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")]
ROOMS = (
    "numerics",
    "files",
    "beliefs",
    "kernels",
    "represent",
    "infer",
    "models",
    "validate",
    "decide",
    "plots",
    "app",
)
# What a session pays for only when it uses it.
HEAVY = {
    *("altair", "blackjax", "fastapi", "formulaic", "lightgbm", "networkx", "optax", "pandas", "polars", "rich"),
    *("safetensors", "scipy.optimize", "scipy.stats", "sklearn", "sqlalchemy", "typer", "vl_convert"),
}


def _generated(path: Path) -> bool:
    return path.relative_to(ROOT).parts[:2] in {("docs", "_build"), ("docs", "auto_gallery")}


def _public_names():
    """docs/_ext/public_names.py, which the build of the pages uses too."""
    spec = importlib.util.spec_from_file_location("public_names", ROOT / "docs" / "_ext" / "public_names.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("room", ROOMS)
def test_room_is_a_folder_with_a_docstring(room):
    assert (SOURCE / room / "__init__.py").read_text().startswith(('"""', 'r"""'))


def test_the_layers_are_the_rooms():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert list(reversed(contracts[0]["layers"])) == ["errors", *ROOMS]


def test_every_module_has_a_mirrored_test():
    mirrored = {path: ROOT / "tests" / path.parent / f"test_{path.stem.lstrip('_')}.py" for path in MODULES}
    missing = [str(path) for path, test in mirrored.items() if not test.exists()]
    assert not missing, f"no tests/<room>/test_<name>.py for {missing}"


def test_no_file_is_long():
    lengths = {path: len(path.read_text().splitlines()) for path in WRITTEN if not _generated(path)}
    long = {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > 400}
    assert not long, f"above 400 lines there are two ideas in a file: {long}"


def test_every_slow_test_that_is_listed_is_there():
    lines = (ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").splitlines()
    for line in (line for line in lines if not line.startswith("#")):
        file, name = line.split("::")
        assert f"def {name.split('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), line


def test_annotations_are_not_strings():
    postponed = "from __future__ " + "import annotations"
    guilty = [str(path.relative_to(ROOT)) for path in SOURCE.rglob("*.py") if postponed in path.read_text()]
    assert not guilty, f"shapes are checked at run time, which {guilty} prevents"


def test_constraints_are_names_and_versions():
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]
    bad = [line for line in lines if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][A-Za-z0-9.]*", line)]
    assert not bad, f"not a name and a version: {bad}"


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    wanted = {_normal(re.match(r"[\w.-]+", line)[0]) for line in [*project["dependencies"], *extras]} - {"credo"}
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {_normal(line.partition("==")[0]) for line in lines if "==" in line}
    assert wanted <= pinned, f"not in constraints.txt: {sorted(wanted - pinned)}"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_public_names_resolve_and_are_documented():
    names = _public_names()
    for room in names.rooms():
        listed = getattr(import_module(room), "__all__", [])
        assert len(set(listed)) == len(listed), f"{room}.__all__ has a name twice"
        assert all(hasattr(import_module(room), name) for name in listed)
    assert names.undocumented() == []
    assert names.homeless() == []


def test_the_check_of_docstrings_sees_a_silent_method():
    class Speaking:
        def said(self):
            """Documented once, here."""

    class Silent(Speaking):
        def said(self): ...
        def unsaid(self): ...

        @property
        def unsaid_too(self): ...

    Silent.__module__ = "credo.somewhere"
    assert list(_public_names().silent_members(Silent)) == ["unsaid", "unsaid_too"]


def test_version_is_stated_once():
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == credo.__version__
    assert f"## {credo.__version__}" in (ROOT / "CHANGELOG.md").read_text()


_IMPORT = """
import sys, time
start = time.perf_counter(); import jax; middle = time.perf_counter(); before = set(sys.modules)
import credo
print(time.perf_counter() - middle, middle - start)
print(*sorted(set(sys.modules) - before))
"""


def test_importing_credo_costs_little_more_than_jax():
    output = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True).stdout
    times, modules = output.splitlines()
    after_jax, of_jax = map(float, times.split())
    loaded = set(modules.split())
    assert not loaded & HEAVY, f"import credo loads {sorted(loaded & HEAVY)}"
    assert after_jax < 1.0 + of_jax, f"import credo took {after_jax:.2f} s after JAX's {of_jax:.2f} s"


def test_nothing_that_reads_files_can_run_code():
    readers = [
        *(SOURCE / "files").glob("*.py"),
        SOURCE / "numerics" / "archive.py",
        SOURCE / "numerics" / "annotations.py",
    ]
    source = "\n".join(path.read_text() for path in readers)
    calls = r"(?<!re\.)\b(?:eval|exec|compile|__import__)\s*\("
    modules = r"^\s*(?:import|from)\s+(?:pickle|joblib|marshal|shelve|dill|cloudpickle)\b"
    assert not re.findall(rf"{calls}|{modules}|allow_pickle\s*=\s*True", source, re.MULTILINE)


def test_continuous_integration_calls_the_commands_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text()
    targets = re.search(r"for target in ([\w -]+);", script)[1].split()
    makefile = (ROOT / "Makefile").read_text()
    assert targets == ["lint", "test", "test-slow"]
    assert all(re.search(rf"^{target}: ", makefile, re.MULTILINE) for target in targets)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111, ".ci/run is not executable"
