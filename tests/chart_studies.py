"""Small studies for the tests of their charts, without a search: points are put in, and reasons with them."""

import numpy as np

from credo.decide.study import Study
from credo.represent import Choice, Integer, Real, Space

SPACE = Space(
    {
        "heat": Real(20, 120),
        "rate": Real(1e-3, 1, log=True),
        "solvent": Choice("water", "ethanol", "hexane"),
        "steps": Integer(1, 4),
        "stir": Real(0, 1, when={"solvent": "water"}),
    }
)


def told(study, params, value, failed=False, **why):
    """A trial that was suggested for a reason, and answered."""
    record = study.storage.add_running(study.record, params, lease=60.0, why=why, seed=0)
    (trial,) = [trial for trial in study.trials if trial.number == record.number]
    study.tell(trial, value, failed=failed)


def mixed_study(direction="minimize"):
    """Ten past runs, two suggestions and a failure."""
    study = Study(SPACE, direction=direction, random_state=0)
    points = SPACE.sample(10, random_state=0)
    sign = 1.0 if direction == "minimize" else -1.0
    study.add(points, [sign * ((p["heat"] - 70) ** 2 / 900 + np.log10(p["rate"]) ** 2) for p in points])
    dry = {"heat": 71.0, "rate": 0.4, "solvent": "ethanol", "steps": 2}
    told(study, dry, sign * 0.05, reason="exploit", mean=sign * 0.3, std=0.2)
    told(study, {**dry, "heat": 115.0}, None, failed=True, reason="explore", mean=sign * 2.0, std=1.0)
    told(study, {**dry, "steps": 4}, sign * 0.4, reason="explore", mean=sign * 0.5, std=0.25)
    return study


def line_study():
    """One parameter, five runs."""
    study = Study(Space({"x": Real(0, 4)}), random_state=0)
    x = np.array([0.3, 1.1, 2.0, 2.8, 3.9])
    study.add([{"x": value} for value in x], np.sin(2 * x))
    return study


def two_objectives():
    """Twelve runs with two objectives, one up and one down."""
    space = Space({"a": Real(0, 1), "b": Real(0, 1)})
    study = Study(space, direction={"yield": "maximize", "cost": "minimize"}, random_state=0)
    points = space.sample(12, random_state=1)
    study.add(points, {"yield": [p["a"] for p in points], "cost": [p["a"] ** 2 + p["b"] for p in points]})
    return study
