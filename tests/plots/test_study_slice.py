"""Slices and the picture of the next point, against the study's own answers."""

import numpy as np
import pytest
from scipy import stats

from chart_specs import specification, table_with, tables
from chart_studies import line_study, mixed_study
from credo.beliefs import Normal
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.study import Study
from credo.decide.study.believing import learn_beliefs
from credo.errors import InputError
from credo.plots import next_chart, slice_chart
from credo.represent import Real, Space


def improvement(belief, least):
    """E (y* − f)₊ by the textbook formula."""
    mean, std = np.asarray(belief.mean), np.asarray(belief.std)
    z = (least - mean) / std
    return std * (stats.norm.pdf(z) + z * stats.norm.cdf(z))


@pytest.fixture(scope="module")
def mixed():
    return mixed_study()


@pytest.mark.parametrize("column", ["heat", "rate", "steps"])
def test_the_band_is_the_posterior_through_the_best_point(mixed, column):
    chart = slice_chart(mixed, column)
    table = table_with(chart, "center")
    x = [int(v) if column == "steps" else float(v) for v in table["x"]]
    belief = mixed.posterior([{**mixed.best.params, column: value} for value in x])
    np.testing.assert_allclose(table["center"], belief.mean, rtol=1e-6)
    np.testing.assert_allclose(table["outer_low"], belief.interval(0.9)[0], rtol=1e-6, atol=1e-9)
    bounds = mixed.space.parameters[column]
    assert (x[0], x[-1]) == (bounds.low, bounds.high)
    scale = specification(chart)["layer"][0]["encoding"]["x"]["scale"]
    assert scale.get("type") == ("log" if column == "rate" else None)


def test_points_are_trials_at_the_same_settings(mixed):
    data = table_with(slice_chart(mixed, "heat"), "y")
    done = [trial for trial in mixed.trials if trial.value is not None]
    moved = mixed.posterior([{**mixed.best.params, "heat": trial.params["heat"]} for trial in done]).mean
    by_hand = np.array([trial.value for trial in done]) + moved - mixed.posterior([t.params for t in done]).mean
    np.testing.assert_allclose(data["y"], by_hand, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(data["x"], [trial.params["heat"] for trial in done])


def test_a_choice_has_a_bar_an_option(mixed):
    chart = slice_chart(mixed, "solvent")
    table = table_with(chart, "center")
    assert table["option"].tolist() == ["water", "ethanol", "hexane"]
    other = [{**mixed.best.params, "solvent": "water", "stir": 0.5}, mixed.best.params]
    np.testing.assert_allclose(table["center"][:2], mixed.posterior(other).mean, rtol=1e-6)
    np.testing.assert_allclose(table["high"][:2], mixed.posterior(other).interval(0.9)[1], rtol=1e-6)
    assert len(table_with(chart, "y")["y"]) == 12


def test_one_parameter_has_the_values_as_they_are():
    study = line_study()
    chart = slice_chart(study)
    np.testing.assert_array_equal(table_with(chart, "y")["y"], [trial.value for trial in study.trials])
    assert specification(chart)["title"]["text"] == "value along x"


def test_next_shows_what_the_next_question_would_maximize():
    study = line_study()
    chart = next_chart(study)
    curve, band = table_with(chart, "worth"), table_with(chart, "center")
    # Expected improvement over the least mean where a trial is, at the most likely parameters.
    known, starts = study._log.known(study._log.read()), study._log.starts(study._log.version)
    learned = learn_beliefs(study.setup, known, starts=starts, warped=True).objectives[0]
    points, trials = [{"x": value} for value in curve["x"]], [trial.params for trial in study.trials]
    mean, variance = (part[:, 0] for part in moments_at(learned.surface, study.space.encode(points)))
    best = np.min(moments_at(learned.surface, study.space.encode(trials))[0])
    by_hand = improvement(Normal(mean, np.sqrt(variance)), best)
    np.testing.assert_allclose(curve["worth"], by_hand / np.max(by_hand), atol=2e-3)
    np.testing.assert_allclose(band["center"], study.posterior([{"x": v} for v in band["x"]]).mean, rtol=1e-6)
    (rule,) = [table for table in tables(chart) if set(table) == {"x"}]
    assert rule["x"].tolist() == [curve["x"][np.argmax(curve["worth"])]]
    assert (curve["x"][0], curve["x"][-1]) == (0.0, 4.0)


def test_next_shows_what_is_no_logarithm_as_it_is():
    given = line_study()
    study = Study(given.space, acquisition="lcb", random_state=0)
    study.add([trial.params for trial in given.trials], [trial.value for trial in given.trials])
    curve = table_with(next_chart(study), "worth")
    learned = learn_beliefs(study.setup, study._log.known(study._log.read())).objectives[0]
    mean, variance = moments_at(learned.surface, study.space.encode([{"x": value} for value in curve["x"]]))
    # The bound is mean − w std for some w: a combination of both that is linear, whose ends are 0 and 1.
    design = np.column_stack([mean, np.sqrt(variance), np.ones(len(curve["x"]))])
    weights = np.linalg.lstsq(design, curve["worth"], rcond=None)[0]
    np.testing.assert_allclose(design @ weights, curve["worth"], atol=1e-4)
    assert weights[0] < 0.0 < weights[1]
    assert (np.min(curve["worth"]), np.max(curve["worth"])) == (0.0, 1.0)


def test_next_marks_a_trial():
    study = line_study()
    chart = next_chart(study, study.trials[1])
    (rule,) = [table for table in tables(chart) if set(table) == {"x"}]
    assert rule["x"].tolist() == [1.1]
    assert specification(chart)["title"]["text"] == "The next point: x = 1.1"


def test_bad_questions(mixed):
    with pytest.raises(InputError, match=r"no parameter 'heet'.*heat, rate, solvent, steps, stir"):
        slice_chart(mixed, "heet")
    with pytest.raises(InputError, match=r"'stir' is not there at the best point. It is conditional"):
        slice_chart(mixed, "stir")
    with pytest.raises(InputError, match=r"5 free parameters.*slice"):
        next_chart(mixed)
    held = Study(Space({"a": Real(0, 1), "b": Real(0, 1)}, fixed={"a": 0.5}))
    held.add([{"a": 0.5, "b": 0.1}, {"a": 0.5, "b": 0.9}], [1.0, 2.0])
    with pytest.raises(InputError, match=r"'a' is held at 0\.5"):
        slice_chart(held, "a")
