"""What is safe and what may be best, against the formulas; what is suggested, against the explorer's promise."""

import numpy as np
import pytest
from scipy import stats

from credo.decide.explore import Explorer
from credo.decide.safe.plan import Plan, Seen
from credo.decide.safe.suggest import is_still_safe, judged, learned, suggest_safely
from credo.decide.study.goal import Goal
from credo.errors import InputError
from credo.kernels import RBF
from credo.models import GPRegressor
from credo.represent.space import Real, Space

SPACE = Space({"a": Real(0, 1)})
NONE = np.empty((0, 1))
GRID = np.linspace(0.0, 1.0, 41)[:, None]
ROWS = np.array([[0.3], [0.4], [0.5]])
VALUES = np.array([[1.0, -2.0], [0.6, -1.0], [0.5, 0.5]])


def model(variance=1.0):
    kernel = RBF(lengthscale=[0.2], variance=variance)
    return GPRegressor(kernel=kernel, noise_variance=1e-3, inference=None, standardize=False)


def plan(strategy="itl"):
    surrogates = {"value": model(), "heat": model(16.0)}
    return Plan(SPACE, Goal.of("minimize", ["heat <= 2"]), ROWS[:1], 0.95, strategy, surrogates, False)


def test_safe_and_promising_are_what_intervals_say():
    seen = Seen(ROWS, VALUES, NONE, NONE)
    found = judged(plan(), seen, learned(plan(), seen), GRID)
    value, heat = model().fit(ROWS, VALUES[:, 0]).posterior(GRID), model(16.0).fit(ROWS, VALUES[:, 1]).posterior(GRID)
    width = stats.norm.ppf(0.95)
    mean, std = np.array(heat.mean), np.array(heat.std)
    np.testing.assert_allclose(found.unsafe, stats.norm.sf(2.0, mean, std), atol=1e-9)
    np.testing.assert_array_equal(found.safe, mean + width * std <= 2.0)
    low, high = (np.array(value.mean) + side * width * np.array(value.std) for side in (-1, 1))
    wanted = (mean - width * std <= 2.0) & (low <= np.min(high[found.safe]))
    np.testing.assert_array_equal(found.promising, wanted)
    assert 0 < np.sum(found.safe) < len(GRID)
    assert 0 < np.sum(found.promising) < len(GRID)


def test_the_suggestion_is_the_explorers_and_says_why():
    seen = Seen(ROWS, VALUES, NONE, NONE)
    suggested = suggest_safely(plan(), seen, even=GRID, seed=0)
    outcomes = learned(plan(), seen)
    here = judged(plan(), seen, outcomes, suggested.row[None])
    assert here.safe[0]
    np.testing.assert_allclose(suggested.why.safe, 1.0 - here.unsafe[0])
    assert suggested.why.reason == "learn"
    found = judged(plan(), seen, outcomes, GRID)
    models = [outcome.surface for outcome in outcomes.values()]
    alone = Explorer(models, targets=GRID[found.promising], candidates=GRID[found.safe]).ask()
    assert suggested.why.gain > 0.5 * alone.gains[0]
    assert "nats" in str(suggested.why)


def test_seeds_come_first_and_again_where_nothing_is_safe():
    nothing = Seen(NONE, np.empty((0, 2)), NONE, NONE)
    assert suggest_safely(plan(), nothing, even=GRID).why.reason == "seed"
    under_way = nothing._replace(pending=ROWS[:1])
    assert suggest_safely(plan(), under_way, even=GRID).row[0] == ROWS[0, 0]
    hot = Seen(ROWS[:2], np.array([[1.0, 1.99], [1.0, 2.5]]), NONE, NONE)
    suggested = suggest_safely(plan(), hot, even=GRID)
    assert suggested.why.reason == "repeat"
    assert suggested.row[0] == ROWS[0, 0]
    assert "no other point is safe" in str(suggested.why)


def test_seeds_that_failed_or_broke_a_bound_are_not_measured_again():
    two = plan()._replace(seeds=ROWS[:2])
    nothing = Seen(NONE, np.empty((0, 2)), ROWS[:1], ROWS[1:2])
    assert suggest_safely(two, nothing, even=GRID).row[0] == ROWS[1, 0]
    with pytest.raises(InputError, match="no seed is safe under what was measured"):
        suggest_safely(two, nothing._replace(failed=ROWS[:2], pending=NONE), even=GRID)
    hot = Seen(ROWS, np.array([[1.0, 2.1], [1.0, 1.99], [1.0, 2.1]]), NONE, NONE)
    suggested = suggest_safely(two, hot, even=GRID)
    assert (suggested.why.reason, suggested.row[0]) == ("repeat", ROWS[1, 0])
    with pytest.raises(InputError, match="broke a bound"):
        suggest_safely(plan(), hot, even=GRID)


def test_a_promise_is_not_tested_twice_for_its_round_off():
    model = GPRegressor(kernel=RBF(lengthscale=[0.2]), noise_variance=1e-3, inference=None, standardize=False)
    audited = plan()._replace(surrogates={"value": model, "heat": model}, audit=True)
    rows = np.linspace(0.0, 1.0, 12)[:, None]
    found = learned(audited, Seen(rows, np.repeat(rows, 2, axis=1), NONE, NONE))
    assert {outcome.audit.level for outcome in found.values()} <= {0.5, 0.8, 0.9}


def test_what_came_back_is_judged_by_what_is_known_now():
    seen = Seen(ROWS, VALUES, NONE, NONE)
    assert is_still_safe(plan(), seen, np.array([0.35]))
    assert not is_still_safe(plan(), seen, np.array([0.9]))
    assert is_still_safe(plan(), Seen(NONE, np.empty((0, 2)), NONE, NONE), ROWS[0])
    assert not is_still_safe(plan(), Seen(NONE, np.empty((0, 2)), NONE, NONE), np.array([0.35]))
    assert not is_still_safe(plan(), seen._replace(failed=np.array([[0.35]])), np.array([0.35]))
    hotter = VALUES + np.array([0.0, 2.4])
    assert not is_still_safe(plan(), seen._replace(values=hotter), np.array([0.45]))


def test_the_baseline_leaves_out_what_is_under_way():
    baseline = plan("safeopt")
    seen = Seen(ROWS, VALUES, NONE, NONE)
    asked = []
    for _ in range(3):
        suggested = suggest_safely(baseline, seen._replace(pending=np.reshape(asked, (-1, 1))), even=GRID, seed=0)
        asked.append(float(suggested.row[0]))
    assert len(set(asked)) == 3
    found = judged(baseline, seen, learned(baseline, seen), GRID)
    all_of_it = suggest_safely(baseline, seen._replace(pending=GRID[found.safe]), even=NONE, seed=0)
    assert judged(baseline, seen, learned(baseline, seen), all_of_it.row[None]).safe[0]


def test_points_that_failed_or_broke_a_bound_are_not_suggested_again():
    seen = Seen(ROWS, VALUES, GRID[10:14], NONE)
    found = judged(plan(), seen, learned(plan(), seen), GRID)
    assert not np.any(found.safe[10:14])
    broke = Seen(ROWS, np.array([[1.0, -1.0], [0.6, 2.001], [0.5, -1.0]]), NONE, NONE)
    assert not judged(plan(), broke, learned(plan(), broke), ROWS).safe[1]


def test_trials_under_way_change_what_tells_most():
    seen = Seen(ROWS, VALUES, NONE, NONE)
    first = suggest_safely(plan(), seen, even=GRID, seed=0)
    second = suggest_safely(plan(), seen._replace(pending=first.row[None]), even=GRID, seed=0)
    assert abs(second.row[0] - first.row[0]) > 1e-3
    assert second.why.gain <= first.why.gain + 1e-9
