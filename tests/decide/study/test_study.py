"""Studies: ask and tell, reasons, replay, crashes and failures, in memory and in a file."""

import numpy as np
import polars as pl
import pytest
from sklearn.cluster import KMeans

from credo.decide.acquisitions.pareto import hypervolume
from credo.decide.study import Study
from credo.errors import ConflictError, InputError
from credo.models import BayesianLinearRegression, GPRegressor, NearestNeighborsRegressor
from credo.represent.space import Choice, Integer, Real, Space

BOX = Space({"a": Real(-1, 1), "b": Real(0, 10)})


def bowl(point):
    return (point["a"] - 0.3) ** 2 + (point["b"] / 10 - 0.7) ** 2


def test_finds_the_bottom_in_either_direction():
    down = Study(BOX, random_state=0).optimize(bowl, 18)
    assert down.best.value < 1e-3
    up = Study(BOX, direction="maximize", random_state=0).optimize(lambda point: 5.0 - bowl(point), 18)
    assert up.best.value > 5.0 - 1e-3


def test_every_suggestion_can_be_made_again_and_says_why(tmp_path):
    path = str(tmp_path / "study.db")
    study = Study(BOX, storage=path, name="bowl", random_state=3).optimize(bowl, 9)
    later = Study(BOX, storage=path, name="bowl")  # another process, say
    assert [trial.params for trial in later.trials] == [trial.params for trial in study.trials]
    for trial in later.trials[3:]:
        assert later.replay(trial.number) == trial.params
    assert {trial.why.reason for trial in later.trials[:4]} == {"start"}
    assert later.trials[-1].why.reason in ("explore", "exploit")
    assert later.trials[-1].why.gain >= 0.0


def test_an_objective_of_orders_of_magnitude_is_warped_and_still_replays():
    study = Study(BOX, random_state=0).optimize(lambda point: np.expm1(5.0 * bowl(point)), 16)
    last = study.trials[-1]
    assert study.replay(last.number) == last.params
    assert len(last.why.parameters[0]) == 5  # two length-scales, variance, noise, and the strength of the warp
    assert study.best.value < 0.02
    told = [trial.value for trial in study.trials]
    assert abs(last.why.mean) <= max(told)  # in units of the objective, not of its logarithm
    assert 0.0 <= last.why.gain < max(told)


def test_a_batch_is_apart_and_can_be_told_in_any_order():
    study = Study(BOX, random_state=0).optimize(bowl, 6)
    batch = study.ask_batch(3)
    points = np.array([[trial.params["a"], trial.params["b"] / 5] for trial in batch])
    assert np.min([np.linalg.norm(points[i] - points[j]) for i in range(3) for j in range(i)]) > 1e-3
    for trial in reversed(batch):
        study.tell(trial, bowl(trial.params))
    assert len([trial for trial in study.trials if trial.state == "done"]) == 9
    for trial in batch:
        assert study.replay(trial.number) == trial.params


def test_the_same_answer_twice_is_no_harm_and_another_is_refused():
    study = Study(BOX, random_state=0)
    trial = study.ask()
    study.tell(trial, 1.0)
    study.tell(trial, 1.0)
    with pytest.raises(ConflictError):
        study.tell(trial, 2.0)
    with pytest.raises(InputError):
        study.tell(study.ask(), np.nan)


def test_queued_points_come_first():
    study = Study(BOX, random_state=0)
    study.enqueue({"a": 0.25, "b": 5.0})
    trial = study.ask()
    assert trial.params == {"a": 0.25, "b": 5.0}
    assert trial.why.reason == "queued"
    assert study.ask().params != trial.params
    with pytest.raises(InputError, match="above"):
        study.enqueue({"a": 7.0, "b": 5.0})


def test_a_function_that_raises_is_a_failed_trial():
    def fragile(point):
        if point["a"] < 0:
            raise RuntimeError("it burst")
        return bowl(point)

    study = Study(BOX, random_state=1).optimize(fragile, 16)
    failed = [trial for trial in study.trials if trial.state == "failed"]
    assert failed
    assert study.best.value < 0.05
    assert sum(trial.params["a"] < 0 for trial in study.trials[8:]) <= 3


def test_outcomes_that_must_stay_in_bounds():
    """The bowl is best at a = 0.3, but a must be at least 0.5."""
    study = Study(BOX, outcome_constraints=["side >= 0.5"], random_state=0)
    study.optimize(lambda point: {"value": bowl(point), "side": point["a"]}, 16)
    assert study.best.params["a"] == pytest.approx(0.5, abs=0.03)
    assert study.best.value == pytest.approx(0.04, abs=0.02)
    assert 0.0 <= study.trials[-1].why.feasible <= 1.0
    assert study.recommend().feasible > 0.4


def test_where_nothing_is_feasible_that_is_looked_for():
    study = Study(BOX, outcome_constraints=["side >= 0.95"], initial=4, random_state=0)
    study.optimize(lambda point: {"value": bowl(point), "side": point["a"]}, 7)
    assert study.trials[4].why.reason == "feasibility"
    assert study.best.params["a"] >= 0.95
    hopeless = Study(BOX, outcome_constraints=["side >= 2"], initial=4, random_state=0)
    hopeless.optimize(lambda point: {"value": bowl(point), "side": point["a"]}, 5)
    with pytest.raises(InputError, match="none of 5"):
        _ = hopeless.best


def test_several_objectives_have_a_front_that_spreads():
    study = Study(BOX, direction={"left": "minimize", "right": "maximize"}, random_state=0)
    study.optimize(lambda point: {"left": (point["a"] + 1) ** 2, "right": -((point["a"] - 1) ** 2)}, 16)
    grid = np.linspace(-1.0, 1.0, 401)
    reference = np.array([4.4, 4.4])
    most = hypervolume(np.stack([(grid + 1) ** 2, (grid - 1) ** 2], axis=1), reference)
    found = np.array([[trial.values["left"], -trial.values["right"]] for trial in study.pareto])
    assert hypervolume(found, reference) > 0.93 * most
    assert len(study.trials[-1].why.beliefs) == 2
    assert study.replay(15) == study.trials[15].params
    with pytest.raises(InputError, match="pareto"):
        _ = study.best


def test_a_context_is_given_and_the_best_choice_depends_on_it():
    """Where b is given, a should follow it."""
    study = Study(BOX, context=["b"], random_state=0)
    loss = lambda point: (point["a"] - (point["b"] / 5 - 1)) ** 2  # noqa: E731
    for step in range(16):
        trial = study.ask(context={"b": [1.0, 9.0][step % 2]})
        study.tell(trial, loss(trial.params))
    for b in (1.0, 9.0):
        assert study.recommend(context={"b": b}).params == pytest.approx({"a": b / 5 - 1, "b": b}, abs=0.1)
    assert study.replay(15) == study.trials[15].params
    with pytest.raises(InputError, match="context"):
        study.ask()
    with pytest.raises(InputError, match="context"):
        study.optimize(loss, 1)


def test_a_cost_that_is_told_is_learnt_and_weighed():
    """Two wells alike, one at thirty times the cost of the other: the same trials cost less than without that."""
    line = Space({"x": Real(0, 1)})
    seconds = lambda point: 1.0 if point["x"] < 0.5 else 30.0  # noqa: E731
    wells = lambda point: -sum(np.exp(-50 * (point["x"] - at) ** 2) for at in (0.2, 0.8))  # noqa: E731
    spent = np.zeros(2)
    for seed in range(3):
        weighed = Study(line, cost="seconds", random_state=seed)
        weighed.optimize(lambda point: {"value": wells(point), "seconds": seconds(point)}, 12)
        plain = Study(line, random_state=seed).optimize(wells, 12)
        spent += [sum(seconds(trial.params) for trial in study.trials[4:]) for study in (weighed, plain)]
    assert spent[0] < 0.7 * spent[1]
    assert weighed.trials[-1].why.cost > 0.5


def test_a_batch_can_be_chosen_as_a_whole():
    study = Study(BOX, acquisition="qlog_ei", random_state=0).optimize(bowl, 8)
    batch = study.ask_batch(3)
    assert [trial.why.batch for trial in batch] == [(0, 3), (1, 3), (2, 3)]
    rows = BOX.encode([trial.params for trial in batch])
    assert np.min([np.linalg.norm(rows[i] - rows[j]) for i in range(3) for j in range(i)]) > 1e-3
    assert [study.replay(trial.number) for trial in batch] == [trial.params for trial in batch]
    with pytest.raises(InputError, match="ask_batch"):
        study.ask_batch(0)


def test_cheap_fidelities_are_used_and_the_answer_is_at_the_one_that_counts():
    """A coarse measurement costs a sixteenth and is nearly right."""
    space = Space({"x": Real(0, 1), "steps": Integer(1, 16)})
    loss = lambda point: (point["x"] - 0.6) ** 2 + 0.02 * (1 - point["steps"] / 16)  # noqa: E731
    study = Study(space, fidelity={"steps": 16}, cost=lambda point: point["steps"], random_state=0).optimize(loss, 14)
    assert sum(trial.params["steps"] <= 8 for trial in study.trials[4:]) >= 3
    assert study.recommend().params == pytest.approx({"x": 0.6, "steps": 16}, abs=0.05)
    assert study.replay(13) == study.trials[13].params


def test_a_wide_optimum_is_better_than_a_sharp_one_that_will_be_missed():
    line = Space({"x": Real(0, 1)})
    loss = lambda point: (  # noqa: E731
        -np.exp(-(((point["x"] - 0.2) / 0.02) ** 2)) - 0.8 * np.exp(-(((point["x"] - 0.7) / 0.15) ** 2))
    )
    assert Study(line, robust={"x": 0.05}, random_state=0).optimize(loss, 14).recommend().params == pytest.approx(
        {"x": 0.7}, abs=0.05
    )


def test_any_estimator_is_a_surrogate():
    study = Study(BOX, surrogate=NearestNeighborsRegressor(n_neighbors=3), random_state=0).optimize(bowl, 16)
    assert study.best.value < 0.2
    assert study.replay(15) == study.trials[15].params
    with pytest.raises(InputError, match="surrogate"):
        Study(BOX, surrogate=KMeans())


def test_parameters_can_be_averaged():
    study = Study(BOX, surrogate=GPRegressor(inference="mcmc"), random_state=0).optimize(bowl, 8)
    assert study.replay(7) == study.trials[7].params
    batch = study.ask_batch(2)
    assert abs(batch[0].params["a"] - batch[1].params["a"]) + abs(batch[0].params["b"] - batch[1].params["b"]) / 5 > 0.1


def test_past_runs_become_a_study_with_a_guessed_space():
    rng = np.random.default_rng(0)
    runs = pl.DataFrame({"t": rng.uniform(20, 80, 30), "kind": rng.choice(["x", "y"], 30)})
    good = -((runs["t"].to_numpy() - 55) ** 2) / 100 + 2.0 * (runs["kind"].to_numpy() == "y")
    for frame, target in ((runs.with_columns(good=good), "good"), (runs, good), (runs, {"value": good})):
        study = Study.from_data(frame, target, direction="maximize", random_state=0)
        assert set(study.space) == {"t", "kind"}
        assert "tenth wider" in str(study)
        trial = study.ask()
        assert trial.params["t"] == pytest.approx(55, abs=8)
        assert trial.params["kind"] == "y"
    named = Study.from_data(runs.with_columns(good=good), "good", direction="maximize", random_state=0)
    assert named.best.values == {"good": pytest.approx(good.max())}
    holes = Study.from_data(runs, [None, *good[1:]], random_state=0)
    assert [trial.state for trial in holes.trials[:2]] == ["failed", "done"]
    with pytest.raises(InputError, match="no column"):
        Study.from_data(runs, "bad")
    with pytest.raises(InputError, match="no table"):
        Study.from_data(3, "bad")


def test_what_the_next_ask_maximizes_is_largest_there():
    study = Study(BOX, random_state=0).optimize(bowl, 10)
    grid = BOX.sample(200, 3)
    trial = study.ask()
    fresh = Study(BOX, random_state=0).optimize(bowl, 10)
    before = fresh.acquisition_at([trial.params])[0]
    assert before >= np.max(fresh.acquisition_at(grid)) - 1e-6
    assert study.acquisition_at([trial.params])[0] < before  # now that it is under way


def test_the_report_says_where_it_stands():
    study = Study(BOX, random_state=0, name="bowl")
    assert "best measured: nothing that counts" in str(study.report())
    study.optimize(bowl, 9)
    text = str(study.report())
    for word in (
        "bowl: minimize value",
        "9 done, 0 failed",
        "best measured: #",
        "recommended: a =",
        "left to gain",
        "latest",
    ):
        assert word in text
    assert study.report().to_polars().columns[:3] == ["number", "a", "b"]


def test_what_a_function_returns_must_fit_the_study():
    with pytest.raises(InputError, match="2 numbers"):
        Study(BOX, random_state=0).optimize(lambda point: (1.0, 2.0), 1)


def test_threads_measure_at_once():
    study = Study(BOX, random_state=0).optimize(bowl, 12, n_jobs=3)
    assert [trial.state for trial in study.trials] == ["done"] * 12


def test_mixed_spaces_and_past_runs():
    space = Space({"a": Real(0, 1), "n": Integer(1, 4), "kind": Choice("x", "y")})
    truth = lambda point: (point["a"] - 0.5) ** 2 + (point["n"] - 3) ** 2 + (point["kind"] == "x")  # noqa: E731
    study = Study(space, random_state=0)
    runs = space.sample(10, 5)
    study.add(runs, [truth(run) for run in runs])
    study.optimize(truth, 14)
    assert study.best.params["n"] == 3
    assert study.best.params["kind"] == "y"
    assert study.best.value < 0.02
    assert study.trials[0].why.reason == "given"


def test_the_posterior_is_in_the_units_of_the_objective():
    study = Study(BOX, direction="maximize", random_state=0).optimize(lambda point: 100.0 - 10.0 * bowl(point), 20)
    points = BOX.sample(10, 9)
    belief = study.posterior(points)
    truth = np.array([100.0 - 10.0 * bowl(point) for point in points])
    assert np.mean(np.abs(np.asarray(belief.mean) - truth) < 4.0 * np.asarray(belief.std) + 0.2) > 0.8


def test_threads_and_processes_take_one_trial_after_the_other(tmp_path):
    stored = Study(BOX, storage=tmp_path / "study.db", acquisition="random", random_state=0)
    stored.optimize(lambda point: point["a"] ** 2, 6, n_jobs=2)
    assert [trial.number for trial in stored.trials] == list(range(6))
    assert {trial.state for trial in stored.trials} == {"done"}


@pytest.mark.parametrize(
    ("settings", "what"), [({"direction": "up"}, "direction"), ({"acquisition": "luck"}, "acquisition")]
)
def test_settings_that_are_none_are_refused(settings, what):
    with pytest.raises(InputError, match=what):
        Study(BOX, **settings)


def test_what_is_not_there_yet_is_said():
    study = Study(BOX, random_state=0)
    with pytest.raises(InputError, match="no trial"):
        _ = study.best
    with pytest.raises(InputError, match="two"):
        study.posterior([{"a": 0.0, "b": 1.0}])


def test_two_studies_of_one_name_and_other_settings_are_refused(tmp_path):
    path = str(tmp_path / "study.db")
    Study(BOX, storage=path, name="one", random_state=0)
    with pytest.raises(ConflictError, match="direction"):
        Study(BOX, storage=path, name="one", direction="maximize", random_state=0)


def test_surrogates_that_are_no_process_know_of_trials_under_way():
    study = Study(BOX, surrogate=BayesianLinearRegression(), random_state=0)
    study.add(BOX.sample(12, 0), [bowl(point) for point in BOX.sample(12, 0)])
    first, second, third = (trial.params for trial in study.ask_batch(3))
    assert first != second
    assert second != third


def test_in_a_finite_space_each_context_has_all_points():
    space = Space({"kind": Choice("a", "b"), "day": Choice("mo", "tu")})
    study = Study(space, context=["day"], random_state=0)
    for day in ("mo", "tu"):
        asked = [study.ask({"day": day}).params for _ in range(2)]
        assert {point["kind"] for point in asked} == {"a", "b"}
        assert {point["day"] for point in asked} == {day}
    with pytest.raises(InputError, match="taken"):
        study.ask({"day": "mo"})


def test_a_trial_of_another_context_goes_on_waiting():
    study = Study(BOX, context=["b"], random_state=0)
    number = study.enqueue({"a": 0.5, "b": 9.0})
    assert study.ask({"b": 1.0}).params["b"] == 1.0
    assert study.ask({"b": 9.0}).number == number


def test_a_batch_that_cannot_be_whole_is_given_back():
    study = Study(Space({"kind": Choice("a", "b", "c")}), random_state=0)
    with pytest.raises(InputError, match="taken"):
        study.ask_batch(5)
    assert len(study.ask_batch(3)) == 3


@pytest.mark.parametrize("weighed", ["bound", "cost"])
def test_joint_batches_weigh_bounds_and_costs_in_every_row(weighed):
    """There they are not chosen together, but as any others: one after the other."""
    rows = np.linspace(0.0, 1.0, 9)
    asked = []
    for acquisition in ("qlog_ei", "log_ei"):
        study = Study(
            Space({"x": Real(0, 1)}),
            acquisition=acquisition,
            outcome_constraints=["heat <= 0.5"] if weighed == "bound" else [],
            cost=(lambda point: 10.0 ** (3.0 * point["x"])) if weighed == "cost" else None,
            random_state=0,
        )
        told = {"value": np.sin(12.0 * rows), "heat": rows}
        study.add([{"x": float(x)} for x in rows], told if weighed == "bound" else told["value"])
        asked.append([trial.params["x"] for trial in study.ask_batch(3)])
    assert asked[0] == asked[1]
    assert len(set(asked[0])) == 3


def test_random_asks_do_not_look_at_the_trials(monkeypatch):
    study = Study(BOX, acquisition="random", random_state=0)
    monkeypatch.setattr(study._log, "known", None)
    first, second = study.ask(), study.ask()
    assert first.params != second.params
    assert first.why.reason == "random"
    assert study.replay(1) == second.params
