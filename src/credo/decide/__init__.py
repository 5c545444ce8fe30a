"""What to do next: Bayes actions, studies, safe and active learning, bandits and planning."""

from importlib import import_module
from typing import Any

# Each name with the module it is imported from when it is first used: a worker that only needs the storage of a study
# does not wait for its surrogates.
_PUBLIC = {
    "Absolute": "actions",
    "Costs": "actions",
    "Decision": "actions",
    "Information": "actions",
    "Likelihood": "actions",
    "LinearLoss": "actions",
    "Loss": "actions",
    "NoisyMeasurement": "actions",
    "Observation": "actions",
    "Outcomes": "actions",
    "Perfect": "actions",
    "Pinball": "actions",
    "Squared": "actions",
    "Storage": "storage",
    "Study": "study",
    "Trial": "study",
    "Why": "study",
    "ZeroOne": "actions",
    "bayes_action": "actions",
    "growing_width": "acquisitions",
    "log_expected_improvement": "acquisitions",
    "log_probability_of_improvement": "acquisitions",
    "storage_from": "storage",
    "value_of_information": "actions",
}

__all__ = [
    "Absolute",
    "Costs",
    "Decision",
    "Information",
    "Likelihood",
    "LinearLoss",
    "Loss",
    "NoisyMeasurement",
    "Observation",
    "Outcomes",
    "Perfect",
    "Pinball",
    "Squared",
    "Storage",
    "Study",
    "Trial",
    "Why",
    "ZeroOne",
    "bayes_action",
    "growing_width",
    "log_expected_improvement",
    "log_probability_of_improvement",
    "storage_from",
    "value_of_information",
]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"credo.decide.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module 'credo.decide' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
