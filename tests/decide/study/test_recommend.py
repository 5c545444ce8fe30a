"""The recommended point is where the mean of the belief is best, measured or not."""

import numpy as np
import pytest

from credo.decide.study import Study
from credo.errors import InputError
from credo.represent.space import Real, Space

LINE = Space({"x": Real(0, 10)})


def test_is_the_best_of_a_fine_grid():
    study = Study(LINE, direction="maximize", random_state=0)
    study.optimize(lambda point: -((point["x"] - 6.3) ** 2) + 0.1 * np.sin(3 * point["x"]), 8)
    found = study.recommend()
    grid = [{"x": x} for x in np.linspace(0, 10, 1001)]
    means = np.asarray(study.posterior(grid).mean)
    assert float(found.belief.mean) >= np.max(means) - 0.02 * np.ptp(means)
    assert found.params["x"] == pytest.approx(grid[int(np.argmax(means))]["x"], abs=0.2)
    low, high = (float(end) for end in found.belief.interval(0.9))
    assert f"between {low:.4g} and {high:.4g}" in str(found)


def test_of_several_objectives_there_is_none():
    study = Study(LINE, direction={"a": "minimize", "b": "minimize"}, random_state=0)
    study.optimize(lambda point: (point["x"], -point["x"]), 5)
    with pytest.raises(InputError, match="pareto"):
        study.recommend()


def test_is_feasible_with_probability_a_half_or_more():
    """The best mean is where the bound is broken for sure."""
    study = Study(LINE, outcome_constraints=["heat <= 5"], random_state=0)
    rows = np.linspace(0.0, 10.0, 11)
    study.add([{"x": float(x)} for x in rows], {"value": -(rows**2), "heat": rows})
    found = study.recommend()
    assert found.feasible >= 0.49
    assert found.params["x"] == pytest.approx(5.0, abs=0.3)
    assert float(found.belief.mean) < -20.0
