"""One hypothesis profile for all tests: deterministic, no deadline (the first example compiles)."""

import jax
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
