"""The history shows what the study holds."""

import numpy as np
import pytest

from chart_specs import specification, table_with
from chart_studies import mixed_study
from credo.decide.study import Study
from credo.errors import InputError
from credo.plots import history_chart
from credo.represent import Real, Space


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_values_best_so_far_beliefs_and_failures(direction):
    study = mixed_study(direction)
    chart = history_chart(study)
    done = [trial for trial in study.trials if trial.value is not None]
    points, best, bars = table_with(chart, "reason"), table_with(chart, "best"), table_with(chart, "low")
    np.testing.assert_array_equal(points["trial"], [trial.number for trial in done])
    np.testing.assert_array_equal(points["value"], [trial.value for trial in done])
    assert points["reason"].tolist() == ["given"] * 10 + ["exploit", "explore"]
    pick = min if direction == "minimize" else max
    by_hand = [pick(trial.value for trial in done[: k + 1]) for k in range(len(done))]
    np.testing.assert_array_equal(best["best"], [*by_hand, by_hand[-1]])
    assert best["trial"][-1] == study.trials[-1].number
    sign = 1.0 if direction == "minimize" else -1.0
    np.testing.assert_allclose(bars["low"], sign * np.array([0.3, 2.0, 0.5]) - [0.2, 1.0, 0.25])
    np.testing.assert_allclose(bars["high"], sign * np.array([0.3, 2.0, 0.5]) + [0.2, 1.0, 0.25])
    assert bars["trial"].tolist() == [10, 11, 12]
    title = specification(chart)["title"]
    assert title["text"] == f"Best measured: value = {sign * 0.05:.4g} (trial 10)"
    assert "crosses: failed" in title["subtitle"]
    (crosses,) = [layer for layer in specification(chart)["layer"] if layer["mark"].get("shape")]
    assert [row["trial"] for row in specification(chart)["datasets"][crosses["data"]["name"]]] == [11]


def test_trials_that_miss_a_bound_are_pale_and_no_best():
    study = Study(Space({"a": Real(0, 1)}), outcome_constraints=["impurity <= 0.5"])
    a = np.array([0.9, 0.1, 0.6, 0.7])
    study.add([{"a": value} for value in a], {"value": a, "impurity": 1 - a})
    chart = history_chart(study)
    assert table_with(chart, "shade")["shade"].tolist() == [1.0, 0.35, 1.0, 1.0]
    assert table_with(chart, "best")["best"].tolist() == [0.9, 0.6, 0.6, 0.6]
    assert "pale: bounds not met" in str(specification(chart)["title"]["subtitle"])
    none = Study(Space({"a": Real(0, 1)}), outcome_constraints=["impurity <= 0.5"])
    none.add([{"a": 0.1}], {"value": [1.0], "impurity": [2.0]})
    assert specification(history_chart(none))["title"]["text"] == "No trial meets the bounds yet"


def test_trials_of_another_fidelity_are_pale_and_said_to_be_that():
    space = Space({"a": Real(0, 1), "grid": Real(0, 1)})
    study = Study(space, fidelity={"grid": 1.0}, cost=lambda p: 0.1 + p["grid"])
    study.add([{"a": 0.9, "grid": 1.0}, {"a": 0.1, "grid": 0.5}], [0.9, 0.1])
    chart = history_chart(study)
    assert table_with(chart, "shade")["shade"].tolist() == [1.0, 0.35]
    said = str(specification(chart)["title"]["subtitle"])
    assert "pale: another fidelity" in said
    assert "bounds" not in said
    none = Study(space, fidelity={"grid": 1.0}, cost=lambda p: 0.1 + p["grid"])
    none.add([{"a": 0.1, "grid": 0.5}], [0.1])
    assert specification(history_chart(none))["title"]["text"] == "No trial counts yet"


def test_nothing_told_yet():
    with pytest.raises(InputError, match="no trial of the study has a value"):
        history_chart(Study(Space({"a": Real(0, 1)})))
