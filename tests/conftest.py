"""For all tests: one hypothesis profile, deterministic and without deadline; one list of those that are slow."""

from pathlib import Path

import jax
import pytest
from hypothesis import HealthCheck, settings

import credo  # noqa: F401  (switches JAX to 64 bit before any test module builds arrays)

settings.register_profile(
    "credo", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("credo")

assert jax.config.jax_enable_x64


def pytest_configure(config):
    """A warning of credo is an error. In pyproject.toml this would import credo before jaxtyping's hook is there."""
    config.addinivalue_line("filterwarnings", "error::credo.errors.CredoWarning")
    # beartype looks at random entries of the containers it checks, inside strategies too.
    config.addinivalue_line("filterwarnings", "ignore:Do not use the .random. module")


@pytest.hookimpl(tryfirst=True)  # before -m is looked at
def pytest_collection_modifyitems(items):
    """Put what `slow.txt` lists into the slow suite."""
    listed = set((Path(__file__).parent / "slow.txt").read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in listed:
            item.add_marker(pytest.mark.slow)


_MAPS = Path("/proc/self/maps")
_MANY = 20_000  # a process may have 65 530; compiled code takes some each, and where they end the compiler crashes
_finished = 0


def pytest_runtest_teardown():
    """Forget compiled code when the process holds too much of it; looked at every 10 tests."""
    global _finished
    _finished += 1
    if _finished % 10 == 0 and _MAPS.exists() and len(_MAPS.read_bytes().splitlines()) > _MANY:
        jax.clear_caches()
