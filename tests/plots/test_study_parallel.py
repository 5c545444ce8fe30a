"""Every trial is on every axis that it has, at its place."""

import numpy as np

from chart_specs import specification, table_with
from chart_studies import mixed_study, two_objectives
from credo.decide.study import Study
from credo.plots import parallel_chart
from credo.represent import Real, Space


def test_places_on_the_axes():
    study = mixed_study()
    table = table_with(parallel_chart(study), "place")
    at = {(int(n), axis): place for n, axis, place in zip(table["trial"], table["axis"], table["place"], strict=True)}
    done = [trial for trial in study.trials if trial.value is not None]
    values = np.array([trial.value for trial in done])
    for trial in done:
        params = trial.params
        assert np.isclose(at[trial.number, "heat"], (params["heat"] - 20) / 100)
        assert np.isclose(at[trial.number, "rate"], (np.log10(params["rate"]) + 3) / 3)
        assert at[trial.number, "solvent"] == ["water", "ethanol", "hexane"].index(params["solvent"]) / 2
        assert np.isclose(at[trial.number, "steps"], (params["steps"] - 1) / 3)
        assert ((trial.number, "stir") in at) == (params["solvent"] == "water")
        assert np.isclose(at[trial.number, "value"], (trial.value - values.min()) / np.ptp(values))
    assert table["trial"][-1] == study.best.number  # on top of the others


def test_texts_and_several_objectives():
    texts = table_with(parallel_chart(mixed_study()), "text")
    said = {(axis, text) for axis, text in zip(texts["axis"], texts["text"], strict=True)}
    assert {("heat", "20"), ("heat", "120"), ("rate", "0.001"), ("solvent", "hexane")} <= said
    assert set(table_with(parallel_chart(two_objectives()), "place")["axis"]) == {"a", "b", "yield", "cost"}


def test_a_parameter_with_the_name_of_the_objective_and_one_value():
    study = Study(Space({"value": Real(0, 1)}))
    study.add([{"value": 0.2}], [3.0])
    table = table_with(parallel_chart(study), "place")
    assert table["axis"].tolist() == ["value", "value (measured)"]
    assert table["place"].tolist() == [0.2, 0.0]


def test_past_runs_beyond_the_bounds_are_at_the_end():
    study = Study(Space({"x": Real(0, 1)}))
    study.add([{"x": 0.5}, {"x": 1.5}, {"x": -0.5}], [3.0, 1.0, 2.0])
    chart = parallel_chart(study)
    assert specification(chart)["title"]["text"] == "3 trials"
    table = table_with(chart, "place")
    at = {
        int(n): place
        for n, axis, place in zip(table["trial"], table["axis"], table["place"], strict=True)
        if axis == "x"
    }
    assert at == {0: 0.5, 1: 1.0, 2: 0.0}
