"""credo: from data to belief to decision, and every answer comes with its uncertainty budget."""

from importlib import import_module
from typing import Any

import jax

# What credo.numerics.enable_float64 does, written out: importing a room would bring Equinox and SciPy with it.
jax.config.update("jax_enable_x64", True)

__version__ = "0.1.0"

# The names a first session needs, each with the room it is imported from when it is first used.
_PUBLIC = {
    "BayesianLinearRegression": "credo.models",
    "GPClassifier": "credo.models",
    "GPRegressor": "credo.models",
    "Space": "credo.represent",
    "Study": "credo.decide",
    "Table": "credo.represent",
    "audit": "credo.validate",
    "compare": "credo.validate",
    "evaluate": "credo.validate",
    "learn": "credo.decide",
    "load": "credo.files",
    "next_runs": "credo.decide",
    "plot": "credo.plots",
    "save": "credo.files",
}

__all__ = [
    "BayesianLinearRegression",
    "GPClassifier",
    "GPRegressor",
    "Space",
    "Study",
    "Table",
    "__version__",
    "audit",
    "compare",
    "evaluate",
    "learn",
    "load",
    "next_runs",
    "plot",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'credo' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
